//! What a program prints.

use std::fs;
use std::os::fd::BorrowedFd;

use crate::run::{again, assert_ended, assert_passes, engine, enough, is_again, job, limited, run};
use stockade::{LimitId, Stream, Watch};

/// Counts what is shown.
#[derive(Default)]
struct Counter {
    shown: usize,
}

impl Watch for Counter {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        self.shown += bytes.len();
    }

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

#[test]
fn case_06_output_flood_is_capped_and_named() {
    let all = run("for i in range(3000): print(i)\nemit('end')", &[]);
    assert_ended(&all, "finished \"end\"");
    let lines: Vec<_> = (0..3000).map(|i| i.to_string()).collect();
    assert_eq!(all.stdout.text(), lines.join("\n") + "\n");
    assert!(!all.stdout.is_truncated());
}

/// Peak resident memory of this process, KiB.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

#[test]
fn case_06_output_flood_leaves_our_memory_flat() {
    // Alone, since the peak is that of the whole process.
    if !is_again() {
        let test = "output::case_06_output_flood_leaves_our_memory_flat";
        assert_passes(&mut again(test));
        return;
    }
    run("print('warm')\nemit(1)", &[]);
    let before = peak_kib();
    let wall = format!("wall={}ms", enough(2_000));
    let mut counter = Counter::default();
    let record = engine()
        .run_watched(
            &job("while True: print('y'*1000)"),
            &limited(&[&wall]),
            &mut counter,
        )
        .unwrap();
    assert_ended(&record, "limit_exceeded wall");
    let cap = LimitId::Stdout.spec().default;
    assert_eq!(record.stdout.kept.len() as u64, cap);
    assert_eq!(counter.shown as u64, cap, "a watcher sees no more");
    assert!(record.stdout.is_truncated());
    let grown = peak_kib() - before;
    let dropped_kib = record.stdout.dropped >> 10;
    println!("dropped {dropped_kib} KiB, grew by {grown} KiB");
    assert!(grown < 12 << 10, "grew by {grown} KiB");
    assert!(
        dropped_kib > 16 << 10,
        "the flood is larger than the room: {dropped_kib} KiB"
    );
    assert!(record.to_json().contains("\"truncated\":true"));
}

#[test]
fn case_07_output_invalid_utf8() {
    for stream in ["stdout", "stderr"] {
        let source =
            format!("import sys\nsys.{stream}.buffer.write(b'ok \\xff\\xfe\\x00 end\\n')\nemit(1)");
        let record = run(&source, &[]);
        assert_ended(&record, "finished 1");
        let captured = match stream {
            "stdout" => &record.stdout,
            _ => &record.stderr,
        };
        assert_eq!(captured.text(), "ok \u{fffd}\u{fffd}\0 end\n");
        assert_eq!(captured.kept, b"ok \xff\xfe\x00 end\n");
    }
}

#[test]
fn output_is_cut_between_characters() {
    let record = run("print('aaaaé')\nemit(1)", &["stdout=5B"]);
    assert_ended(&record, "finished 1");
    assert_eq!(record.stdout.text(), "aaaa");
    assert_eq!((record.stdout.kept.len(), record.stdout.dropped), (5, 2));
}

#[test]
fn output_of_children_and_of_both_streams_is_kept_apart() {
    let source = "\
import subprocess, sys
subprocess.run(['echo', 'from a child'], check=True)
print('to stderr', file=sys.stderr)
emit(1)
";
    let record = run(source, &[]);
    assert_ended(&record, "finished 1");
    assert_eq!(record.stdout.text(), "from a child\n");
    assert_eq!(record.stderr.text(), "to stderr\n");
}

#[test]
fn a_program_that_closes_its_output_or_leaves_it_unread_goes_on() {
    let source = "\
import os
os.close(1); os.close(2)
emit('still here')
";
    assert_ended(&run(source, &[]), "finished \"still here\"");
}

#[test]
fn with_no_room_for_output_all_of_it_is_counted() {
    let record = run("print('x' * 99999)\nemit(1)", &["stdout=0B"]);
    assert_ended(&record, "finished 1");
    assert_eq!(
        (record.stdout.kept.len(), record.stdout.dropped),
        (0, 100_000)
    );
}
