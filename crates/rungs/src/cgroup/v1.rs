//! The old hierarchies, with the same meaning.

use std::path::{Path, PathBuf};

use super::file::{self, Failure};
use super::{Bounds, CPU_PERIOD_US, Join};

/// Where runs get theirs in each hierarchy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parents<'a> {
    pub(super) memory: &'a Path,
    pub(super) pids: &'a Path,
    pub(super) cpu: &'a Path,
    pub(super) cpuacct: &'a Path,
}

#[derive(Debug)]
pub(super) struct Group {
    memory: PathBuf,
    pids: PathBuf,
    cpu: PathBuf,
    cpuacct: PathBuf,
}

impl Group {
    pub(super) fn create(
        parents: Parents<'_>,
        name: &str,
        bounds: Bounds,
    ) -> Result<(Self, Join), Failure> {
        let group = Self {
            memory: parents.memory.join(name),
            pids: parents.pids.join(name),
            cpu: parents.cpu.join(name),
            cpuacct: parents.cpuacct.join(name),
        };
        match group.fill(bounds) {
            Ok(join) => Ok((group, join)),
            Err(failure) => {
                let _ = group.destroy();
                Err(failure)
            }
        }
    }

    fn directories(&self) -> Vec<&PathBuf> {
        let mut all = vec![&self.memory, &self.pids, &self.cpu];
        if self.cpuacct != self.cpu {
            all.push(&self.cpuacct);
        }
        all
    }

    fn fill(&self, bounds: Bounds) -> Result<Join, Failure> {
        let mut files = Vec::new();
        for directory in self.directories() {
            file::make(directory)?;
            files.push(file::open(&directory.join("tasks"), true)?.into());
        }
        let memory = bounds.memory_bytes.to_string();
        file::write(&self.memory, "memory.limit_in_bytes", &memory)?;
        if self.memory.join("memory.memsw.limit_in_bytes").exists() {
            // Memory and swap together: no swap on top of the memory.
            file::write(&self.memory, "memory.memsw.limit_in_bytes", &memory)?;
        } else {
            file::write(&self.memory, "memory.swappiness", "0")?;
        }
        file::write(&self.pids, "pids.max", &bounds.pids.to_string())?;
        // The period is the kernel's own default.
        let quota = (bounds.cpus * CPU_PERIOD_US).to_string();
        file::write(&self.cpu, "cpu.cfs_quota_us", &quota)?;
        Ok(Join::Write(files))
    }

    /// Whether a process is in all of them.
    pub(super) fn holds(&self, pid: i32) -> bool {
        self.directories()
            .into_iter()
            .all(|directory| file::processes(directory).contains(&pid))
    }

    pub(super) fn cpu_us(&self) -> Option<u64> {
        Some(file::number(&self.cpuacct, "cpuacct.usage")? / 1_000)
    }

    pub(super) fn memory_peak(&self) -> Option<u64> {
        file::number(&self.memory, "memory.max_usage_in_bytes")
    }

    pub(super) fn oom_kills(&self) -> u64 {
        // Since Linux 4.13.
        file::keyed(&self.memory, "memory.oom_control", "oom_kill").unwrap_or(0)
    }

    pub(super) fn refused(&self) -> Option<u64> {
        file::keyed(&self.pids, "pids.events", "max")
    }

    pub(super) fn in_force(&self) -> String {
        [
            file::shown(&self.memory, "memory.limit_in_bytes"),
            file::shown(&self.memory, "memory.memsw.limit_in_bytes"),
            file::shown(&self.pids, "pids.max"),
            file::shown(&self.cpu, "cpu.cfs_quota_us"),
        ]
        .join(", ")
    }

    pub(super) fn kill(&self) {
        file::kill(&self.pids);
    }

    pub(super) fn destroy(&self) -> Result<(), Failure> {
        self.directories()
            .into_iter()
            .try_for_each(|directory| file::destroy(directory))
    }
}
