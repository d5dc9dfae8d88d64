//! What the submission did. All of these are successes of the engine: the call returns `Ok`.

use crate::limits::{Amount, LimitId};
use crate::value::{Rejection, Value};

/// How a submission ended. The supervisor decides it from measured facts; what the guest says of
/// itself (an exception's text) is marked as its claim.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It ended by itself; a value that was owed has passed validation.
    Finished {
        /// The value; `None` only where the policy owes none.
        value: Option<Value>,
    },
    /// A Python exception ended it. The texts are the guest's claim, bounded, not escaped.
    Raised {
        /// Type of the exception.
        exception: String,
        /// Its message.
        message: String,
        /// The traceback as Python prints it.
        traceback: String,
    },
    /// It exited with a code other than 0 and no exception.
    Exited {
        /// The code.
        code: u8,
    },
    /// A signal ended it that no limit explains.
    Crashed {
        /// The signal's number.
        signal: i32,
    },
    /// It ran into a limit.
    LimitExceeded {
        /// Which.
        limit: LimitId,
        /// What was allowed, in the limit's unit.
        allowed: u64,
        /// What was used, in the limit's unit, where it was measured.
        used: Option<u64>,
        /// The mechanism that ended it.
        by: String,
    },
    /// It touched the boundary and died of it.
    Denied {
        /// What it touched.
        what: String,
        /// What stopped it.
        by: String,
    },
    /// It gave no value, or one that is not accepted.
    ResultRejected(Rejection),
    /// The guest's side broke the wire format.
    ProtocolViolated {
        /// How.
        why: String,
    },
}

impl Outcome {
    /// Stable names of all outcomes, in the order of the type.
    pub const SLUGS: [&'static str; 8] = [
        "finished",
        "raised",
        "exited",
        "crashed",
        "limit_exceeded",
        "denied",
        "result_rejected",
        "protocol_violated",
    ];

    /// Stable name in records and JSON.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            Self::Finished { .. } => "finished",
            Self::Raised { .. } => "raised",
            Self::Exited { .. } => "exited",
            Self::Crashed { .. } => "crashed",
            Self::LimitExceeded { .. } => "limit_exceeded",
            Self::Denied { .. } => "denied",
            Self::ResultRejected(_) => "result_rejected",
            Self::ProtocolViolated { .. } => "protocol_violated",
        }
    }

    /// Exit code of the command.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Finished { .. } => 0,
            Self::Raised { .. } | Self::Exited { .. } | Self::Crashed { .. } => 1,
            Self::LimitExceeded { .. } | Self::Denied { .. } => 3,
            Self::ResultRejected(_) | Self::ProtocolViolated { .. } => 4,
        }
    }

    /// HTTP status of a run that ended so: always 200, since the engine did its work.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        200
    }

    /// The value, if there is one.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Finished { value } => value.as_ref(),
            Self::Raised { .. }
            | Self::Exited { .. }
            | Self::Crashed { .. }
            | Self::LimitExceeded { .. }
            | Self::Denied { .. }
            | Self::ResultRejected(_)
            | Self::ProtocolViolated { .. } => None,
        }
    }

    /// One line for a person: the verdict, and which fence fired and why. Text of the guest in it
    /// is bounded but not escaped.
    #[must_use]
    pub fn verdict(&self) -> String {
        match self {
            Self::Finished { value: Some(value) } => {
                let bytes = value.text().len();
                let plural = if bytes == 1 { "" } else { "s" };
                format!("finished: a value of {bytes} byte{plural}")
            }
            Self::Finished { value: None } => "finished".to_owned(),
            Self::Raised {
                exception, message, ..
            } => {
                let first = message.lines().next().unwrap_or_default();
                format!("raised {exception}: {first}")
            }
            Self::Exited { code } => format!("exited with code {code}"),
            Self::Crashed { signal } => {
                format!("crashed: signal {signal} ({})", signal_name(*signal))
            }
            Self::LimitExceeded {
                limit,
                allowed,
                used,
                by,
            } => {
                let used = used.map_or_else(String::new, |used| {
                    format!(", used {}", approximate(Amount::of(*limit, used)))
                });
                let allowed = Amount::of(*limit, *allowed);
                format!(
                    "limit exceeded: `{}` of {allowed}{used} (by {by})",
                    limit.name()
                )
            }
            Self::Denied { what, by } => format!("denied: {what} (by {by})"),
            Self::ResultRejected(rejection) => format!("result rejected: {rejection}"),
            Self::ProtocolViolated { why } => format!("protocol violated by the guest: {why}"),
        }
    }
}

/// `amount` in its largest unit of which there is at least one, with one decimal: measured values
/// are not round.
fn approximate(amount: Amount) -> String {
    let unit = amount
        .unit
        .suffixes()
        .iter()
        .find(|(_, size)| amount.value >= *size);
    match unit {
        Some((name, size)) if *size > 1 => {
            let tenths = u128::from(amount.value) * 10 / u128::from(*size);
            format!("{}.{}{name}", tenths / 10, tenths % 10)
        }
        Some(_) | None => amount.to_string(),
    }
}

/// The kernel's name of a signal on Linux, for the signals that end programs.
#[must_use]
pub fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => "no common name",
    }
}
