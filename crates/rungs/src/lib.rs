//! One folder per rung. To add one: write the folder, then add its `mod` and its line in
//! [`LADDER`].
#![forbid(unsafe_code)]

mod agent;
pub mod cgroup;
mod formula;
mod guest;
mod jail;
mod process;

use std::cell::OnceCell;
use std::os::fd::BorrowedFd;
use std::path::Path;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::fence::Step;
use stockade_core::host::{Facts, Privilege};
use stockade_core::plan::Plan;
use stockade_core::report::Report;
use stockade_core::rung::RungSpec;
use stockade_core::submission::Submission;
use stockade_core::template::Template;
use stockade_core::wire::Stream;
use stockade_sys::namespace::PendingNetwork;

pub use agent::Remains;
pub use guest::Guest;
#[cfg(feature = "weakened")]
pub use jail::WEAKENED;
pub use jail::syscall::document as seccomp_document;
pub use jail::{Ground, Ready, Zygote, get_ready, try_namespaces};

/// Every rung, cheapest first.
pub static LADDER: &[&dyn Rung] = &[&formula::FormulaRung, &process::Process, &jail::Jail];

/// A level of isolation that can run a submission.
pub trait Rung: Sync {
    /// What it promises, needs and enforces.
    fn spec(&self) -> &'static RungSpec;

    /// Namespaces that the guest's init is born in, by their names in `/proc/<pid>/ns`.
    fn namespaces(&self, privilege: Privilege) -> Vec<&'static str>;

    /// The steps of its fence for a plan, without doing any.
    ///
    /// # Errors
    /// `Host` when the template's tree cannot be read.
    fn fence(&self, job: &Job<'_>) -> Result<Vec<Step>, Error>;

    /// Runs one submission in a boundary of its own and destroys the boundary.
    ///
    /// # Errors
    /// Ours alone: `Refused` or `Host` when the boundary cannot be made, `Cancelled` when `watch`
    /// asked for it, `Host` when it cannot be destroyed. Whatever the submission did is in the
    /// report.
    fn run(&self, job: &Job<'_>, watch: &mut dyn Watch) -> Result<Report, Error>;

    /// What a submission finds around it, on a rung to which templates mean nothing.
    fn template(&self) -> Option<Template> {
        None
    }

    /// Whether it has boundaries that are built before the submission comes.
    fn keeps_warm(&self) -> bool {
        false
    }

    /// The same in a boundary that was built before the submission came, for a run like this. Of a
    /// guest that came to its end init is left, for the caller to bury: that takes time which the
    /// answer need not wait for.
    ///
    /// # Errors
    /// As [`Rung::run`]; `Bug` of a rung that has no such boundaries.
    fn resume(
        &self,
        job: &Job<'_>,
        ready: Ready,
        watch: &mut dyn Watch,
    ) -> Result<(Report, Option<Remains>), Error> {
        let _ = (ready, watch);
        let (run, rung) = (job.run, self.spec().name);
        Err(Error::new(
            ErrorKind::Bug,
            format!("run {run}: nothing is kept warm for rung {rung}"),
        ))
    }
}

impl std::fmt::Debug for dyn Rung {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.spec().name)
    }
}

/// All that a rung needs for one run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Name of the run, unique on this host; cgroups and directories are named after it.
    pub run: &'a str,
    /// What will be done.
    pub plan: &'a Plan,
    /// What came in.
    pub submission: &'a Submission,
    /// What it finds around it.
    pub template: &'a Prepared<'a>,
    /// What this machine can do.
    pub host: &'a Facts,
    /// The uid and gid on the host that only this run has; used where we run as root.
    pub uid: u32,
    /// A network namespace that was made ahead for this run alone, where we run as root.
    pub network: Option<&'a PendingNetwork>,
    /// Where a rung without a mount namespace may make a directory for the run.
    pub scratch: &'a Path,
    /// The guest's init.
    pub guest: &'a Guest,
}

/// The template of a run, prepared when it is first asked for: a rung asks when init is on its way,
/// and the time that init takes is used.
pub struct Prepared<'a> {
    prepare: &'a dyn Fn() -> Result<Template, Error>,
    template: OnceCell<Template>,
}

impl<'a> Prepared<'a> {
    /// By `prepare`, which is called once at most unless it fails.
    #[must_use]
    pub fn new(prepare: &'a dyn Fn() -> Result<Template, Error>) -> Self {
        Self {
            prepare,
            template: OnceCell::new(),
        }
    }

    /// Takes the one that is there already.
    pub fn supply(&self, template: Template) {
        // One that was prepared meanwhile is as good.
        let _ = self.template.set(template);
    }

    /// The template.
    ///
    /// # Errors
    /// Those of the preparation.
    pub fn get(&self) -> Result<&Template, Error> {
        if let Some(template) = self.template.get() {
            return Ok(template);
        }
        let template = (self.prepare)()?;
        Ok(self.template.get_or_init(|| template))
    }
}

impl std::fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Prepared")
            .field(&self.template.get())
            .finish()
    }
}

/// Follows a run while it goes on.
pub trait Watch {
    /// Output, as it arrives, up to the stream's limit. Untrusted bytes.
    fn output(&mut self, stream: Stream, bytes: &[u8]);

    /// Readable as soon as the run is to be cancelled.
    fn cancel(&self) -> Option<BorrowedFd<'_>>;
}

/// The rung called `name`.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Rung> {
    LADDER.iter().copied().find(|rung| rung.spec().name == name)
}
