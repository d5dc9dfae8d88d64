//! The account of an exception, which the submission can forge: it names an exception or nothing,
//! and never becomes an error of ours.

use crate::run::{assert_ended, run};

/// `account(...)` writes one that the supervisor believes.
const BEGIN: &str = "\
import json, os, sys
PATH = '/run/stockade/raised.json'
def account(**other):
    fields = dict(type='T', message='m', traceback='t', pid=os.getpid())
    fields.update(other)
    return json.dumps(fields)
def write(text):
    open(PATH, 'wb').write(text if isinstance(text, bytes) else text.encode())
";

#[test]
fn a_forged_account_is_a_claim_like_any_other() {
    let record = run(&format!("{BEGIN}write(account())\nsys.exit(1)"), &[]);
    assert_ended(&record, "raised T: m");
    let record = run(&format!("{BEGIN}write(account())\nsys.exit(3)"), &[]);
    assert_ended(&record, "exited 3");
    let record = run(&format!("{BEGIN}write(account())\nemit(1)"), &[]);
    assert_ended(&record, "finished 1");
}

#[test]
fn an_account_that_is_none_is_left_aside() {
    for source in [
        "open(PATH, 'wb').truncate(30 << 20)",
        "write(account(message='m' * (64 << 10)))",
        "os.symlink('/etc/passwd', PATH)",
        "os.mkfifo(PATH)",
        "os.mkdir(PATH)",
        "write(account()); os.link(PATH, PATH + '2')",
        "write(account()); os.chmod(PATH, 0)",
        "write(account()); os.chmod('/run/stockade', 0)",
        "write(b'\\xff\\xfe')",
        "write(account().replace('\"m\"', '\"\\\\ud800\"'))",
        "write('[' * 30000)",
        "write(account() * 2)",
        "write(account(pid=1))",
        "write(account(pid=float(os.getpid())))",
        "write(account(type=None))",
        "write(account(message={'a': {'b': 1}}))",
    ] {
        let record = run(&format!("{BEGIN}{source}\nos._exit(1)"), &[]);
        eprintln!("{source}");
        assert_ended(&record, "exited 1");
    }
}
