//! Which namespaces are made.

use std::ops::BitOr;

/// A set of namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Namespaces(i32);

impl Namespaces {
    /// None: those of the parent.
    pub const NONE: Self = Self(0);
    /// Mounts.
    pub const MOUNT: Self = Self(libc::CLONE_NEWNS);
    /// Process ids; the child is 1.
    pub const PID: Self = Self(libc::CLONE_NEWPID);
    /// Network interfaces, addresses, ports, abstract sockets.
    pub const NETWORK: Self = Self(libc::CLONE_NEWNET);
    /// System V IPC and POSIX message queues.
    pub const IPC: Self = Self(libc::CLONE_NEWIPC);
    /// Host name.
    pub const UTS: Self = Self(libc::CLONE_NEWUTS);
    /// The root that `/proc/*/cgroup` shows.
    pub const CGROUP: Self = Self(libc::CLONE_NEWCGROUP);
    /// Users and capabilities; owns the others that are made with it.
    pub const USER: Self = Self(libc::CLONE_NEWUSER);

    /// Those in it by their names in `/proc/<pid>/ns`.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        [
            (Self::USER, "user"),
            (Self::MOUNT, "mnt"),
            (Self::PID, "pid"),
            (Self::NETWORK, "net"),
            (Self::IPC, "ipc"),
            (Self::UTS, "uts"),
            (Self::CGROUP, "cgroup"),
        ]
        .into_iter()
        .filter(|(namespace, _)| self.contains(*namespace))
        .map(|(_, name)| name)
        .collect()
    }

    /// Whether all of `other` are in it.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set less all of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) fn flags(self) -> i32 {
        self.0
    }
}

impl BitOr for Namespaces {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
