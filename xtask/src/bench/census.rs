//! What exists on this machine that a run could have left behind.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Everything a run could leave, each thing by a name that says what it is.
#[derive(Debug)]
pub(super) struct Census(BTreeSet<String>);

impl Census {
    /// What there is now. `runs` orphans come to this process: see [`super::leftover`].
    pub(super) fn now() -> Result<Self, String> {
        let mut things = BTreeSet::new();
        descendants(std::process::id(), &mut things);
        // The whole line: two mounts at one place are two things.
        let mounts = read("/proc/self/mountinfo")?;
        things.extend(mounts.lines().map(|line| format!("mount {line}")));
        directories(Path::new("/sys/fs/cgroup"), &mut things);
        for place in ["/tmp", "/run", "/run/stockade", "/dev/shm"] {
            let ours = entries(Path::new(place))
                .filter(|name| place.contains("stockade") || name.contains("stockade"));
            things.extend(ours.map(|name| format!("entry {place}/{name}")));
        }
        things.extend(entries(Path::new("/proc/self/fd")).map(|fd| format!("descriptor {fd}")));
        Ok(Self(things))
    }

    /// What is here and was not in `before`.
    pub(super) fn since(&self, before: &Self) -> Vec<String> {
        self.0.difference(&before.0).cloned().collect()
    }

    /// The things of a kind, each with its whole line.
    pub(super) fn of(&self, kind: &str) -> impl Iterator<Item = &str> {
        let lines = self.0.iter().map(String::as_str);
        lines.filter(move |thing| thing.split(' ').next() == Some(kind))
    }
}

/// The processes whose parent is `pid`.
pub(super) fn children(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let tasks = format!("/proc/{pid}/task");
    for task in entries(Path::new(&tasks)) {
        // A thread that has just ended has no children any more.
        let listed = fs::read_to_string(format!("{tasks}/{task}/children")).unwrap_or_default();
        found.extend(
            listed
                .split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    found
}

fn descendants(pid: u32, things: &mut BTreeSet<String>) {
    for child in children(pid) {
        let name = fs::read_to_string(format!("/proc/{child}/comm")).unwrap_or_default();
        things.insert(format!("process {child} {}", name.trim()));
        descendants(child, things);
    }
}

fn directories(path: &Path, things: &mut BTreeSet<String>) {
    things.insert(format!("cgroup {}", path.display()));
    for name in entries(path) {
        let inner = path.join(name);
        if inner.is_dir() && !inner.is_symlink() {
            directories(&inner, things);
        }
    }
}

/// The names in a directory; none if there is no such directory (a run may make and remove it).
fn entries(path: &Path) -> impl Iterator<Item = String> {
    let listed = fs::read_dir(path)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    listed.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("cannot read `{path}`: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_and_an_entry_that_are_left_are_named() {
        let before = Census::now().unwrap();
        let scratch = crate::scratch::Scratch::under(Path::new("/tmp")).unwrap();
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let left = Census::now().unwrap().since(&before);
        child.kill().unwrap();
        child.wait().unwrap();
        let name = scratch
            .path()
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        assert!(left.contains(&format!("entry /tmp/{name}")), "{left:?}");
        assert!(
            left.iter()
                .any(|one| one.starts_with(&format!("process {}", child.id())))
        );
    }
}
