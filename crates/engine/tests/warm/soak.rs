//! Many runs: none fails, nothing grows.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::census::{Census, generations, own};
use crate::run::{State, again, assert_passes, ended, engine, is_again, many, names, run, warm};

/// Runs, and how many at once.
const RUNS: usize = 2_000;
const AT_ONCE: usize = 16;

/// Private memory of all zygotes together, KiB.
fn zygotes_kib() -> u64 {
    let zygotes = generations(own()).get(1).cloned().unwrap_or_default();
    assert_eq!(zygotes.len(), 2);
    let private = |pid: &i32| {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
        let lines = rollup.lines().filter(|line| line.starts_with("Anonymous:"));
        let kib = |line: &str| line.split_whitespace().nth(1).unwrap().parse::<u64>();
        lines.map(|line| kib(line).unwrap()).sum::<u64>()
    };
    zygotes.iter().map(private).sum()
}

/// Runs `test` in a process of its own, whose engine lasts as long as that: what it kept warm, the
/// next one there removes.
fn alone(test: &str, name: &str) {
    let state = State::new(name);
    assert_passes(&mut again(test, &state));
    assert_passes(&mut again("step::an_engine_starts", &state));
    let left = names(&state.0);
    assert!(!left.iter().any(|name| name.contains(".lock")), "{left:?}");
}

/// Waits until all children wait again, and nothing is left to bury.
fn settled() -> Census {
    assert_eq!(engine().settle(), [""; 0]);
    // Whoever makes a child looks at its group when its program is there already.
    engine().replenish().unwrap();
    let began = Instant::now();
    loop {
        let found = generations(own());
        if found
            .get(3)
            .is_some_and(|programs| programs.len() == AT_ONCE)
        {
            return Census::take(engine());
        }
        assert!(began.elapsed() < Duration::from_mins(1), "{found:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn runs(many: usize) {
    let left = AtomicUsize::new(many);
    let take = |n: usize| n.checked_sub(1);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Ok(n) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
                    let record = run(&format!("print({n})\nemit({n})"), &[]);
                    assert_eq!(ended(&record), format!("finished {n}"));
                    assert_eq!(record.stdout.text(), format!("{n}\n"));
                }
            });
        }
    });
}

#[test]
fn two_thousand_runs_leave_nothing_and_grow_nothing() {
    if !is_again() {
        let test = "soak::two_thousand_runs_leave_nothing_and_grow_nothing";
        alone(test, "soak");
        return;
    }
    warm(&[], AT_ONCE);
    runs(many(200));
    let (before, memory) = (settled(), zygotes_kib());
    runs(many(RUNS));
    assert_eq!(settled(), before);
    let grown = zygotes_kib().saturating_sub(memory);
    println!("the zygotes have grown from {memory} KiB by {grown} KiB");
    // A page that is written to once: 2,000 runs that each kept one would be 8 MB.
    assert!(grown <= 256, "{memory} KiB, and {grown} KiB more");
}

/// What a program starts to outlive it, and what it says meanwhile.
const CLINGING: &str = "\
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for n in range(5):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if os.fork() == 0:
            while True: pass
        while True: os.write(1, b'x' * 4096)
";

#[test]
fn programs_that_cling_to_life_leave_nothing_either() {
    if !is_again() {
        let test = "soak::programs_that_cling_to_life_leave_nothing_either";
        alone(test, "cling");
        return;
    }
    let limits = ["wall=500ms", "grace=200ms", "stdout=1MiB"];
    let spin = format!("{CLINGING}while True: pass");
    let ends = format!("{CLINGING}emit(1)");
    warm(&limits, AT_ONCE);
    assert_eq!(ended(&run("emit(1)", &limits)), "finished 1");
    let before = settled();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..many(20) {
                    assert_eq!(ended(&run(&spin, &limits)), "limit_exceeded wall");
                    // The program ends; what it has started is ended with it.
                    let record = run(&ends, &limits);
                    let all = ["finished 1", "limit_exceeded wall"];
                    assert!(all.contains(&&*ended(&record)), "{}", record.to_json());
                }
            });
        }
    });
    assert_eq!(settled(), before);
}
