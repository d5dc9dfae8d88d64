//! How a run ended, in a line.

use stockade::{Outcome, Record};

/// The outcome in a line.
pub(crate) fn ended(record: &Record) -> String {
    let rest = match &record.outcome {
        Outcome::Finished { value: Some(value) } => value.text().to_owned(),
        Outcome::Finished { value: None } => String::new(),
        Outcome::Raised {
            exception, message, ..
        } => format!("{exception}: {message}"),
        Outcome::Exited { code } => code.to_string(),
        Outcome::Crashed { signal } => signal.to_string(),
        Outcome::LimitExceeded { limit, .. } => limit.name().to_owned(),
        Outcome::Denied { by, .. } => by.clone(),
        Outcome::ResultRejected(rejection) => rejection.to_string(),
        Outcome::ProtocolViolated { why } => why.clone(),
    };
    format!("{} {rest}", record.outcome.slug())
}
