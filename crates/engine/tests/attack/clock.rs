//! Init keeps the clocks and has the submission's uid: what the submission can do to it.

use stockade::Record;

use crate::run::{assert_ended, assert_value, run, run_on};

/// More than a limit, the supervisor's patience with init, and a slow machine take together; less
/// than what an init that nobody waits for would.
const BOUND_US: u64 = 8_000_000;

#[track_caller]
fn assert_in_time(record: &Record) {
    assert!(record.usage.wall_us < BOUND_US, "{}", record.to_json());
}

#[test]
fn the_priority_of_init_is_out_of_reach() {
    let source = "\
import os
def refused(call, *arguments):
    try: call(*arguments)
    except PermissionError: return True
    return False
idle = os.sched_param(0)
emit([
    refused(os.sched_setscheduler, 1, os.SCHED_IDLE, idle),
    refused(os.sched_setparam, 1, idle),
    refused(os.sched_setaffinity, 1, {0}),
    refused(os.setpriority, os.PRIO_PROCESS, 1, 19),
    refused(os.setpriority, os.PRIO_PGRP, os.getpgid(1), 19),
    refused(os.setpriority, os.PRIO_USER, 0, 19),
    os.sched_getscheduler(1) == os.SCHED_OTHER and os.getpriority(os.PRIO_PROCESS, 1) == 0,
    # The control: one's own is not.
    refused(os.sched_setscheduler, 0, os.SCHED_IDLE, idle),
    refused(os.sched_setaffinity, 0, os.sched_getaffinity(0)),
    os.nice(3),
])
";
    let expected = "[true,true,true,true,true,true,true,false,false,3]";
    assert_value(source, &[], expected);
}

#[test]
fn a_storm_of_signals_to_init_does_not_hold_up_the_wall_clock() {
    let source = "\
import os
for _ in range(7):
    if os.fork() == 0: break
while True: os.kill(1, 17)
";
    let record = run(source, &["wall=500ms", "grace=100ms", "cpus=2"]);
    assert_ended(&record, "limit_exceeded wall");
    assert_in_time(&record);
}

#[test]
fn children_that_init_has_to_reap_do_not_hold_up_the_wall_clock() {
    let source = "\
import os
for _ in range(8):
    try:
        if os.fork() == 0: break
    except OSError:
        pass
while True:
    try:
        if os.fork() == 0:
            if os.fork() == 0: os._exit(0)
            os._exit(0)
    except OSError:
        pass
    try: os.waitpid(-1, os.WNOHANG)
    except ChildProcessError: pass
";
    let record = run(source, &["wall=500ms", "grace=100ms", "processes=32"]);
    assert_ended(&record, "limit_exceeded wall");
    assert_in_time(&record);
}

/// On the process rung the submission can stop its init.
const STOPPED: &str = "\
import os, signal
os.kill(os.getppid(), signal.SIGSTOP)
while open(f'/proc/{os.getppid()}/stat').read().rsplit(')')[1].split()[0] != 'T': pass
";

#[test]
fn an_init_that_is_stopped_gains_little_beyond_a_limit() {
    for (limits, then, expected) in [
        (
            ["wall=500ms", "grace=0ms"],
            "import time\ntime.sleep(60)",
            "limit_exceeded wall",
        ),
        (
            ["wall=60s", "cpu=300ms"],
            "while True: pass",
            "limit_exceeded cpu",
        ),
    ] {
        let record = run_on("process", &format!("{STOPPED}{then}"), &limits);
        assert_ended(&record, expected);
        assert_in_time(&record);
    }
}
