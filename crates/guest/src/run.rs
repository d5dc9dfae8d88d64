//! One run: start, watch, end, report.

use crate::account;
use crate::channel::{Channel, Stop};
use crate::deadline::{Deadlines, Due};
use crate::fetch;
use crate::launch::{Launch, NotStarted};
use crate::reach::Reach;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;
use stockade_core::wire::{ExitStatus, Expiry, Start, Stream, ToGuest, ToHost};
use stockade_sys::Errno;
use stockade_sys::poll::{Ready, poll_all};
use stockade_sys::signal::Signal;
use stockade_sys::wait::{Exit, WaitStatus, reap_any};
use stockade_sys::{clock, fs, process, sched, signal, socket};

/// Output that is held for a supervisor that reads slowly, bytes; then the pipes are left alone.
const HELD_BYTES_MAX: usize = 256 << 10;
/// Read from a pipe at once, bytes: all that one holds unless the program has enlarged it.
pub(crate) const READ_BYTES: usize = 64 << 10;
/// A file system with less than a page left takes no more.
const PAGE_BYTES: u64 = 4096;

/// Runs the program of `start` to its end and reports everything about it.
pub(crate) fn run(
    channel: &mut Channel,
    start: &Start,
    reach: Reach,
    launch: &mut dyn Launch,
    buffer: Vec<u8>,
) -> Result<(), Stop> {
    let mut run = match Run::start(channel, start, reach, launch, buffer) {
        Ok(run) => run,
        Err((step, errno)) => return not_started(channel, step, errno),
    };
    run.channel.push(&ToHost::Started { pid: run.main })?;
    let watched = run.watch();
    // Also when nobody is left to tell: init of the process rung must not leave its children.
    let finished = run.finish();
    let status = watched?;
    finished?;
    run.report(start, status)
}

/// Says that there is no program, and that this was all.
pub(crate) fn not_started(channel: &mut Channel, step: &str, errno: Errno) -> Result<(), Stop> {
    channel.push(&ToHost::NotStarted {
        step,
        errno: errno.raw_os_error(),
    })?;
    done(channel)
}

fn done(channel: &mut Channel) -> Result<(), Stop> {
    let peak = account::resident_peak_kib().unwrap_or_else(|| process::usage().max_rss_kib);
    channel.push(&ToHost::Done { init_rss_kib: peak })?;
    channel.flush_all()
}

struct Run<'a> {
    channel: &'a mut Channel,
    reach: Reach,
    main: i32,
    /// Readable when a child has ended.
    children: OwnedFd,
    outputs: [(Stream, Option<OwnedFd>); 2],
    buffer: Vec<u8>,
    deadlines: Deadlines,
    directory: OwnedFd,
}

impl<'a> Run<'a> {
    fn start(
        channel: &'a mut Channel,
        start: &Start,
        reach: Reach,
        launch: &mut dyn Launch,
        buffer: Vec<u8>,
    ) -> Result<Self, NotStarted> {
        let root = fs::root().map_err(|errno| ("open /", errno))?;
        let relative = match start.directory.trim_start_matches('/') {
            "" => ".",
            relative => relative,
        };
        let directory = fs::open_beneath(&root, relative, fs::Open::Directory)
            .map_err(|errno| ("open the working directory", errno))?;
        let width = sched::cpus().map_err(|errno| ("sched_getaffinity", errno))?;
        let children = signal::children().map_err(|errno| ("signalfd", errno))?;
        let launched = launch.launch(start, &directory)?;
        let [stdout, stderr] = launched.outputs;
        Ok(Self {
            channel,
            reach,
            main: launched.pid,
            children,
            outputs: [
                (Stream::Stdout, Some(stdout)),
                (Stream::Stderr, Some(stderr)),
            ],
            buffer,
            deadlines: Deadlines::new(start, width, clock::monotonic()),
            directory,
        })
    }

    /// Forwards output and keeps the clocks until the program has ended.
    fn watch(&mut self) -> Result<WaitStatus, Stop> {
        loop {
            let wait = match self.deadlines.due(clock::monotonic()) {
                Due::Wait(left) => left,
                Due::Wall => {
                    self.expire(Expiry::Wall)?;
                    continue;
                }
                Due::CheckCpu => {
                    self.check_cpu()?;
                    continue;
                }
                Due::Kill => {
                    self.kill()?;
                    continue;
                }
            };
            let [control, children, stdout, stderr] = self.poll(wait)?;
            if control.any() {
                self.channel.flush()?;
                self.obey()?;
            }
            // Before the reaping: what a program writes last is there when it has ended.
            for (output, ready) in [(0, stdout), (1, stderr)] {
                if ready.any() {
                    self.forward(output)?;
                }
            }
            self.channel.flush()?;
            if children.any() {
                self.drain_signals();
                if let Some(status) = self.reap()? {
                    return Ok(status);
                }
            }
        }
    }

    fn poll(&self, wait: Option<Duration>) -> Result<[Ready; 4], Stop> {
        let room = self.channel.pending() < HELD_BYTES_MAX;
        let control = if self.channel.pending() > 0 {
            Ready::BOTH
        } else {
            Ready::READ
        };
        let mut interests = vec![
            (self.channel.fd(), control),
            (self.children.as_fd(), Ready::READ),
        ];
        // A pipe that is not to be read must not be there at all: its hang-up would spin.
        let mut place = [None; 2];
        for (at, (_, pipe)) in self.outputs.iter().enumerate() {
            if let Some(pipe) = pipe.as_ref().filter(|_| room) {
                place[at] = Some(interests.len());
                interests.push((pipe.as_fd(), Ready::READ));
            }
        }
        let ready = poll_all(&interests, wait).map_err(|_| Stop::Failed)?;
        let output = |at: usize| place[at].map_or(Ready::NONE, |place| ready[place]);
        Ok([ready[0], ready[1], output(0), output(1)])
    }

    /// Reads what the supervisor says while the program runs.
    fn obey(&mut self) -> Result<(), Stop> {
        while self.channel.fill()? {
            match self.channel.next()? {
                None => {}
                Some(ToGuest::Kill) => self.kill()?,
                Some(
                    ToGuest::Hello { .. }
                    | ToGuest::Setup { .. }
                    | ToGuest::File { .. }
                    | ToGuest::Data(_)
                    | ToGuest::Start(_),
                ) => return Err(Stop::Broken),
            }
        }
        Ok(())
    }

    /// Queues what a pipe holds, one buffer at most; whether there was anything.
    fn forward(&mut self, output: usize) -> Result<bool, Stop> {
        let (stream, pipe) = &mut self.outputs[output];
        let Some(fd) = pipe.as_ref() else {
            return Ok(false);
        };
        match socket::read(fd, &mut self.buffer).map_err(|_| Stop::Failed)? {
            None => Ok(false),
            Some(0) => {
                *pipe = None;
                Ok(false)
            }
            Some(count) => {
                let bytes = &self.buffer[..count];
                self.channel.push(&ToHost::Output {
                    stream: *stream,
                    bytes,
                })?;
                Ok(true)
            }
        }
    }

    fn expire(&mut self, expiry: Expiry) -> Result<(), Stop> {
        self.channel.push(&ToHost::Expired(expiry))?;
        self.signal(Signal::TERM)?;
        self.deadlines.expired(expiry, clock::monotonic());
        self.channel.flush()
    }

    fn check_cpu(&mut self) -> Result<(), Stop> {
        let alive = Reach::processes().map_err(|_| Stop::Failed)?;
        let alive: u64 = alive.iter().map(|entry| entry.cpu_us).sum();
        let used = Duration::from_micros(alive + process::children_usage().cpu_us);
        if self.deadlines.used_cpu(used, clock::monotonic()) {
            self.expire(Expiry::Cpu)?;
        }
        Ok(())
    }

    fn kill(&mut self) -> Result<(), Stop> {
        self.signal(Signal::KILL)?;
        self.deadlines.killed();
        Ok(())
    }

    fn signal(&self, signal: Signal) -> Result<(), Stop> {
        self.reach.signal(signal).map_err(|_| Stop::Failed)
    }

    /// Forgets the signals that have come; what they were about is asked of the kernel.
    fn drain_signals(&mut self) {
        // Once is enough, as one read takes all. To read until none is left could have no end: the
        // submission can send them too.
        let _ = socket::read(&self.children, &mut self.buffer);
    }

    /// Reaps all that has ended; the program's status when it was among them.
    fn reap(&self) -> Result<Option<WaitStatus>, Stop> {
        let mut main = None;
        loop {
            match reap_any() {
                Ok(Some((pid, status))) if pid == self.main => main = Some(status),
                Ok(Some(_)) => {}
                Ok(None) | Err(Errno::CHILD) => return Ok(main),
                Err(_) => return Err(Stop::Failed),
            }
        }
    }

    /// Kills everything that is left and reaps it, then reads what the pipes still hold.
    fn finish(&mut self) -> Result<(), Stop> {
        loop {
            self.signal(Signal::KILL)?;
            match Self::reap_to_the_last() {
                Ok(()) => break,
                Err(Errno::AGAIN) => {}
                Err(_) => return Err(Stop::Failed),
            }
            let interest = [(self.children.as_fd(), Ready::READ)];
            poll_all(&interest, None).map_err(|_| Stop::Failed)?;
            self.drain_signals();
        }
        for output in 0..self.outputs.len() {
            // Ends: nobody is left who could write.
            while self.forward(output)? {
                if self.channel.pending() >= HELD_BYTES_MAX {
                    self.channel.flush_all()?;
                }
            }
        }
        Ok(())
    }

    /// `EAGAIN` when something is still alive.
    fn reap_to_the_last() -> Result<(), Errno> {
        loop {
            match reap_any() {
                Ok(Some(_)) => {}
                Ok(None) => return Err(Errno::AGAIN),
                Err(Errno::CHILD) => return Ok(()),
                Err(errno) => return Err(errno),
            }
        }
    }

    fn report(&mut self, start: &Start, status: WaitStatus) -> Result<(), Stop> {
        let space = fs::space(&self.directory).map_err(|_| Stop::Failed)?;
        self.channel.push(&ToHost::Ended {
            status: match status.exit {
                Exit::Code(code) => ExitStatus::Code(code),
                Exit::Signal(signal) => ExitStatus::Signal(signal),
            },
            cpu_us: process::children_usage().cpu_us,
            disk_bytes: space.used_bytes,
            disk_full: space.free_bytes < PAGE_BYTES || space.free_inodes == Some(0),
        })?;
        if let Some(result) = &start.result {
            fetch::send(result, self.channel, ToHost::Result)?;
        }
        if let Some(claim) = &start.claim {
            fetch::send(claim, self.channel, ToHost::Claim)?;
        }
        done(self.channel)
    }
}
