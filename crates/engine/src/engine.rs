//! The engine: what is prepared once and used by every run.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use stockade_core::error::{Error, ErrorKind};
use stockade_core::guarantee::Guarantee;
use stockade_core::host::{Privilege, Proof};
use stockade_core::plan::Plan;
use stockade_core::policy::Policy;
use stockade_core::record::{Record, Start};
use stockade_core::submission::Submission;
use stockade_core::wire::Stream;
use stockade_rungs::{Guest, LADDER, Rung, Watch};
use stockade_sys::clock;
use stockade_sys::namespace::{PendingNetwork, begin_network};

use crate::admission::{Admission, Bounded};
use crate::audit::{Audit, Sink};
use crate::host::Host;
use crate::identity::Identities;
use crate::path::Paths;
use crate::reaper::Presence;
use crate::template::{self, Search};
use crate::undertaker::Undertaker;
use crate::warm::{Issue, Order, Warm};

/// Runs submissions.
///
/// One engine serves any number of threads. Making one looks for leftovers of supervisors that
/// were killed, and removes them.
///
/// ```
/// use stockade::{Engine, Host, Limits, Outcome, Policy, Submission};
///
/// # fn main() -> Result<(), stockade::Error> {
/// let engine = Engine::new(Host::probe()?)?;
/// let policy = Policy::default().limits(Limits::default().parse("cpu=500ms")?);
/// let spin = Submission::python("while True: pass");
/// match engine.run(&spin, &policy).map(|record| record.outcome) {
///     Ok(Outcome::LimitExceeded { limit, by, .. }) => println!("{} by {by}", limit.name()),
///     Ok(other) => panic!("{}", other.verdict()),
///     Err(error) => eprintln!("{error}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Engine {
    // These end first: what they hold is named by what follows.
    pub(crate) warm: Warm,
    pub(crate) undertaker: Undertaker,
    pub(crate) host: Host,
    pub(crate) paths: Paths,
    pub(crate) search: Search,
    pub(crate) admission: Box<dyn Admission>,
    pub(crate) identities: Identities,
    pub(crate) audit: Audit,
    pub(crate) ladder: &'static [&'static dyn Rung],
    presence: Presence,
    guest: OnceLock<Arc<Guest>>,
    runs: Arc<AtomicU64>,
}

impl Engine {
    /// An engine for `host`, with the directories and the interpreter that the environment names
    /// (`STOCKADE_CACHE_DIR`, `STOCKADE_STATE_DIR`, `STOCKADE_PYTHON`) or the usual ones.
    ///
    /// # Errors
    /// `Host` when a directory of ours cannot be made or is somebody else's; `Busy` when another
    /// process holds its lock. What a killed supervisor left and cannot be removed is no error:
    /// see [`Engine::leftovers`].
    pub fn new(host: Host) -> Result<Self, Error> {
        let paths = Paths::from_environment()?;
        let presence = Presence::announce(paths.state(), paths.scratch(), &host.facts().cgroup)?;
        Ok(Self {
            host: host.recall(paths.cache()),
            paths,
            search: Search::from_env(),
            admission: Box::new(Bounded::default()),
            identities: Identities::of_this_process(),
            audit: Audit::default(),
            ladder: LADDER,
            presence,
            guest: OnceLock::new(),
            runs: Arc::default(),
            warm: Warm::default(),
            undertaker: Undertaker::default(),
        })
    }

    /// The same engine, writing each run's record to the audit file at `path`.
    ///
    /// # Errors
    /// `Host` when the file cannot be opened for appending.
    pub fn audit_file(mut self, path: &Path) -> Result<Self, Error> {
        self.audit = Audit::file(path)?;
        Ok(self)
    }

    /// The same engine, handing each run's record to `sink`.
    #[must_use]
    pub fn audit_sink(mut self, sink: Box<dyn Sink>) -> Self {
        self.audit = Audit::sink(sink);
        self
    }

    /// The same engine with another admission in front of its runs.
    #[must_use]
    pub fn admission(mut self, admission: Box<dyn Admission>) -> Self {
        self.admission = admission;
        self
    }

    /// The same engine with other rungs, cheapest first, than those of [`LADDER`].
    #[must_use]
    pub fn ladder(mut self, ladder: &'static [&'static dyn Rung]) -> Self {
        self.ladder = ladder;
        self
    }

    /// The same engine, whatever has got through its rungs before: for whoever attacks them.
    #[must_use]
    pub fn unproved(mut self) -> Self {
        self.host = self.host.unproved();
        self
    }

    /// The rung called `name`, if this engine has it.
    #[must_use]
    pub fn rung(&self, name: &str) -> Option<&'static dyn Rung> {
        let mut ladder = self.ladder.iter().copied();
        ladder.find(|rung| rung.spec().name == name)
    }

    /// Keeps what attacking a rung has shown, for the engines of this program on this host that
    /// are made from now on: those refuse a rung that was got through.
    ///
    /// # Errors
    /// `Host` when it cannot be written.
    pub fn remember(&self, proof: &Proof) -> Result<(), Error> {
        crate::proof::write(self.paths.cache(), self.host.facts(), proof)
    }

    /// Forgets what was kept of a rung: the next engine takes it for not proved.
    ///
    /// # Errors
    /// `Host` when what is there cannot be removed.
    pub fn forget(&self, rung: &str) -> Result<(), Error> {
        crate::proof::remove(self.paths.cache(), rung)
    }

    /// Runs one submission under `policy`. Blocks until the boundary is destroyed and the record
    /// is written.
    ///
    /// # Errors
    /// Ours or the request's; whatever the submission did is in the record.
    pub fn run(&self, submission: &Submission, policy: &Policy) -> Result<Record, Error> {
        self.run_watched(submission, policy, &mut Unwatched)
    }

    /// Keeps interpreters ready that have loaded the modules of the template's `preload`, and
    /// `depth` copies of them, each in a boundary of its own with every fence up, that wait for
    /// submissions under policies like this one. A run under another template, for a function where
    /// this one calls none, or with another number of CPUs, is cold as before; one with other
    /// limits is warm but waits for its boundary. Returns when the first waits.
    ///
    /// What is kept ends with the engine.
    ///
    /// ```
    /// use stockade::{Engine, Host, Policy, Submission};
    ///
    /// # fn main() -> Result<(), stockade::Error> {
    /// let engine = Engine::new(Host::probe()?)?;
    /// let policy = Policy::default();
    /// engine.warm(&policy, 2)?;
    /// let job = Submission::python("import stockade_guest as g; g.emit(6 * 7)");
    /// let record = engine.run(&job, &policy)?;
    /// assert!(record.evidence.warmth.is_some());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of a run, `Refused` among them when a module cannot be loaded or when what it does at
    /// its import cannot be copied.
    pub fn warm(&self, policy: &Policy, depth: usize) -> Result<(), Error> {
        let (plan, rung) = self.plan(&Submission::python(""), policy)?;
        if !rung.keeps_warm() {
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!("nothing can be kept warm for rung `{}`", plan.rung),
            )
            .hint("rung `jail` can"));
        }
        let issue = Issue {
            prefix: self.presence.prefix().to_owned(),
            next: Arc::clone(&self.runs),
            identities: self.identities.clone(),
            graves: Arc::clone(self.undertaker.graves()),
        };
        let (name, search) = (plan.template.clone(), self.search.clone());
        let cache = self.paths.cache().to_owned();
        let prepare = move || {
            template::prepare(&name, &cache, &search).map_err(|error| error.at_step("template", 0))
        };
        self.warm.keep(Order {
            plan,
            prepare: Box::new(prepare),
            host: self.host.facts().clone(),
            issue,
            guest: Arc::clone(self.guest()?),
            extension: Guest::zygote(self.paths.cache())?,
            scratch: self.paths.scratch().to_owned(),
            depth: depth.max(1),
        })
    }

    /// Waits until nothing is left of the warm runs that have returned: their boundaries are
    /// destroyed off the way of the answer. Says what could not be removed, each with its run and
    /// reason, and has not been said before. What stayed earlier is tried once more; of that
    /// [`Engine::teardown`] has the account.
    #[must_use]
    pub fn settle(&self) -> Vec<String> {
        let news = self.undertaker.settle();
        self.undertaker.graves().mend(&self.host.facts().cgroup);
        news
    }

    /// Waits until as many copies wait for submissions as [`Engine::warm`] was asked to keep, and
    /// says how many do: a run that comes now finds one. Runs that others start meanwhile take
    /// theirs away.
    ///
    /// ```
    /// use stockade::{Engine, Host, Policy, Submission};
    ///
    /// # fn main() -> Result<(), stockade::Error> {
    /// let engine = Engine::new(Host::probe()?)?;
    /// engine.warm(&Policy::default(), 2)?;
    /// assert_eq!(engine.replenish()?, 2);
    /// engine.run(&Submission::python("pass"), &Policy::default().no_value())?;
    /// assert_eq!(engine.replenish()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Host` when no more can be made, with the reason.
    pub fn replenish(&self) -> Result<usize, Error> {
        self.warm.replenish()
    }

    /// What this engine knows of its host.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The directories that this engine uses.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// What supervisors that were killed left and this engine could not remove, each with its
    /// reason.
    #[must_use]
    pub fn leftovers(&self) -> &[String] {
        self.presence.stuck()
    }

    /// Names a run.
    pub(crate) fn begin(&self) -> Start {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let started_ms = u64::try_from(clock::wall().as_millis()).unwrap_or(u64::MAX);
        Start {
            run: format!("{}{number}", self.presence.prefix()),
            started_ms,
        }
    }

    /// A network namespace for a run that is to have none of the host's, in the making, where we
    /// run as root. A failure is left to the rung, which then makes its own and says what is wrong.
    pub(crate) fn network_ahead(&self, plan: &Plan) -> Option<PendingNetwork> {
        // A language without network needs no namespace without one.
        let wanted = plan.guarantees.contains(&Guarantee::NoNetwork)
            && !plan.guarantees.contains(&Guarantee::TotalLanguage);
        match self.host.facts().privilege {
            Privilege::Root if wanted => {
                let begun = self.host.network();
                Some(begun.unwrap_or_else(|| begin_network(|| ())))
            }
            Privilege::Root | Privilege::User => None,
        }
    }

    /// The guest's init, loaded at the first run.
    pub(crate) fn guest(&self) -> Result<&Arc<Guest>, Error> {
        if let Some(guest) = self.guest.get() {
            return Ok(guest);
        }
        let loaded = Guest::load_kept(self.paths.cache())?;
        Ok(self.guest.get_or_init(|| Arc::new(loaded)))
    }
}

/// Nobody looks, nobody cancels.
struct Unwatched;

impl Watch for Unwatched {
    fn output(&mut self, _: Stream, _: &[u8]) {}

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
