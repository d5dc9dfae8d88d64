//! The library's own behaviour around a run.

use std::io::{PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::run::{
    again, assert_ended, assert_passes, ended, engine, is_again, job, limited, own_prefix,
    processes_in, run, submit, value,
};
use stockade::facts::Privilege;
use stockade::{
    Bounded, Engine, Error, ErrorKind, Guarantee, Host, Policy, Record, Stream, Submission, Watch,
};

/// Tells when there is output, and can be asked to cancel.
struct Remote {
    output: Sender<String>,
    cancel: PipeReader,
}

impl Remote {
    fn new(output: Sender<String>) -> (Self, PipeWriter) {
        let (cancel, button) = std::io::pipe().unwrap();
        (Self { output, cancel }, button)
    }
}

impl Watch for Remote {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        // The test may have seen enough.
        let _ = self
            .output
            .send(String::from_utf8_lossy(bytes).into_owned());
    }

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        Some(self.cancel.as_fd())
    }
}

/// Runs `source` on `engine`, does `meanwhile` once it has printed `marker`, then cancels it.
fn while_on(
    engine: &Engine,
    source: &str,
    marker: &str,
    meanwhile: impl FnOnce(),
) -> Result<Record, Error> {
    let (told, output) = channel();
    let (mut remote, mut button) = Remote::new(told);
    thread::scope(|scope| {
        let running = scope.spawn(move || {
            let policy = limited(&["wall=300s"]);
            engine.run_watched(&job(source), &policy, &mut remote)
        });
        let mut seen = String::new();
        while !seen.contains(marker) {
            match output.recv_timeout(Duration::from_mins(2)) {
                Ok(text) => seen.push_str(&text),
                // Gone before it printed that: how it ended says why.
                Err(RecvTimeoutError::Disconnected) => {
                    return running.join().unwrap();
                }
                Err(RecvTimeoutError::Timeout) => panic!("no `{marker}` in: {seen}"),
            }
        }
        meanwhile();
        button.write_all(b".").unwrap();
        running.join().unwrap()
    })
}

/// Does `meanwhile` while `source`, which has printed `marker`, is running.
pub(crate) fn while_running(source: &str, marker: &str, meanwhile: impl FnOnce()) {
    let cancelled = while_on(engine(), source, marker, meanwhile).unwrap_err();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled}");
}

#[test]
fn a_cancelled_run_leaves_nothing_running() {
    // Alone, so that all that bears this process's name is this test's.
    if !is_again() {
        let test = "library::a_cancelled_run_leaves_nothing_running";
        assert_passes(&mut again(test));
        return;
    }
    let source = "\
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    print('cancel me 4711')
    while True: time.sleep(1)
while True: time.sleep(1)
";
    let engine = Engine::new(Host::probe().unwrap()).unwrap();
    let mut seen = Vec::new();
    let cancelled = while_on(&engine, source, "4711", || {
        seen = processes_in(&own_prefix());
    });
    let cancelled = cancelled.unwrap_err();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled}");
    assert!(
        seen.len() >= 3,
        "the control: init and two of Python: {seen:?}"
    );
    assert_eq!(processes_in(&own_prefix()), [""; 0]);
    assert_eq!(value("emit(1)", &[]), "1", "the next run is unaffected");
}

#[test]
fn case_30_overload_the_third_of_two_is_told_at_once() {
    let engine = Engine::new(Host::probe().unwrap())
        .unwrap()
        .admission(Box::new(Bounded::new(2, 0)));
    let source = "import time\nprint('in')\ntime.sleep(300)";
    let mut third = None;
    let first = while_on(&engine, source, "in", || {
        let second = while_on(&engine, source, "in", || {
            third = Some(engine.run(&job("emit(1)"), &limited(&[])));
        });
        assert_eq!(second.unwrap_err().kind(), ErrorKind::Cancelled);
    });
    assert_eq!(first.unwrap_err().kind(), ErrorKind::Cancelled);
    let busy = third.unwrap().unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Busy, "{busy}");
    assert!(busy.is_retryable() && busy.hint_text().is_some());
    let record = engine.run(&job("emit(1)"), &limited(&[])).unwrap();
    assert_ended(&record, "finished 1");
}

#[test]
fn case_30_overload_one_that_waits_is_served_and_its_wait_is_not_its_time() {
    let engine = Engine::new(Host::probe().unwrap())
        .unwrap()
        .admission(Box::new(Bounded::new(1, 8)));
    thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| {
                let source = "import time\ntime.sleep(0.5)\nemit(1)";
                scope.spawn(|| engine.run(&job(source), &limited(&["wall=20s"])).unwrap())
            })
            .collect();
        for run in runs {
            let record = run.join().unwrap();
            assert_ended(&record, "finished 1");
        }
    });
}

#[test]
fn two_engines_of_one_process_give_their_runs_different_users() {
    if engine().host().facts().privilege == Privilege::User {
        println!("skipped: only root gives runs users of their own");
        return;
    }
    let other = Engine::new(Host::probe().unwrap()).unwrap();
    let source = "import time\nprint('in')\ntime.sleep(300)";
    let users = || {
        let mut users = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap() {
            let path = entry.unwrap().path();
            let groups = std::fs::read_to_string(path.join("cgroup")).unwrap_or_default();
            let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
            let uid = status.lines().find_map(|line| line.strip_prefix("Uid:\t"));
            let run = groups.lines().find_map(|line| {
                let at = line.find(&format!("/{}", own_prefix()))?;
                Some(line[at..].to_owned())
            });
            if let (Some(uid), Some(run)) = (uid, run) {
                users.push((run, uid.split('\t').next().unwrap().to_owned()));
            }
        }
        users.sort();
        users.dedup();
        users
    };
    let mut found = Vec::new();
    let first = while_on(engine(), source, "in", || {
        let second = while_on(&other, source, "in", || found = users());
        assert_eq!(second.unwrap_err().kind(), ErrorKind::Cancelled);
    });
    assert_eq!(first.unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(found.len() >= 2, "{found:?}");
    let distinct: std::collections::BTreeSet<_> = found.iter().map(|(_, uid)| uid).collect();
    assert_eq!(distinct.len(), found.len(), "{found:?}");
    assert!(
        distinct
            .iter()
            .all(|uid| uid.parse::<u32>().unwrap() >= 1 << 30),
        "{found:?}"
    );
}

#[test]
fn the_process_rung_gives_the_same_value_when_it_is_named() {
    let policy = limited(&[]).rung("process");
    let submission = job("emit(sum(the_input()))").input("[1, 2, 39]");
    match engine().host().facts().privilege {
        Privilege::Root => {
            let record = submit(&submission, &policy).unwrap();
            assert_ended(&record, "finished 42");
            assert_eq!(record.evidence.rung, "process");
        }
        Privilege::User => {
            let refused = submit(&submission, &policy).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Refused);
            assert!(refused.to_string().contains("only root"), "{refused}");
        }
    }
    let record = submit(&submission, &limited(&[])).unwrap();
    assert_eq!(record.evidence.rung, "jail", "not chosen unless named");
}

#[test]
fn the_process_rung_keeps_its_fences() {
    if engine().host().facts().privilege == Privilege::User {
        println!("skipped: the `process` rung is for root");
        return;
    }
    let policy = |limits: &[&str]| limited(limits).rung("process");
    let run = |source: &str, limits: &[&str]| submit(&job(source), &policy(limits)).unwrap();
    assert_ended(
        &run("while True: pass", &["cpu=300ms"]),
        "limit_exceeded cpu",
    );
    assert_ended(
        &run("import time\ntime.sleep(60)", &["wall=1s"]),
        "limit_exceeded wall",
    );
    let bomb = "x = bytearray(10**9); x[::4096] = b'x' * len(x[::4096])";
    assert_ended(&run(bomb, &["memory=64MiB"]), "limit_exceeded memory");
    assert_ended(
        &run("1 / 0", &[]),
        "raised ZeroDivisionError: division by zero",
    );
    let record = run(
        "import os, subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)\n\
         emit([os.getuid() >= 1 << 30, os.getcwd().endswith('/work'), 'CARGO' not in os.environ])",
        &[],
    );
    assert_ended(&record, "finished [true,true,true]");
    crate::run::assert_gone(&record);
    let writes = "\
import os
told = []
for place in ('/tmp', '/var/tmp', '/dev/shm', '/root'):
    try: open(place + '/stockade-case-x', 'w'); told.append(place)
    except OSError: pass
emit(told)
";
    assert_ended(&run(writes, &[]), "finished []");
    let called = Submission::python("def main(x): return x + 1").input("41");
    let record = engine()
        .run(&called, &policy(&[]).call("main").unwrap())
        .unwrap();
    assert_ended(&record, "finished 42");
}

#[test]
fn a_program_that_kills_its_init_on_the_process_rung_is_not_a_fault_of_the_host() {
    if engine().host().facts().privilege == Privilege::User {
        println!("skipped: the `process` rung is for root");
        return;
    }
    let source = "\
import os, signal, subprocess, time
subprocess.Popen(['sleep', '600'], start_new_session=True)
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(600)
";
    let policy = limited(&["wall=60s"]).rung("process");
    let record = submit(&job(source), &policy).unwrap();
    assert!(
        ended(&record).starts_with("protocol_violated "),
        "{}",
        record.to_json()
    );
    crate::run::assert_gone(&record);
}

#[test]
fn what_no_rung_gives_is_refused_with_the_reason_of_each() {
    let refused = engine()
        .run(
            &job("emit(1)"),
            &limited(&[]).require(Guarantee::SeparateKernel),
        )
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    let text = refused.to_string();
    for reason in [
        "process: does not give `separate-kernel`",
        "jail: does not give `separate-kernel`",
    ] {
        assert!(text.contains(reason), "{text}");
    }
    let unknown = engine()
        .run(&job("emit(1)"), &limited(&[]).rung("vm"))
        .unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::InvalidPolicy);
    assert!(unknown.hint_text().unwrap().contains("jail"), "{unknown:?}");
    let template = engine()
        .run(&job("emit(1)"), &limited(&[]).template("ruby"))
        .unwrap_err();
    assert_eq!(template.kind(), ErrorKind::InvalidPolicy, "{template}");
}

#[test]
fn a_record_shows_each_fence_and_that_nothing_is_left() {
    let record = run("emit(1)", &[]);
    let json = record.to_json();
    let record_json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(record_json.is_object(), "{json}");
    let names: Vec<_> = record
        .evidence
        .fences
        .iter()
        .map(|fence| &*fence.name)
        .collect();
    for name in [
        "root",
        "pivot-root",
        "user-namespace",
        "no-new-privileges",
        "seccomp",
        "cgroup",
    ] {
        assert!(names.contains(&name), "no `{name}` in {names:?}");
    }
    crate::run::assert_gone(&record);
    assert!(record.usage.cpu_us > 0 && record.usage.wall_us > 0);
}

#[test]
fn a_source_with_a_null_byte_or_none_at_all_is_python_business() {
    let run = |source: &[u8]| {
        let policy = Policy::default();
        let record = submit(&Submission::python(source), &policy).unwrap();
        ended(&record)
    };
    assert!(run(b"").starts_with("result_rejected missing "));
    // Some interpreters read to the NUL, others refuse it.
    let null = run(b"x = 1\0");
    let known = ["result_rejected missing ", "raised ", "exited 1"];
    assert!(known.iter().any(|one| null.starts_with(one)), "{null}");
    let latin = run(b"# \xff\n");
    assert!(
        latin.starts_with("raised SyntaxError") || latin == "exited 1",
        "{latin}"
    );
}
