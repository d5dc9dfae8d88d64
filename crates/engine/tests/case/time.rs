//! Clocks, and what outlives them.

use std::os::fd::BorrowedFd;
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{
    assert_ended, assert_gone, engine, enough, job, limited, own_prefix, processes_in, run, submit,
    value,
};
use stockade::{LimitId, Outcome, Record, Stream, Watch};

/// Looks for one of the guest's processes from outside when there is output.
struct Witness {
    wanted: &'static str,
    seen: bool,
}

impl Watch for Witness {
    fn output(&mut self, _: Stream, _: &[u8]) {
        // A program that has just been executed may not have its name yet.
        let began = Instant::now();
        while !self.seen && began.elapsed() < Duration::from_secs(10) {
            let processes = processes_in(&own_prefix());
            self.seen = processes.iter().any(|line| line.contains(self.wanted));
            thread::yield_now();
        }
    }

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

fn allowed_and_used(record: &Record) -> (u64, u64) {
    let Outcome::LimitExceeded {
        allowed,
        used: Some(used),
        ..
    } = record.outcome
    else {
        panic!("{}", record.to_json());
    };
    (allowed, used)
}

const HOLDER: &str = "\
import subprocess, sys
subprocess.Popen(['sleep', '600'])
print('parent done')
";

#[test]
fn case_01_time_grandchild_holds_pipe() {
    let began = Instant::now();
    let policy = limited(&["wall=120s"]).no_value();
    let exit = job(&format!("{HOLDER}sys.exit(0)"));
    let record = submit(&exit, &policy).unwrap();
    assert_ended(&record, "finished");
    assert_eq!(record.stdout.text(), "parent done\n");
    assert!(began.elapsed() < Duration::from_mins(1));
    assert_gone(&record);

    let mut witness = Witness {
        wanted: "sleep 600",
        seen: false,
    };
    let wall = format!("wall={}ms", enough(2_000));
    let spin = job(&format!("{HOLDER}while True: pass"));
    let record = engine()
        .run_watched(&spin, &limited(&[&wall]), &mut witness)
        .unwrap();
    assert_ended(&record, "limit_exceeded wall");
    assert_eq!(record.stdout.text(), "parent done\n");
    assert!(witness.seen, "the grandchild can be seen while it lives");
    assert_gone(&record);
}

#[test]
fn case_02_time_term_ignored_setsid() {
    let source = "\
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
while True: pass
";
    let wall = format!("wall={}ms", enough(2_000));
    let record = run(source, &[&wall, "grace=1s"]);
    assert_ended(&record, "limit_exceeded wall");
    let (allowed, used) = allowed_and_used(&record);
    assert!(used >= allowed + 1_000, "SIGTERM was not ignored: {used}");
    assert!(used < allowed + 1_000 + enough(5_000), "{used}");
    assert_gone(&record);
    assert_eq!(value("emit(1)", &[]), "1", "the next run is unaffected");
}

#[test]
fn case_03_time_wall_and_cpu_are_two_limits() {
    let sleep = run("import time\ntime.sleep(30)", &["cpu=1s", "wall=3s"]);
    assert_ended(&sleep, "limit_exceeded wall");
    let cpu_us = sleep.usage.cpu_us;
    assert!(cpu_us < 1_000_000, "sleeping is no use: {cpu_us} µs");
    // Ours from the moment that we hear of the start, which may be late on a busy machine.
    assert!(sleep.usage.wall_us >= 1_500_000);
    assert!(sleep.usage.wall_us < 30_000_000);

    let spin = run("while True: pass", &["cpu=1s", "wall=60s"]);
    assert_ended(&spin, "limit_exceeded cpu");
    let (allowed, used) = allowed_and_used(&spin);
    assert_eq!(allowed, 1_000);
    assert!((1_000..5_000).contains(&used), "{used}");
    assert!(spin.usage.wall_us < 60_000_000);

    let raised = limited(&["cpu=30s", "wall=3s"]);
    let (plan, _) = engine().plan(&job(""), &raised).unwrap();
    assert!(plan.warnings[0].contains("raise `wall` too"));
}

#[test]
fn the_cpu_time_of_all_processes_together_is_bounded() {
    let source = "\
import os
for _ in range(3):
    os.fork()
while True: pass
";
    let record = run(source, &["cpu=1s", "wall=60s", "cpus=2"]);
    assert_ended(&record, "limit_exceeded cpu");
    let (_, used) = allowed_and_used(&record);
    // Each of the eight alone would have a second by itself.
    assert!(used < 4_000, "{used}");
    assert_gone(&record);
}

#[test]
fn cpu_time_that_was_handed_to_short_children_counts() {
    let source = "\
import os
while True:
    pid = os.fork()
    if pid == 0:
        for _ in range(100000): pass
        os._exit(0)
    os.waitpid(pid, 0)
";
    let record = run(source, &["cpu=500ms", "wall=60s"]);
    assert_ended(&record, "limit_exceeded cpu");
}

#[test]
fn case_04_time_enforced_late_or_blocked() {
    let source = "import re\nre.match(r'(a+)+$', 'a' * 60 + 'b')";
    let record = run(source, &["wall=2s"]);
    assert_ended(&record, "limit_exceeded wall");
    let (_, used) = allowed_and_used(&record);
    let grace = LimitId::Grace.spec().default;
    assert!(used < 2_000 + grace, "{used}");
}

#[test]
fn case_05_output_partial_at_timeout() {
    let source = "import time\nprint('step 1')\nprint('step 2')\ntime.sleep(60)";
    let wall = format!("wall={}ms", enough(1_000));
    let record = run(source, &[&wall]);
    assert_ended(&record, "limit_exceeded wall");
    assert_eq!(record.stdout.text(), "step 1\nstep 2\n");
}

#[test]
fn a_program_may_use_its_grace_and_its_limit_is_still_exceeded() {
    let source = "\
import signal, sys, time
def last(*_):
    print('saved')
    emit('too late')
    sys.exit(0)
signal.signal(signal.SIGTERM, last)
print('ready')
time.sleep(60)
";
    let wall = format!("wall={}ms", enough(1_000));
    let record = run(source, &[&wall, "grace=20s"]);
    assert_ended(&record, "limit_exceeded wall");
    assert_eq!(record.stdout.text(), "ready\nsaved\n");
    assert!(record.usage.wall_us < 20_000_000, "grace is not waited for");
}

#[test]
fn a_program_cannot_stop_or_signal_the_guests_init() {
    let source = "\
import os
for number in range(1, 65):
    try: os.kill(1, number)
    except OSError: pass
# In the guest's PID namespace, init gets no signal that it does not handle.
print('alive')
emit(open('/proc/1/stat').read().split(') ')[1][0] in 'SR')
";
    let record = run(source, &[]);
    assert_ended(&record, "finished true");
    assert_eq!(record.stdout.text(), "alive\n");
}

#[test]
fn stopping_everything_does_not_stop_the_clock() {
    let source = "import os, signal\nprint('stopping')\nos.kill(os.getpid(), signal.SIGSTOP)";
    let wall = format!("wall={}ms", enough(1_000));
    let record = run(source, &[&wall, "grace=200ms"]);
    assert_ended(&record, "limit_exceeded wall");
    assert_eq!(record.stdout.text(), "stopping\n");
    assert_gone(&record);
}
