//! A process that was started, held by its pidfd.

use crate::poll::{Ready, poll};
use crate::signal::Signal;
use crate::wait::{WaitStatus, reap_pidfd, wait_pidfd};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A started process. Dropping it kills and reaps it; one that another process has started for us
/// ([`crate::fork::adopt`]) is waited for and reaped by that.
///
/// Since an exec makes it an ordinary child, a `wait(-1)` elsewhere in this process can take its
/// status; then [`Child::try_wait`] and [`Child::wait`] fail with `ECHILD`, and it is dead.
#[derive(Debug)]
pub struct Child {
    pidfd: OwnedFd,
    pid: i32,
    gone: bool,
    /// Somebody else's child, whom they reap.
    adopted: bool,
}

impl Child {
    pub(super) fn new(pidfd: OwnedFd, pid: i32) -> Self {
        Self {
            pidfd,
            pid,
            gone: false,
            adopted: false,
        }
    }

    pub(crate) fn adopted(pidfd: OwnedFd, pid: i32) -> Self {
        Self {
            pidfd,
            pid,
            gone: false,
            adopted: true,
        }
    }

    /// Its pidfd: readable when the process has ended.
    #[must_use]
    pub fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Its pid in this process's namespace; not safe to signal once it is reaped.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Sends a signal; to an ended process that is no error.
    ///
    /// # Errors
    /// Those of `pidfd_send_signal(2)`, `ESRCH` excepted.
    pub fn kill(&self, signal: Signal) -> rustix::io::Result<()> {
        match rustix::process::pidfd_send_signal(&self.pidfd, signal) {
            Err(Errno::SRCH) | Ok(()) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// Lets it go on without us; when we are gone, init reaps it.
    pub fn leave(mut self) {
        self.gone = true;
    }

    /// Reaps it if it has ended.
    ///
    /// # Errors
    /// `ECHILD` when it was reaped before, here or elsewhere.
    pub fn try_wait(&mut self) -> rustix::io::Result<Option<WaitStatus>> {
        let status = reap_pidfd(self.pidfd.as_fd());
        self.gone |= matches!(status, Ok(Some(_)) | Err(Errno::CHILD));
        status
    }

    /// Waits until it ends, and reaps it.
    ///
    /// # Errors
    /// `ECHILD` when it was reaped before, here or elsewhere.
    pub fn wait(&mut self) -> rustix::io::Result<WaitStatus> {
        let status = wait_pidfd(self.pidfd.as_fd());
        self.gone |= matches!(status, Ok(_) | Err(Errno::CHILD));
        status
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.gone {
            // A pidfd of a child can always be signalled and waited for; a drop could not report
            // that it was not.
            let _ = self.kill(Signal::KILL);
            if self.adopted {
                let _ = poll(&[(self.pidfd(), Ready::READ)], None);
            } else {
                let _ = wait_pidfd(self.pidfd.as_fd());
            }
        }
    }
}
