//! Reading and writing the kernel's control files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a killed process may take to end.
const KILLED_WITHIN: Duration = Duration::from_secs(1);

/// What failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) attempt: String,
    pub(super) path: PathBuf,
    pub(super) error: io::Error,
}

pub(super) fn make(path: &Path) -> Result<(), Failure> {
    fs::create_dir(path).map_err(|error| Failure {
        attempt: "make".to_owned(),
        path: path.to_owned(),
        error,
    })
}

pub(super) fn write(directory: &Path, name: &str, value: &str) -> Result<(), Failure> {
    let path = directory.join(name);
    fs::write(&path, value).map_err(|error| Failure {
        attempt: format!("write `{value}` to"),
        path,
        error,
    })
}

pub(super) fn open(path: &Path, write: bool) -> Result<fs::File, Failure> {
    fs::OpenOptions::new()
        .read(!write)
        .write(write)
        .open(path)
        .map_err(|error| Failure {
            attempt: "open".to_owned(),
            path: path.to_owned(),
            error,
        })
}

pub(super) fn number(directory: &Path, name: &str) -> Option<u64> {
    fs::read_to_string(directory.join(name))
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// The number after `key` in a file of `key value` lines.
pub(super) fn keyed(directory: &Path, name: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(directory.join(name)).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == key)?.1.trim().parse().ok()
}

/// The value as it stands, for evidence.
pub(super) fn shown(directory: &Path, name: &str) -> String {
    match fs::read_to_string(directory.join(name)) {
        Ok(text) => format!("{name}={}", text.trim()),
        Err(error) => format!("{name}: {error}"),
    }
}

/// Processes in the group, by its `cgroup.procs`.
pub(super) fn processes(directory: &Path) -> Vec<i32> {
    let text = fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Kills each process of the group and waits for its end.
pub(super) fn kill_each(directory: &Path) {
    for pid in processes(directory) {
        let still = |pid: i32| processes(directory).contains(&pid);
        // What cannot be killed, or takes longer, keeps the group from being removed, and that is
        // reported.
        let _ = stockade_sys::pidfd::kill_and_wait(pid, still, KILLED_WITHIN);
    }
}

/// Removes the group and those that were made below it, deepest first.
pub(super) fn remove(directory: &Path) -> Result<(), Failure> {
    if let Ok(entries) = fs::read_dir(directory) {
        for entry in entries.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove(&entry.path())?;
            }
        }
    }
    match fs::remove_dir(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure {
            attempt: "remove".to_owned(),
            path: directory.to_owned(),
            error,
        }),
        Ok(()) | Err(_) => Ok(()),
    }
}
