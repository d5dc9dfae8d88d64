//! Copies of a process that has one thread.
//!
//! A copy of one with several has their locks and not the threads that would release them, so each
//! function here counts the threads first.

use crate::last_errno;
use crate::spawn::{Child, Namespaces};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Which of the two this is.
#[derive(Debug)]
pub enum Forked {
    /// The one that was there, with the new one's pidfd.
    Parent(OwnedFd),
    /// The new one.
    Child,
}

/// Threads of this process, by the links of `/proc/self/task`.
///
/// # Errors
/// Those of `stat(2)`: no `/proc`, or that of another PID namespace.
pub fn threads() -> rustix::io::Result<u64> {
    let links = rustix::fs::stat(c"/proc/self/task")?.st_nlink;
    Ok(links.saturating_sub(2))
}

fn alone() -> rustix::io::Result<()> {
    match threads()? {
        1 => Ok(()),
        _ => Err(Errno::DEADLK),
    }
}

/// `fork(2)` as the C library does it, with what was registered by `pthread_atfork(3)`: the child's
/// pid, or `None` in the child.
///
/// # Errors
/// `EDEADLK` when there are other threads; those of `fork(2)`.
pub fn plain() -> rustix::io::Result<Option<i32>> {
    alone()?;
    // SAFETY: this is the only thread, so no lock is held that the child could never take.
    match unsafe { libc::fork() } {
        0 => Ok(None),
        pid if pid > 0 => Ok(Some(pid)),
        _ => Err(last_errno()),
    }
}

/// A copy in new namespaces. The C library does not hear of it: the copy may run code that needs
/// no pid of it, and fork again with [`plain`].
///
/// # Errors
/// `EDEADLK` when there are other threads; those of `clone3(2)`.
pub fn into(namespaces: Namespaces) -> rustix::io::Result<Forked> {
    alone()?;
    let mut pidfd = -1_i32;
    // SAFETY: all-zero is a `clone_args` that asks for nothing.
    let mut args: libc::clone_args = unsafe { MaybeUninit::zeroed().assume_init() };
    args.flags = u64::from((namespaces.flags() | libc::CLONE_PIDFD).cast_unsigned());
    args.pidfd = (&raw mut pidfd).expose_provenance() as u64;
    args.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
    // SAFETY: without `CLONE_VM` and with no stack of its own the child is a copy that goes on from
    // here; this is the only thread, so no lock is held that it could never take.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size_of_val(&args)) };
    match pid {
        0 => Ok(Forked::Child),
        // SAFETY: the kernel has just made this descriptor, and nobody else knows of it.
        pid if pid > 0 => Ok(Forked::Parent(unsafe { OwnedFd::from_raw_fd(pidfd) })),
        _ => Err(last_errno()),
    }
}

/// A process that another one has started for us, by its pidfd.
///
/// # Errors
/// `ESRCH` when it has ended, or is in none of our PID namespaces; those of reading
/// `/proc/self/fdinfo`; `EINVAL` when the descriptor is no pidfd.
pub fn adopt(pidfd: OwnedFd) -> rustix::io::Result<Child> {
    let path = format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd());
    let info = std::fs::read_to_string(path)
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let pid = info
        .lines()
        .find_map(|line| line.strip_prefix("Pid:"))
        .and_then(|pid| pid.trim().parse::<i32>().ok())
        .ok_or(Errno::INVAL)?;
    if pid < 1 {
        return Err(Errno::SRCH);
    }
    Ok(Child::adopted(pidfd, pid))
}

/// Makes `from` what the number `to` means in this process, across an exec too.
///
/// # Errors
/// Those of `dup2(2)`.
pub fn redirect(from: BorrowedFd<'_>, to: i32) -> rustix::io::Result<()> {
    // SAFETY: what `to` meant is closed; the caller is a copy that is about to become another
    // program, and the standard streams, which these are, are owned by nobody.
    if unsafe { libc::dup2(from.as_raw_fd(), to) } < 0 {
        return Err(last_errno());
    }
    Ok(())
}

/// Closes every descriptor from `first` on but those of `except`. Whoever owns one of them in this
/// process must not use it again.
///
/// # Errors
/// Those of `close_range(2)`.
pub fn close_from(first: u32, except: &[BorrowedFd<'_>]) -> rustix::io::Result<()> {
    let mut kept: Vec<u32> = except
        .iter()
        .map(|fd| fd.as_raw_fd().cast_unsigned())
        .filter(|fd| *fd >= first)
        .collect();
    kept.sort_unstable();
    let mut next = first;
    for fd in kept {
        if fd > next {
            close_range(next, fd - 1)?;
        }
        next = fd + 1;
    }
    close_range(next, u32::MAX)
}

fn close_range(first: u32, last: u32) -> rustix::io::Result<()> {
    // SAFETY: closes numbers, and touches no memory; that they are not used again is the caller's
    // promise.
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } < 0 {
        return Err(last_errno());
    }
    Ok(())
}

/// The numbers of the open descriptors of this process.
///
/// # Errors
/// Those of reading `/proc/self/fd`.
pub fn descriptors() -> std::io::Result<Vec<i32>> {
    let mut open = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        open.extend(name.to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    // The directory itself was open while it was read.
    open.retain(|fd| {
        // SAFETY: borrowed for the question only; a number that is not open is an error.
        let fd = unsafe { BorrowedFd::borrow_raw(*fd) };
        rustix::io::fcntl_getfd(fd).is_ok()
    });
    open.sort_unstable();
    Ok(open)
}

/// Ends this process at once: nothing that was registered to happen at its exit does.
pub fn exit(code: u8) -> ! {
    // SAFETY: the kernel ends the process; a copy of another program must not run its handlers.
    unsafe { libc::_exit(i32::from(code)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn a_process_with_other_threads_is_not_copied() {
        // The test's own thread is not the harness's.
        assert!(threads().unwrap() >= 2);
        assert_eq!(plain().unwrap_err(), Errno::DEADLK);
        assert_eq!(into(Namespaces::NONE).unwrap_err(), Errno::DEADLK);
    }

    #[test]
    fn open_descriptors_are_listed_without_the_list_itself() {
        let (read, write) = crate::socket::pipe().unwrap();
        let open = descriptors().unwrap();
        assert!(open.contains(&read.as_raw_fd()) && open.contains(&write.as_raw_fd()));
    }

    #[test]
    fn what_is_no_pidfd_is_not_adopted() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(adopt(file.into()).unwrap_err(), Errno::INVAL);
        let own = rustix::process::pidfd_open(
            rustix::process::getpid(),
            rustix::process::PidfdFlags::empty(),
        );
        let own = own.unwrap();
        assert!(own.as_fd().as_raw_fd() > 2);
    }
}
