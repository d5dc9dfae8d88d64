//! How processes ended and what they used.

use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(u8),
    /// This signal ended it.
    Signal(i32),
}

/// How a process ended and what it and the children that it waited for used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitStatus {
    /// How.
    pub exit: Exit,
    /// CPU time in user mode.
    pub user: Duration,
    /// CPU time in the kernel.
    pub system: Duration,
    /// Largest resident size of the largest process, KiB.
    pub max_rss_kib: u64,
}

impl WaitStatus {
    /// CPU time, both modes.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.user + self.system
    }
}

/// Whose end to wait for.
enum Whose<'a> {
    Any,
    Pidfd(BorrowedFd<'a>),
    Pid(i32),
}

/// Reaps one child of any kind that has ended: its pid and status. `Ok(None)` when children are
/// alive but none has ended.
///
/// # Errors
/// `ECHILD` when there is no child at all.
pub fn reap_any() -> rustix::io::Result<Option<(i32, WaitStatus)>> {
    wait(&Whose::Any, libc::WNOHANG)
}

/// Reaps the child `pid` if it has ended.
///
/// # Errors
/// `ECHILD` when there is no such child, or somebody else has reaped it.
pub fn reap(pid: i32) -> rustix::io::Result<Option<WaitStatus>> {
    Ok(wait(&Whose::Pid(pid), libc::WNOHANG)?.map(|(_, status)| status))
}

/// Reaps the child of `pidfd` if it has ended.
///
/// # Errors
/// `ECHILD` when somebody else has reaped it.
pub(crate) fn reap_pidfd(pidfd: BorrowedFd<'_>) -> rustix::io::Result<Option<WaitStatus>> {
    Ok(wait(&Whose::Pidfd(pidfd), libc::WNOHANG)?.map(|(_, status)| status))
}

/// Waits until the child of `pidfd` ends, and reaps it.
///
/// # Errors
/// `ECHILD` when somebody else has reaped it.
pub(crate) fn wait_pidfd(pidfd: BorrowedFd<'_>) -> rustix::io::Result<WaitStatus> {
    loop {
        match wait(&Whose::Pidfd(pidfd), 0) {
            Ok(Some((_, status))) => return Ok(status),
            Ok(None) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Waits until the child `pid` ends, and reaps it.
pub(crate) fn wait_pid(pid: i32) -> rustix::io::Result<WaitStatus> {
    loop {
        match wait(&Whose::Pid(pid), 0) {
            Ok(Some((_, status))) => return Ok(status),
            Ok(None) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

fn wait(whose: &Whose<'_>, flags: i32) -> rustix::io::Result<Option<(i32, WaitStatus)>> {
    let (kind, id) = match whose {
        Whose::Any => (libc::P_ALL, 0),
        Whose::Pidfd(fd) => (libc::P_PIDFD, fd.as_raw_fd()),
        Whose::Pid(pid) => (libc::P_PID, *pid),
    };
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // The C library's `waitid` hides the fifth argument, which is where the usage comes from.
    // SAFETY: `info` and `usage` are of the kernel's own layouts and outlive the call; the kernel
    // writes nothing else.
    let result = unsafe {
        libc::syscall(
            libc::SYS_waitid,
            kind,
            id,
            info.as_mut_ptr(),
            libc::WEXITED | libc::__WALL | flags,
            usage.as_mut_ptr(),
        )
    };
    if result < 0 {
        return Err(crate::last_errno());
    }
    // SAFETY: all-zero is a valid `siginfo_t`, and the kernel has filled it or left it.
    let info = unsafe { info.assume_init() };
    // SAFETY: all-zero is a valid `rusage`, and the kernel has filled it or left it.
    let usage = unsafe { usage.assume_init() };
    // SAFETY: `waitid` fills the SIGCHLD arm of the union, and zeroes read as pid 0.
    let pid = unsafe { info.si_pid() };
    if pid == 0 {
        return Ok(None);
    }
    // SAFETY: as for the pid.
    let status = unsafe { info.si_status() };
    let exit = if info.si_code == libc::CLD_EXITED {
        Exit::Code(u8::try_from(status & 0xff).unwrap_or(u8::MAX))
    } else {
        Exit::Signal(status)
    };
    let status = WaitStatus {
        exit,
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        max_rss_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
    };
    Ok(Some((pid, status)))
}

pub(crate) fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}
