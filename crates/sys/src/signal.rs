//! Signals: masks, and those of children as a descriptor.

use rustix::io::Errno;
pub use rustix::process::Signal;
use std::os::fd::{FromRawFd, OwnedFd};

/// The bit of a signal in a kernel mask.
fn bit(signal: Signal) -> u64 {
    1 << (signal.as_raw() - 1)
}

/// Replaces this thread's mask, in the kernel's own layout, and returns the one before.
pub(crate) fn try_swap_mask(mask: u64) -> Result<u64, Errno> {
    let mut before = 0_u64;
    // The C library would leave out the two signals that it uses itself.
    // SAFETY: both point to a mask of the size that is passed, and outlive the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const mask,
            &raw mut before,
            size_of::<u64>(),
        )
    };
    if result < 0 {
        Err(crate::last_errno())
    } else {
        Ok(before)
    }
}

/// [`try_swap_mask`] where the kernel has no reason to refuse.
pub(crate) fn swap_mask(mask: u64) -> u64 {
    try_swap_mask(mask).unwrap_or(0)
}

/// Blocks SIGCHLD in this thread and returns a descriptor, non-blocking and close-on-exec, that is
/// readable when it is pending. Children started by [`crate::spawn`] do not inherit the mask.
///
/// # Errors
/// Those of `signalfd4(2)`.
pub fn children() -> rustix::io::Result<OwnedFd> {
    let mask = bit(Signal::CHILD);
    let before = try_swap_mask(mask)?;
    try_swap_mask(before | mask)?;
    // SAFETY: `mask` is of the size that is passed and outlives the call; -1 asks for a new
    // descriptor.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_signalfd4,
            -1,
            &raw const mask,
            size_of::<u64>(),
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        )
    };
    let fd = i32::try_from(fd).map_err(|_| Errno::BADF)?;
    if fd < 0 {
        return Err(crate::last_errno());
    }
    // SAFETY: the kernel has just made this descriptor, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// What signals do that do not have their default action.
#[derive(Debug)]
pub struct Dispositions(Vec<(libc::c_int, libc::sigaction)>);

/// Gives every signal its default action and returns the other ones.
#[must_use]
pub fn reset_dispositions() -> Dispositions {
    // SAFETY: all-zero is the default action, without flags and with an empty mask.
    let default: libc::sigaction = unsafe { std::mem::zeroed() };
    let mut others = Vec::new();
    for signal in 1..=libc::SIGRTMAX() {
        let mut before = default;
        // SAFETY: both point to an action that outlives the call; SIGKILL, SIGSTOP and the signals
        // of the C library's own are an error that changes nothing.
        let changed = unsafe { libc::sigaction(signal, &raw const default, &raw mut before) };
        if changed == 0 && before.sa_sigaction != libc::SIG_DFL {
            others.push((signal, before));
        }
    }
    Dispositions(others)
}

impl Dispositions {
    /// Gives these signals their default action again.
    pub fn reset(&self) {
        // SAFETY: all-zero is the default action, without flags and with an empty mask.
        let default: libc::sigaction = unsafe { std::mem::zeroed() };
        for (signal, _) in &self.0 {
            // SAFETY: the default action calls no code.
            unsafe { libc::sigaction(*signal, &raw const default, std::ptr::null_mut()) };
        }
        // SAFETY: as above; it was ignored since these were taken.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }

    /// Puts them back, in the process that they were taken in or a copy of it.
    pub fn restore(&self) {
        for (signal, action) in &self.0 {
            // SAFETY: the kernel gave this action for this signal, and what it calls is where it
            // was: a copy of a process has the same code at the same place.
            unsafe { libc::sigaction(*signal, action, std::ptr::null_mut()) };
        }
    }
}

/// Has the kernel reap the children of this process, whose statuses nobody wants.
pub fn ignore_children() {
    // SAFETY: to ignore a signal installs no code.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// Blocks no signal in this thread.
pub fn unblock_all() {
    swap_mask(0);
}
