//! Runs a program of ours in a template that is still being built, inside a boundary: what the
//! template brings is not trusted.

use serde_json::Value;
use std::os::fd::BorrowedFd;
use stockade_core::error::{Error, ErrorKind};
use stockade_core::limits::Limits;
use stockade_core::outcome::Outcome;
use stockade_core::plan::Plan;
use stockade_core::policy::Policy;
use stockade_core::report::Report;
use stockade_core::submission::Submission;
use stockade_core::template::Template;
use stockade_core::{judge, wire::Stream};
use stockade_rungs::{Job, Prepared, Rung, Watch};

use crate::engine::Engine;

/// What a trial may use: imports of large packages, without a cache, on a slow machine.
const LIMITS: [&str; 6] = [
    "wall=300s",
    "cpu=300s",
    "memory=2GiB",
    "disk=512MiB",
    "result=8MiB",
    "open_files=1024",
];

const ALONE: &str = "processes=1";

/// Nobody looks, nobody cancels.
struct Unwatched;

impl Watch for Unwatched {
    fn output(&mut self, _: Stream, _: &[u8]) {}

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

impl Engine {
    /// The plan of a program of ours under these limits; with one process where the host, having no
    /// cgroups, allows no more.
    pub(crate) fn plan_anywhere(
        &self,
        submission: &Submission,
        limits: Limits,
    ) -> Result<(Plan, &'static dyn Rung), Error> {
        let usual = Policy::default().limits(limits.clone());
        match self.plan(submission, &usual) {
            Err(error) if error.kind() == ErrorKind::Refused => {
                let alone = Policy::default().limits(limits.parse(ALONE)?);
                self.plan(submission, &alone).map_err(|_| error)
            }
            planned => planned,
        }
    }

    /// The value that `source` gives in `template`; `attempt` says what it is for.
    ///
    /// # Errors
    /// `Refused` when it gives none, with what it said; and those of [`Engine::run`].
    pub(crate) fn trial(
        &self,
        template: &Template,
        source: String,
        attempt: &str,
    ) -> Result<Value, Error> {
        let submission = Submission::python(source);
        let limits = LIMITS
            .iter()
            .try_fold(Limits::default(), |all, one| all.parse(one))?;
        let (plan, rung) = self.plan_anywhere(&submission, limits)?;
        let seat = self.admission.admit()?;
        let prepare = || Ok(template.clone());
        let prepared = Prepared::new(&prepare);
        let identity = self.identities.lease()?;
        let start = self.begin();
        let job = Job {
            run: &start.run,
            plan: &plan,
            submission: &submission,
            template: &prepared,
            host: self.host.facts(),
            uid: identity.uid(),
            network: None,
            scratch: self.paths.scratch(),
            guest: self.guest()?,
        };
        let mut report = rung.run(&job, &mut Unwatched)?;
        let outcome = judge(&plan, None, &mut report);
        drop((identity, seat));
        match outcome {
            Some(Outcome::Finished { value: Some(value) }) => Ok(value.tree().clone()),
            Some(other) => Err(refused(attempt, &other, &report)),
            None => Err(Error::new(
                ErrorKind::Host,
                format!("cannot {attempt}: the run was ended from outside"),
            )),
        }
    }
}

fn refused(attempt: &str, outcome: &Outcome, report: &Report) -> Error {
    let said = report.stderr.text();
    let last: Vec<_> = said.trim_end().lines().rev().take(3).collect();
    let last: Vec<_> = last.into_iter().rev().collect();
    let text = format!("cannot {attempt}: it {}", outcome.verdict());
    let error = Error::new(ErrorKind::Refused, text);
    if last.is_empty() {
        return error;
    }
    error.hint(format!("it said: {}", last.join("; ")))
}
