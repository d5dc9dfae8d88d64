//! Warm starts: an interpreter that is ready, in a jail of its own, and copies of it behind fences
//! of theirs.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::host::{Facts, Privilege};
use stockade_core::plan::Plan;
use stockade_core::report::{Ending, Fence, Report};
use stockade_core::submission::Submission;
use stockade_core::template::Template;
use stockade_core::wire::{FromZygote, PACKET_BYTES_MAX, Start, Stream, decode_packet};
use stockade_sys::fork::adopt;
use stockade_sys::namespace::begin_network;
use stockade_sys::poll::{Ready as Readiness, poll_all};
use stockade_sys::signal::Signal;
use stockade_sys::socket;

use super::{fence, namespaces, remedy, tops};
use crate::agent::{self, Boundary, Held, Interior, Standing, StandingPlan, Stopwatch};
use crate::cgroup::Group;
use crate::{Guest, Job, Prepared, Watch};

/// How long a zygote may take to load its modules.
const PARKED_WITHIN: Duration = Duration::from_mins(2);

/// How long it may take to make a child.
const FORKED_WITHIN: Duration = Duration::from_secs(10);

/// How long one that has hung up may take to end by itself.
const ENDED_WITHIN: Duration = Duration::from_secs(10);

/// Time that a zygote may live, ms: the clock of its init is not for it.
const LIFE_MS: u64 = u32::MAX as u64;

/// The descriptor of its requests, in it and in its init.
const REQUESTS: u8 = 4;

/// What zygotes and their children are made of and for.
#[derive(Clone, Debug)]
pub struct Ground {
    /// What runs will be like: limits, grants, whether a function is called.
    pub plan: Plan,
    /// What they find.
    pub template: Template,
    /// What this machine can do.
    pub host: Facts,
    /// Uids of the runs of this process: first and how many.
    pub uids: (u32, u32),
    /// The zygote's library.
    pub extension: PathBuf,
    /// Where a rung may make directories.
    pub scratch: PathBuf,
}

impl Ground {
    fn job<R>(
        &self,
        run: &str,
        uid: u32,
        guest: &Guest,
        work: impl FnOnce(&Job<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let network = (self.host.privilege == Privilege::Root).then(|| begin_network(|| ()));
        let prepare = || Ok(self.template.clone());
        work(&Job {
            run,
            plan: &self.plan,
            submission: &Submission::python(""),
            template: &Prepared::new(&prepare),
            host: &self.host,
            uid,
            network: network.as_ref(),
            scratch: &self.scratch,
            guest,
        })
    }
}

/// An interpreter that has loaded the template's modules and waits to be copied. Dropping it ends
/// it, and with it every child that still lives.
#[derive(Debug)]
pub struct Zygote {
    ground: Ground,
    link: Mutex<OwnedFd>,
    /// Closed to end it.
    leash: Option<OwnedFd>,
    thread: Option<JoinHandle<Result<Report, Error>>>,
    tops: Vec<String>,
    fences: Vec<Fence>,
    guest: Arc<Guest>,
    /// How the interpreter was started.
    known: Arc<Start>,
}

impl Zygote {
    /// Starts one, and waits until it has loaded everything. `run` names its cgroups, `uid` is
    /// its alone.
    ///
    /// # Errors
    /// As a run; `Refused` when a module cannot be loaded or makes it unfit to be copied, with what
    /// it printed.
    pub fn start(ground: Ground, run: String, uid: u32, guest: Arc<Guest>) -> Result<Self, Error> {
        let host = |what: &str, errno| {
            Error::new(ErrorKind::Host, format!("cannot make {what}"))
                .because(io::Error::from(errno))
        };
        let (link, theirs) = socket::packets().map_err(|errno| host("a socket pair", errno))?;
        let (cancel, leash) = socket::pipe().map_err(|errno| host("a pipe", errno))?;
        let tops = tops(&ground.template)?;
        let known = ground.job(&run, uid, &guest, |job| {
            Ok(fence::start(job, &ground.template))
        })?;
        let own = ground.clone();
        let (told, inherits) = channel();
        let (until, over) = channel::<()>();
        let (names, init) = (tops.clone(), Arc::clone(&guest));
        let thread = std::thread::spawn(move || {
            let mut watch = Leashed { cancel };
            // Whoever waits for the end hears that it is gone.
            let _until = until;
            own.job(&run, uid, &init, |job| {
                hold(job, &own, &names, (theirs, told), &mut watch)
            })
        });
        let mut zygote = Self {
            ground,
            link: Mutex::new(link),
            leash: Some(leash),
            thread: Some(thread),
            tops,
            fences: Vec::new(),
            guest,
            known: Arc::new(known),
        };
        let said = {
            let link = zygote.link.lock().unwrap_or_else(PoisonError::into_inner);
            receive(&link, PARKED_WITHIN)
        };
        match said {
            Ok(Some((FromZygote::Parked, _))) => {
                let fences = inherits.recv().unwrap_or_default();
                zygote.fences = fences.into_iter().filter(is_inherited).collect();
                Ok(zygote)
            }
            Ok(Some((FromZygote::Unfit(why), _))) => {
                drop(zygote.end());
                Err(unfit(&zygote.ground, &why))
            }
            Ok(Some((FromZygote::Forked | FromZygote::NotForked { .. }, _))) => {
                Err(unfit(&zygote.ground, "it speaks out of turn"))
            }
            Ok(None) => {
                // Told to end, it would say that it was told to, and not why it has ended. One
                // that only hangs up is told to after this time.
                let _ = over.recv_timeout(ENDED_WITHIN);
                Err(zygote.premature())
            }
            Err(error) => Err(error),
        }
    }

    /// Why it has ended before it was ready.
    fn premature(&mut self) -> Error {
        let report = match self.end() {
            Ok(report) => report,
            Err(error) => return error,
        };
        let said = report.stderr.text();
        match &report.ending {
            Ending::Signal(_) | Ending::Lost if report.oom_kills > 0 => unfit(
                &self.ground,
                "to load its modules takes more memory than it may use",
            ),
            Ending::Lost => killed(),
            Ending::Signal(signal) if *signal == Signal::KILL.as_raw() => killed(),
            Ending::Signal(signal) => {
                unfit(&self.ground, &format!("signal {signal} ended it; {said}"))
            }
            Ending::Violated(why) => unfit(&self.ground, why),
            Ending::Code(_) => unfit(&self.ground, &said),
        }
    }

    /// Makes a child: a copy in a boundary of its own, with every fence up, that waits for its
    /// submission. `run` names its cgroups, `uid` is its alone.
    ///
    /// # Errors
    /// As the building of a boundary; `Host` when the zygote has ended.
    pub fn child(&self, plan: &Plan, run: &str, uid: u32) -> Result<Ready, Error> {
        let mut stopwatch = Stopwatch::start();
        let made = Group::create(&self.ground.host.cgroup, run, &plan.limits)?;
        let (group, join) = made.unzip();
        stopwatch.lap("cgroup");
        let (ours, theirs) = socket::pair().map_err(|errno| {
            Error::new(ErrorKind::Host, "cannot make a socket pair").because(io::Error::from(errno))
        })?;
        let files = join.as_ref().map_or(&[][..], |join| join.files());
        let pidfd = self.fork(theirs.as_fd(), files)?;
        let child = adopt(pidfd).map_err(|errno| {
            Error::new(ErrorKind::Host, "the zygote's child is no process of ours")
                .because(io::Error::from(errno))
        })?;
        if let Some(group) = &group {
            group.admit(child.pid())?;
        }
        drop((theirs, join));
        stopwatch.lap("clone");
        let held = Held::new(child, ours, group);
        let template = &self.ground.template;
        let prepare = || Ok(template.clone());
        let job = Job {
            run,
            plan,
            submission: &Submission::python(""),
            template: &Prepared::new(&prepare),
            host: &self.ground.host,
            uid,
            network: None,
            scratch: &self.ground.scratch,
            guest: &self.guest,
        };
        let steps = fence::child_steps(&job, template, &self.tops);
        let own = namespaces(Privilege::User);
        let plan = StandingPlan {
            own: agent::own(own, &steps),
            steps,
            explain: remedy::remedies,
            cancel: None,
        };
        let mut standing = Standing::build(held, &plan, &mut stopwatch)?;
        standing.see_its_group()?;
        standing.add(&self.fences);
        stopwatch.lap("check");
        Ok(Ready {
            standing: standing.built_in(stopwatch),
            known: Arc::clone(&self.known),
        })
    }

    /// Asks for a copy; its pidfd.
    fn fork(&self, control: BorrowedFd<'_>, joins: &[OwnedFd]) -> Result<OwnedFd, Error> {
        let link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let mut descriptors = vec![control];
        descriptors.extend(joins.iter().map(AsFd::as_fd));
        let gone = || {
            Error::new(ErrorKind::Host, "the zygote has ended").hint("the next run makes another")
        };
        socket::send_packet(&*link, &[0], &descriptors)
            .map_err(|errno| gone().because(io::Error::from(errno)))?;
        match receive(&link, FORKED_WITHIN)? {
            Some((FromZygote::Forked, Some(pidfd))) => Ok(pidfd),
            Some((FromZygote::NotForked { call, errno }, _)) => {
                let hints = remedy::remedies(&call, errno);
                let error = Error::new(ErrorKind::Host, format!("the zygote's {call} failed"))
                    .because(io::Error::from_raw_os_error(errno))
                    .at_step("clone3", errno);
                Err(hints.into_iter().fold(error, Error::hint))
            }
            Some((FromZygote::Parked | FromZygote::Unfit(_) | FromZygote::Forked, _)) => {
                Err(Error::new(ErrorKind::Host, "the zygote speaks out of turn"))
            }
            None => Err(gone()),
        }
    }

    /// Whether it still waits for work.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
    }

    /// What it was made for.
    #[must_use]
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Ends it and waits until it is gone; its cgroups are removed if they can be.
    pub fn finish(&mut self) {
        // What was said of its end was said to its children.
        if self.thread.is_some() {
            let _ = self.end();
        }
    }

    /// Ends it and waits until it is gone.
    ///
    /// # Errors
    /// `Host` when something of it stays.
    fn end(&mut self) -> Result<Report, Error> {
        drop(self.leash.take());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(_)) | None => Err(Error::new(
                ErrorKind::Bug,
                "the thread that holds the zygote has panicked",
            )),
        }
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Whether its children have a fence from it, and not one of their own.
fn is_inherited(fence: &Fence) -> bool {
    ["root", "bind", "pivot-root", "no-new-privileges", "scopes"].contains(&fence.name.as_str())
}

fn killed() -> Error {
    Error::new(
        ErrorKind::Host,
        "the zygote was killed while it loaded its modules, and by none of the fences",
    )
    .hint("something outside killed it: an OOM killer of the whole machine, or a person")
}

fn unfit(ground: &Ground, why: &str) -> Error {
    let name = &ground.template.name;
    Error::new(
        ErrorKind::Refused,
        format!("template `{name}` cannot be kept warm: {}", why.trim_end()),
    )
    .hint("leave the module out of the template's `preload`, or run with `--cold`")
}

/// What comes next on the link, with a descriptor that came along; `None` at its end.
fn receive(
    link: &OwnedFd,
    within: Duration,
) -> Result<Option<(FromZygote, Option<OwnedFd>)>, Error> {
    let broken = |why: String| Error::new(ErrorKind::Host, format!("the zygote's answer: {why}"));
    let ready = poll_all(&[(link.as_fd(), Readiness::READ)], Some(within))
        .map_err(|errno| broken(errno.to_string()))?;
    if !ready[0].any() {
        return Err(broken(format!("none within {} s", within.as_secs())));
    }
    let mut packet = [0; PACKET_BYTES_MAX];
    match socket::receive_packet(link, &mut packet) {
        Ok((0, _)) => Ok(None),
        Ok((length, descriptors)) => {
            let message = decode_packet(&packet[..length]).map_err(|e| broken(e.to_string()))?;
            Ok(Some((message, descriptors.into_iter().next())))
        }
        Err(errno) => Err(broken(errno.to_string())),
    }
}

/// Holds a zygote until it ends or is let go.
fn hold(
    job: &Job<'_>,
    ground: &Ground,
    tops: &[String],
    (theirs, told): (OwnedFd, Sender<Vec<Fence>>),
    watch: &mut Leashed,
) -> Result<Report, Error> {
    let boundary = Boundary {
        namespaces: namespaces(job.host.privilege),
        work: fence::WORK.to_owned(),
        explain: remedy::remedies,
    };
    let template = &ground.template;
    let furnish = || {
        Ok(Interior {
            steps: fence::zygote_steps(job, template, tops, &ground.extension, ground.uids),
            start: start(job, template),
            told: Some(told),
        })
    };
    agent::run(job, &boundary, Some((theirs, REQUESTS)), furnish, watch)
}

/// The interpreter as it is started for a run, but that it waits where the program would begin.
fn start(job: &Job<'_>, template: &Template) -> Start {
    let mut start = fence::start(job, template);
    start.env.extend([
        format!("STOCKADE_ZYGOTE={REQUESTS}"),
        format!("STOCKADE_ZYGOTE_EXTENSION={}", fence::EXTENSION),
        format!("STOCKADE_PRELOAD={}", template.preload.join(" ")),
    ]);
    // Each program lowers its own; what the zygote lowered could not be raised again.
    start.rlimits.clear();
    start.wall_ms = LIFE_MS;
    start.cpu_ms = None;
    start.result = None;
    start.claim = None;
    start.keep = Some(REQUESTS);
    start
}

/// Cancels when the other end of its pipe is closed.
struct Leashed {
    cancel: OwnedFd,
}

impl Watch for Leashed {
    fn output(&mut self, _: Stream, _: &[u8]) {}

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        Some(self.cancel.as_fd())
    }
}

/// A zygote's child that waits for its submission; it serves one. Dropping it destroys it.
#[derive(Debug)]
pub struct Ready {
    standing: Standing,
    /// What its interpreter was started with.
    known: Arc<Start>,
}

impl Ready {
    /// Whether it waits still, having said nothing.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.standing.is_quiet()
    }

    /// The guest, and what it is still to be told of a start: the arguments, if they differ, and
    /// the variables that do.
    pub(super) fn begin(self, mut start: Start) -> (Standing, Start) {
        if start.args == self.known.args {
            start.args.clear();
        }
        start
            .env
            .retain(|variable| !self.known.env.contains(variable));
        (self.standing, start)
    }

    /// Destroys it unused.
    ///
    /// # Errors
    /// `Host` when something of it stays.
    pub fn destroy(self) -> Result<(), Error> {
        self.standing.destroy()
    }
}
