//! Starting a program: new namespaces, a list of steps in the child, and an exec.
//!
//! The child runs on a stack of its own in the parent's memory (`CLONE_VM | CLONE_VFORK`) and so
//! may not allocate or take a lock: what it does is a list of [`BeforeExec`] steps, never a
//! closure.

mod child;
mod clone;
mod namespace;
mod stub;

pub use child::Child;
pub use namespace::Namespaces;

use crate::rlimit::Resource;
use rustix::io::Errno;
use std::ffi::CStr;
use std::fmt;
use std::os::fd::BorrowedFd;

/// What is executed.
#[derive(Clone, Copy, Debug)]
pub enum Program<'a> {
    /// An open file, for instance a memfd.
    Descriptor(BorrowedFd<'a>),
    /// A path, absolute or relative to the directory that the steps left the child in; `PATH` is
    /// not searched.
    Path(&'a CStr),
}

impl<'a> From<BorrowedFd<'a>> for Program<'a> {
    fn from(fd: BorrowedFd<'a>) -> Self {
        Self::Descriptor(fd)
    }
}

/// One thing that the child does to itself before the exec.
#[derive(Clone, Copy, Debug)]
pub enum BeforeExec<'a> {
    /// Writes `0` to a file that the parent has opened: how one joins a cgroup v1 (`tasks`).
    WriteSelf {
        /// The file.
        file: BorrowedFd<'a>,
    },
    /// In a new user namespace: denies `setgroups` and maps one uid and one gid.
    MapIds {
        /// Both ids as seen inside.
        inside: u32,
        /// The uid as the parent's namespace sees it.
        outside_uid: u32,
        /// The gid as the parent's namespace sees it.
        outside_gid: u32,
    },
    /// Enters a network namespace that exists.
    Network {
        /// The namespace.
        namespace: BorrowedFd<'a>,
    },
    /// A cgroup namespace whose root is the group that the child is in by now. One made with the
    /// child has the parent's group as its root, and shows the way from there.
    CgroupNamespace,
    /// SIGKILL when the *thread* that spawned it dies; a parent that died meanwhile is noticed.
    DieWithParent,
    /// A session of its own.
    NewSession,
    /// The file mode creation mask.
    Umask(u32),
    /// `/proc/self/oom_score_adj`.
    OomScore(i32),
    /// A resource limit.
    Rlimit {
        /// Which.
        resource: Resource,
        /// Where the kernel signals or refuses.
        soft: u64,
        /// What `soft` can be raised to.
        hard: u64,
    },
    /// The working directory.
    Directory(&'a CStr),
}

/// A program to start. All descriptors but the given ones are closed in it, all signals are
/// unblocked and have their default action.
#[derive(Clone, Copy, Debug)]
pub struct Spawn<'a> {
    /// What is executed.
    pub program: Program<'a>,
    /// Its arguments, the name included.
    pub args: &'a [&'a CStr],
    /// Its whole environment, `NAME=value`.
    pub env: &'a [&'a CStr],
    /// The namespaces that are made for it.
    pub namespaces: Namespaces,
    /// The v2 cgroup that it starts in; a directory.
    pub cgroup: Option<BorrowedFd<'a>>,
    /// Descriptors with their numbers in the child. 0, 1 and 2 are `/dev/null` unless given.
    pub descriptors: &'a [(BorrowedFd<'a>, i32)],
    /// Done in order, before the descriptors are moved.
    pub before_exec: &'a [BeforeExec<'a>],
}

/// The call that failed while a program was started; nothing is left of the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnError {
    /// The system call or file.
    pub step: &'static str,
    /// Its error.
    pub errno: Errno,
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.step, self.errno)
    }
}

impl std::error::Error for SpawnError {}

impl Spawn<'_> {
    /// Starts the program and returns when it is executed.
    ///
    /// # Errors
    /// [`SpawnError`] names what failed, in the parent or in the child; a `clone3` that fails with
    /// `ENOSYS` is tried as `clone`, which cannot start in a cgroup.
    pub fn spawn(&self) -> Result<Child, SpawnError> {
        clone::spawn(self)
    }

    /// [`Spawn::spawn`] for a process that reaps all its children with [`crate::wait::reap_any`]:
    /// returns the pid. Uses `clone` alone, with no flag that a system call filter would refuse.
    ///
    /// # Errors
    /// As [`Spawn::spawn`]; `EINVAL` of `clone` when namespaces or a cgroup are asked for.
    pub fn spawn_plain(&self) -> Result<i32, SpawnError> {
        clone::spawn_plain(self)
    }
}
