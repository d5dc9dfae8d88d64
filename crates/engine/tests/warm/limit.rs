//! A run's limits are its own: not the zygote's, and not those that it was warmed for.

use crate::run::{ended, engine, job, limited, run, value_of, warm};
use stockade::{ErrorKind, Policy};

#[test]
fn what_is_warmed_for_the_least_is_warm_for_that_and_for_more() {
    warm(&["processes=1", "memory=16MiB", "open_files=16"], 2);
    let least = ["processes=1", "memory=16MiB", "open_files=16"];
    let fork = "import os\nos.fork()";
    let record = run(fork, &least);
    assert!(
        ended(&record).starts_with("raised BlockingIOError"),
        "{}",
        record.to_json()
    );
    let record = run("x = bytearray(64 << 20)", &least);
    assert_eq!(ended(&record), "limit_exceeded memory");
    // Of the same zygotes.
    let record = run(
        "import os\nif os.fork(): emit(len(bytearray(64 << 20)))",
        &[],
    );
    assert_eq!(ended(&record), "finished 67108864");
}

#[test]
fn limits_that_were_not_warmed_for_hold() {
    warm(&[], 2);
    let asked = [
        "processes=2",
        "memory=32MiB",
        "open_files=20",
        "cpu=500ms",
        "disk=1MiB",
    ];
    let record = run(
        "import resource\nemit(resource.getrlimit(resource.RLIMIT_NOFILE))",
        &asked,
    );
    assert_eq!(value_of::<Vec<u64>>(&record), [20, 20]);
    assert_eq!(
        ended(&run("while True: pass", &asked)),
        "limit_exceeded cpu"
    );
    let full = "\
import os
try: open('/tmp/x', 'wb').write(b'x' * (2 << 20))
except OSError as error: os.unlink('/tmp/x'); emit(error.errno)
";
    assert_eq!(ended(&run(full, &asked)), "finished 28");
    // Without the limit of CPU, which an emulated machine meets first.
    let bytes = run("x = bytearray(64 << 20)", &["processes=2", "memory=32MiB"]);
    assert_eq!(ended(&bytes), "limit_exceeded memory");
}

/// A run is not charged for what was done before it, and not excused from what it does.
#[test]
fn the_clocks_of_a_run_begin_with_it() {
    warm(&["cpu=500ms"], 1);
    for _ in 0..3 {
        let record = run(
            "import time\nemit(time.process_time() < 0.25)",
            &["cpu=500ms"],
        );
        assert_eq!(ended(&record), "finished true");
        let cpu_us = record.usage.cpu_us;
        assert!(cpu_us < 250_000, "{cpu_us}");
        let record = run("while True: pass", &["cpu=500ms"]);
        assert_eq!(ended(&record), "limit_exceeded cpu");
    }
}

#[test]
fn a_policy_of_another_kind_is_cold() {
    warm(&[], 1);
    let called = Policy::default().call("main").unwrap();
    for (source, policy) in [
        ("emit(1)", limited(&["cpus=2"])),
        ("emit(1)", limited(&[]).cold()),
        ("def main(value): return value", called),
    ] {
        let record = engine().run(&job(source).input("1"), &policy).unwrap();
        assert_eq!(ended(&record), "finished 1", "{}", record.to_json());
        assert!(record.evidence.warmth.is_none(), "{}", record.to_json());
    }
}

/// Those that wait hold uids, which runs need as well.
#[test]
fn more_than_can_be_held_is_refused_and_what_was_kept_stays() {
    warm(&[], 1);
    let error = engine().warm(&limited(&[]), 127).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPolicy, "{error}");
    assert!(error.to_string().contains("at most 126 "), "{error}");
    assert_eq!(ended(&run("emit(1)", &[])), "finished 1");
    engine().warm(&limited(&["cpus=2"]), 2).unwrap();
    let error = engine().warm(&limited(&[]), 126).unwrap_err();
    assert!(error.to_string().contains("at most 122 "), "{error}");
}
