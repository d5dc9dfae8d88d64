//! What came of one technique in one place.

use std::fmt;

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has something that it must not have.
    Reached,
    /// It has nothing of the kind.
    Stopped,
    /// It cannot be tried there at all; why is beside it.
    Inapplicable,
    /// It was not tried; why is beside it.
    Skipped,
    /// The demonstration itself failed.
    Failed,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 5] = [
        Self::Reached,
        Self::Stopped,
        Self::Inapplicable,
        Self::Skipped,
        Self::Failed,
    ];

    /// Stable name.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Stopped => "stopped",
            Self::Inapplicable => "inapplicable",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    /// One column wide.
    #[must_use]
    pub fn mark(self) -> char {
        match self {
            Self::Reached => '✗',
            Self::Stopped => '✓',
            Self::Inapplicable => '·',
            Self::Skipped => '?',
            Self::Failed => '!',
        }
    }
}

/// Whose leak it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// The sandbox's own: what it was to forbid, it let pass.
    Sandbox,
    /// The import policy's: an allowed module holds another. Whoever writes the list answers for
    /// it.
    ImportPolicy,
    /// What was handed in does this.
    HandedIn,
    /// Time and memory, which nothing inside an interpreter bounds.
    Resources,
}

impl Through {
    /// Stable name.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::ImportPolicy => "import-policy",
            Self::HandedIn => "handed-in",
            Self::Resources => "resources",
        }
    }
}

impl fmt::Display for Through {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sandbox => "through the sandbox itself",
            Self::ImportPolicy => "through the import policy",
            Self::HandedIn => "through what was handed in",
            Self::Resources => "through resources, which it does not bound",
        })
    }
}

/// One technique in one place.
#[derive(Clone, Debug)]
pub struct Cell {
    /// How it went.
    pub verdict: Verdict,
    /// Why, in one line. It may have text of the program's: escape it before it is shown.
    pub why: String,
    /// Whose leak it is, where it has reached something.
    pub through: Option<Through>,
    /// References between what was reached and the host's secret, where they were followed.
    pub secret_steps: Option<u64>,
}

impl Cell {
    pub(crate) fn new(verdict: Verdict, why: impl Into<String>) -> Self {
        Self {
            verdict,
            why: why.into(),
            through: None,
            secret_steps: None,
        }
    }

    /// Why, with whose leak it is and how far the secret is.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut text = self.why.clone();
        if let Some(steps) = self.secret_steps {
            let plural = if steps == 1 { "" } else { "s" };
            text.extend([format!(
                "; the host's secret is {steps} reference{plural} away"
            )]);
        }
        if let Some(through) = self.through {
            text.extend([format!(" ({through})")]);
        }
        text
    }
}
