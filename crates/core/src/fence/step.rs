//! One step of the fence, as the supervisor sends it to the guest's init.

use serde::{Deserialize, Serialize};

/// What a bind lets through. All are `ro,nosuid`; a device can be written to all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// Read and execute: `ro,nosuid,nodev`.
    ReadOnly,
    /// One device node: `ro,nosuid,noexec`.
    Device,
}

impl Access {
    fn options(self) -> &'static str {
        match self {
            Self::ReadOnly => "ro,nosuid,nodev",
            Self::Device => "ro,nosuid,noexec",
        }
    }
}

/// A directory to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    /// Absolute in the guest.
    pub path: String,
    /// Permission bits.
    pub mode: u32,
}

/// A resource that `setrlimit(2)` bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resource {
    /// `RLIMIT_CPU`, seconds.
    Cpu,
    /// `RLIMIT_AS`, bytes.
    AddressSpace,
    /// `RLIMIT_FSIZE`, bytes.
    FileSize,
    /// `RLIMIT_NOFILE`.
    OpenFiles,
    /// `RLIMIT_NPROC`; since Linux 5.14 counted per user namespace.
    Processes,
    /// `RLIMIT_CORE`, bytes.
    Core,
    /// `RLIMIT_MEMLOCK`, bytes.
    LockedMemory,
    /// `RLIMIT_MSGQUEUE`, bytes.
    MessageQueue,
    /// `RLIMIT_SIGPENDING`: queued signals and timers, counted for the user who started the run as
    /// well.
    PendingSignals,
    /// `RLIMIT_RTPRIO`: what a process may run at before everybody else.
    RealTimePriority,
    /// `RLIMIT_NICE`: how far it may raise its priority.
    Nice,
}

impl Resource {
    /// The kernel's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "RLIMIT_CPU",
            Self::AddressSpace => "RLIMIT_AS",
            Self::FileSize => "RLIMIT_FSIZE",
            Self::OpenFiles => "RLIMIT_NOFILE",
            Self::Processes => "RLIMIT_NPROC",
            Self::Core => "RLIMIT_CORE",
            Self::LockedMemory => "RLIMIT_MEMLOCK",
            Self::MessageQueue => "RLIMIT_MSGQUEUE",
            Self::PendingSignals => "RLIMIT_SIGPENDING",
            Self::RealTimePriority => "RLIMIT_RTPRIO",
            Self::Nice => "RLIMIT_NICE",
        }
    }
}

/// One resource limit of the submission's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rlimit {
    /// Which.
    pub resource: Resource,
    /// Where the kernel signals or refuses.
    pub soft: u64,
    /// What the process may raise the soft one to; for `RLIMIT_CPU`, where it is killed.
    pub hard: u64,
}

/// One thing that init does to itself before the submission starts; children inherit it all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A session of its own: no controlling terminal (`setsid`).
    Session,
    /// The UTS namespace's host name.
    Hostname {
        /// The name.
        name: String,
    },
    /// Brings up `lo` of the run's own network namespace.
    Loopback,
    /// Makes all mounts private and mounts the new root, a tmpfs that holds only the steps' own
    /// directories, links and files.
    Root {
        /// Size of that tmpfs.
        bytes: u64,
    },
    /// Keeps the root that the zygote was given, in a mount namespace of the run's own: all mounts
    /// become private, and what follows is mounted over its empty directories.
    InheritRoot,
    /// Leaves the zygote's network namespace for a new one, empty but for `lo`, which is down.
    Network,
    /// Makes the groups that the run is in by now the roots of what it sees of cgroups.
    CgroupNamespace,
    /// Makes a directory in the new root, with its parents (mode 0755).
    MakeDirectory(Directory),
    /// Makes a symbolic link in the new root.
    MakeSymlink {
        /// What it points to.
        target: String,
        /// Where it is, absolute in the guest.
        link: String,
    },
    /// Writes a file in the new root.
    MakeFile {
        /// Absolute in the guest.
        path: String,
        /// Permission bits.
        mode: u32,
        /// What it holds.
        content: Vec<u8>,
    },
    /// Binds a file or directory of the host into the new root, recursively not.
    Bind {
        /// Absolute on the host.
        source: String,
        /// Absolute in the guest; made if missing.
        target: String,
        /// What is let through.
        access: Access,
    },
    /// Mounts `/proc` of the run's PID namespace with `subset=pid`: an allow list of what is
    /// shown, so that a newer kernel shows nothing new.
    Proc,
    /// Mounts one tmpfs and binds its directories where the submission may write.
    Scratch {
        /// Size of all directories together.
        bytes: u64,
        /// Files and directories together.
        inodes: u64,
        /// Where it appears.
        directories: Vec<Directory>,
    },
    /// Makes all mounts private and mounts a sized tmpfs over a directory of the host, for a guest
    /// that keeps the host's root.
    Volume {
        /// Absolute on the host.
        path: String,
        /// Size of everything in it together.
        bytes: u64,
        /// Files and directories together.
        inodes: u64,
        /// Made in it and given to the run's identity; absolute on the host, below `path`.
        directories: Vec<Directory>,
    },
    /// `pivot_root` into the new root, detaches the old one, and makes the root read-only.
    Pivot,
    /// Enters a time namespace whose monotonic and boot clocks start now.
    TimeNamespace,
    /// Pins the guest to as many CPUs as it has share, starting with the one it runs on.
    Affinity {
        /// How many.
        cpus: u32,
    },
    /// Changes all uids and gids on the host and drops supplementary groups.
    Identity {
        /// Of this run alone.
        uid: u32,
        /// Of this run alone.
        gid: u32,
    },
    /// Enters a user namespace that owns none of the run's other namespaces, with one uid and
    /// gid.
    UserNamespace {
        /// Inside.
        uid: u32,
        /// Inside.
        gid: u32,
    },
    /// Enters a user namespace as 0 of it, which the host sees as `uid`, with the uids (and gids)
    /// that the runs of this supervisor get. For a zygote: it keeps the capabilities in it, and
    /// has none outside.
    ZygoteNamespace {
        /// Of this zygote alone, on the host.
        uid: u32,
        /// First of those of the runs; the same inside and on the host.
        first: u32,
        /// How many; `uid` may be one of them and is then left out.
        count: u32,
    },
    /// A Landlock domain over signals and abstract sockets, and TCP. For a zygote: one over files
    /// would forbid its children to mount; they get theirs on top.
    Scopes {
        /// Whether TCP `bind` and `connect` are refused, to its children too.
        deny_tcp: bool,
    },
    /// `PR_SET_DUMPABLE` off: `/proc/1/*` of init is closed to the submission.
    NotDumpable,
    /// Empties every capability set, the bounding set included.
    DropCapabilities,
    /// `PR_SET_NO_NEW_PRIVS`.
    NoNewPrivileges,
    /// A Landlock domain over files, and over signals and abstract sockets where the ABI has
    /// scopes.
    Landlock {
        /// Paths below which directories may be listed, and nothing else.
        list: Vec<String>,
        /// Paths below which files may be read and executed.
        read: Vec<String>,
        /// Paths below which files may be written, made and removed as well.
        write: Vec<String>,
        /// Device files that may be read and written, or directories of them.
        devices: Vec<String>,
        /// Refuse TCP bind and connect (ABI 4).
        deny_tcp: bool,
    },
    /// Installs a seccomp filter; last, because it takes away what the others need.
    Seccomp {
        /// `struct sock_filter`s, each as one little-endian word.
        program: Vec<u64>,
    },
}

impl Step {
    /// Stable name, in `explain`, `doctor`, errors and evidence.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Hostname { .. } => "hostname",
            Self::Loopback => "loopback",
            Self::Root { .. } => "root",
            Self::InheritRoot => "inherit-root",
            Self::Network => "network-namespace",
            Self::CgroupNamespace => "cgroup-namespace",
            Self::MakeDirectory(_) => "directory",
            Self::MakeSymlink { .. } => "symlink",
            Self::MakeFile { .. } => "file",
            Self::Bind { .. } => "bind",
            Self::Proc => "proc",
            Self::Scratch { .. } => "scratch",
            Self::Volume { .. } => "volume",
            Self::Pivot => "pivot-root",
            Self::TimeNamespace => "time-namespace",
            Self::Affinity { .. } => "affinity",
            Self::Identity { .. } => "identity",
            Self::UserNamespace { .. } => "user-namespace",
            Self::ZygoteNamespace { .. } => "zygote-namespace",
            Self::Scopes { .. } => "scopes",
            Self::NotDumpable => "not-dumpable",
            Self::DropCapabilities => "drop-capabilities",
            Self::NoNewPrivileges => "no-new-privileges",
            Self::Landlock { .. } => "landlock",
            Self::Seccomp { .. } => "seccomp",
        }
    }

    /// What the step does with what, for `explain` and errors.
    #[must_use]
    pub fn detail(&self) -> String {
        match self {
            Self::Session => "setsid".to_owned(),
            Self::Hostname { name } => format!("sethostname `{name}`"),
            Self::Loopback => "SIOCSIFFLAGS lo up".to_owned(),
            Self::Root { bytes } => format!("mount tmpfs of {bytes} bytes as the new root"),
            Self::InheritRoot => {
                "the zygote's root, read-only, in a mount namespace of the run's own".to_owned()
            }
            Self::Network => "unshare CLONE_NEWNET".to_owned(),
            Self::CgroupNamespace => "unshare CLONE_NEWCGROUP".to_owned(),
            Self::MakeDirectory(dir) => format!("mkdir {} mode {:o}", dir.path, dir.mode),
            Self::MakeSymlink { target, link } => format!("symlink {link} -> {target}"),
            Self::MakeFile {
                path,
                mode,
                content,
            } => {
                format!("write {path} mode {mode:o}, {} bytes", content.len())
            }
            Self::Bind {
                source,
                target,
                access,
            } => format!("bind {source} to {target} {}", access.options()),
            Self::Proc => "mount proc on /proc subset=pid,nosuid,nodev,noexec".to_owned(),
            Self::Scratch {
                bytes,
                inodes,
                directories,
            } => scratch(*bytes, *inodes, directories),
            Self::Volume {
                path,
                bytes,
                inodes,
                ..
            } => {
                format!("mount tmpfs of {bytes} bytes and {inodes} inodes on {path} nosuid,nodev")
            }
            Self::Pivot => "pivot_root, detach the host's root, remount read-only".to_owned(),
            Self::TimeNamespace => "unshare CLONE_NEWTIME, clocks start at zero".to_owned(),
            Self::Affinity { cpus } => format!("sched_setaffinity to {cpus} CPUs"),
            Self::Identity { uid, gid } => format!("setresuid {uid}, setresgid {gid}, no groups"),
            Self::UserNamespace { uid, gid } => {
                format!("unshare CLONE_NEWUSER as uid {uid} gid {gid}")
            }
            Self::ZygoteNamespace { uid, first, count } => {
                format!("unshare CLONE_NEWUSER as {uid}, with {count} uids from {first}")
            }
            Self::Scopes { deny_tcp } => {
                let tcp = if *deny_tcp { ", TCP" } else { "" };
                format!("landlock_restrict_self: signals, abstract sockets{tcp}")
            }
            Self::NotDumpable => "prctl PR_SET_DUMPABLE 0".to_owned(),
            Self::DropCapabilities => "empty all capability sets".to_owned(),
            Self::NoNewPrivileges => "prctl PR_SET_NO_NEW_PRIVS 1".to_owned(),
            Self::Landlock {
                read,
                write,
                devices,
                ..
            } => landlock([read, write, devices]),
            Self::Seccomp { program } => {
                format!(
                    "seccomp SECCOMP_SET_MODE_FILTER, {} instructions",
                    program.len()
                )
            }
        }
    }
}

fn scratch(bytes: u64, inodes: u64, directories: &[Directory]) -> String {
    let paths: Vec<_> = directories.iter().map(|dir| dir.path.as_str()).collect();
    let paths = paths.join(", ");
    format!("mount tmpfs of {bytes} bytes and {inodes} inodes for {paths} nosuid,nodev")
}

fn landlock(paths: [&[String]; 3]) -> String {
    let [read, write, devices] = paths.map(<[String]>::len);
    format!(
        "landlock_restrict_self: {read} paths to read, {write} to write, {devices} with devices"
    )
}
