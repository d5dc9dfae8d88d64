//! A rung as data: what it promises, what it needs, how it enforces each limit.

use crate::guarantee::Guarantee;
use crate::host::{Facts, Fault};
use crate::limits::LimitId;
use crate::submission::Language;

/// How a rung enforces one limit on one host. The mechanism is always out of the submission's
/// reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// Over everything inside the boundary together (`memory.max`, fuel).
    WholeGuest {
        /// The mechanism.
        by: &'static str,
    },
    /// Over each process separately (`RLIMIT_CPU`): for a limit over the whole guest, sound only
    /// where there is one process.
    PerProcess {
        /// The mechanism.
        by: &'static str,
    },
    /// Not at all: every plan on this rung is refused until this changes.
    Nothing {
        /// Why not, for the refusal message.
        because: &'static str,
    },
}

impl Enforcement {
    /// The mechanism, or why there is none.
    #[must_use]
    pub fn by(self) -> &'static str {
        match self {
            Self::WholeGuest { by } | Self::PerProcess { by } => by,
            Self::Nothing { because } => because,
        }
    }
}

/// A rung's static description. Kept in the rung's own folder.
#[derive(Debug)]
pub struct RungSpec {
    /// Stable name, in kebab case.
    pub name: &'static str,
    /// What stands between the submission and the host, in a phrase.
    pub summary: &'static str,
    /// What it runs.
    pub languages: &'static [Language],
    /// What it promises.
    pub guarantees: &'static [Guarantee],
    /// What a submission and its host still share, a phrase each: nothing above says otherwise.
    pub shares: &'static [&'static str],
    /// What the host lacks for it, if it lacks anything.
    pub missing: fn(&Facts) -> Option<Fault>,
    /// How it enforces each limit on a host. Exhaustive by construction.
    pub enforcement: fn(LimitId, &Facts) -> Enforcement,
}
