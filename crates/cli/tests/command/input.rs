//! Bad input gets a clear error before anything runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::workshop::{TALKER, Workshop};

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_cause() {
    let workshop = Workshop::new();
    workshop
        .run(["run", "missing.py"])
        .refuses(65, &["program `missing.py`", "No such file"]);
    workshop
        .run(["run", "."])
        .refuses(65, &["program `.` is a directory", "hint: "]);
    workshop
        .run(["run", "/dev/zero"])
        .refuses(65, &["program `/dev/zero` is a device"]);
    workshop
        .job(TALKER, &["--schema", "gone.json"])
        .refuses(64, &["schema `gone.json`"]);
    workshop
        .job(TALKER, &["--input", "gone.json"])
        .refuses(65, &["input `gone.json`"]);
    workshop
        .job(TALKER, &["--file", "gone.csv"])
        .refuses(65, &["file `gone.csv`"]);
    workshop
        .job(TALKER, &["--file", "/dev/zero"])
        .refuses(65, &["is a device"]);
    workshop
        .job(TALKER, &["--input", "/"])
        .refuses(65, &["input `/` is a directory"]);
}

#[test]
fn a_pipe_is_no_file_and_is_not_waited_for() {
    let workshop = Workshop::new();
    let fifo = workshop.path().join("fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    workshop
        .job(TALKER, &["--file", "fifo"])
        .refuses(65, &["file `fifo` is a pipe"]);
}

#[test]
fn a_file_without_permission_is_named() {
    let workshop = Workshop::new();
    let path = workshop.file("secret.py", TALKER);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if crate::workshop::is_root() {
        // Root reads everything; the test of another user is in `user`.
        return;
    }
    workshop
        .run(["run", "secret.py"])
        .refuses(65, &["secret.py", "Permission denied"]);
}

#[test]
fn what_does_not_end_is_read_to_its_limit_and_no_further() {
    let workshop = Workshop::new();
    let endless = fs::File::open("/dev/zero").unwrap();
    let output = workshop
        .command(["run", "-"])
        .stdin(endless)
        .output()
        .unwrap();
    crate::workshop::Done::of(&output).refuses(
        65,
        &[
            "standard input: more than 1048576 bytes",
            "`source`",
            "hint: raise it",
        ],
    );
    let large = workshop.path().join("large");
    fs::File::create(&large).unwrap().set_len(1 << 40).unwrap();
    workshop
        .job(TALKER, &["--file", "large"])
        .refuses(65, &["file `large`: 1099511627776 bytes", "`files`"]);
}

#[test]
fn files_share_their_limit() {
    let workshop = Workshop::new();
    workshop.file("a", [b'a'; 700]);
    workshop.file("b", [b'b'; 700]);
    let done = workshop.job(
        TALKER,
        &["--file", "a", "--file", "b", "--limit", "files=1KiB"],
    );
    done.refuses(65, &["file `b`: 700 bytes, and `files` leaves 324 bytes"]);
}

#[test]
fn a_destination_outside_of_work_is_refused() {
    let workshop = Workshop::new();
    workshop.file("a", "");
    for destination in ["../a", "/etc/passwd", "x/../../y", "job.py", ""] {
        let file = format!("a:{destination}");
        workshop.job(TALKER, &["--file", &file]).refuses(
            65,
            &[&format!("file destination {destination:?}"), "hint: "],
        );
    }
    let done = workshop.job(TALKER, &["--file", "a", "--file", "a"]);
    done.refuses(65, &["clashes"]);
}

#[test]
fn a_schema_that_is_none_says_where() {
    let workshop = Workshop::new();
    for (schema, part) in [
        ("{", "schema `s.json`"),
        (
            r#"{"properties": {"a": {"type": "whole"}}}"#,
            "/properties/a/type",
        ),
        (
            r#"{"$ref": "http://localhost/x.json"}"#,
            "nothing is fetched",
        ),
        (r#"{"pattern": "(?=a)"}"#, "/pattern"),
        ("[1]", "schema `s.json`"),
    ] {
        workshop.file("s.json", schema);
        workshop
            .job(TALKER, &["--schema", "s.json"])
            .refuses(64, &[part]);
    }
}

#[test]
fn input_that_is_not_json_says_file_line_and_pointer() {
    let workshop = Workshop::new();
    for (input, parts) in [
        (
            "{\n\"a\": 1,\n\"a\": 2}",
            &["input `i.json`, line 3", "/a: "][..],
        ),
        ("[1,\n NaN]", &["line 2"]),
        ("", &["input `i.json`"]),
        ("{} {}", &["line 1"]),
    ] {
        workshop.file("i.json", input);
        workshop
            .job(TALKER, &["--input", "i.json"])
            .refuses(65, parts);
    }
}

#[test]
fn a_limit_that_cannot_be_says_name_value_and_range() {
    let workshop = Workshop::new();
    for (limit, parts) in [
        (
            "memory=1KiB",
            &["limit `memory` must be from 16MiB to 1TiB, not 1KiB"][..],
        ),
        ("memory=256", &["has no unit", "hint: write it as `memory="]),
        (
            "ram=1GiB",
            &["there is no limit `ram`", "hint: the limits are wall"],
        ),
        ("memory", &["must read NAME=VALUE"]),
        ("processes=0", &["from 1 to 32768"]),
    ] {
        workshop.job(TALKER, &["--limit", limit]).refuses(64, parts);
    }
}

#[test]
fn an_unknown_name_gets_the_list() {
    let workshop = Workshop::new();
    for (argument, name, list) in [
        (
            "--rung",
            "attic",
            "hint: the rungs are formula, process, jail",
        ),
        (
            "--require",
            "luck",
            "hint: the guarantees are separate-address-space",
        ),
        ("--template", "ruby", "hint: this build knows `python`"),
        (
            "--allow",
            "everything",
            "hint: what can be allowed is `loopback`",
        ),
    ] {
        let done = workshop.job(TALKER, &[argument, name]);
        done.refuses(64, &[&format!("`{name}`"), list]);
    }
    workshop
        .job(TALKER, &["--call", "os.system"])
        .refuses(64, &["os.system"]);
}

#[test]
fn arguments_that_exclude_each_other_are_refused() {
    let workshop = Workshop::new();
    workshop.file("s.json", "{}");
    for more in [
        &["--no-value", "--schema", "s.json"][..],
        &["--no-value", "--out", "x"],
    ] {
        workshop
            .job(TALKER, more)
            .refuses(64, &["`--no-value` leaves nothing"]);
    }
    workshop
        .run(["run", "-", "--input", "-"])
        .refuses(64, &["both the program and its input"]);
}

#[test]
fn a_missing_interpreter_is_said_to_be_missing() {
    let workshop = Workshop::new();
    workshop.file("job.py", TALKER);
    let output = workshop
        .command(["run", "job.py"])
        .env("STOCKADE_PYTHON", "/nonexistent/python3")
        .output()
        .unwrap();
    let done = crate::workshop::Done::of(&output);
    done.refuses(69, &["STOCKADE_PYTHON=/nonexistent/python3", "hint: "]);
}

#[test]
fn a_name_cannot_drive_the_terminal_through_an_error() {
    let done = Workshop::new().run(["run", "\x1b[2J\u{202e}.py"]);
    assert_eq!(done.code, Some(65));
    assert!(!done.stderr.contains(['\x1b', '\u{202e}']), "{done:?}");
    assert!(done.stderr.contains("\\x1b[2J\\u{202e}.py"), "{done:?}");
}

#[test]
fn nothing_was_left_by_all_this() {
    let workshop = Workshop::new();
    workshop.job(TALKER, &["--out", "out.json", "--rung", "attic"]);
    assert!(!Path::new(&workshop.path().join("out.json")).exists());
}
