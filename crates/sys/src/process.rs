//! Facts about this process and the kernel, and signals to others.

use crate::signal::Signal;
use rustix::io::Errno;
use rustix::process::Pid;
use std::mem::MaybeUninit;

/// Real user id.
#[must_use]
pub fn uid() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Effective user id.
#[must_use]
pub fn effective_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Effective group id.
#[must_use]
pub fn effective_gid() -> u32 {
    rustix::process::getegid().as_raw()
}

/// This process's id in its own PID namespace.
#[must_use]
pub fn pid() -> i32 {
    rustix::process::getpid().as_raw_pid()
}

/// This thread's effective capabilities, one bit each, `CAP_CHOWN` lowest.
///
/// # Errors
/// Those of `capget(2)`.
pub fn effective_capabilities() -> rustix::io::Result<u64> {
    Ok(rustix::thread::capabilities(None)?.effective.bits())
}

/// `uname -r`.
#[must_use]
pub fn kernel_release() -> String {
    rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned()
}

/// The machine's architecture as the kernel names it, for instance `x86_64`.
#[must_use]
pub fn machine() -> String {
    rustix::system::uname()
        .machine()
        .to_string_lossy()
        .into_owned()
}

/// Physical memory of the host, bytes.
#[must_use]
pub fn memory_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram.saturating_mul(u64::from(info.mem_unit))
}

/// What this process has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in µs, both modes.
    pub cpu_us: u64,
    /// Largest resident size, KiB.
    pub max_rss_kib: u64,
}

/// What this process has used, all threads together.
#[must_use]
pub fn usage() -> Usage {
    read_usage(libc::RUSAGE_SELF)
}

/// What children that were waited for have used, with those that they waited for.
#[must_use]
pub fn children_usage() -> Usage {
    read_usage(libc::RUSAGE_CHILDREN)
}

fn read_usage(whose: i32) -> Usage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` has the layout that the kernel writes; an unknown `whose` is an error that
    // leaves it all zero.
    unsafe { libc::getrusage(whose, usage.as_mut_ptr()) };
    // SAFETY: all-zero is a valid `rusage`, and the kernel has filled it or left it.
    let usage = unsafe { usage.assume_init() };
    let cpu = crate::wait::duration(usage.ru_utime) + crate::wait::duration(usage.ru_stime);
    Usage {
        cpu_us: u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX),
        max_rss_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
    }
}

/// Orphans below this process become its children.
///
/// # Errors
/// Those of `prctl(PR_SET_CHILD_SUBREAPER)`.
pub fn become_subreaper() -> rustix::io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
}

/// SIGKILL to this process when the thread that started it dies; the kernel forgets this when
/// credentials change.
///
/// # Errors
/// Those of `prctl(PR_SET_PDEATHSIG)`.
pub fn die_with_parent() -> rustix::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
}

/// Sends a signal to one process.
///
/// # Errors
/// `ESRCH` when there is none, `EPERM` when it may not be signalled, `EINVAL` for a pid below 1.
pub fn kill(pid: i32, signal: Signal) -> rustix::io::Result<()> {
    let pid = Pid::from_raw(pid)
        .filter(|pid| pid.as_raw_pid() > 0)
        .ok_or(Errno::INVAL)?;
    rustix::process::kill_process(pid, signal)
}

/// Sends a signal to everything that this process may signal, but not to itself and not to PID 1:
/// all of a PID namespace from its init, all of a uid from a process without capabilities.
///
/// # Errors
/// `ESRCH` when there is nothing to signal.
pub fn kill_all(signal: Signal) -> rustix::io::Result<()> {
    // SAFETY: a system call with two integers.
    if unsafe { libc::kill(-1, signal.as_raw()) } < 0 {
        Err(crate::last_errno())
    } else {
        Ok(())
    }
}

/// Whether core dumps and `/proc/self` of this process are open to others of its uid.
///
/// # Errors
/// Those of `prctl(PR_SET_DUMPABLE)`.
pub fn set_dumpable(dumpable: bool) -> rustix::io::Result<()> {
    use rustix::process::DumpableBehavior::{Dumpable, NotDumpable};
    rustix::process::set_dumpable_behavior(if dumpable { Dumpable } else { NotDumpable })
}

/// Whether they are.
///
/// # Errors
/// Those of `prctl(PR_GET_DUMPABLE)`.
pub fn is_dumpable() -> rustix::io::Result<bool> {
    Ok(rustix::process::dumpable_behavior()? == rustix::process::DumpableBehavior::Dumpable)
}

/// A session of this process's own.
///
/// # Errors
/// `EPERM` when it leads a process group.
pub fn new_session() -> rustix::io::Result<()> {
    rustix::process::setsid().map(drop)
}

/// Sets the file mode creation mask.
pub fn set_umask(mask: u32) {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(mask));
}

/// The working directory.
///
/// # Errors
/// Those of `fchdir(2)`.
pub fn set_directory(directory: impl std::os::fd::AsFd) -> rustix::io::Result<()> {
    rustix::process::fchdir(directory)
}
