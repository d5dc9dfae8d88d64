//! Other processes, held by a pidfd so that a reused pid cannot be meant.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::os::fd::AsFd;
use std::time::Duration;

/// Sends SIGKILL to `pid` if `still` says that it is the process that was meant, asked after the
/// pid has been pinned, and waits until it has ended. `Ok(false)` when `within` passed first.
///
/// # Errors
/// Those of `pidfd_open(2)`, `pidfd_send_signal(2)` and `poll(2)`; a process that has ended
/// already is no error.
pub fn kill_and_wait(
    pid: i32,
    still: impl FnOnce(i32) -> bool,
    within: Duration,
) -> rustix::io::Result<bool> {
    let Some(named) = Pid::from_raw(pid) else {
        return Err(Errno::SRCH);
    };
    let pidfd = match pidfd_open(named, PidfdFlags::empty()) {
        Err(Errno::SRCH) => return Ok(true),
        opened => opened?,
    };
    if !still(pid) {
        return Ok(true);
    }
    match pidfd_send_signal(&pidfd, Signal::KILL) {
        Err(Errno::SRCH) => return Ok(true),
        sent => sent?,
    }
    wait(pidfd.as_fd(), PollFlags::IN, within)
}

/// Waits until the kernel has news on a control file (`POLLPRI`), at most `within`.
///
/// # Errors
/// Those of `poll(2)`.
pub fn wait_for_news(file: impl AsFd, within: Duration) -> rustix::io::Result<bool> {
    wait(file.as_fd(), PollFlags::PRI, within)
}

fn wait(
    fd: std::os::fd::BorrowedFd<'_>,
    what: PollFlags,
    within: Duration,
) -> rustix::io::Result<bool> {
    let mut fds = [PollFd::from_borrowed_fd(fd, what)];
    let timeout = Timespec::try_from(within).map_err(|_| Errno::INVAL)?;
    match poll(&mut fds, Some(&timeout)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(errno) => Err(errno),
    }
}
