//! What is kept warm, as it stands.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::{Herd, Warm};
use crate::engine::Engine;

/// Interpreters of one kind that are kept ready.
///
/// Holding one proves nothing of the moment after: others take what waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The template.
    pub template: String,
    /// Its digest.
    pub digest: String,
    /// Whether it is for runs that call a function.
    pub calls: bool,
    /// The limit `cpus` that runs must have to be warm.
    pub cpus: u64,
    /// Zygotes that live.
    pub zygotes: usize,
    /// Children that those have had.
    pub children: u64,
    /// Children that wait for a submission.
    pub waiting: usize,
    /// How many are to wait.
    pub depth: usize,
    /// Why no more are made, if none are.
    pub given_up: Option<String>,
}

impl Engine {
    /// What [`Engine::warm`] keeps, as it stands now.
    #[must_use]
    pub fn kept(&self) -> Vec<Kept> {
        self.warm.kept()
    }
}

impl Warm {
    fn kept(&self) -> Vec<Kept> {
        let herds = self.herds.lock().unwrap_or_else(PoisonError::into_inner);
        herds.iter().map(Herd::kept).collect()
    }
}

impl Herd {
    fn kept(&self) -> Kept {
        let state = self.shared.lock();
        let living: Vec<_> = state
            .mothers
            .iter()
            .flatten()
            .flatten()
            .filter(|mother| mother.zygote.is_alive())
            .collect();
        Kept {
            template: self.kind.template.clone(),
            digest: state.ground.template.digest.clone(),
            calls: self.kind.calls,
            cpus: self.kind.cpus,
            zygotes: living.len(),
            children: living
                .iter()
                .map(|mother| mother.children.load(Ordering::Relaxed))
                .sum(),
            waiting: state.waiting.len(),
            depth: self.shared.depth,
            given_up: state.given_up.clone(),
        }
    }
}
