//! Where on this host runs can have cgroups, found from the kernel's own tables and by trying.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use stockade_core::host::{Cgroup, Fault};

use super::file;

/// The directory that we make for the runs.
const OURS: &str = "stockade";

/// Controllers that a run needs.
const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpu"];

/// Finds where runs can have cgroups: `named` (`STOCKADE_CGROUP`), a v2 hierarchy with the
/// controllers, or v1 hierarchies.
///
/// Makes the `stockade` directory where it can; that is how it knows.
#[must_use]
pub fn discover(named: Option<&Path>) -> Cgroup {
    // One thread at a time: looking can move this process, and whoever looks meanwhile would find
    // it in neither place.
    static LOOKING: Mutex<()> = Mutex::new(());
    let _looking = LOOKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mounts = Mount::parse(&mounts);
    if let Some(parent) = named {
        return match enable(parent) {
            Ok(()) => Cgroup::V2 {
                parent: parent.to_owned(),
            },
            Err(why) => Cgroup::None(fault(&format!("`STOCKADE_CGROUP` does not serve: {why}"))),
        };
    }
    let mut reasons = Vec::new();
    match v2(&mounts, &own) {
        Ok(parent) => return Cgroup::V2 { parent },
        Err(why) => reasons.push(format!("v2: {why}")),
    }
    match v1(&mounts, &own) {
        Ok(found) => return found,
        Err(why) => reasons.push(format!("v1: {why}")),
    }
    Cgroup::None(fault(&reasons.join("; ")))
}

fn fault(cause: &str) -> Fault {
    Fault {
        step: "cgroup".to_owned(),
        errno: 0,
        cause: format!("no cgroup can be had: {cause}"),
        remedies: vec![
            "under systemd: `systemd-run --user --scope -p Delegate=yes stockade …`, or \
             `Delegate=memory pids cpu` in the service's unit"
                .to_owned(),
            "in a container: mount the cgroup tree writable (`--cgroupns=private` and \
             `-v /sys/fs/cgroup:/sys/fs/cgroup:rw` with the `SYS_ADMIN` capability), or name a \
             delegated directory with `STOCKADE_CGROUP=DIR`"
                .to_owned(),
        ],
    }
}

/// A cgroup mount.
struct Mount<'a> {
    /// What part of the hierarchy is mounted.
    root: &'a str,
    point: &'a str,
    /// Controllers of a v1 hierarchy; `None` for v2.
    v1: Option<Vec<&'a str>>,
}

impl<'a> Mount<'a> {
    fn parse(mountinfo: &'a str) -> Vec<Self> {
        mountinfo.lines().filter_map(Self::line).collect()
    }

    fn line(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (root, point) = (before.next()?, before.next()?);
        let mut after = after.split(' ');
        let kind = after.next()?;
        let options = after.nth(1)?;
        match kind {
            "cgroup2" => Some(Self {
                root,
                point,
                v1: None,
            }),
            "cgroup" => Some(Self {
                root,
                point,
                v1: Some(options.split(',').collect()),
            }),
            _ => None,
        }
    }

    /// The directory of `path`, a path in the hierarchy, under this mount.
    fn directory(&self, path: &str) -> PathBuf {
        let below = if self.root == "/" {
            path
        } else {
            path.strip_prefix(self.root).unwrap_or("")
        };
        Path::new(self.point).join(below.trim_start_matches('/'))
    }
}

/// Our own path in a hierarchy, by a line of `/proc/self/cgroup`.
fn own_path<'a>(own: &'a str, controller: Option<&str>) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let ours = match controller {
            None => controllers.is_empty(),
            Some(name) => controllers.split(',').any(|other| other == name),
        };
        ours.then_some(path)
    })
}

fn v2(mounts: &[Mount<'_>], own: &str) -> Result<PathBuf, String> {
    let mount = mounts
        .iter()
        .find(|mount| mount.v1.is_none())
        .ok_or("not mounted")?;
    let top = Path::new(mount.point);
    let available = fs::read_to_string(top.join("cgroup.controllers")).unwrap_or_default();
    let lacking: Vec<_> = CONTROLLERS
        .into_iter()
        .filter(|name| !available.split_whitespace().any(|other| other == *name))
        .collect();
    if !lacking.is_empty() {
        return Err(format!(
            "{} has no controller {}",
            mount.point,
            lacking.join(", ")
        ));
    }
    let own = mount.directory(own_path(own, None).ok_or("this process is in no group")?);
    // Below the root where we may write there; else beside our own group, where a user manager
    // delegates; else below our own group, once we have moved out of the way.
    let mut reasons = Vec::new();
    let beside = own.parent().filter(|parent| parent.starts_with(top));
    for parent in [Some(top), beside].into_iter().flatten() {
        match enable(parent).and_then(|()| enable_below(parent)) {
            Ok(ours) => return Ok(ours),
            Err(why) => reasons.push(why),
        }
    }
    match move_aside(&own)
        .and_then(|()| enable(&own))
        .and_then(|()| enable_below(&own))
    {
        Ok(ours) => Ok(ours),
        Err(why) => {
            reasons.push(why);
            reasons.dedup();
            Err(reasons.join("; "))
        }
    }
}

/// Makes our directory below `parent` and passes the controllers on to the runs' groups.
fn enable_below(parent: &Path) -> Result<PathBuf, String> {
    let ours = parent.join(OURS);
    match fs::create_dir(&ours) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(format!("cannot make {}: {error}", ours.display()));
        }
        Ok(()) | Err(_) => {}
    }
    enable(&ours)?;
    // One that exists, controllers and all, may be another user's.
    may_write(&ours.join("cgroup.procs"))?;
    Ok(ours)
}

fn may_write(control: &Path) -> Result<(), String> {
    match fs::OpenOptions::new().write(true).open(control) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("cannot write {}: {error}", control.display())),
    }
}

/// Lets the groups below `directory` have the controllers.
fn enable(directory: &Path) -> Result<(), String> {
    let path = directory.join("cgroup.subtree_control");
    let shown = path.display();
    let text =
        fs::read_to_string(&path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let missing: Vec<_> = CONTROLLERS
        .into_iter()
        .filter(|name| !text.split_whitespace().any(|other| other == *name))
        .map(|name| format!("+{name}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let wanted = missing.join(" ");
    fs::write(&path, &wanted)
        .map_err(|error| format!("cannot write `{wanted}` to {shown}: {error}"))
}

/// Moves this process into a group below its own, which is then free to have others: only where
/// it is alone there, because nobody else may be moved.
fn move_aside(own: &Path) -> Result<(), String> {
    let alone = file::processes(own) == [stockade_sys::process::pid()];
    if !alone {
        return Err(format!("{} has other processes in it", own.display()));
    }
    let aside = own.join("stockade-supervisor");
    let made = fs::create_dir(&aside).and_then(|()| fs::write(aside.join("cgroup.procs"), "0"));
    made.map_err(|error| format!("cannot move into {}: {error}", aside.display()))
}

fn v1(mounts: &[Mount<'_>], own: &str) -> Result<Cgroup, String> {
    let ours = |controller: &str| -> Result<PathBuf, String> {
        let mount = mounts
            .iter()
            .find(|mount| {
                mount
                    .v1
                    .as_ref()
                    .is_some_and(|has| has.contains(&controller))
            })
            .ok_or_else(|| format!("no `{controller}` hierarchy is mounted"))?;
        let path = own_path(own, Some(controller))
            .ok_or_else(|| format!("this process is in no `{controller}` group"))?;
        let parent = mount.directory(path);
        let ours = parent.join(OURS);
        match fs::create_dir(&ours) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(format!("cannot make {}: {error}", ours.display()))
            }
            // A directory that exists may be another user's.
            Ok(()) | Err(_) => may_write(&ours.join("tasks")).map(|()| ours),
        }
    };
    Ok(Cgroup::V1 {
        memory: ours("memory")?,
        pids: ours("pids")?,
        cpu: ours("cpu")?,
        cpuacct: ours("cpuacct")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "\
30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
31 25 0:27 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";

    #[test]
    fn mounts_and_paths_are_found_by_controller() {
        let mounts = Mount::parse(HYBRID);
        assert_eq!(mounts.len(), 3);
        let own = "4:memory:/docker/abc/x\n3:cpu,cpuacct:/y\n0::/z\n";
        assert_eq!(own_path(own, Some("cpuacct")), Some("/y"));
        assert_eq!(own_path(own, None), Some("/z"));
        let memory = mounts[1].directory("/docker/abc/x");
        assert_eq!(memory, Path::new("/sys/fs/cgroup/memory/x"));
    }
}
