//! A workshop with a state directory, and so a daemon, of its own.

use std::ffi::OsStr;
use std::ops::Deref;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde_json::Value;

use crate::workshop::{Done, Workshop};

pub(super) struct Den(Workshop);

impl Deref for Den {
    type Target = Workshop;

    fn deref(&self) -> &Workshop {
        &self.0
    }
}

impl Den {
    pub(super) fn new() -> Self {
        Self(Workshop::new())
    }

    pub(super) fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    pub(super) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.0.command(args);
        command
            .env_remove("STOCKADE_NO_DAEMON")
            .env("STOCKADE_STATE_DIR", self.state());
        command
    }

    pub(super) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Done {
        Done::of(&self.command(args).output().unwrap())
    }

    /// Has something kept, and says what the command says of it.
    pub(super) fn warm(&self, more: &[&str]) -> Value {
        let done = self.run(["warm", "--format", "json"].iter().chain(more));
        assert_eq!(done.code, Some(0), "{done:?}");
        done.json()
    }

    pub(super) fn status(&self) -> Value {
        self.run(["warm", "--status", "--format", "json"]).json()
    }

    /// Asks for the status until it is as wanted. There is no event for it outside of the daemon.
    pub(super) fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut status = self.status();
        for _ in 0..5_000 {
            if wanted(&status) {
                return status;
            }
            std::thread::yield_now();
            status = self.status();
        }
        panic!("it does not come: {status}");
    }

    pub(super) fn connect(&self) -> UnixStream {
        UnixStream::connect(self.state().join("daemon/socket")).unwrap()
    }

    /// The daemon's process.
    pub(super) fn daemon(&self) -> (Pid, OwnedFd) {
        process(&self.status()["pid"])
    }

    pub(super) fn signal(&self, signal: Signal) -> OwnedFd {
        let (pid, pidfd) = self.daemon();
        kill_process(pid, signal).unwrap();
        pidfd
    }

    /// That nothing of the daemon called `pid` is left.
    pub(super) fn nothing_stays(&self, pid: &Value) {
        assert!(!self.state().join("daemon/socket").exists());
        let names = std::fs::read_dir(self.state()).unwrap();
        let locks: Vec<_> = names
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "lock"))
            .collect();
        assert_eq!(locks, [] as [PathBuf; 0]);
        let pid = u32::try_from(pid.as_u64().unwrap()).unwrap();
        assert_eq!(crate::signal::cgroups(pid), [] as [PathBuf; 0]);
    }
}

/// That a process which was a daemon ends.
pub(super) fn is_gone(pid: &Value) {
    let pid = i32::try_from(pid.as_i64().unwrap()).unwrap();
    // One that is reaped already cannot be opened.
    if let Ok(pidfd) = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) {
        ends(&pidfd);
    }
}

fn process(pid: &Value) -> (Pid, OwnedFd) {
    let pid = Pid::from_raw(i32::try_from(pid.as_i64().unwrap()).unwrap()).unwrap();
    (pid, pidfd_open(pid, PidfdFlags::empty()).unwrap())
}

/// Waits for the end of a process, which must come.
pub(super) fn ends(process: &OwnedFd) {
    let mut fds = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
    let patience = Timespec {
        tv_sec: 60,
        tv_nsec: 0,
    };
    assert_eq!(
        poll(&mut fds, Some(&patience)).unwrap(),
        1,
        "it does not end"
    );
}

impl Drop for Den {
    fn drop(&mut self) {
        // One that no daemon is in says so.
        self.run(["warm", "--stop"]);
    }
}
