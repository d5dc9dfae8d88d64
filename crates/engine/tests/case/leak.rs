//! What is left behind: nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::run::{
    again, assert_ended, assert_passes, ended, engine, is_again, job, limited, own_prefix,
    processes_in, run_cold,
};
use stockade::facts::Cgroup;
use stockade::{Engine, Host};

/// A state directory that is removed at the end.
struct State(PathBuf);

impl State {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("stockade-case-{name}-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn names(directory: impl AsRef<Path>) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(directory) else {
        return BTreeSet::new();
    };
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    entries
        .map(|e| name(e).to_string_lossy().into_owned())
        .collect()
}

/// Cgroups of the runs whose name begins with `prefix`.
fn groups(prefix: &str) -> Vec<PathBuf> {
    let parents = match &engine().host().facts().cgroup {
        Cgroup::V2 { parent } => vec![parent],
        Cgroup::V1 {
            memory,
            pids,
            cpu,
            cpuacct,
        } => vec![memory, pids, cpu, cpuacct],
        Cgroup::None(_) => unreachable!("the engine of these tests has a cgroup"),
    };
    let mut found = Vec::new();
    for parent in parents {
        let of_run = |name: &String| name.starts_with(prefix);
        found.extend(
            names(parent)
                .into_iter()
                .filter(of_run)
                .map(|n| parent.join(n)),
        );
    }
    found
}

/// Children of this process, zombies included.
fn children() -> Vec<String> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let stat = fs::read_to_string(entry.unwrap().path().join("stat")).unwrap_or_default();
        let parent = stat
            .rsplit(") ")
            .next()
            .unwrap_or_default()
            .split(' ')
            .nth(1);
        if parent == Some(&*own) {
            found.push(stat);
        }
    }
    found
}

/// What a process of ours could leave.
#[derive(Debug, PartialEq, Eq)]
struct Census {
    processes: Vec<String>,
    children: Vec<String>,
    groups: Vec<PathBuf>,
    mounts: BTreeSet<String>,
    descriptors: BTreeSet<String>,
    threads: BTreeSet<String>,
    state: BTreeSet<String>,
    scratch: BTreeSet<String>,
}

impl Census {
    fn take() -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        Self {
            processes: processes_in(&format!("/{}", own_prefix())),
            children: children(),
            groups: groups(&own_prefix()),
            mounts: mounts.lines().map(str::to_owned).collect(),
            descriptors: names("/proc/self/fd"),
            threads: names("/proc/self/task"),
            state: names(engine().paths().state()),
            scratch: names(engine().paths().scratch()),
        }
    }
}

#[test]
fn case_29_leak_nothing_after_kills() {
    // Alone, since descriptors and threads are those of the whole process.
    if !is_again() {
        let state = State::new("leak");
        let mut command = again("leak::case_29_leak_nothing_after_kills");
        assert_passes(command.env("STOCKADE_STATE_DIR", &state.0));
        return;
    }
    let source = "\
import os
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        while True: pass
print('x' * 10**7)
while True: pass
";
    // The first run opens what the engine keeps.
    assert_ended(&run_cold("emit(1)", &[]), "finished 1");
    let before = Census::take();
    let left = AtomicUsize::new(200);
    let take = |n: usize| n.checked_sub(1);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while left
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                    .is_ok()
                {
                    let limits = ["wall=500ms", "grace=200ms", "stdout=1MiB"];
                    let record = run_cold(source, &limits);
                    assert_eq!(ended(&record), "limit_exceeded wall");
                }
            });
        }
    });
    assert_eq!(left.into_inner(), 0);
    assert_eq!(Census::take(), before);
}

#[test]
fn case_29_leak_a_killed_supervisor_takes_its_runs_with_it_and_the_next_tidies_up() {
    const TEST: &str =
        "leak::case_29_leak_a_killed_supervisor_takes_its_runs_with_it_and_the_next_tidies_up";
    if is_again() {
        let source = "print('up')\nwhile True: pass";
        let mut shown = Shown;
        let result = engine().run_watched(&job(source), &limited(&["wall=600s"]), &mut shown);
        panic!("this process was to be killed: {result:?}");
    }
    let state = State::new("killed");
    let mut supervisor = again(TEST)
        .env("STOCKADE_STATE_DIR", &state.0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(supervisor.stdout.take().unwrap());
    let mut lines = output.lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("guest: up")));
    let prefix = format!("s{}-", supervisor.id());
    let alive: Vec<_> = pids_in(&format!("/{prefix}"));
    assert!(alive.len() >= 2, "init and Python: {alive:?}");
    assert!(!groups(&prefix).is_empty());
    let watched: Vec<_> = alive.into_iter().filter_map(Watched::of).collect();
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    for process in watched {
        process.assert_ends();
    }
    // What is left is empty, and the next supervisor removes it.
    assert!(
        !groups(&prefix).is_empty(),
        "the control: there is something to tidy"
    );
    let paths = names(&state.0);
    assert!(
        paths.iter().any(|name| name.starts_with(&prefix)),
        "{paths:?}"
    );
    assert_passes(again("leak::a_new_engine_starts").env("STOCKADE_STATE_DIR", &state.0));
    assert_eq!(groups(&prefix), [""; 0].map(PathBuf::from));
    assert!(!names(&state.0).iter().any(|name| name.starts_with(&prefix)));
}

#[test]
fn a_new_engine_starts() {
    let engine = Engine::new(Host::probe().unwrap()).unwrap();
    assert!(engine.paths().state().is_dir());
}

/// Prints what the guest prints.
struct Shown;

impl stockade::Watch for Shown {
    fn output(&mut self, _: stockade::Stream, bytes: &[u8]) {
        println!("guest: {}", String::from_utf8_lossy(bytes).trim());
    }

    fn cancel(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        None
    }
}

fn pids_in(name: &str) -> Vec<i32> {
    let pids = names("/proc")
        .into_iter()
        .filter_map(|name| name.parse().ok());
    let inside = |pid: &i32| {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        groups.contains(name)
    };
    pids.filter(inside).collect()
}

/// A process of which the kernel tells the end.
struct Watched {
    pid: i32,
    pidfd: std::os::fd::OwnedFd,
}

impl Watched {
    /// `None` when it has ended.
    fn of(pid: i32) -> Option<Self> {
        let name = rustix::process::Pid::from_raw(pid)?;
        let flags = rustix::process::PidfdFlags::empty();
        let pidfd = rustix::process::pidfd_open(name, flags).ok()?;
        Some(Self { pid, pidfd })
    }

    fn assert_ends(&self) {
        use std::os::fd::AsFd;
        use stockade_sys::poll::{Ready, poll_all};
        let within = std::time::Duration::from_secs(30);
        let ready = poll_all(&[(self.pidfd.as_fd(), Ready::READ)], Some(within)).unwrap();
        assert!(ready[0].any(), "process {} lives on", self.pid);
    }
}
