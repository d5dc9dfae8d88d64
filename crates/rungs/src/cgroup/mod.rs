//! One cgroup per run: v2, or v1 with the same meaning.

mod discover;
mod file;
mod v1;
mod v2;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::host::Cgroup;
use stockade_core::limits::{LimitId, Limits};

pub use discover::discover;

/// The period over which `cpu.max` and `cpu.cfs_quota_us` are counted, µs (the kernel's default).
const CPU_PERIOD_US: u64 = 100_000;

/// A run's cgroup. Dropping it kills what is in it and removes it as well as it can;
/// [`Group::destroy`] does the same and says whether it worked.
#[derive(Debug)]
pub(crate) struct Group {
    kind: Kind,
    destroyed: bool,
}

#[derive(Debug)]
enum Kind {
    V1(v1::Group),
    V2(v2::Group),
}

/// What the kernel allows the group, already in the kernel's terms.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    memory_bytes: u64,
    /// Init is one of them.
    pids: u64,
    cpus: u64,
}

/// How a process gets into the group.
#[derive(Debug)]
pub(crate) enum Join {
    /// Born in it: `CLONE_INTO_CGROUP` with this directory.
    Into(OwnedFd),
    /// Writes itself into each of these `tasks` files. A single thread that moves itself needs
    /// no lock over all processes; a write to `cgroup.procs` from outside does, and waits for it
    /// for milliseconds.
    Write(Vec<OwnedFd>),
}

impl Join {
    /// The directory to be born in, for `clone3`.
    pub(crate) fn directory(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Into(fd) => Some(fd.as_fd()),
            Self::Write(_) => None,
        }
    }

    /// The files to write to.
    pub(crate) fn files(&self) -> &[OwnedFd] {
        match self {
            Self::Into(_) => &[],
            Self::Write(files) => files,
        }
    }
}

impl Group {
    /// Makes the group `name` with the limits of a run; `None` where the host has no cgroup for
    /// us.
    pub(crate) fn create(
        host: &Cgroup,
        name: &str,
        limits: &Limits,
    ) -> Result<Option<(Self, Join)>, Error> {
        let bounds = Bounds {
            memory_bytes: limits.get(LimitId::Memory),
            pids: limits.get(LimitId::Processes) + 1,
            cpus: limits.get(LimitId::Cpus),
        };
        let made = match host {
            Cgroup::V2 { parent } => {
                v2::Group::create(parent, name, bounds).map(|(group, join)| (Kind::V2(group), join))
            }
            Cgroup::V1 {
                memory,
                pids,
                cpu,
                cpuacct,
            } => {
                let parents = v1::Parents {
                    memory,
                    pids,
                    cpu,
                    cpuacct,
                };
                v1::Group::create(parents, name, bounds)
                    .map(|(group, join)| (Kind::V1(group), join))
            }
            Cgroup::None(_) => return Ok(None),
        };
        match made {
            Ok((kind, join)) => Ok(Some((
                Self {
                    kind,
                    destroyed: false,
                },
                join,
            ))),
            Err(file::Failure {
                attempt,
                path,
                error,
            }) => Err(Error::new(
                ErrorKind::Host,
                format!("step `cgroup`: cannot {attempt} {}", path.display()),
            )
            .at_step("cgroup", error.raw_os_error().unwrap_or(0))
            .because(error)
            .hint(
                "`stockade doctor` shows where cgroups can be had; `STOCKADE_CGROUP=DIR` names one",
            )
            .hint(
                "in a container: mount the cgroup tree writable, or give the container a cgroup \
                 namespace of its own (`--cgroupns=private`)",
            )),
        }
    }

    /// Puts a process into it that another one has started. Where there are the old hierarchies it
    /// joins by itself.
    ///
    /// # Errors
    /// `Host` when the kernel refuses.
    pub(crate) fn admit(&self, pid: i32) -> Result<(), Error> {
        match &self.kind {
            Kind::V1(_) => Ok(()),
            Kind::V2(group) => group.admit(pid).map_err(|failure| {
                let what = failure.path.display();
                Error::new(ErrorKind::Host, format!("cannot write {pid} to {what}"))
                    .because(failure.error)
            }),
        }
    }

    /// Whether a process is in it.
    pub(crate) fn holds(&self, pid: i32) -> bool {
        match &self.kind {
            Kind::V1(group) => group.holds(pid),
            Kind::V2(group) => group.holds(pid),
        }
    }

    /// CPU time of everything that is or was in the group, µs.
    pub(crate) fn cpu_us(&self) -> Option<u64> {
        match &self.kind {
            Kind::V1(group) => group.cpu_us(),
            Kind::V2(group) => group.cpu_us(),
        }
    }

    /// Peak memory, bytes.
    pub(crate) fn memory_peak(&self) -> Option<u64> {
        match &self.kind {
            Kind::V1(group) => group.memory_peak(),
            Kind::V2(group) => group.memory_peak(),
        }
    }

    /// Processes that the kernel killed for memory.
    pub(crate) fn oom_kills(&self) -> u64 {
        match &self.kind {
            Kind::V1(group) => group.oom_kills(),
            Kind::V2(group) => group.oom_kills(),
        }
    }

    /// Forks that were refused.
    pub(crate) fn refused(&self) -> Option<u64> {
        match &self.kind {
            Kind::V1(group) => group.refused(),
            Kind::V2(group) => group.refused(),
        }
    }

    /// What is in force, read back from the kernel.
    pub(crate) fn in_force(&self) -> String {
        match &self.kind {
            Kind::V1(group) => group.in_force(),
            Kind::V2(group) => group.in_force(),
        }
    }

    /// Kills what is left in the group.
    pub(crate) fn kill(&self) {
        match &self.kind {
            Kind::V1(group) => group.kill(),
            Kind::V2(group) => group.kill(),
        }
    }

    /// Kills what is left and removes the group.
    ///
    /// # Errors
    /// `Host`, naming the directory that is still there.
    pub(crate) fn destroy(mut self) -> Result<(), Error> {
        self.destroyed = true;
        let removed = match &self.kind {
            Kind::V1(group) => group.destroy(),
            Kind::V2(group) => group.destroy(),
        };
        removed.map_err(stays)
    }
}

fn stays(failure: file::Failure) -> Error {
    let file::Failure {
        attempt,
        path,
        error,
    } = failure;
    Error::new(
        ErrorKind::Host,
        format!("teardown: cannot {attempt} {}", path.display()),
    )
    .because(error)
    .hint("the next start of stockade tries again")
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.destroyed {
            // A drop cannot report; the reaper finds what stays.
            let _ = match &self.kind {
                Kind::V1(group) => group.destroy(),
                Kind::V2(group) => group.destroy(),
            };
        }
    }
}

/// Directories in which runs have theirs.
#[must_use]
pub fn parents(host: &Cgroup) -> Vec<&Path> {
    match host {
        Cgroup::V2 { parent } => vec![parent],
        Cgroup::V1 {
            memory,
            pids,
            cpu,
            cpuacct,
        } => {
            let mut all: Vec<&Path> = vec![memory, pids, cpu];
            if cpuacct != cpu {
                all.push(cpuacct);
            }
            all
        }
        Cgroup::None(_) => Vec::new(),
    }
}

/// Removes the group `name` if it is still there and nothing is in it.
///
/// # Errors
/// `Host` when it cannot be removed.
pub fn remove(host: &Cgroup, name: &str) -> Result<(), Error> {
    parents(host)
        .into_iter()
        .try_for_each(|parent| file::remove(&parent.join(name)))
        .map_err(stays)
}

/// Destroys the groups below `parent` whose name begins with `prefix`: what a dead supervisor
/// left.
///
/// # Errors
/// `Host` when one cannot be removed.
pub fn reap(parent: &Path, prefix: &str) -> Result<(), Error> {
    // A parent that is gone took what was below it along.
    let Ok(entries) = std::fs::read_dir(parent) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            file::destroy(&entry.path()).map_err(
                |file::Failure {
                     attempt,
                     path,
                     error,
                 }| {
                    Error::new(
                        ErrorKind::Host,
                        format!("reaper: cannot {attempt} {}", path.display()),
                    )
                    .because(error)
                },
            )?;
        }
    }
    Ok(())
}
