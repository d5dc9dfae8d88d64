//! Finds what killed supervisors left, and removes it.
//!
//! A supervisor holds a lock (`flock`) on a file named after it as long as it lives; the kernel
//! lets go of it however the supervisor dies. What bears the name of a supervisor whose lock can
//! be taken is a leftover. Init and all of its guest die with their supervisor, so what can be
//! left are cgroups and directories.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::host::Cgroup;
use stockade_sys::clock;

use crate::lock::lock_within;

/// How long another process may hold the gate; it takes it for microseconds, and longer only where
/// it removes leftovers.
const GATE_WITHIN: Duration = Duration::from_secs(30);

const LOCK_SUFFIX: &str = "lock";

/// This supervisor, as others see it.
#[derive(Debug)]
pub(crate) struct Presence {
    prefix: String,
    path: PathBuf,
    _lock: File,
}

impl Presence {
    /// Removes what dead supervisors left, then takes a name and holds its lock.
    pub(crate) fn announce(state: &Path, scratch: &Path, cgroup: &Cgroup) -> Result<Self, Error> {
        // Between the making of a lock file and the taking of its lock nobody else may look.
        let _gate = gate(state)?;
        reap(state, scratch, cgroup)?;
        let pid = stockade_sys::process::pid();
        // A pid can come again after a reboot or in another PID namespace, together with a file of
        // the same name: the clock tells them apart.
        let prefix = format!("s{pid}-{:x}-", clock::boot().as_nanos());
        let path = state.join(format!("{prefix}.{LOCK_SUFFIX}"));
        let failed = |error: io::Error| failed("make", &path, error);
        let lock = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Self {
            prefix,
            path,
            _lock: lock,
        })
    }

    /// What the names of this supervisor's runs begin with.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // Left behind, it is a leftover like others.
        let _ = fs::remove_file(&self.path);
    }
}

/// Held while lock files are made or looked through; let go when dropped.
fn gate(state: &Path) -> Result<File, Error> {
    let path = state.join("gate");
    let opened = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path);
    let gate = opened.map_err(|error| failed("open", &path, error))?;
    lock_within(&gate, &path, GATE_WITHIN)?;
    Ok(gate)
}

fn failed(attempt: &str, path: &Path, error: io::Error) -> Error {
    Error::new(
        ErrorKind::Host,
        format!("cannot {attempt} {}", path.display()),
    )
    .because(error)
}

/// Removes what bears the name of a supervisor that is gone; returns what it was.
pub(crate) fn reap(state: &Path, scratch: &Path, cgroup: &Cgroup) -> Result<Vec<PathBuf>, Error> {
    let mut removed = Vec::new();
    for entry in fs::read_dir(state).map_err(|error| failed("read", state, error))? {
        let path = entry.map_err(|error| failed("read", state, error))?.path();
        if path.extension().is_none_or(|suffix| suffix != LOCK_SUFFIX) {
            continue;
        }
        let Some(prefix) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        let lock = match File::open(&path) {
            // Its supervisor has just left in good order, or another reaper was here.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(|error| failed("open", &path, error))?,
        };
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path, error)),
            Ok(()) => {}
        }
        removed.extend(stockade_rungs::cgroup::reap(cgroup, prefix)?);
        removed.extend(remove_scratch(scratch, prefix)?);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("remove", &path, error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(removed)
}

fn remove_scratch(scratch: &Path, prefix: &str) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(scratch) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| failed("read", scratch, error))?,
    };
    let mut removed = Vec::new();
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let path = entry.path();
            fs::remove_dir(&path).map_err(|error| failed("remove", &path, error))?;
            removed.push(path);
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stockade_core::host::Fault;

    fn no_cgroup() -> Cgroup {
        let (step, cause) = ("cgroup".to_owned(), String::new());
        Cgroup::None(Fault {
            step,
            errno: 0,
            cause,
            remedies: Vec::new(),
        })
    }

    #[test]
    fn what_a_living_supervisor_has_is_left_alone() {
        let state = tempfile::tempdir().unwrap();
        let scratch = state.path().join("scratch");
        let living = Presence::announce(state.path(), &scratch, &no_cgroup()).unwrap();
        let held = scratch.join(format!("{}0", living.prefix()));
        fs::create_dir_all(&held).unwrap();
        assert_eq!(
            reap(state.path(), &scratch, &no_cgroup()).unwrap(),
            Vec::<PathBuf>::new()
        );
        assert!(held.exists());
    }

    #[test]
    fn what_a_dead_supervisor_had_is_removed() {
        let state = tempfile::tempdir().unwrap();
        let scratch = state.path().join("scratch");
        let left = scratch.join("s1-2-0");
        fs::create_dir_all(&left).unwrap();
        let lock = File::create(state.path().join("s1-2-.lock")).unwrap();
        drop(lock);
        assert_eq!(
            reap(state.path(), &scratch, &no_cgroup()).unwrap(),
            [left.clone()]
        );
        assert!(!left.exists());
        assert!(!state.path().join("s1-2-.lock").exists());
    }
}
