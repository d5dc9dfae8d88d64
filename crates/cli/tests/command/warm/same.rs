//! What a run comes to does not depend on whether it was warm.

use serde_json::Value;

use super::den::Den;
use crate::workshop::Done;

/// What differs from run to run: times, sizes that were measured, names.
const MEASURED: [&str; 11] = [
    "run",
    "started",
    "wall_us",
    "cpu_us",
    "memory_peak_bytes",
    "init_rss_kib",
    "nano_usd",
    "phases_us",
    "warm",
    "used",
    "disk_bytes",
];

/// What is built otherwise, and said so: how a fence was made in the zygote's jail.
const BUILT: [&str; 2] = ["fences", "teardown"];

/// Programs with their arguments, and whether a value of the record may differ in `by`.
const JOBS: [(&str, &[&str]); 22] = [
    ("import stockade_guest as g; g.emit(42)", &[]),
    (
        "import stockade_guest as g; g.emit([1.5, 'x', None, 2**70])",
        &[],
    ),
    ("import stockade_guest as g; g.emit('\\x9b\\u202e')", &[]),
    (
        "import json, sys; json.dump({'a': 1}, open(sys.argv[1], 'w'))",
        &[],
    ),
    (
        "def main(x): return x * 2",
        &["--call", "main", "--input", "input.json"],
    ),
    ("def other(): pass", &["--call", "main"]),
    (
        "import stockade_guest as g; g.emit(g.input())",
        &["--input", "input.json"],
    ),
    (
        "import stockade_guest as g; g.emit('text')",
        &["--schema", "schema.json"],
    ),
    (
        "import stockade_guest as g; g.emit(7)",
        &["--schema", "schema.json"],
    ),
    (
        "print(open('data/sales.csv').read(), end='')",
        &["--no-value", "--file", "sales.csv:data/sales.csv"],
    ),
    (
        "print('out'); import sys; print('err', file=sys.stderr)",
        &["--no-value"],
    ),
    (
        "print('x' * 5000)",
        &["--no-value", "--limit", "stdout=1KiB"],
    ),
    ("pass", &[]),
    ("raise ValueError('no')", &[]),
    ("this is no Python", &[]),
    ("raise SystemExit(3)", &["--no-value"]),
    ("import os; os._exit(137)", &["--no-value"]),
    ("import os; os.abort()", &["--no-value"]),
    ("while True: pass", &["--limit", "cpu=200ms"]),
    (
        "import time; time.sleep(60)",
        &["--limit", "wall=200ms", "--limit", "grace=10ms"],
    ),
    ("x = bytearray(1 << 30)", &["--limit", "memory=64MiB"]),
    (
        "open('/work/out.json', 'w').write('{\"a\": 1, \"a\": 2}')",
        &[],
    ),
];

/// The record without what was measured.
fn constant(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in MEASURED.iter().chain(&BUILT) {
                map.remove(*key);
            }
            map.values_mut().for_each(constant);
        }
        Value::Array(items) => items.iter_mut().for_each(constant),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is said, up to the first figure that was measured.
fn said(done: &Done) -> Vec<String> {
    let lines = done.stderr.lines();
    let lines = lines.map(|line| line.split(" · ").next().unwrap_or(line));
    lines
        .map(|line| line.split(", used ").next().unwrap_or(line).to_owned())
        .collect()
}

#[test]
fn warm_and_cold_runs_come_to_the_same() {
    let den = Den::new();
    den.file("input.json", "21");
    den.file("schema.json", r#"{ "type": "integer", "maximum": 100 }"#);
    den.file("sales.csv", "a,b\n1,2\n");
    den.warm(&[]);
    den.file("call.py", "def main(): return 1");
    den.run(["run", "call.py", "--call", "main"]);
    den.until(|status| {
        let kept = status["kept"].as_array().unwrap();
        kept.len() == 2 && kept.iter().all(|one| one["warming"] == false)
    });
    for (source, more) in JOBS {
        den.file("job.py", source);
        let run = |extra: &[&str]| {
            let args = ["run", "job.py"];
            den.run(args.iter().chain(more).chain(extra))
        };
        let mut records =
            [&["--format", "json"][..], &["--format", "json", "--cold"]].map(|extra| {
                let done = run(extra);
                (done.code, done.json())
            });
        let warm = |at: usize| !records[at].1["evidence"]["warm"].is_null();
        assert_eq!([warm(0), warm(1)], [true, false], "{source}");
        for (_, record) in &mut records {
            constant(record);
        }
        let [warm, cold] = records;
        assert_eq!(warm, cold, "{source}");
        for extra in [&[][..], &["-q"]] {
            let quiet = run(extra);
            let cold = run(&[extra, &["--cold"]].concat());
            assert_eq!(
                (quiet.code, &quiet.stdout, said(&quiet)),
                (cold.code, &cold.stdout, said(&cold)),
                "{source}"
            );
        }
    }
}

#[test]
fn what_is_refused_before_a_run_is_told_in_the_same_words() {
    let den = Den::new();
    den.warm(&[]);
    den.file("job.py", "pass");
    den.file("schema.json", r#"{ "type": "nonsense" }"#);
    den.file("input.json", "{");
    for more in [
        &["--schema", "schema.json"][..],
        &["--input", "input.json"],
        &["--limit", "cpu=1"],
        &["--limit", "processes=40000"],
        &["--require", "separate-kernel"],
        &["--require", "nonsense"],
        &["--file", "job.py:../evil"],
        &["--call", "a b"],
        &["--allow", "everything"],
        &["--rung", "nonsense"],
    ] {
        let args = ["run", "job.py"];
        let warm = den.run(args.iter().chain(more));
        let cold = den.run(args.iter().chain(more).chain(&["--cold"]));
        assert_eq!(warm.code, cold.code, "{more:?}: {warm:?} {cold:?}");
        assert_eq!(warm.stderr, cold.stderr, "{more:?}");
        assert!(warm.code.unwrap() >= 64, "{more:?}: {warm:?}");
    }
}
