//! One run in a guest whose fence stands: sends what is due, takes what comes, watches the clocks.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::limits::LimitId;
use stockade_core::report::{Checked, Ending, Fence, FenceState, Fired, Report, Usage};
use stockade_core::wire::{Decoder, Expiry, RUN, Start, ToGuest, ToHost};
use stockade_sys::clock;
use stockade_sys::poll::{Ready, poll_all};

use super::held::{Held, MARGIN, Remains};
use super::ledger::{Effect, Ledger, Stage};
use super::outbox::Outbox;
use super::standing::{self, SETUP_WITHIN, Standing};
use super::{Stopwatch, micros};
use crate::{Job, Watch};

/// How much later than a limit init may say that the submission has ended. The submission can slow
/// init down, and gains this much time by it; what the pipes held is then lost.
const LATE_MAX: Duration = Duration::from_secs(2);

/// How often use is looked at at least, and at most.
const LOOK_EVERY_MAX: Duration = Duration::from_millis(100);
const LOOK_EVERY_MIN: Duration = Duration::from_millis(2);

/// How much earlier than its limit init may say that time has passed: its clock starts when the
/// program does, ours when it was asked to.
const EARLY_MAX: Duration = Duration::from_millis(50);

/// The conversation.
pub(super) struct Session<'a> {
    job: &'a Job<'a>,
    /// Directory of the submission's files, absolute in the guest.
    work: &'a str,
    start: &'a Start,
    held: Held,
    decoder: Decoder,
    outbox: Outbox<'a>,
    ledger: Ledger,
    fences: Vec<Fence>,
    /// CPU time of the guest before there was a submission, µs.
    spent_us: u64,
    fired: Option<Fired>,
    /// When to give up on init.
    deadline: Duration,
    /// When the start was asked for, and when it happened.
    asked: Option<Duration>,
    started: Option<Duration>,
    wall: Duration,
    next_look: Option<Duration>,
    measured: Option<Measured>,
}

/// What the cgroup counted, where there is one.
#[derive(Clone, Copy, Default)]
struct Measured {
    cpu_us: Option<u64>,
    memory_peak_bytes: Option<u64>,
    processes_refused: Option<u64>,
}

/// Why the conversation is over before its end.
enum Stop {
    /// Ours.
    Error(Error),
    /// Theirs.
    Violated(String),
    /// The guest's end of the stream is closed, or its time is up.
    Gone,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        job: &'a Job<'a>,
        work: &'a str,
        start: &'a Start,
        standing: Standing,
    ) -> Self {
        let limits = &job.plan.limits;
        let mut ledger = standing.ledger;
        ledger.expect(
            (limits.get(LimitId::Stdout), limits.get(LimitId::Stderr)),
            start.result.as_ref().map(|fetch| fetch.bytes_max),
            start.claim.as_ref().map(|fetch| fetch.bytes_max),
        );
        Self {
            job,
            work,
            start,
            held: standing.held,
            decoder: standing.decoder,
            outbox: Outbox::default(),
            ledger,
            fences: standing.fences,
            spent_us: standing.spent_us,
            fired: None,
            deadline: clock::monotonic() + SETUP_WITHIN,
            asked: None,
            started: None,
            wall: Duration::ZERO,
            next_look: None,
            measured: None,
        }
    }

    /// Sends the submission, holds the conversation to its end and waits until the guest is gone.
    pub(super) fn hold(
        self,
        watch: &mut dyn Watch,
        watcher: &mut Stopwatch,
    ) -> Result<Report, Error> {
        let (mut report, remains) = self.hear(watch, watcher)?;
        if let Some(remains) = remains {
            let checked = remains.bury();
            watcher.lap("exit");
            report.teardown.extend(checked?);
        }
        Ok(report)
    }

    /// The same, but leaves a guest to the caller that has said everything: all in it but init is
    /// dead, by init's account.
    pub(super) fn hear(
        mut self,
        watch: &mut dyn Watch,
        watcher: &mut Stopwatch,
    ) -> Result<(Report, Option<Remains>), Error> {
        let stopped = self.converse(watch, watcher);
        let finished = self.ledger.stage == Stage::Done;
        if let Some(asked) = self.asked
            && self.started.is_some()
            && self.wall.is_zero()
        {
            self.wall = clock::monotonic().saturating_sub(asked);
        }
        let mut checked = Vec::new();
        if !finished {
            self.held.kill();
            checked.push(self.held.bury(false)?);
            watcher.lap("exit");
        }
        let ending = match stopped {
            Ok(()) | Err(Stop::Gone) => self.ledger.ending(),
            Err(Stop::Violated(why)) => Ending::Violated(why),
            Err(Stop::Error(error)) => {
                self.held.clear()?;
                return Err(error);
            }
        };
        if self.started.is_none() && ending == Ending::Lost {
            let lost = standing::lost(&self.held);
            self.held.clear()?;
            return Err(lost);
        }
        let (mut held, mut report) = self.report(ending, checked);
        if finished {
            watcher.lap("result");
            return Ok((report, Some(held.into_remains())));
        }
        report.teardown.extend(held.clear()?);
        watcher.lap("teardown");
        Ok((report, None))
    }

    fn report(mut self, ending: Ending, teardown: Vec<Checked>) -> (Held, Report) {
        if self.measured.is_none() {
            self.account();
        }
        let measured = self.measured.unwrap_or_default();
        let usage = Usage {
            wall_us: micros(self.wall),
            cpu_us: measured.cpu_us.unwrap_or(self.ledger.cpu_us),
            memory_peak_bytes: measured.memory_peak_bytes,
            disk_bytes: self.ledger.disk.map(|(bytes, _)| bytes),
            disk_full: self.ledger.disk.is_some_and(|(_, full)| full),
            processes_refused: measured.processes_refused,
            init_rss_kib: self.ledger.init_rss_kib,
        };
        let fences = std::mem::take(&mut self.fences);
        let main_pid = self.ledger.main_pid;
        let closed = self.ledger.close();
        let report = Report {
            ending,
            fired: self.fired,
            oom_kills: self.held.oom_kills(),
            stdout: closed.stdout,
            stderr: closed.stderr,
            result: closed.result,
            main_pid,
            claim: closed.claim,
            usage,
            fences,
            phases: Vec::new(),
            ahead: Vec::new(),
            warmth: None,
            teardown,
        };
        (self.held, report)
    }

    /// Takes what the cgroup has counted.
    fn account(&mut self) {
        self.measured = self.held.group.as_ref().map(|group| Measured {
            cpu_us: group.cpu_us().map(|us| us.saturating_sub(self.spent_us)),
            memory_peak_bytes: group.memory_peak(),
            processes_refused: group.refused(),
        });
    }

    fn converse(&mut self, watch: &mut dyn Watch, watcher: &mut Stopwatch) -> Result<(), Stop> {
        self.submit()?;
        watcher.lap("check");
        // What came along with the last word about the fence.
        self.take(watch, watcher)?;
        loop {
            self.send();
            let now = clock::monotonic();
            if now >= self.deadline {
                return self.overdue(now);
            }
            self.look(now)?;
            let readable = self.wait(now, watch)?;
            let open = !readable || self.receive(watch, watcher)?;
            // Its end of the stream closes when the kernel has taken its memory apart.
            if self.ledger.stage == Stage::Done {
                return Ok(());
            }
            if !open {
                return Err(Stop::Gone);
            }
        }
    }

    fn send(&mut self) {
        // A guest that is gone shows at the reading end, with what it said last.
        let _ = self.outbox.send(self.held.socket.as_fd());
    }

    /// Waits for the guest, the caller or a clock; whether there is something to read.
    fn wait(&self, now: Duration, watch: &dyn Watch) -> Result<bool, Stop> {
        let want = if self.outbox.is_empty() {
            Ready::READ
        } else {
            Ready::BOTH
        };
        let mut interests = vec![(self.held.socket.as_fd(), want)];
        let cancel = watch.cancel();
        interests.extend(cancel.map(|fd: BorrowedFd<'_>| (fd, Ready::READ)));
        let next = self
            .next_look
            .map_or(self.deadline, |look| look.min(self.deadline));
        let ready =
            poll_all(&interests, Some(next.saturating_sub(now))).map_err(standing::cannot_wait)?;
        if ready.get(1).is_some_and(|cancel| cancel.any()) {
            return Err(Stop::Error(standing::cancelled()));
        }
        Ok(ready[0].readable || ready[0].hung_up)
    }

    /// Takes what the guest has sent; `false` at the end of the stream.
    fn receive(&mut self, watch: &mut dyn Watch, watcher: &mut Stopwatch) -> Result<bool, Stop> {
        let read = stockade_sys::socket::read(self.held.socket.as_fd(), self.decoder.space());
        match read {
            Ok(None) => return Ok(true),
            // A reset is how a stream ends whose other side left bytes unread.
            Ok(Some(0)) | Err(_) => return Ok(false),
            Ok(Some(count)) => self.decoder.filled(count),
        }
        self.take(watch, watcher)?;
        Ok(true)
    }

    /// Takes the messages that have been read.
    fn take(&mut self, watch: &mut dyn Watch, watcher: &mut Stopwatch) -> Result<(), Stop> {
        // Its messages borrow from it while the rest of this changes.
        let mut decoder = std::mem::replace(&mut self.decoder, Decoder::empty());
        let taken = self.take_from(&mut decoder, watch, watcher);
        self.decoder = decoder;
        taken
    }

    fn take_from(
        &mut self,
        decoder: &mut Decoder,
        watch: &mut dyn Watch,
        watcher: &mut Stopwatch,
    ) -> Result<(), Stop> {
        loop {
            let next = decoder
                .next::<ToHost<'_>>()
                .map_err(|e| Stop::Violated(e.to_string()))?;
            let Some((channel, message)) = next else {
                return Ok(());
            };
            let effect = self
                .ledger
                .take(channel, &message)
                .map_err(Stop::Violated)?;
            self.act(effect, watch, watcher)?;
        }
    }

    fn act(
        &mut self,
        effect: Effect<'_>,
        watch: &mut dyn Watch,
        watcher: &mut Stopwatch,
    ) -> Result<(), Stop> {
        match effect {
            Effect::None => {}
            Effect::Output(stream, bytes) => watch.output(stream, bytes),
            // The fence stands already.
            Effect::Failed(..) => return Err(Stop::Violated("a second fence".to_owned())),
            Effect::NotStarted(step, errno) => return Err(self.not_started(&step, errno)),
            Effect::Started => {
                let now = clock::monotonic();
                let start = self.start;
                let allowed = Duration::from_millis(start.wall_ms + start.grace_ms);
                self.started = Some(now);
                self.deadline = now + allowed + LATE_MAX;
                // A zygote's use of the CPU is no submission's.
                let looked_at = self.held.group.as_ref().filter(|_| start.keep.is_none());
                self.next_look = looked_at.map(|_| now + LOOK_EVERY_MIN);
                // While the program starts there is time to look.
                self.fences
                    .extend(self.held.group.as_ref().map(|group| Fence {
                        name: "cgroup".to_owned(),
                        detail: group.in_force(),
                        state: FenceState::Checked("read back from the kernel".to_owned()),
                    }));
                watcher.lap("exec");
            }
            Effect::Expired(which) => self.expired(which)?,
            Effect::Ended => {
                let now = clock::monotonic();
                // From when the start was asked for: that it happened we hear late on a busy host.
                self.wall = now.saturating_sub(self.asked.unwrap_or(now));
                self.next_look = None;
                self.deadline = now + MARGIN;
                watcher.lap("run");
                // All but init is dead; while it fetches the result there is time to look.
                self.account();
            }
        }
        Ok(())
    }

    fn submit(&mut self) -> Result<(), Stop> {
        let work = self.work;
        let submission = self.job.submission;
        self.outbox
            .file(RUN, &format!("{work}/job.py"), 0o600, submission.source())?;
        if let Some(input) = submission.input_bytes() {
            self.outbox
                .file(RUN, &format!("{work}/input.json"), 0o600, input)?;
        }
        for file in submission.files() {
            let path = format!("{work}/{}", file.path());
            self.outbox.file(RUN, &path, 0o600, file.content())?;
        }
        self.outbox
            .message(RUN, &ToGuest::Start(Box::new(self.start.clone())))?;
        self.asked = Some(clock::monotonic());
        self.deadline = clock::monotonic() + SETUP_WITHIN;
        Ok(())
    }

    /// Init says that time has passed; our own clocks must agree.
    fn expired(&mut self, which: Expiry) -> Result<(), Stop> {
        let start = self.start;
        match which {
            Expiry::Wall => {
                let elapsed = self
                    .asked
                    .map_or(Duration::ZERO, |t| clock::monotonic().saturating_sub(t));
                if elapsed + EARLY_MAX < Duration::from_millis(start.wall_ms) {
                    let elapsed = elapsed.as_millis();
                    return Err(Stop::Violated(format!(
                        "`wall` said to be over at {elapsed} ms"
                    )));
                }
                self.fired = self.fired.or(Some(Fired::Wall));
            }
            Expiry::Cpu if start.cpu_ms.is_some() => {
                self.fired = self.fired.or(Some(Fired::Cpu));
            }
            Expiry::Cpu => {
                return Err(Stop::Violated(
                    "`cpu` said to be over, which is not init's".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Looks at what the whole guest has used; ends it when that is too much.
    fn look(&mut self, now: Duration) -> Result<(), Stop> {
        let (Some(group), Some(due)) = (&self.held.group, self.next_look) else {
            return Ok(());
        };
        if now < due {
            return Ok(());
        }
        let limits = &self.job.plan.limits;
        // Not to know is no reason to let it go on.
        let used = group.cpu_us().map(|us| us.saturating_sub(self.spent_us));
        let Some(used) = used.map(Duration::from_micros) else {
            let error = Error::new(
                ErrorKind::Host,
                "cannot read the CPU time of the run's cgroup",
            );
            return Err(Stop::Error(error.hint(
                "somebody has removed it, or this process has no descriptor left \
                 (`LimitNOFILE=`)",
            )));
        };
        let left = Duration::from_millis(limits.get(LimitId::Cpu)).saturating_sub(used);
        let over_cpu = left.is_zero();
        if over_cpu {
            self.fired = self.fired.or(Some(Fired::Cpu));
        }
        // Where the kernel kills one process for memory and not all, the rest goes too.
        if over_cpu || group.oom_kills() > 0 {
            self.next_look = None;
            self.deadline = now + LATE_MAX;
            self.outbox.clear();
            self.outbox.message(RUN, &ToGuest::Kill)?;
            self.send();
            return Ok(());
        }
        // At full use of its share it cannot be over its limit before this.
        let share = u32::try_from(limits.get(LimitId::Cpus)).unwrap_or(u32::MAX);
        let earliest = left / share;
        self.next_look = Some(now + earliest.clamp(LOOK_EVERY_MIN, LOOK_EVERY_MAX));
        Ok(())
    }

    /// Init did not do its part in time.
    fn overdue(&mut self, now: Duration) -> Result<(), Stop> {
        let Some(started) = self.started else {
            return Err(Stop::Error(standing::not_ready()));
        };
        if self.ledger.stage == Stage::Running
            && now.saturating_sub(started) >= Duration::from_millis(self.start.wall_ms)
        {
            self.fired = self.fired.or(Some(Fired::Wall));
        }
        Err(Stop::Gone)
    }

    fn not_started(&self, step: &str, errno: i32) -> Stop {
        let program = &self.start.program;
        Stop::Error(
            Error::new(
                ErrorKind::Host,
                format!("cannot start `{program}` in the guest: {step}"),
            )
            .because(std::io::Error::from_raw_os_error(errno)),
        )
    }
}
