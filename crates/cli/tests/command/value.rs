//! What comes out, and where.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::process::{Command, Stdio};

use crate::workshop::{Done, STOCKADE, TALKER, Workshop};

#[test]
fn the_value_and_nothing_else_is_on_standard_output() {
    let done = Workshop::new().job(TALKER, &[]);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "42\n"),
        "{done:?}"
    );
    assert!(done.stderr.contains("on stdout\n"), "{done:?}");
    assert!(done.stderr.contains("on stderr\n"), "{done:?}");
    let verdict = done.verdict();
    assert!(
        verdict.starts_with("stockade: finished: a value of 2 bytes · jail · "),
        "{verdict}"
    );
    assert!(done.stderr.ends_with(&format!("{verdict}\n")), "{done:?}");
}

#[test]
fn the_verdict_begins_a_line_whatever_the_program_printed_last() {
    let done = Workshop::new().job(
        "print('no end', end='')",
        &["--no-value", "--format", "human"],
    );
    assert_eq!(done.stdout, "no end");
    let done = Workshop::new().job(
        "import sys, stockade_guest as g; print('no end', end='', file=sys.stderr); g.emit(1)",
        &[],
    );
    assert!(
        done.stderr.starts_with("no end\nstockade: finished"),
        "{done:?}"
    );
}

#[test]
fn bytes_of_the_program_pass_unchanged_where_there_is_no_terminal() {
    let workshop = Workshop::new();
    workshop.file(
        "job.py",
        "import sys; sys.stdout.buffer.write(b'\\x1b[31m\\xff\\0\\xe2')",
    );
    let output = workshop
        .command(["run", "job.py", "--no-value"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"\x1b[31m\xff\0\xe2");
}

#[test]
fn the_program_can_come_from_standard_input() {
    let done = Workshop::new().pipe(&["run", "-"], TALKER.as_bytes());
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "42\n"),
        "{done:?}"
    );
}

#[test]
fn a_value_goes_through_input_file_call_and_schema() {
    let workshop = Workshop::new();
    workshop.file("in.json", "{\"factor\": 3}");
    workshop.file(
        "schema.json",
        r#"{"type": "array", "items": {"type": "integer"}}"#,
    );
    workshop.file("numbers.txt", "1\n2\n");
    let source = "\
def main(given):
    return [int(line) * given['factor'] for line in open('/work/data/numbers.txt')]
";
    let args = [
        "--input",
        "in.json",
        "--schema",
        "schema.json",
        "--file",
        "numbers.txt:data/numbers.txt",
        "--call",
        "main",
    ];
    let done = workshop.job(source, &args);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "[3,6]\n"),
        "{done:?}"
    );
}

#[test]
fn input_can_come_from_standard_input_or_a_pipe() {
    let workshop = Workshop::new();
    workshop.file("job.py", "import stockade_guest as g; g.emit(g.input())");
    for input in ["-", "/dev/stdin"] {
        let done = workshop.pipe(&["run", "job.py", "--input", input], b"[1, 2]");
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(0), "[1,2]\n"),
            "{done:?}"
        );
    }
}

#[test]
fn odd_file_names_are_taken_as_they_are() {
    let workshop = Workshop::new();
    let list = "import os, stockade_guest as g; g.emit(sorted(os.listdir('/work')))";
    workshop.file("job.py", list);
    for name in [
        "a b",
        "-rf",
        "$HOME",
        "données-日本.txt",
        "12:30",
        "'\"",
        "#!x",
    ] {
        workshop.file(name, "");
        let file = format!("--file={name}");
        let done = workshop.run(["run", "job.py", &file]);
        assert_eq!(done.code, Some(0), "{name}: {done:?}");
        let names = done.json();
        assert!(
            names.as_array().unwrap().contains(&name.into()),
            "{name}: {done:?}"
        );
    }
    let bytes = OsString::from_vec(b"caf\xe9".to_vec());
    workshop.file(&bytes, "");
    let mut file = OsString::from("--file=");
    file.push(&bytes);
    let done = workshop.run([&"run".into(), &"job.py".into(), &file]);
    done.refuses(65, &["caf", "hint: give it one in UTF-8"]);
    file.push(":cafe");
    let done = workshop.run([&"run".into(), &"job.py".into(), &file]);
    assert!(done.stdout.contains("\"cafe\""), "{done:?}");
}

#[test]
fn a_whole_record_is_one_line_of_json() {
    let done = Workshop::new().job(TALKER, &["--format", "json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.stdout.lines().count(), 1);
    assert_eq!(done.stderr, "");
    let record = done.json();
    assert_eq!(record["value"].to_string(), "42");
    assert_eq!(record["stdout"]["text"], "on stdout\n");
    assert_eq!(record["outcome"]["kind"], "finished");
    assert_eq!(record["evidence"]["rung"], "jail");
}

#[test]
fn an_error_is_a_document_too_where_json_is_asked_for() {
    let workshop = Workshop::new();
    let done = workshop.run(["run", "missing.py", "--format", "json"]);
    assert_eq!(done.code, Some(65));
    assert_eq!(done.json()["error"]["kind"], "invalid_submission");
    assert!(
        done.stderr.starts_with("error: cannot read program"),
        "{done:?}"
    );
    let done = workshop.run(["run", "--format", "json", "--bogus"]);
    assert_eq!(done.code, Some(64));
    assert_eq!(done.json()["error"]["exit_code"].to_string(), "64");
}

#[test]
fn out_gets_the_value_whole_or_stays_as_it_was() {
    let workshop = Workshop::new();
    let out = workshop.file("out.json", "before");
    let done = workshop.job("raise SystemExit(3)", &["--out", "out.json"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{done:?}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "before");
    let done = workshop.job(TALKER, &["--out", "out.json"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""), "{done:?}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "42\n");
    let done = workshop.job(TALKER, &["--out", "no/such/place.json"]);
    done.refuses(71, &["no/such/place.json", "No such file", "hint: "]);
}

#[test]
fn quiet_is_silent_about_success_and_not_about_failure() {
    let workshop = Workshop::new();
    let done = workshop.job(TALKER, &["-q"]);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("42\n", ""));
    let done = workshop.job("1 / 0", &["-q"]);
    assert!(
        done.stderr
            .contains("ZeroDivisionError: division by zero\n"),
        "{done:?}"
    );
    assert!(
        done.verdict().contains("raised ZeroDivisionError"),
        "{done:?}"
    );
}

#[test]
fn verbose_shows_each_fence_each_limit_and_the_teardown() {
    let done = Workshop::new().job(TALKER, &["-v"]);
    assert_eq!(done.stdout, "42\n");
    done.verdict();
    for part in [
        "seccomp ",
        "no-new-privileges",
        "memory ",
        "teardown",
        "reaped",
    ] {
        assert!(done.stderr.contains(part), "{part}: {done:?}");
    }
    assert!(!done.stderr.contains('\x1b'), "{done:?}");
}

#[test]
fn what_is_cut_or_refused_is_said() {
    let done = Workshop::new().job(
        "print('x' * 5000)",
        &["--no-value", "--limit", "stdout=1KiB"],
    );
    assert_eq!(done.stdout.len(), 1024, "{done:?}");
    assert!(
        done.stderr
            .contains("note: stdout: 1024 bytes kept and 3977 dropped"),
        "{done:?}"
    );
    let source = "
try:
    with open('/tmp/x', 'wb') as file:
        while True: file.write(b'x' * 65536)
except OSError: pass
";
    let done = Workshop::new().job(source, &["--no-value", "--limit", "disk=2MiB"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.stderr
            .contains("note: `disk` of 2MiB was full at the end"),
        "{done:?}"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let workshop = Workshop::new();
    workshop.file("job.py", TALKER);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = workshop
        .command(["run", "job.py"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let done = Done::of(&output);
    assert_eq!(done.code, Some(141), "{done:?}");
    assert!(!done.stderr.contains("panicked"), "{done:?}");
}

#[test]
fn a_program_that_talks_to_nobody_is_stopped() {
    let workshop = Workshop::new();
    workshop.file("job.py", "while True: print('y' * 1000)");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let started = std::time::Instant::now();
    let output = workshop
        .command([
            "run",
            "job.py",
            "--no-value",
            "--limit",
            "wall=1h",
            "--limit",
            "cpu=1h",
        ])
        .stdout(writer)
        .output()
        .unwrap();
    let done = Done::of(&output);
    assert_eq!(done.code, Some(141), "{done:?}");
    assert!(started.elapsed().as_secs() < 60);
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let workshop = Workshop::new();
    workshop.file("job.py", TALKER);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = workshop
        .command(["run", "job.py"])
        .stdout(full)
        .output()
        .unwrap();
    let done = Done::of(&output);
    done.refuses(71, &["cannot write to standard output", "No space left"]);
}

#[test]
fn closed_streams_harm_nothing() {
    let workshop = Workshop::new();
    workshop.file("job.py", TALKER);
    for (closed, value) in [
        (">&-", ""),
        ("2>&-", "42\n"),
        ("<&-", "42\n"),
        ("<&- 2>&-", "42\n"),
    ] {
        let script = format!("exec \"$0\" run job.py --out out.json {closed}; ");
        let output = Command::new("sh")
            .args(["-c", &script, STOCKADE])
            .current_dir(workshop.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{closed}: {output:?}");
        let written = fs::read_to_string(workshop.path().join("out.json")).unwrap();
        assert_eq!(written, "42\n", "{closed}");
        let script = format!("exec \"$0\" run job.py {closed}");
        let output = Command::new("sh")
            .args(["-c", &script, STOCKADE])
            .current_dir(workshop.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), value, "{closed}");
    }
}

#[test]
fn several_at_once_do_not_meet() {
    let workshop = Workshop::new();
    workshop.file("job.py", "import stockade_guest as g; g.emit(g.input())");
    std::thread::scope(|scope| {
        for number in 0..6 {
            let workshop = &workshop;
            scope.spawn(move || {
                let input = number.to_string();
                let args = ["run", "job.py", "--input", "-", "--audit", "runs.jsonl"];
                let done = workshop.pipe(&args, input.as_bytes());
                assert_eq!(done.stdout, format!("{number}\n"), "{done:?}");
            });
        }
    });
    let done = workshop.run(["audit", "verify", "runs.jsonl"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("6 records"), "{done:?}");
}
