//! Where one run takes place: what is ready for it before it starts, warm or not.

use std::sync::{Arc, Mutex, PoisonError};

use stockade_core::error::{Error, ErrorKind};
use stockade_core::plan::Plan;
use stockade_core::report::Report;
use stockade_rungs::{Job, Prepared, Remains, Rung, Watch};
use stockade_sys::namespace::PendingNetwork;

use crate::engine::Engine;
use crate::identity::Lease;
use crate::warm::{Mother, Replacement, Taken, Unused};

/// One run's own, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    // Destroyed first: the uid belongs to it until then.
    warm: Mutex<Option<Warm>>,
    /// What the cgroups of a warm run are called.
    child: Option<String>,
    network: Option<PendingNetwork>,
    identity: Lease,
    /// Lives as long as its child.
    _zygote: Option<Arc<Mother>>,
    _replacement: Option<Replacement>,
}

#[derive(Debug)]
struct Warm {
    ready: Unused,
    warmth: stockade_core::report::Warmth,
}

impl Engine {
    /// What is ready for a run by `plan`, or a network namespace in the making.
    pub(crate) fn place(
        &self,
        plan: &Plan,
        rung: &dyn Rung,
        template: &Prepared<'_>,
    ) -> Result<Place, Error> {
        let wanted = !plan.cold && rung.keeps_warm() && !self.warm.is_empty();
        let taken = if wanted { self.warm.take(plan) } else { None };
        Ok(match taken {
            Some(Taken {
                ready,
                identity,
                warmth,
                zygote,
                replacement,
                ground,
            }) => {
                template.supply(ground.template.clone());
                Place {
                    child: Some(ready.name().to_owned()),
                    warm: Mutex::new(Some(Warm { ready, warmth })),
                    network: None,
                    identity,
                    _zygote: Some(zygote),
                    _replacement: replacement,
                }
            }
            None => Place {
                warm: Mutex::new(None),
                child: None,
                network: self.network_ahead(plan),
                identity: self.identities.lease()?,
                _zygote: None,
                _replacement: None,
            },
        })
    }
}

impl Place {
    /// The uid and gid on the host that only this run has.
    pub(crate) fn uid(&self) -> u32 {
        self.identity.uid()
    }

    /// What the cgroups of a warm run are called; a cold run's are called as it is.
    pub(crate) fn child(&self) -> Option<&str> {
        self.child.as_deref()
    }

    pub(crate) fn network(&self) -> Option<&PendingNetwork> {
        self.network.as_ref()
    }

    /// Runs the job in it, once; what is left of a warm boundary is to be buried.
    pub(crate) fn run(
        &self,
        rung: &dyn Rung,
        job: &Job<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(Report, Option<Remains>), Error> {
        let warm = self
            .warm
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match warm {
            None => Ok((rung.run(job, watch)?, None)),
            Some(Warm { ready, warmth }) => {
                let ready = ready.take().ok_or_else(|| {
                    Error::new(
                        ErrorKind::Bug,
                        "a child was taken for a run before this one",
                    )
                })?;
                let (mut report, remains) = rung.resume(job, ready, watch)?;
                report.warmth = Some(warmth);
                Ok((report, remains))
            }
        }
    }
}
