//! How programs end by themselves, and what the boundary ends.

use crate::run::{assert_ended, ended, run, value};

#[test]
fn codes_that_look_like_a_limit_are_the_programs_own() {
    for code in [1, 2, 124, 125, 126, 127, 128, 137, 139, 143, 255] {
        let record = run(&format!("raise SystemExit({code})"), &[]);
        assert_ended(&record, &format!("exited {code}"));
    }
}

#[test]
fn signals_that_no_limit_explains_are_crashes() {
    for (source, signal) in [
        ("import ctypes\nctypes.string_at(0)", 11),
        ("import os\nos.kill(os.getpid(), 9)", 9),
        ("import os\nos.kill(os.getpid(), 15)", 15),
        ("import os\nos.abort()", 6),
        ("import signal, os\nos.kill(os.getpid(), signal.SIGILL)", 4),
    ] {
        assert_ended(&run(source, &[]), &format!("crashed {signal}"));
    }
}

#[test]
fn exceptions_are_told_with_their_text() {
    let record = run("raise KeyError('no such \\x1b[31m key')", &[]);
    assert!(
        ended(&record).starts_with("raised KeyError: 'no such"),
        "{}",
        ended(&record)
    );
    assert_ended(&run("raise SystemExit('a message')", &[]), "exited 1");
    assert_ended(
        &run("x = (", &[]),
        "raised SyntaxError: '(' was never closed (job.py, line 2)",
    );
    let record = run(
        "import sys\nsys.setrecursionlimit(10**5)\ndef f(): f()\nf()",
        &[],
    );
    assert!(
        [
            "crashed 11",
            "raised RecursionError: maximum recursion depth exceeded"
        ]
        .contains(&&*ended(&record)),
        "{}",
        ended(&record)
    );
}

/// A program that makes the system call `number` through the C library.
fn calls(number: u32) -> String {
    format!(
        "import ctypes, sys\nc = ctypes.CDLL(None, use_errno=True)\n\
         c.syscall.restype = ctypes.c_long\n\
         r = c.syscall({number}, 0, 0, 0, 0, 0, 0)\nemit([r, ctypes.get_errno()])"
    )
}

#[test]
fn calls_that_no_program_has_use_for_end_it() {
    assert_eq!(
        value(&calls(39), &[]).split(',').next(),
        Some("[2"),
        "the control: getpid"
    );
    // ptrace, mount, bpf, userfaultfd, open_by_handle_at, finit_module, kexec_load, and a number
    // that is none.
    for number in [101, 165, 321, 323, 304, 313, 246, 400] {
        assert_ended(
            &run(&calls(number), &[]),
            "denied seccomp, SECCOMP_RET_KILL_PROCESS",
        );
    }
}

#[test]
fn calls_that_libraries_try_are_refused_and_the_program_goes_on() {
    // io_uring_setup, clone3, keyctl, perf_event_open, unshare, process_vm_readv, memfd_secret.
    for (number, errno) in [
        (425, 38),
        (435, 38),
        (250, 1),
        (298, 1),
        (272, 1),
        (310, 1),
        (447, 38),
    ] {
        assert_eq!(
            value(&calls(number), &[]),
            format!("[-1,{errno}]"),
            "call {number}"
        );
    }
}

#[test]
fn a_denied_child_does_not_end_the_run() {
    let source = "\
import ctypes, os
pid = os.fork()
if pid == 0:
    ctypes.CDLL(None).ptrace(0, 0, 0, 0)
    os._exit(0)
emit(os.WTERMSIG(os.waitpid(pid, 0)[1]))
";
    assert_eq!(value(source, &[]), "31");
}

#[test]
fn a_file_beyond_its_size_is_an_error_in_python_and_a_limit_in_a_child() {
    let source = "with open('x', 'wb') as f: f.write(b'x' * 5000)";
    let record = run(source, &["file_size=4KiB"]);
    assert_ended(&record, "raised OSError: [Errno 27] File too large");
    let dies = format!("import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n{source}");
    assert_ended(&run(&dies, &["file_size=4KiB"]), "limit_exceeded file_size");
}

#[test]
fn open_files_are_bounded() {
    let source = "\
import os
fds = []
try:
    while True: fds.append(os.open('/dev/null', os.O_RDONLY))
except OSError as e: errno = e.errno
for fd in fds: os.close(fd)
emit([len(fds), errno])
";
    assert_eq!(value(source, &["open_files=32"]), "[29,24]");
}
