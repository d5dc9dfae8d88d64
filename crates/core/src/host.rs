//! What this machine can do, as data. [`Facts`] are found by trying, elsewhere; a test can
//! describe any machine.

use std::path::PathBuf;

/// Facts about the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Kernel version, `(major, minor)`.
    pub kernel: (u32, u32),
    /// Processors that this process may run on.
    pub cpus: u32,
    /// Memory of the machine, bytes.
    pub memory_bytes: u64,
    /// With what rights we run.
    pub privilege: Privilege,
    /// Whether the namespaces of the jail can be made.
    pub namespaces: Fact,
    /// Whether a seccomp filter can be installed.
    pub seccomp: Fact,
    /// Landlock ABI version; 0 where there is none.
    pub landlock_abi: u32,
    /// Whether a time namespace can be made.
    pub time_namespace: Fact,
    /// Where resource control can be had.
    pub cgroup: Cgroup,
    /// What attacking the rungs here has shown, where somebody has.
    pub proofs: Vec<Proof>,
}

impl Facts {
    /// What attacking the rung called `rung` has shown.
    #[must_use]
    pub fn proof(&self, rung: &str) -> Option<&Proof> {
        self.proofs.iter().find(|proof| proof.rung == rung)
    }
}

/// What came of running the hostile corpus against a rung on this host, with this kernel and this
/// program. Holding one with nothing in `through` proves that these attacks failed then, and no
/// more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The rung's name.
    pub rung: String,
    /// When, ms since 1970 in UTC.
    pub at_ms: u64,
    /// Probes that ran.
    pub probes: u32,
    /// Those that got through something that the rung promises, by id.
    pub through: Vec<String>,
}

/// With what rights we run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// `CAP_SYS_ADMIN`, `CAP_SETUID` and `CAP_SETGID` are effective: each run gets a uid of its
    /// own.
    Root,
    /// An ordinary user: runs get this user's uid on the host, in a user namespace.
    User,
}

/// Something that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// It worked when tried.
    Works,
    /// It did not.
    Fails(Fault),
}

impl Fact {
    /// The fault, if it did not work.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Works => None,
            Self::Fails(fault) => Some(fault),
        }
    }
}

/// What failed, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The step that failed, by its name in `stockade explain`.
    pub step: String,
    /// The error of the system call; 0 where there was none.
    pub errno: i32,
    /// The cause, in words.
    pub cause: String,
    /// What a person can do, most useful first.
    pub remedies: Vec<String>,
}

/// Where resource control can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cgroup {
    /// The unified hierarchy: a directory in which runs get theirs.
    V2 {
        /// Directory for the runs; it is ours to write and has the controllers enabled, or can
        /// have them.
        parent: PathBuf,
    },
    /// The old hierarchies, each with a directory in which runs get theirs.
    V1 {
        /// `memory`.
        memory: PathBuf,
        /// `pids`.
        pids: PathBuf,
        /// `cpu` (`cpu.cfs_quota_us`).
        cpu: PathBuf,
        /// `cpuacct`; the same directory as `cpu` where they are mounted together.
        cpuacct: PathBuf,
    },
    /// None that we may write.
    None(Fault),
}

impl Cgroup {
    /// Whether there is one.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        match self {
            Self::V2 { .. } | Self::V1 { .. } => true,
            Self::None(_) => false,
        }
    }
}
