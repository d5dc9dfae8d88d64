//! Signals and death: nothing goes on, nothing stays.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use crate::workshop::Workshop;

/// Says that it runs, starts a child that is hard to be rid of, and goes on for long.
const STAYER: &str = "\
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print('running', file=sys.stderr, flush=True)
time.sleep(600)
";

/// How long anything may take here before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run of [`STAYER`] that has begun.
struct Running {
    workshop: Workshop,
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    /// Everything below the command, as descriptors that tell when it ends.
    below: Vec<OwnedFd>,
}

impl Running {
    fn start() -> Self {
        let workshop = Workshop::new();
        workshop.file("job.py", STAYER);
        let state = workshop.path().join("state");
        let mut child = workshop
            .command(["run", "job.py", "--no-value", "--limit", "wall=10min"])
            .env("STOCKADE_STATE_DIR", &state)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert_eq!(line, "running\n");
        let below = descendants(child.id());
        // Init, the program and its child.
        assert!(below.len() >= 3, "{}", below.len());
        Self {
            workshop,
            child,
            stderr,
            below,
        }
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// The command's exit code once it is gone, and what it said.
    fn end(&mut self) -> (Option<i32>, String) {
        let status = wait(&mut self.child);
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (status.code(), said)
    }

    /// That nothing of the run goes on.
    fn nothing_runs(&self) {
        for process in &self.below {
            assert!(ends(process), "a process of the run goes on");
        }
    }
}

/// The command's end, which must come.
fn wait(child: &mut Child) -> std::process::ExitStatus {
    let pidfd = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).unwrap();
    if !ends(&pidfd) {
        let threads = waiting(child.id());
        child.kill().unwrap();
        panic!("the command hangs: {threads}");
    }
    child.wait().unwrap()
}

fn ends(process: &OwnedFd) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
    let patience = Timespec::try_from(PATIENCE).unwrap();
    poll(&mut fds, Some(&patience)).unwrap() == 1
}

/// What each thread of a process waits in.
fn waiting(pid: u32) -> String {
    let mut said = String::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten() {
        for file in ["comm", "syscall", "wchan", "stack"] {
            let text = fs::read_to_string(thread.path().join(file)).unwrap_or_default();
            said.extend([file, " ", text.trim(), "\n"]);
        }
    }
    said
}

/// Every process below `root` now.
fn descendants(root: u32) -> Vec<OwnedFd> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        // A process that has just ended has no parent to tell.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let after = stat.rsplit_once(") ").unwrap().1;
        let parent: u32 = after.split(' ').nth(1).unwrap().parse().unwrap();
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        for child in children.get(&pid).into_iter().flatten() {
            let id = Pid::from_raw(i32::try_from(*child).unwrap()).unwrap();
            found.push(pidfd_open(id, PidfdFlags::empty()).unwrap());
            open.push(*child);
        }
    }
    found
}

/// Cgroups of the command whose pid was `pid`.
pub(crate) fn cgroups(pid: u32) -> Vec<PathBuf> {
    fn look(dir: &Path, prefix: &str, found: &mut Vec<PathBuf>) {
        // Groups of others come and go meanwhile.
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name().to_string_lossy().starts_with(prefix) {
                    found.push(entry.path());
                }
                look(&entry.path(), prefix, found);
            }
        }
    }
    let mut found = Vec::new();
    look(Path::new("/sys/fs/cgroup"), &format!("s{pid}-"), &mut found);
    found
}

#[test]
fn a_signal_cancels_the_run_and_nothing_stays() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut running = Running::start();
        let before = Instant::now();
        running.send(signal);
        let (code, said) = running.end();
        assert_eq!(code, Some(130), "{signal:?}: {said}");
        assert!(said.contains("error: the run was cancelled\n"), "{said}");
        assert!(before.elapsed() < Duration::from_secs(5), "{signal:?}");
        running.nothing_runs();
        assert_eq!(cgroups(running.child.id()), Vec::<PathBuf>::new());
        let left: Vec<_> = fs::read_dir(running.workshop.path().join("state"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name.to_string_lossy().ends_with(".lock"))
            .collect();
        assert_eq!(left, Vec::<std::ffi::OsString>::new());
    }
}

#[test]
fn many_signals_are_as_good_as_one() {
    let mut running = Running::start();
    for signal in [
        Signal::INT,
        Signal::INT,
        Signal::TERM,
        Signal::HUP,
        Signal::INT,
    ] {
        running.send(signal);
    }
    let status = wait(&mut running.child);
    // One that comes after the teardown ends the command by itself.
    assert!(!status.success());
    running.nothing_runs();
    assert_eq!(cgroups(running.child.id()), Vec::<PathBuf>::new());
}

#[test]
fn the_death_of_the_command_ends_the_run_and_the_next_one_cleans_up() {
    let mut running = Running::start();
    let pid = running.child.id();
    let had = cgroups(pid);
    running.send(Signal::KILL);
    wait(&mut running.child);
    running.nothing_runs();
    let state = running.workshop.path().join("state");
    running.workshop.file("next.py", "pass");
    let next = running
        .workshop
        .command(["run", "next.py", "--no-value"])
        .env("STOCKADE_STATE_DIR", &state)
        .output()
        .unwrap();
    assert!(next.status.success(), "{next:?}");
    assert_eq!(cgroups(pid), Vec::<PathBuf>::new());
    // The control: there was something to clean up, where there are cgroups at all.
    let facts = running.workshop.run(["doctor", "--format", "json"]).json();
    assert_eq!(had.is_empty(), facts["host"]["cgroup"] == "none", "{had:?}");
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(
        !mounts.contains(running.workshop.path().to_str().unwrap()),
        "{mounts}"
    );
}

#[test]
fn a_reader_that_does_not_read_holds_up_neither_limits_nor_signals() {
    let workshop = Workshop::new();
    workshop.file("job.py", "while True: print('y' * 1000)");
    for (limits, signal, code) in [
        (
            ["--limit", "cpu=300ms", "--limit", "wall=10min"],
            None,
            None,
        ),
        (
            ["--limit", "cpu=10min", "--limit", "wall=10min"],
            Some(Signal::TERM),
            Some(130),
        ),
    ] {
        let mut child = workshop
            .command(["run", "job.py"].iter().chain(&limits))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Read a little, so that it is known to run, and no more.
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_exact(&mut [0; 1]).unwrap();
        let init = descendants(child.id());
        assert!(!init.is_empty());
        if let Some(signal) = signal {
            kill_process(Pid::from_child(&child), signal).unwrap();
        }
        for process in &init {
            assert!(ends(process), "the run goes on while nobody reads");
        }
        if code.is_none() {
            std::io::copy(&mut stderr, &mut std::io::sink()).unwrap();
        }
        let status = wait(&mut child);
        assert_eq!(status.code(), Some(code.unwrap_or(3)));
    }
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let workshop = Workshop::new();
    workshop.file(
        "job.py",
        "import time; print('on', flush=True); time.sleep(1)",
    );
    let mut child = std::process::Command::new("nohup")
        .arg(crate::workshop::STOCKADE)
        .args(["run", "job.py", "--no-value"])
        .current_dir(workshop.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut on = [0; 3];
    child.stdout.as_mut().unwrap().read_exact(&mut on).unwrap();
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    assert_eq!(wait(&mut child).code(), Some(0));
}
