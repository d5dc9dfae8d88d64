//! Reading and writing the kernel's control files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stockade_sys::clock;

/// How long a killed process may take to end.
const KILLED_WITHIN: Duration = Duration::from_secs(1);

/// How long all processes of a group may take to leave it.
const EMPTY_WITHIN: Duration = Duration::from_secs(10);

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

/// Kills what is in the group: all at once where the kernel can (`cgroup.kill`, v2 since Linux
/// 5.14), else one by one.
pub(super) fn kill(directory: &Path) {
    if fs::write(directory.join("cgroup.kill"), "1").is_err() {
        kill_each(directory, KILLED_WITHIN);
    }
}

/// Kills each process of the group and waits for its end.
fn kill_each(directory: &Path, within: Duration) {
    for pid in processes(directory) {
        let still = |pid: i32| processes(directory).contains(&pid);
        // What cannot be killed, or takes longer, keeps the group from being removed, and that is
        // reported.
        let _ = stockade_sys::pidfd::kill_and_wait(pid, still, within);
    }
}

/// Removes a group, killing what is in it first, until no new process has appeared in it or time
/// is up.
pub(super) fn destroy(directory: &Path) -> Result<(), Failure> {
    let end = clock::monotonic() + EMPTY_WITHIN;
    loop {
        let removed = remove(directory);
        let left = end.saturating_sub(clock::monotonic());
        match &removed {
            // Processes are in it: anything else is not mended by killing.
            Err(Failure { error, .. }) if error.kind() == io::ErrorKind::ResourceBusy => {}
            Ok(()) | Err(_) => return removed,
        }
        if left.is_zero() {
            return removed;
        }
        // Killed processes leave the group when they are reaped, and by then have ended.
        kill(directory);
        kill_each(directory, left.min(KILLED_WITHIN));
        wait_until_empty(directory, left);
    }
}

/// Waits for the kernel's own notice (`populated 0` in `cgroup.events`) where there is one.
fn wait_until_empty(directory: &Path, within: Duration) {
    let Ok(events) = open(&directory.join("cgroup.events"), false) else {
        return;
    };
    if keyed(directory, "cgroup.events", "populated") == Some(1) {
        // An error of poll shows in the removal.
        let _ = stockade_sys::pidfd::wait_for_news(&events, within);
    }
}

/// Removes the group; where it has others below it, those first. A submission cannot make any, so
/// this looks for them only when it must.
pub(super) fn remove(directory: &Path) -> Result<(), Failure> {
    let error = match fs::remove_dir(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => error,
        Ok(()) | Err(_) => return Ok(()),
    };
    let mut below = 0;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path())?;
            below += 1;
        }
    }
    match below {
        0 => Err(Failure {
            attempt: "remove".to_owned(),
            path: directory.to_owned(),
            error,
        }),
        _ => remove(directory),
    }
}
