//! What would be done with a submission, without doing it.

use stockade_core::error::Error;
use stockade_core::fence::Step;
use stockade_core::plan::Plan;
use stockade_core::policy::Policy;
use stockade_core::submission::Submission;
use stockade_core::template::Template;
use stockade_rungs::Job;
use stockade_rungs::Prepared;

use crate::engine::Engine;

/// A plan in full, down to each step of the fence.
///
/// Holding one proves that the policy can be met as far as can be known without trying: no
/// boundary was made.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The rung, its guarantees, and how each limit is enforced.
    pub plan: Plan,
    /// What the submission would find around it.
    pub template: Template,
    /// Namespaces that the guest's init would be born in, by their names in `/proc/<pid>/ns`.
    pub namespaces: Vec<&'static str>,
    /// The fence, in order.
    pub steps: Vec<Step>,
}

impl Engine {
    /// What [`Engine::run`] would do: the plan, the prepared template and every step of the fence.
    ///
    /// ```
    /// # fn main() -> Result<(), stockade::Error> {
    /// use stockade::{Engine, Host, Policy, Submission};
    /// let engine = Engine::new(Host::probe()?)?;
    /// let found = engine.explain(&Submission::python("pass"), &Policy::default())?;
    /// for step in &found.steps {
    ///     println!("{}: {}", step.name(), step.detail());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those that the run would end with before it starts: `InvalidSubmission`, `InvalidPolicy`,
    /// `Refused`, `Busy`, or `Host`.
    pub fn explain(&self, submission: &Submission, policy: &Policy) -> Result<Explanation, Error> {
        let (plan, rung) = self.plan(submission, policy)?;
        let prepare = || self.template(&plan);
        let template = Prepared::new(&prepare);
        let identity = self.identities.lease()?;
        let start = self.begin();
        let job = Job {
            run: &start.run,
            plan: &plan,
            submission,
            template: &template,
            host: self.host.facts(),
            uid: identity.uid(),
            scratch: self.paths.scratch(),
            network: None,
            guest: self.guest()?,
        };
        let steps = rung.fence(&job)?;
        let template = template.get()?.clone();
        Ok(Explanation {
            namespaces: rung.namespaces(self.host.facts().privilege),
            plan,
            template,
            steps,
        })
    }
}
