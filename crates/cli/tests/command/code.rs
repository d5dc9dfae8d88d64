//! Exit codes: one for each thing that a caller can do about it.

use crate::workshop::{Done, Workshop};

fn ends(source: &str, more: &[&str], code: i32, verdict: &str) -> Done {
    let done = Workshop::new().job(source, more);
    assert_eq!(done.code, Some(code), "{done:?}");
    assert!(
        done.verdict().contains(verdict),
        "{verdict:?} is not in {done:?}"
    );
    if code != 0 {
        assert_eq!(done.stdout, "", "{done:?}");
    }
    done
}

#[test]
fn a_program_without_a_value_that_owes_none_is_0() {
    ends("pass", &["--no-value"], 0, "finished");
}

#[test]
fn an_exception_is_1_and_its_traceback_is_shown_once() {
    let done = ends("raise ValueError('no')", &[], 1, "raised ValueError: no");
    assert_eq!(done.stderr.matches("Traceback").count(), 1, "{done:?}");
}

#[test]
fn an_exit_of_its_own_is_1_whatever_code_it_chose() {
    ends("raise SystemExit(124)", &[], 1, "exited with code 124");
    ends("import os; os._exit(137)", &[], 1, "exited with code 137");
}

#[test]
fn a_crash_is_1() {
    ends(
        "import os; os.abort()",
        &[],
        1,
        "crashed: signal 6 (SIGABRT)",
    );
}

#[test]
fn a_limit_is_3_and_named() {
    ends(
        "while True: pass",
        &["--limit", "cpu=200ms"],
        3,
        "limit exceeded: `cpu` of 200ms",
    );
    let wall = ["--limit", "wall=200ms", "--limit", "grace=10ms"];
    ends(
        "import time; time.sleep(60)",
        &wall,
        3,
        "limit exceeded: `wall` of 200ms",
    );
}

#[test]
fn a_touch_of_the_boundary_is_3() {
    let source = "import ctypes; ctypes.CDLL(None).syscall(101, 0, 0, 0, 0)";
    ends(source, &[], 3, "denied: ");
}

#[test]
fn no_value_is_4_and_so_is_one_that_breaks_a_rule() {
    ends("print(42)", &[], 4, "result rejected: ");
    let source = "import sys; open(sys.argv[1], 'w').write('{\"a\": 1, \"a\": 2}')";
    ends(source, &[], 4, "result rejected: ");
}

#[test]
fn a_value_that_the_schema_does_not_allow_is_4_with_its_pointer() {
    let workshop = Workshop::new();
    workshop.file("s.json", r#"{"properties": {"n": {"maximum": 10}}}"#);
    let source = "import stockade_guest as g; g.emit({'n': 11})";
    let done = workshop.job(source, &["--schema", "s.json"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(4), ""), "{done:?}");
    assert!(done.verdict().contains("/n: "), "{done:?}");
}

#[test]
fn what_this_host_cannot_do_is_69() {
    let done = Workshop::new().job("pass", &["--require", "separate-kernel"]);
    done.refuses(69, &["does not give `separate-kernel`"]);
}

#[test]
fn help_and_version_are_0_and_a_mistake_is_64() {
    let workshop = Workshop::new();
    for arguments in [
        &["--help"][..],
        &["run", "--help"],
        &["explain", "-h"],
        &["doctor", "--help"],
        &["limits", "--help"],
        &["rungs", "--help"],
        &["audit", "--help"],
        &["audit", "verify", "--help"],
        &["completions", "--help"],
        &["man", "--help"],
    ] {
        let done = workshop.run(arguments);
        assert_eq!(
            (done.code, done.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        let teaches = done.stdout.contains("Examples:") || arguments[0] == "audit";
        assert!(teaches, "{arguments:?}");
    }
    let done = workshop.run(["--version"]);
    assert!(done.stdout.contains("guest protocol"), "{done:?}");
    for arguments in [
        &[][..],
        &["fly"],
        &["run"],
        &["run", "a.py", "b.py"],
        &["audit"],
    ] {
        let done = workshop.run(arguments);
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(64), ""),
            "{arguments:?}"
        );
    }
}
