//! Finds what killed supervisors left, and removes it.
//!
//! A supervisor holds a lock (`flock`) on a file named after it as long as it lives; the kernel
//! lets go of it however the supervisor dies. What bears the name of a supervisor whose lock can
//! be taken is a leftover. Init and all of its guest die with their supervisor, so what can be
//! left are cgroups and directories.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
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
    stuck: Vec<String>,
}

impl Presence {
    /// Takes a name and holds its lock; then removes what dead supervisors left. What cannot be
    /// removed is kept in mind and tried again at the next start: it keeps nobody from working.
    pub(crate) fn announce(state: &Path, scratch: &Path, cgroup: &Cgroup) -> Result<Self, Error> {
        let pid = stockade_sys::process::pid();
        // A pid can come again after a reboot or in another PID namespace, together with a file of
        // the same name: the clock tells them apart.
        let prefix = format!("s{pid}-{:x}-", clock::boot().as_nanos());
        let path = state.join(format!("{prefix}.{LOCK_SUFFIX}"));
        // Between the making of a lock file and the taking of its lock nobody else may look.
        let gate = gate(state)?;
        let dead = dead(state)?;
        let lock = make(&path, cgroup).map_err(|error| failed("make", &path, error))?;
        drop(gate);
        let stuck = dead
            .into_iter()
            .filter_map(|one| one.bury(scratch).err())
            .collect();
        Ok(Self {
            prefix,
            path,
            _lock: lock,
            stuck,
        })
    }

    /// What the names of this supervisor's runs begin with.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Leftovers that could not be removed, each with its reason.
    pub(crate) fn stuck(&self) -> &[String] {
        &self.stuck
    }
}

/// A locked file that says where this supervisor's cgroups are.
fn make(path: &Path, cgroup: &Cgroup) -> io::Result<File> {
    let mut lock = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    lock.lock()?;
    let mut parents = Vec::new();
    for parent in stockade_rungs::cgroup::parents(cgroup) {
        parents.extend_from_slice(parent.as_os_str().as_encoded_bytes());
        parents.push(b'\n');
    }
    lock.write_all(&parents)?;
    Ok(lock)
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

/// A supervisor that is gone, with its lock in our hands: no other reaper buries it meanwhile.
struct Dead {
    prefix: String,
    path: PathBuf,
    lock: File,
}

/// Supervisors whose lock can be taken. The caller holds the gate.
fn dead(state: &Path) -> Result<Vec<Dead>, Error> {
    let mut dead = Vec::new();
    for entry in fs::read_dir(state).map_err(|error| failed("read", state, error))? {
        let path = entry.map_err(|error| failed("read", state, error))?.path();
        if path.extension().is_none_or(|suffix| suffix != LOCK_SUFFIX) {
            continue;
        }
        let Some(prefix) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        let prefix = prefix.to_owned();
        let lock = match File::open(&path) {
            // Its supervisor has just left in good order.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(|error| failed("open", &path, error))?,
        };
        match lock.try_lock() {
            Ok(()) => dead.push(Dead { prefix, path, lock }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path, error)),
        }
    }
    Ok(dead)
}

impl Dead {
    /// Removes what it left, and its lock file last.
    fn bury(mut self, scratch: &Path) -> Result<(), String> {
        let mut parents = String::new();
        let read = self.lock.read_to_string(&mut parents);
        read.map_err(|error| failed("read", &self.path, error).to_string())?;
        for parent in parents.lines() {
            stockade_rungs::cgroup::reap(Path::new(parent), &self.prefix)
                .map_err(|error| error.to_string())?;
        }
        remove_scratch(scratch, &self.prefix).map_err(|error| error.to_string())?;
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("remove", &self.path, error).to_string())
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn remove_scratch(scratch: &Path, prefix: &str) -> Result<(), Error> {
    let entries = match fs::read_dir(scratch) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| failed("read", scratch, error))?,
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let path = entry.path();
            fs::remove_dir(&path).map_err(|error| failed("remove", &path, error))?;
        }
    }
    Ok(())
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
        Presence::announce(state.path(), &scratch, &no_cgroup()).unwrap();
        assert!(held.exists() && living.path.exists());
    }

    #[test]
    fn what_a_dead_supervisor_had_is_removed() {
        let state = tempfile::tempdir().unwrap();
        let scratch = state.path().join("scratch");
        let left = scratch.join("s1-2-0");
        fs::create_dir_all(&left).unwrap();
        let lock = state.path().join("s1-2-.lock");
        drop(File::create(&lock).unwrap());
        let next = Presence::announce(state.path(), &scratch, &no_cgroup()).unwrap();
        assert_eq!(next.stuck(), [] as [String; 0]);
        assert!(!left.exists() && !lock.exists());
    }

    #[test]
    fn a_leftover_that_cannot_be_removed_is_named_and_stops_nobody() {
        let state = tempfile::tempdir().unwrap();
        let scratch = state.path().join("scratch");
        let left = scratch.join("s1-2-0");
        // A directory that is not empty: a run's own content is gone with its mount namespace.
        fs::create_dir_all(left.join("full")).unwrap();
        let lock = state.path().join("s1-2-.lock");
        drop(File::create(&lock).unwrap());
        let next = Presence::announce(state.path(), &scratch, &no_cgroup()).unwrap();
        assert!(next.stuck()[0].contains("s1-2-0"), "{:?}", next.stuck());
        assert!(lock.exists(), "tried again at the next start");
    }
}
