//! Games with the result: where it is read from, and who says how the run ended.

use crate::run::{assert_ended, assert_gone, ended, job, limited, run, submit, value};
use stockade::{Outcome, Schema};

#[test]
fn case_11_result_channel_cannot_be_forged() {
    let source = "\
import os, json
line = json.dumps({'ok': True, 'status': 'ok', 'value': 42})
for fd in range(1, 20):
    try: os.write(fd, line.encode() + b'\\n')
    except OSError: pass
os._exit(0)
";
    let policy =
        limited(&[]).schema(Schema::compile(br#"{"type": "integer", "maximum": 10}"#).unwrap());
    let record = submit(&job(source), &policy).unwrap();
    assert!(
        ended(&record).starts_with("result_rejected missing "),
        "{}",
        ended(&record)
    );
    let line = "{\"ok\": true, \"status\": \"ok\", \"value\": 42}\n";
    assert_eq!(record.stdout.text(), line, "standard output is just text");
    assert_eq!(record.stderr.text(), line);

    // What does arrive by the right way is held to the schema.
    let record = submit(&job("emit(42)"), &policy).unwrap();
    assert!(
        ended(&record).starts_with("result_rejected schema "),
        "{}",
        ended(&record)
    );
    let record = submit(&job("emit(10)"), &policy).unwrap();
    assert_ended(&record, "finished 10");
}

#[test]
fn case_11_result_there_is_no_descriptor_but_the_three() {
    let source = "\
import os
fds = []
for fd in range(3, 1024):
    try: os.fstat(fd); fds.append(fd)
    except OSError: pass
emit([fds, sorted(int(n) for n in os.listdir('/proc/self/fd'))[:3]])
";
    assert_eq!(value(source, &[]), "[[],[0,1,2]]");
}

#[test]
fn case_11_result_the_control_socket_of_init_is_out_of_reach() {
    let source = "\
import os
told = []
for what in ('fd/0', 'fd/3', 'fd/4', 'mem', 'environ', 'maps', 'stack', 'syscall'):
    try: open('/proc/1/' + what, 'rb').read(1); told.append(what)
    except OSError: pass
for what in ('fd/3', 'exe', 'root', 'cwd', 'ns/mnt'):
    try: os.readlink('/proc/1/' + what); told.append(what)
    except OSError: pass
for what in ('oom_score_adj', 'mem', 'comm', 'coredump_filter', 'uid_map', 'setgroups',
             'clear_refs'):
    try: open('/proc/1/' + what, 'r+b', buffering=0); told.append('write ' + what)
    except OSError: pass
emit(told)
";
    assert_eq!(value(source, &[]), "[]");
}

/// A result that is not a plain file, made by `source` at `out`, and what is said of it.
fn rejected(source: &str, limits: &[&str]) -> String {
    let record = run(
        &format!("import os, sys\nout = sys.argv[1]\n{source}"),
        limits,
    );
    assert_gone(&record);
    ended(&record)
}

#[test]
fn case_25_files_symlink_in_output() {
    let source = "\
import os
os.symlink('/etc/passwd', 'report.txt')
os.symlink('/proc/self/environ', 'env.txt')
os.symlink('/', 'dir'); os.symlink('loop', 'loop')
emit('ok')
";
    assert_ended(&run(source, &[]), "finished \"ok\"");
    for target in [
        "/etc/passwd",
        "/proc/self/environ",
        "/",
        "/work/out.json",
        "/proc/1/environ",
    ] {
        assert_eq!(
            rejected(&format!("os.symlink({target:?}, out)"), &[]),
            "result_rejected not-regular the result is a symbolic link, not a plain file",
            "{target}"
        );
    }
    // Nor is a directory on the way followed elsewhere.
    let moved = "\
os.chdir('/tmp')
os.rename('/work', '/tmp/elsewhere')
";
    let ended = rejected(moved, &[]);
    assert!(
        ended.starts_with("raised OSError: "),
        "`/work` is a mount point: {ended}"
    );
}

#[test]
fn a_result_that_is_no_plain_file_is_rejected_as_what_it_is() {
    let is = |what| format!("result_rejected not-regular the result is {what}, not a plain file");
    for (source, what) in [
        ("os.mkfifo(out)", "a FIFO"),
        ("os.mkdir(out)", "a directory"),
        (
            "open('/work/x', 'w').write('1'); os.link('/work/x', out)",
            "a file with several names",
        ),
        (
            "import socket; socket.socket(socket.AF_UNIX).bind(out)",
            "a socket",
        ),
    ] {
        assert_eq!(rejected(source, &[]), is(what));
    }
    let device = rejected(
        "import stat\nos.mknod(out, stat.S_IFCHR | 0o666, os.makedev(1, 5))",
        &[],
    );
    assert!(device.starts_with("raised PermissionError: "), "{device}");
    // A control: the same file, plain.
    assert_eq!(rejected("open(out, 'w').write('1')", &[]), "finished 1");
    assert_eq!(
        rejected("open(out, 'w').write('1'); os.chmod(out, 0)", &[]),
        "result_rejected not-regular the result cannot be read: Permission denied (os error 13)",
        "init has no more rights than the program"
    );
}

#[test]
fn a_result_that_is_too_large_is_rejected_before_it_is_read() {
    let sparse = "with open(out, 'wb') as f: f.truncate(1 << 30)";
    assert_eq!(
        rejected(sparse, &["file_size=2GiB"]),
        "result_rejected size 1073741824 bytes, and `result` allows 1MiB"
    );
    let beyond = "with open(out, 'wb') as f: f.truncate(1 << 40)";
    assert_eq!(
        rejected(beyond, &[]),
        "raised OSError: [Errno 27] File too large"
    );
    let exact = "open(out, 'w').write('\"' + 'a' * ((1 << 20) - 2) + '\"')";
    assert!(
        rejected(exact, &[]).starts_with("finished \"aaa"),
        "the cap itself is allowed"
    );
}

#[test]
fn a_grandchild_that_goes_on_writing_is_dead_before_the_result_is_read() {
    let source = "\
import os, signal, sys
out = sys.argv[1]
grown, told = os.pipe()
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setsid()
    os.close(grown)
    size = 0
    with open(out, 'wb', buffering=0) as f:
        while True:
            size += f.write(b'1' * 4096)
            if size == 2 << 20: os.write(told, b'.')
            # So that it is as large whenever it is looked at.
            if size % (2 << 20) == 0: f.seek(0)
os.read(grown, 1)
";
    let record = run(source, &[]);
    let ended = ended(&record);
    assert!(ended.starts_with("result_rejected size "), "{ended}");
    assert_gone(&record);
}

#[test]
fn an_exception_that_a_program_makes_up_does_not_change_how_it_ended() {
    let forged = "\
import json, os
open('/run/stockade/raised.json', 'w').write(json.dumps(
    {'pid': os.getpid(), 'type': 'X', 'message': 'y', 'traceback': 'z'}))
";
    let record = run(&format!("{forged}os._exit(0)"), &[]);
    assert!(
        ended(&record).starts_with("result_rejected missing "),
        "{}",
        ended(&record)
    );
    let record = run(&format!("{forged}os._exit(7)"), &[]);
    assert_ended(&record, "exited 7");
    let record = run(&format!("{forged}os.kill(os.getpid(), 9)"), &[]);
    assert_ended(&record, "crashed 9");
}

#[test]
fn an_account_of_an_exception_that_cannot_be_read_is_no_error() {
    for account in [
        "open(p, 'wb').write(b'\\xff' * 100)",
        "open(p, 'wb').truncate(30 << 20)",
        "os.symlink('/etc/passwd', p)",
        "os.mkfifo(p)",
        "open(p, 'w').write('[' * 10000)",
        "os.mkdir(p)",
    ] {
        let source = format!("import os\np = '/run/stockade/raised.json'\n{account}\nos._exit(1)");
        let record = run(&source, &[]);
        assert_ended(&record, "exited 1");
    }
}

#[test]
fn a_value_does_not_save_a_program_that_then_fails() {
    let record = run("emit(1)\nraise SystemExit(3)", &[]);
    assert_ended(&record, "exited 3");
    assert!(matches!(record.outcome, Outcome::Exited { code: 3 }));
    let record = run("emit(1)\n1 / 0", &[]);
    assert_ended(&record, "raised ZeroDivisionError: division by zero");
}
