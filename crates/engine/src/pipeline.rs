//! The path of one submission: bytes in, a validated value and a record out.

use stockade_core::error::{Error, ErrorKind};
use stockade_core::judge;
use stockade_core::plan::{Plan, plan};
use stockade_core::policy::Policy;
use stockade_core::record::{Record, Start};
use stockade_core::submission::Submission;
use stockade_core::template::Template;
use stockade_rungs::{Job, Prepared, Rung, Watch};

use crate::audit::{Entry, Sink};
use crate::engine::Engine;
use crate::template;

impl Engine {
    /// Runs one submission under `policy`, showing its output to `watch` and asking it whether to
    /// go on. Returns when the boundary is destroyed and the record is written.
    ///
    /// # Errors
    /// Ours or the request's, see [`ErrorKind`]; whatever the submission did is a record with its
    /// [`Outcome`](stockade_core::outcome::Outcome).
    pub fn run_watched(
        &self,
        submission: &Submission,
        policy: &Policy,
        watch: &mut dyn Watch,
    ) -> Result<Record, Error> {
        self.run_into(submission, policy, watch, self.audit.as_sink())
    }

    /// [`Engine::run_watched`] with the record handed to `sink`, and not to where this engine's
    /// go: for whoever runs the submissions of several.
    ///
    /// # Errors
    /// As [`Engine::run_watched`].
    pub fn run_recorded(
        &self,
        submission: &Submission,
        policy: &Policy,
        watch: &mut dyn Watch,
        sink: &dyn Sink,
    ) -> Result<Record, Error> {
        self.run_into(submission, policy, watch, Some(sink))
    }

    fn run_into(
        &self,
        submission: &Submission,
        policy: &Policy,
        watch: &mut dyn Watch,
        sink: Option<&dyn Sink>,
    ) -> Result<Record, Error> {
        let (plan, rung) = self.plan(submission, policy)?;
        let seat = self.admission.admit()?;
        let prepare = || self.template(&plan);
        let template = Prepared::new(&prepare);
        // Not before: whoever waits for a seat must not hold a boundary or a network meanwhile.
        let place = self.place(&plan, rung, &template)?;
        let start = self.begin();
        let entry = Entry::reserve(sink)?;
        let job = Job {
            run: &start.run,
            plan: &plan,
            submission,
            template: &template,
            host: self.host.facts(),
            uid: place.uid(),
            network: place.network(),
            scratch: self.paths.scratch(),
            guest: self.guest()?,
        };
        let mut remains = None;
        let ended = place.run(rung, &job, watch).and_then(|(mut report, left)| {
            remains = left;
            match judge(&plan, policy.schema_ref(), &mut report) {
                Some(outcome) => Ok(Record::new(
                    start.clone(),
                    submission,
                    policy,
                    &plan,
                    template.get()?,
                    report,
                    outcome,
                )),
                None => Err(unexplained(&start)),
            }
        });
        if let Some(remains) = remains {
            self.undertaker.take(&start.run, remains, place, seat);
        } else {
            let cgroup = &self.host.facts().cgroup;
            self.undertaker.see(&start.run, &place, cgroup);
            drop((place, seat));
        }
        entry.write(&start, submission, &ended)?;
        ended
    }

    /// What would be done, without doing it.
    ///
    /// # Errors
    /// `InvalidSubmission`, `InvalidPolicy` or `Refused`, as [`Engine::run`].
    pub fn plan(
        &self,
        submission: &Submission,
        policy: &Policy,
    ) -> Result<(Plan, &'static dyn Rung), Error> {
        let policy = &*self.settled(policy)?;
        submission.fits(policy.limits_ref())?;
        // An engine may live on while another process attacks its rungs.
        let news = self.host.news(self.paths.cache());
        let facts = news.as_deref().unwrap_or_else(|| self.host.facts());
        let ladder: Vec<_> = self.ladder.iter().map(|rung| rung.spec()).collect();
        let plan = plan(submission.language(), policy, facts, &ladder)?;
        match self.rung(plan.rung) {
            Some(rung) => Ok((plan, rung)),
            None => Err(Error::new(
                ErrorKind::Bug,
                format!("rung {} is not in the ladder", plan.rung),
            )),
        }
    }

    /// The template of a plan, prepared.
    ///
    /// # Errors
    /// `InvalidPolicy` for a name that is not known; `Refused` or `Host` when it cannot be
    /// prepared.
    pub fn template(&self, plan: &Plan) -> Result<Template, Error> {
        if let Some(template) = self.rung(plan.rung).and_then(Rung::template) {
            return Ok(template);
        }
        let cache = self.paths.cache();
        if let Some(template) = self
            .host
            .template()
            .and_then(|ahead| ahead.take(&plan.template, cache))
        {
            return Ok(template);
        }
        template::prepare(&plan.template, cache, &self.search)
            .map_err(|error| error.at_step("template", 0))
    }
}

/// Nothing that was measured explains the end of the guest.
fn unexplained(start: &Start) -> Error {
    Error::new(
        ErrorKind::Host,
        format!(
            "run {}: the guest's init was killed, and by none of the fences",
            start.run
        ),
    )
    .hint("something outside killed it: an OOM killer of the whole machine, or a person")
}
