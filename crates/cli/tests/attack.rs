//! The death of the command while a program runs that does not want to end, on the rung where
//! nothing but its init can end it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

const STAYER: &str = "\
import os, signal, sys, time
for number in (1, 2, 3, 15): signal.signal(number, signal.SIG_IGN)
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
print(os.getuid(), flush=True)
time.sleep(600)
";

/// Processes that are alive and have this real uid.
fn alive(uid: u32) -> Vec<i32> {
    let of_uid = |pid: &i32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |name| status.lines().find_map(|line| line.strip_prefix(name));
        let real = field("Uid:").and_then(|ids| ids.split_whitespace().next());
        real == Some(&uid.to_string())
            && field("State:").is_some_and(|state| !state.trim_start().starts_with('Z'))
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(of_uid).collect()
}

#[test]
fn the_death_of_the_command_ends_a_run_on_the_process_rung() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root has the process rung");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let job = directory.path().join("job.py");
    fs::write(&job, STAYER).unwrap();
    let stockade = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stockade"));
        command
            .args(arguments)
            .env("STOCKADE_STATE_DIR", directory.path().join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command
    };
    let mut command = stockade(&["run", "--rung", "process", "--no-value"])
        .args(["--limit", "wall=10min"])
        .arg(&job)
        .spawn()
        .unwrap();
    let mut uid = String::new();
    BufReader::new(command.stdout.take().unwrap())
        .read_line(&mut uid)
        .unwrap();
    let uid: u32 = uid.trim().parse().unwrap();
    let before = alive(uid);
    // Init, the program, its four children.
    assert_eq!(before.len(), 6, "{before:?}");
    let open = |pid: &i32| pidfd_open(Pid::from_raw(*pid).unwrap(), PidfdFlags::empty()).unwrap();
    let watched: Vec<_> = before.iter().map(open).collect();
    command.kill().unwrap();
    command.wait().unwrap();
    let patience = Instant::now() + Duration::from_secs(30);
    for process in &watched {
        let left = patience.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(process, PollFlags::IN)];
        let ended = poll(&mut fds, Some(&Timespec::try_from(left).unwrap())).unwrap();
        assert_eq!(ended, 1, "a process of the run goes on: {:?}", alive(uid));
    }
    assert_eq!(alive(uid), [0; 0]);
    // The next command removes what can outlive a process: the run's cgroup and directory.
    fs::write(&job, "pass").unwrap();
    let next = stockade(&["run", "--no-value"]).arg(&job).status().unwrap();
    assert!(next.success(), "{next}");
    let scratch = fs::read_dir(directory.path().join("state/scratch")).unwrap();
    assert_eq!(scratch.count(), 0);
}
