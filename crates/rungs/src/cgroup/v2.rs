//! The unified hierarchy.

use std::path::{Path, PathBuf};

use super::file::{self, Failure};
use super::{Bounds, CPU_PERIOD_US, Join};

#[derive(Debug)]
pub(super) struct Group {
    directory: PathBuf,
}

impl Group {
    pub(super) fn create(
        parent: &Path,
        name: &str,
        bounds: Bounds,
    ) -> Result<(Self, Join), Failure> {
        let directory = parent.join(name);
        file::make(&directory)?;
        // From here on a failure removes the directory.
        let group = Self { directory };
        match group.fill(bounds) {
            Ok(join) => Ok((group, join)),
            Err(failure) => {
                let _ = group.destroy();
                Err(failure)
            }
        }
    }

    fn fill(&self, bounds: Bounds) -> Result<Join, Failure> {
        let at = &self.directory;
        file::write(at, "memory.max", &bounds.memory_bytes.to_string())?;
        if at.join("memory.swap.max").exists() {
            file::write(at, "memory.swap.max", "0")?;
        }
        file::write(at, "memory.oom.group", "1")?;
        file::write(at, "pids.max", &bounds.pids.to_string())?;
        let quota = format!("{} {CPU_PERIOD_US}", bounds.cpus * CPU_PERIOD_US);
        file::write(at, "cpu.max", &quota)?;
        Ok(Join::Into(file::open(at, false)?.into()))
    }

    /// Puts a process into it: one that was not born in it.
    pub(super) fn admit(&self, pid: i32) -> Result<(), Failure> {
        file::write(&self.directory, "cgroup.procs", &pid.to_string())
    }

    /// Whether a process is in it.
    pub(super) fn holds(&self, pid: i32) -> bool {
        file::processes(&self.directory).contains(&pid)
    }

    pub(super) fn cpu_us(&self) -> Option<u64> {
        file::keyed(&self.directory, "cpu.stat", "usage_usec")
    }

    pub(super) fn memory_peak(&self) -> Option<u64> {
        // Since Linux 5.19.
        file::number(&self.directory, "memory.peak")
    }

    pub(super) fn oom_kills(&self) -> u64 {
        file::keyed(&self.directory, "memory.events", "oom_kill").unwrap_or(0)
    }

    pub(super) fn refused(&self) -> Option<u64> {
        file::keyed(&self.directory, "pids.events", "max")
    }

    pub(super) fn in_force(&self) -> String {
        [
            "memory.max",
            "memory.swap.max",
            "memory.oom.group",
            "pids.max",
            "cpu.max",
        ]
        .map(|name| file::shown(&self.directory, name))
        .join(", ")
    }

    pub(super) fn kill(&self) {
        file::kill(&self.directory);
    }

    pub(super) fn destroy(&self) -> Result<(), Failure> {
        file::destroy(&self.directory)
    }
}
