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
