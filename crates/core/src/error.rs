//! Errors are about us or the request, never about the submission: see [`crate::outcome`].

use std::fmt;

/// Why the engine could not give an outcome at all.
///
/// Opaque: what the caller can do is in [`Error::kind`], what a person can do in the message and
/// [`Error::hints`].
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hints: Vec<String>,
    step: Option<(String, i32)>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What the caller can do about it. One variant per action, not per cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Send a different submission.
    InvalidSubmission,
    /// Send a different policy.
    InvalidPolicy,
    /// Use another host, or ask for less: this one cannot provide what the policy requires.
    Refused,
    /// Retry later.
    Busy,
    /// Nothing: the caller asked us to stop.
    Cancelled,
    /// Page the operator: the host is in trouble.
    Host,
    /// Report it: the engine broke one of its own invariants.
    Bug,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::InvalidSubmission,
        Self::InvalidPolicy,
        Self::Refused,
        Self::Busy,
        Self::Cancelled,
        Self::Host,
        Self::Bug,
    ];

    /// Stable name in records and JSON.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::InvalidSubmission => "invalid_submission",
            Self::InvalidPolicy => "invalid_policy",
            Self::Refused => "refused",
            Self::Busy => "busy",
            Self::Cancelled => "cancelled",
            Self::Host => "host",
            Self::Bug => "bug",
        }
    }

    /// Exit code of the command (those of `sysexits.h` where one fits).
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::InvalidSubmission => 65,
            Self::InvalidPolicy => 64,
            Self::Refused => 69,
            Self::Busy => 75,
            Self::Cancelled => 130,
            Self::Host => 71,
            Self::Bug => 70,
        }
    }
}

impl Error {
    /// Builds an error whose message a person can act on without reading our source.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hints: Vec::new(),
            step: None,
            source: None,
        }
    }

    /// The same error with one more line of what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The same error with the cause that the system gave.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error with the step of building the boundary that failed, and the number of its
    /// error.
    #[must_use]
    pub fn at_step(mut self, step: impl Into<String>, errno: i32) -> Self {
        self.step = Some((step.into(), errno));
        self
    }

    /// The step of building the boundary that failed, by its name in `stockade explain`, and the
    /// number of its error; `None` where the cause was something else.
    #[must_use]
    pub fn failed_step(&self) -> Option<(&str, i32)> {
        self.step.as_ref().map(|(step, errno)| (&**step, *errno))
    }

    /// What the caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What a person can do about it, most useful first.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// The first hint, if there is one.
    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.hints.first().map(String::as_str)
    }

    /// Whether the same request can succeed if sent again unchanged.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.kind {
            ErrorKind::Busy | ErrorKind::Host => true,
            ErrorKind::InvalidSubmission
            | ErrorKind::InvalidPolicy
            | ErrorKind::Refused
            | ErrorKind::Cancelled
            | ErrorKind::Bug => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_differ_and_keep_clear_of_outcomes() {
        let mut seen = std::collections::BTreeSet::new();
        for kind in ErrorKind::ALL {
            assert!(seen.insert(kind.exit_code()), "{kind:?}");
            assert!(kind.exit_code() > 4, "{kind:?}");
        }
    }
}
