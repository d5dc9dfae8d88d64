//! Ends: of the client, of the daemon, at any time.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::den::{Den, ends, is_gone};
use super::{JSON, was_warm};
use crate::workshop::{Done, TALKER};

/// Says that it runs, is deaf to SIGTERM, and goes on for long.
const STAYER: &str = "\
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('running', file=sys.stderr, flush=True)
time.sleep(600)
";

/// A client whose run goes on in the daemon.
fn stay(den: &Den, more: &[&str]) -> (Child, BufReader<std::process::ChildStderr>) {
    den.file("stay.py", STAYER);
    let args = ["run", "stay.py", "--no-value", "--limit", "wall=10min"];
    let mut child = den
        .command(args.iter().chain(more))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert_eq!(line, "running\n");
    assert_eq!(den.status()["running_now"], 1);
    (child, stderr)
}

fn finish(mut child: Child, mut stderr: impl Read) -> (Option<i32>, String) {
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn a_signal_to_the_client_ends_the_run_in_the_daemon() {
    let den = Den::new();
    den.warm(&[]);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (child, stderr) = stay(&den, &[]);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let (code, said) = finish(child, stderr);
        assert_eq!(code, Some(130), "{signal:?}: {said}");
        assert!(said.contains("error: the run was cancelled\n"), "{said}");
    }
    assert_eq!(den.status()["running_now"], 0);
}

#[test]
fn the_death_of_the_client_ends_the_run_in_the_daemon() {
    let den = Den::new();
    let pid = den.warm(&[])["pid"].clone();
    let (mut child, _stderr) = stay(&den, &[]);
    child.kill().unwrap();
    child.wait().unwrap();
    // Which waits until nothing runs: the run would take ten minutes.
    let stopped = den.run(["warm", "--stop"]);
    assert_eq!(stopped.stdout, "the daemon has ended\n", "{stopped:?}");
    den.nothing_stays(&pid);
}

#[test]
fn a_client_that_is_stopped_holds_up_neither_its_limits_nor_others() {
    let den = Den::new();
    den.warm(&[]);
    den.file("flood.py", "while True: print('y' * 1000)");
    den.file("job.py", TALKER);
    let args = ["run", "flood.py", "--no-value", "--limit", "cpu=300ms"];
    let mut flood = den
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    flood
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    kill_process(Pid::from_child(&flood), Signal::STOP).unwrap();
    assert!(was_warm(&den.run(["run", "job.py"].iter().chain(&JSON))));
    kill_process(Pid::from_child(&flood), Signal::CONT).unwrap();
    let done = Done::of(&flood.wait_with_output().unwrap());
    assert_eq!(done.code, Some(3));
}

#[test]
fn a_daemon_that_is_killed_is_told_as_host_and_the_next_run_works() {
    let den = Den::new();
    let pid = den.warm(&[])["pid"].clone();
    let (child, stderr) = stay(&den, &["--audit", "runs.jsonl"]);
    let gone = den.signal(Signal::KILL);
    let (code, said) = finish(child, stderr);
    assert_eq!(code, Some(71), "{said}");
    assert!(said.contains("error: the daemon ended, or was killed, in the middle of the run"));
    ends(&gone);
    den.file("job.py", TALKER);
    // Its socket is still there, with nobody behind it.
    assert!(den.state().join("daemon/socket").exists());
    let next = den.run(["run", "job.py"].iter().chain(&JSON));
    assert_eq!((next.code, was_warm(&next)), (Some(0), false), "{next:?}");
    let again = den.warm(&[]);
    assert_ne!(again["pid"], pid);
    assert!(was_warm(&den.run(["run", "job.py"].iter().chain(&JSON))));
    den.run(["warm", "--stop"]);
    den.nothing_stays(&pid);
    den.nothing_stays(&again["pid"]);
    let verified = den.run(["audit", "verify", "runs.jsonl"]);
    assert!(verified.stdout.contains("1 record,"), "{verified:?}");
    let shown = den.run(["audit", "show", "runs.jsonl"]);
    assert!(
        shown.stdout.contains("error host: the daemon ended"),
        "{shown:?}"
    );
}

#[test]
fn a_daemon_that_is_told_to_end_tells_its_clients_and_leaves_nothing() {
    for signal in [Signal::TERM, Signal::INT] {
        let den = Den::new();
        let pid = den.warm(&[])["pid"].clone();
        let (child, stderr) = stay(&den, &[]);
        let gone = den.signal(signal);
        let (code, said) = finish(child, stderr);
        assert_eq!(code, Some(71), "{said}");
        assert!(
            said.contains("the daemon was told to end in the middle of the run"),
            "{said}"
        );
        ends(&gone);
        den.nothing_stays(&pid);
    }
}

#[test]
fn a_stop_waits_for_the_run_that_goes_on_and_takes_no_more() {
    let den = Den::new();
    den.warm(&[]);
    let (mut child, stderr) = stay(&den, &[]);
    let mut stop = den
        .command(["warm", "--stop"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It is gone for others as soon as it drains.
    while den.state().join("daemon/socket").exists() {
        std::thread::yield_now();
    }
    assert_eq!(stop.try_wait().unwrap(), None, "it waits");
    den.file("job.py", TALKER);
    let next = den.run(["run", "job.py"].iter().chain(&JSON));
    assert_eq!((next.code, was_warm(&next)), (Some(0), false), "{next:?}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stderr);
    assert!(stop.wait().unwrap().success());
}

#[test]
fn a_daemon_that_is_not_used_ends_by_itself() {
    let den = Den::new();
    let pid = den.warm(&["--idle", "10ms"])["pid"].clone();
    is_gone(&pid);
    den.nothing_stays(&pid);
}

#[test]
fn records_go_to_the_callers_file_in_one_chain() {
    let den = Den::new();
    den.warm(&[]);
    den.file("job.py", TALKER);
    den.file("bad.py", "1 / 0");
    for args in [
        &["run", "job.py", "-q", "--audit", "runs.jsonl"][..],
        &["run", "job.py", "-q", "--audit", "runs.jsonl", "--cold"],
        &[
            "run",
            "bad.py",
            "-q",
            "--audit",
            "runs.jsonl",
            "--audit-content",
        ],
    ] {
        den.run(args);
    }
    let verified = den
        .run(["audit", "verify", "runs.jsonl", "--format", "json"])
        .json();
    assert_eq!(
        (&verified["records"], &verified["holds"]),
        (&json!(3), &json!(true))
    );
    let text = std::fs::read_to_string(den.path().join("runs.jsonl")).unwrap();
    let records: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["record"].clone())
        .collect();
    let warm = |at: usize| !records[at]["evidence"]["warm"].is_null();
    assert_eq!([warm(0), warm(1), warm(2)], [true, false, true]);
    assert_eq!(records[2]["submission"]["source"]["text"], "1 / 0");
    assert_eq!(records[0]["value"], records[1]["value"]);
    // A file that cannot be written to stops the run before it begins.
    let before = den.status()["runs"].clone();
    std::fs::write(den.path().join("diary.txt"), "dear diary\n").unwrap();
    let refused = den.run(["run", "job.py", "-q", "--audit", "diary.txt"]);
    assert_eq!(refused.code, Some(71), "{refused:?}");
    assert_eq!(den.status()["runs"], before);
}
