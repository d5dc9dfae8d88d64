//! Safe wrappers over the kernel: the only crate with `unsafe`. No policy, no default, no log line.

pub mod clock;
pub mod credential;
pub mod failure;
pub mod fork;
pub mod fs;
pub mod landlock;
pub mod memfd;
pub mod memory;
pub mod mount;
pub mod namespace;
pub mod net;
pub mod pidfd;
pub mod poll;
pub mod process;
#[cfg(feature = "python")]
pub mod python;
pub mod rlimit;
pub mod sched;
pub mod seccomp;
pub mod signal;
pub mod socket;
pub mod spawn;
pub mod tool;
#[cfg(feature = "trace")]
pub mod trace;
pub mod wait;

pub use rustix::io::Errno;

/// The error of the C library call that has just failed.
pub(crate) fn last_errno() -> Errno {
    let errno = std::io::Error::last_os_error();
    Errno::from_io_error(&errno).unwrap_or(Errno::IO)
}
