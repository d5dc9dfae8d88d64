//! What the command says of a run, as text: made where the record is, printed where the caller is.

use stockade::{Outcome, Record};

use crate::flag::{Format, Request};
use crate::terminal::{self, Paint};
use crate::{evidence, verdict};
use serde::{Deserialize, Serialize};

/// What the caller wants to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch that is typed or a property of the terminal"
)]
pub(crate) struct Wanted {
    /// The record, and not the value.
    json: bool,
    verbose: bool,
    quiet: bool,
    /// Whether the value is for a person: laid out.
    pretty: bool,
    colour: bool,
}

/// What there is to say of a run that came to an outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Of the command.
    pub(crate) exit_code: u8,
    /// The record or the value, as asked for; `None` where there is no value.
    pub(crate) result: Option<String>,
    /// For standard error.
    pub(crate) told: String,
}

impl Wanted {
    pub(crate) fn by(request: &Request) -> Self {
        Self {
            json: request.format == Format::Json,
            verbose: request.verbose,
            quiet: request.quiet,
            pretty: request.out.is_none() && terminal::stdout_is_one(),
            colour: Paint::for_stderr().is_on(),
        }
    }
}

impl Answer {
    pub(crate) fn of(record: &Record, wanted: Wanted) -> Self {
        let value = record.outcome.value();
        Self {
            exit_code: record.outcome.exit_code(),
            result: if wanted.json {
                Some(record.to_json())
            } else if wanted.pretty {
                value.map(stockade::Value::pretty)
            } else {
                value.map(|value| value.text().to_owned())
            },
            told: told(record, wanted),
        }
    }
}

/// How it went, for a person.
fn told(record: &Record, wanted: Wanted) -> String {
    let paint = Paint::when(wanted.colour);
    let went_well = matches!(record.outcome, Outcome::Finished { .. });
    let mut text = String::new();
    if wanted.json && !wanted.verbose {
        return text;
    }
    if wanted.quiet && !wanted.json {
        if went_well {
            return text;
        }
        // It was not shown, and is wanted after all.
        text.push_str(&verdict::stderr(record));
    }
    text.push_str(&verdict::line(record, paint));
    text.push_str(&verdict::notes(record, paint));
    if wanted.verbose {
        text.push_str(&evidence::text(record, paint));
    }
    text
}
