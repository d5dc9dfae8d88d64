//! Drives a guest through the agent protocol: the supervisor's side of every rung that starts
//! the guest's init.

mod check;
mod held;
mod ledger;
mod outbox;
mod session;
mod standing;
pub(crate) mod start;
#[cfg(test)]
mod tests;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::Sender;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::fence::{Step, in_order};
use stockade_core::report::{Fence, Phase, Report};
use stockade_core::wire::Start;
use stockade_sys::clock;
use stockade_sys::spawn::{BeforeExec, Namespaces, Program, Spawn, SpawnError};

use crate::cgroup::{Group, Join};
use crate::{Job, Watch};
pub(crate) use check::own;
pub(crate) use held::Held;
pub use held::Remains;
use session::Session;
pub(crate) use standing::{Plan as StandingPlan, Standing};

/// The descriptor that init finds its control socket at.
const CONTROL: i32 = 3;

/// `oom_score_adj` of the guest: where the whole machine is out of memory, the kernel ends it
/// before its supervisor and neighbours. Within the run's own limit it compares equals.
const OOM_SCORE: i32 = 500;

/// What a rung puts around the guest, as far as it is known before the guest is on its way.
pub(crate) struct Boundary {
    /// Namespaces that init is born in.
    pub(crate) namespaces: Namespaces,
    /// Directory of the submission's files, absolute in the guest.
    pub(crate) work: String,
    /// What follows from a failed step, for this rung.
    pub(crate) explain: Explain,
}

/// What follows from a failed step, by its name and errno.
pub(crate) type Explain = fn(&str, i32) -> Vec<String>;

/// What is found out while the guest is on its way.
pub(crate) struct Interior {
    /// The fence.
    pub(crate) steps: Vec<Step>,
    /// How the submission is started.
    pub(crate) start: Start,
    /// Told which fences are in force, before the start.
    pub(crate) told: Option<Sender<Vec<Fence>>>,
}

/// A part of the run that is timed.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    since: Duration,
    phases: Vec<Phase>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            since: clock::monotonic(),
            phases: Vec::new(),
        }
    }

    fn into_phases(self) -> Vec<Phase> {
        self.phases
    }

    /// Ends the phase `name`.
    pub(crate) fn lap(&mut self, name: &'static str) {
        let now = clock::monotonic();
        self.phases.push(Phase {
            name,
            us: micros(now.saturating_sub(self.since)),
        });
        self.since = now;
    }
}

/// Builds the boundary, runs the submission in it, destroys the boundary. `furnish` is called once
/// init is on its way, which takes it about as long. `passed` is a descriptor that init finds under
/// this number besides its control socket; the one here is closed when it has it.
///
/// # Errors
/// `Refused` or `Host` when the boundary cannot be built; `Cancelled`; `Host` when something of
/// it stays. In each case everything that can be removed has been.
pub(crate) fn run(
    job: &Job<'_>,
    boundary: &Boundary,
    passed: Option<(OwnedFd, u8)>,
    furnish: impl FnOnce() -> Result<Interior, Error>,
    watch: &mut dyn Watch,
) -> Result<Report, Error> {
    let mut watcher = Stopwatch::start();
    let made = Group::create(&job.host.cgroup, job.run, &job.plan.limits)?;
    let (group, join) = made.unzip();
    watcher.lap("cgroup");
    let (ours, theirs) = stockade_sys::socket::pair().map_err(|errno| {
        Error::new(ErrorKind::Host, "cannot make a socket pair")
            .because(std::io::Error::from(errno))
            .hint("raise the limit of open files of the service (`LimitNOFILE=`)")
    })?;
    let mut descriptors = vec![(theirs.as_fd(), CONTROL)];
    let other = passed.as_ref();
    descriptors.extend(other.map(|(fd, number)| (fd.as_fd(), i32::from(*number))));
    let child = spawn(job, boundary, join.as_ref(), &descriptors)
        .map_err(|error| refused(boundary, &error))?;
    drop((theirs, passed, join));
    watcher.lap("clone");
    let held = Held::new(child, ours, group);
    let interior = furnish().and_then(ordered)?;
    let cancel = watch.cancel();
    let plan = StandingPlan {
        own: check::own(boundary.namespaces, &interior.steps),
        steps: interior.steps,
        explain: boundary.explain,
        cancel,
    };
    let standing = Standing::build(held, &plan, &mut watcher)?;
    if let Some(told) = interior.told {
        // Nobody waits for it any more when the zygote was let go.
        let _ = told.send(standing.fences.clone());
    }
    let session = Session::new(job, &boundary.work, &interior.start, standing);
    let mut report = session.hold(watch, &mut watcher)?;
    report.phases = watcher.into_phases();
    Ok(report)
}

/// Runs the submission in a guest that stands. What is left of that is for the caller to bury.
///
/// # Errors
/// As [`run`].
pub(crate) fn resume(
    job: &Job<'_>,
    work: &str,
    start: &Start,
    mut standing: Standing,
    watch: &mut dyn Watch,
) -> Result<(Report, Option<Remains>), Error> {
    let mut watcher = Stopwatch::start();
    let ahead = std::mem::take(&mut standing.phases);
    let session = Session::new(job, work, start, standing);
    let (mut report, remains) = session.hear(watch, &mut watcher)?;
    report.phases = watcher.into_phases();
    report.ahead = ahead;
    Ok((report, remains))
}

/// The interior, if no rule of order is broken by its steps.
fn ordered(interior: Interior) -> Result<Interior, Error> {
    match in_order(&interior.steps) {
        Ok(()) => Ok(interior),
        Err(wrong) => Err(Error::new(
            ErrorKind::Bug,
            format!(
                "fence step `{}` must come before `{}`: {}",
                wrong.first, wrong.second, wrong.because
            ),
        )),
    }
}

fn spawn(
    job: &Job<'_>,
    boundary: &Boundary,
    join: Option<&Join>,
    descriptors: &[(BorrowedFd<'_>, i32)],
) -> Result<stockade_sys::spawn::Child, SpawnError> {
    let cpu = stockade_sys::sched::current_cpu();
    let mut before = Vec::new();
    let mut namespaces = boundary.namespaces;
    if let Some(join) = join {
        before.extend(
            join.files()
                .iter()
                .map(|file| BeforeExec::WriteSelf { file: file.as_fd() }),
        );
    }
    if boundary.namespaces.contains(Namespaces::USER) {
        before.push(BeforeExec::MapIds {
            inside: 0,
            outside_uid: stockade_sys::process::effective_uid(),
            outside_gid: stockade_sys::process::effective_gid(),
        });
    }
    // A failure is left to `clone3`, which then makes its own and says what is wrong.
    let network = job.network.filter(|_| uses_network(boundary));
    if let Some(namespace) = network.and_then(|ahead| ahead.finish().ok()) {
        before.push(BeforeExec::Network { namespace });
        namespaces = namespaces.without(Namespaces::NETWORK);
    }
    if namespaces.contains(Namespaces::CGROUP) {
        // After the child is in its group, so that this is what it sees as the root.
        namespaces = namespaces.without(Namespaces::CGROUP);
        before.push(BeforeExec::CgroupNamespace);
    }
    // Everything else dies with the init of a PID namespace. Elsewhere init must live on to end it,
    // and sees from its socket that we are gone.
    if namespaces.contains(Namespaces::PID) {
        before.push(BeforeExec::DieWithParent);
    }
    before.extend(oom_score().map(BeforeExec::OomScore));
    before.push(BeforeExec::Umask(0o077));
    let spawn = Spawn {
        program: Program::Descriptor(job.guest.fd()),
        args: &[c"stockade-guest"],
        env: &[],
        namespaces,
        cgroup: join.and_then(Join::directory),
        descriptors,
        before_exec: &before,
    };
    let child = spawn.spawn()?;
    // The child goes on where it began; time alone is lost where this cannot be.
    let _ = stockade_sys::sched::leave_cpu(cpu);
    Ok(child)
}

/// A guest inherits our own score, which a service may have set so that the kernel spares it: then
/// the kernel would spare the guest as well. `None` where ours is as high already, or not known.
fn oom_score() -> Option<i32> {
    let own = std::fs::read_to_string("/proc/self/oom_score_adj").ok()?;
    let own: i32 = own.trim().parse().ok()?;
    (own < OOM_SCORE).then_some(OOM_SCORE)
}

/// Whether the guest gets a network namespace that was made ahead. In a user namespace of its own
/// it must make one itself, to own it.
fn uses_network(boundary: &Boundary) -> bool {
    boundary.namespaces.contains(Namespaces::NETWORK)
        && !boundary.namespaces.contains(Namespaces::USER)
}

fn refused(boundary: &Boundary, error: &SpawnError) -> Error {
    let errno = error.errno.raw_os_error();
    let refused = Error::new(
        ErrorKind::Refused,
        format!("step `{}` of building the boundary failed", error.step),
    )
    .because(std::io::Error::from(error.errno))
    .at_step(error.step, errno);
    (boundary.explain)(error.step, errno)
        .into_iter()
        .fold(refused, Error::hint)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
