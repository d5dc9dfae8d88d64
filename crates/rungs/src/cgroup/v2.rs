//! The unified hierarchy.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{self, Failure};
use super::{Bounds, CPU_PERIOD_US, Join};

/// How long killed processes may take to leave the group.
const EMPTY_WITHIN: Duration = Duration::from_secs(10);

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

    /// A group that was found.
    pub(super) fn adopt(directory: PathBuf) -> Self {
        Self { directory }
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
        // Since Linux 5.14; before it, one by one.
        if fs::write(self.directory.join("cgroup.kill"), "1").is_err() {
            file::kill_each(&self.directory);
        }
    }

    pub(super) fn destroy(&self) -> Result<(), Failure> {
        if file::remove(&self.directory).is_ok() {
            return Ok(());
        }
        self.kill();
        self.wait_until_empty()?;
        file::remove(&self.directory)
    }

    /// Waits for the kernel's own notice (`populated 0` in `cgroup.events`).
    fn wait_until_empty(&self) -> Result<(), Failure> {
        let path = self.directory.join("cgroup.events");
        if !path.exists() {
            return Ok(());
        }
        let events = file::open(&path, false)?;
        let end = stockade_sys::clock::monotonic() + EMPTY_WITHIN;
        while file::keyed(&self.directory, "cgroup.events", "populated") == Some(1) {
            let left = end.saturating_sub(stockade_sys::clock::monotonic());
            if left.is_zero() {
                break;
            }
            // An error of poll shows in the next look, and at the latest in the removal.
            let _ = stockade_sys::pidfd::wait_for_news(&events, left);
        }
        Ok(())
    }
}
