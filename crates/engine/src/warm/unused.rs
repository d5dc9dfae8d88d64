//! A child that waits, until a run takes it.

use std::sync::Arc;

use stockade_rungs::Ready;

use crate::grave::Graves;

/// A child that has served nobody. Dropped, it is destroyed and accounted for.
#[derive(Debug)]
pub(crate) struct Unused {
    ready: Option<Ready>,
    /// What its cgroups are called.
    name: String,
    graves: Arc<Graves>,
}

impl Unused {
    pub(super) fn new(ready: Ready, name: String, graves: &Arc<Graves>) -> Self {
        Self {
            ready: Some(ready),
            name,
            graves: Arc::clone(graves),
        }
    }

    /// Whether it waits still, having said nothing.
    pub(super) fn is_quiet(&self) -> bool {
        self.ready.as_ref().is_some_and(Ready::is_quiet)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The child, for a run; what comes of it then is the run's to tell.
    pub(crate) fn take(mut self) -> Option<Ready> {
        self.ready.take()
    }
}

impl Drop for Unused {
    fn drop(&mut self) {
        if let Some(ready) = self.ready.take() {
            self.graves.tell(&self.name, &self.name, ready.destroy());
        }
    }
}
