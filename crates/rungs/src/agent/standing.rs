//! A guest whose fence stands, and which waits for its submission.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::fence::Step;
use stockade_core::report::{Fence, Phase};
use stockade_core::wire::{BOUNDARY, Decoder, ToGuest, ToHost, VERSION};
use stockade_sys::clock;
use stockade_sys::poll::{Ready, poll_all};

use super::held::Held;
use super::ledger::{Effect, Ledger, Stage};
use super::outbox::Outbox;
use super::{Explain, Stopwatch, check};
use crate::cgroup::Group;

/// How long init may take to build the fence and to start the program.
pub(super) const SETUP_WITHIN: Duration = Duration::from_secs(30);

/// A guest behind its fence, seen from outside as well. Holding one proves that every step was
/// applied and that nothing of any submission is in it.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(super) held: Held,
    pub(super) decoder: Decoder,
    pub(super) ledger: Ledger,
    pub(super) fences: Vec<Fence>,
    pub(super) phases: Vec<Phase>,
    /// CPU time that it took to get here, which is not the submission's, µs.
    pub(super) spent_us: u64,
}

/// How a fence is put up.
pub(crate) struct Plan<'a> {
    pub(crate) steps: Vec<Step>,
    /// Our own namespaces of the kinds that init gets new ones of, by their links.
    pub(crate) own: Vec<(&'static str, Option<PathBuf>)>,
    pub(crate) explain: Explain,
    /// Readable as soon as nobody wants the guest any more.
    pub(crate) cancel: Option<BorrowedFd<'a>>,
}

impl Standing {
    /// Has init put up the fence, and looks at it.
    ///
    /// # Errors
    /// `Refused` for a step that this host refuses, `Cancelled`, `Host`, `Bug` for a fence that
    /// is not what init says; then nothing of the guest is left.
    pub(crate) fn build(
        mut held: Held,
        plan: &Plan<'_>,
        stopwatch: &mut Stopwatch,
    ) -> Result<Self, Error> {
        let mut ledger = Ledger::new(plan.steps.len());
        let mut decoder = Decoder::default();
        let built = set_up(&held, &mut ledger, &mut decoder, plan)
            .and_then(|()| {
                stopwatch.lap("fence");
                inspect(&held, &ledger, plan)
            })
            .map_err(|error| match error {
                Some(error) => error,
                None => lost(&held),
            });
        match built {
            Ok(fences) => Ok(Self {
                held,
                decoder,
                ledger,
                fences,
                phases: Vec::new(),
                spent_us: 0,
            }),
            Err(error) => {
                held.kill();
                held.bury(false)?;
                Err(error)
            }
        }
    }

    /// Takes the phases of the building along, for a guest that is kept.
    pub(crate) fn built_in(mut self, stopwatch: Stopwatch) -> Self {
        self.phases = stopwatch.into_phases();
        let group = self.held.group.as_ref();
        self.spent_us = group.and_then(Group::cpu_us).unwrap_or(0);
        self
    }

    /// Sees that its init is where its limits are.
    ///
    /// # Errors
    /// `Bug` when it is not; `Host` when it has ended.
    pub(crate) fn see_its_group(&self) -> Result<(), Error> {
        let pid = self.held.child.pid();
        let mut group = self.held.group.iter();
        if group.all(|group| group.holds(pid)) {
            return Ok(());
        }
        Err(if self.held.has_ended() {
            lost(&self.held)
        } else {
            Error::new(
                ErrorKind::Bug,
                "the zygote's child has not joined its cgroup",
            )
        })
    }

    /// What it has from a fence that was put up before.
    pub(crate) fn add(&mut self, fences: &[Fence]) {
        self.fences.splice(0..0, fences.iter().cloned());
    }

    /// Whether it waits still: it has not ended and says nothing.
    pub(crate) fn is_quiet(&self) -> bool {
        let socket = self.held.socket.as_fd();
        let interests = [
            (socket, Ready::READ),
            (self.held.child.pidfd(), Ready::READ),
        ];
        let ready = poll_all(&interests, Some(Duration::ZERO));
        ready.is_ok_and(|ready| ready.iter().all(|ready| !ready.any()))
    }

    /// Ends it; it was never used.
    ///
    /// # Errors
    /// `Host` when something of it stays.
    pub(crate) fn destroy(mut self) -> Result<(), Error> {
        self.held.kill();
        self.held.bury(false)?;
        self.held.clear().map(drop)
    }
}

/// The conversation until the fence stands; `None` when the guest is gone.
fn set_up(
    held: &Held,
    ledger: &mut Ledger,
    decoder: &mut Decoder,
    plan: &Plan<'_>,
) -> Result<(), Option<Error>> {
    let deadline = clock::monotonic() + SETUP_WITHIN;
    let mut outbox = Outbox::default();
    outbox.message(BOUNDARY, &ToGuest::Hello { version: VERSION })?;
    let steps = plan.steps.clone();
    outbox.message(BOUNDARY, &ToGuest::Setup { steps })?;
    loop {
        // A guest that is gone shows at the reading end, with what it said last.
        let _ = outbox.send(held.socket.as_fd());
        let left = deadline.saturating_sub(clock::monotonic());
        if left.is_zero() {
            return Err(Some(not_ready()));
        }
        if !wait(held, &outbox, plan.cancel, left)? {
            continue;
        }
        match stockade_sys::socket::read(held.socket.as_fd(), decoder.space()) {
            Ok(None) => continue,
            // A reset is how a stream ends whose other side left bytes unread.
            Ok(Some(0)) | Err(_) => return Err(None),
            Ok(Some(count)) => decoder.filled(count),
        }
        loop {
            let next = decoder.next::<ToHost<'_>>().map_err(|e| broken(&e))?;
            let Some((channel, message)) = next else {
                break;
            };
            let effect = ledger.take(channel, &message).map_err(|e| broken(&e))?;
            if let Effect::Failed(index, call, errno) = effect {
                return Err(Some(failed(plan, index, &call, errno)));
            }
            if ledger.stage == Stage::Ready {
                return Ok(());
            }
        }
    }
}

/// Whether there is something to read.
fn wait(
    held: &Held,
    outbox: &Outbox<'_>,
    cancel: Option<BorrowedFd<'_>>,
    within: Duration,
) -> Result<bool, Error> {
    let want = if outbox.is_empty() {
        Ready::READ
    } else {
        Ready::BOTH
    };
    let mut interests = vec![(held.socket.as_fd(), want)];
    interests.extend(cancel.map(|fd| (fd, Ready::READ)));
    let ready = poll_all(&interests, Some(within)).map_err(cannot_wait)?;
    if ready.get(1).is_some_and(|cancel| cancel.any()) {
        return Err(cancelled());
    }
    Ok(ready[0].readable || ready[0].hung_up)
}

/// The fence stands by init's account; looks for itself. `None` when the guest is gone.
fn inspect(held: &Held, ledger: &Ledger, plan: &Plan<'_>) -> Result<Vec<Fence>, Option<Error>> {
    let pid = held.child.pid();
    check::fences(pid, &plan.steps, &ledger.steps, &plan.own).map_err(|why| {
        // Of one that has ended there is nothing to see.
        (!held.has_ended())
            .then(|| Error::new(ErrorKind::Bug, format!("the fence does not stand: {why}")))
    })
}

fn failed(plan: &Plan<'_>, index: u32, call: &str, errno: i32) -> Error {
    let step = plan.steps.get(index as usize);
    let (name, detail) = step.map_or(("?", String::new()), |s| (s.name(), s.detail()));
    // The kernel refuses no step with it: who was to do a part of one was killed.
    let kind = if errno == stockade_sys::Errno::INTR.raw_os_error() {
        ErrorKind::Host
    } else {
        ErrorKind::Refused
    };
    let error = Error::new(
        kind,
        format!("step `{name}` of the fence failed: {call} ({detail})"),
    )
    .because(std::io::Error::from_raw_os_error(errno))
    .at_step(name, errno);
    let hints = (plan.explain)(name, errno);
    hints.into_iter().fold(error, Error::hint)
}

/// Before the submission is there, init runs nothing but itself: what it says wrong is our fault.
fn broken(why: &impl std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::Bug,
        format!("init broke the protocol before the submission was there: {why}"),
    )
}

pub(super) fn not_ready() -> Error {
    let within = SETUP_WITHIN.as_secs();
    Error::new(
        ErrorKind::Host,
        format!("the guest was not ready after {within} s"),
    )
    .hint("the machine may be overloaded; try again")
}

pub(super) fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "the run was cancelled")
}

pub(super) fn cannot_wait(errno: stockade_sys::Errno) -> Error {
    Error::new(ErrorKind::Host, "cannot wait for the guest").because(std::io::Error::from(errno))
}

pub(super) fn lost(held: &Held) -> Error {
    if held.oom_kills() > 0 {
        return Error::new(
            ErrorKind::Refused,
            "the guest's init was killed for memory before the submission started",
        )
        .hint("raise `--limit memory=…`, or hand in less");
    }
    Error::new(
        ErrorKind::Host,
        "the guest's init ended before the submission started",
    )
    .hint("`stockade doctor` tries each step on its own")
}
