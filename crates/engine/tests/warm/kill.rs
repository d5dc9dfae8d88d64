//! Whatever is killed, whenever: the call says so or is unaffected, the next one works, nothing
//! stays.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::census::{Census, generations, own};
use crate::run::{State, again, assert_passes, ended, is_again, job, limited, many};
use stockade::{Engine, Error, ErrorKind, Host, Record, Stream, Watch};
use stockade_sys::process::kill;
use stockade_sys::signal::Signal;

/// Generations of an engine's descendants.
const ZYGOTE_INIT: usize = 0;
const ZYGOTE: usize = 1;
const INIT: usize = 2;
const PROGRAM: usize = 3;
const VICTIMS: [usize; 4] = [ZYGOTE_INIT, ZYGOTE, INIT, PROGRAM];

/// How long anything may take that must happen.
const WITHIN: Duration = Duration::from_mins(1);

fn engine() -> Engine {
    Engine::new(Host::probe().unwrap()).unwrap()
}

fn run(engine: &Engine, source: &str) -> Result<Record, Error> {
    engine.run(&job(source), &limited(&[]))
}

/// Waits until `done`; there is no event for what other processes do.
#[track_caller]
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < WITHIN, "never {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Kills all of a generation; how many there were.
fn kill_all(generation: usize) -> usize {
    let found = generations(own());
    let victims = found.get(generation).cloned().unwrap_or_default();
    for victim in &victims {
        // One that has ended meanwhile is dead as well.
        let _ = kill(*victim, Signal::KILL);
    }
    victims.len()
}

/// Children that may have waited, or been in the making, when something was killed.
const WAITED_MAX: usize = 4;

/// Runs work again, and warm. The kernel has yet to end what dies with what was killed: a run that
/// gets there meanwhile is ended as well, and says so.
#[track_caller]
fn assert_serves(engine: &Engine) {
    let mut failed = 0;
    until("warm again", || match run(engine, "emit(1)") {
        Ok(record) => {
            assert_eq!(ended(&record), "finished 1", "{}", record.to_json());
            record.evidence.warmth.is_some()
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Host, "{error}");
            failed += 1;
            assert!(failed <= WAITED_MAX, "{error}");
            false
        }
    });
    assert_eq!(engine.settle(), [""; 0]);
}

/// Waits until two children wait for a submission.
fn until_two_wait() {
    until("two wait", || {
        let found = generations(own());
        found.get(PROGRAM).is_some_and(|all| all.len() == 2)
    });
}

/// Runs `test` alone, where it keeps two children, and nothing is left of `work` at the end.
fn alone(test: &str, work: impl FnOnce(&Engine)) {
    if !is_again() {
        assert_passes(&mut again(
            test,
            &State::new(test.rsplit(':').next().unwrap()),
        ));
        return;
    }
    // What a first engine opens is kept.
    let opened = engine();
    opened.warm(&limited(&[]), 1).unwrap();
    run(&opened, "emit(0)").unwrap();
    drop(opened);
    let first = engine();
    // Takes the network that the host had in the making.
    run(&first, "emit(0)").unwrap();
    let before = Census::take(&first);
    let second = engine();
    second.warm(&limited(&[]), 2).unwrap();
    work(&second);
    drop(second);
    assert_eq!(Census::take(&first), before);
}

#[test]
fn what_waits_may_be_killed() {
    alone("kill::what_waits_may_be_killed", |engine| {
        for victim in VICTIMS {
            until_two_wait();
            assert!(kill_all(victim) > 0, "there is generation {victim}");
            assert_serves(engine);
        }
    });
}

/// Does something when the program has printed.
struct Then<F>(Option<F>);

impl<F: FnOnce()> Watch for Then<F> {
    fn output(&mut self, _: Stream, _: &[u8]) {
        if let Some(then) = self.0.take() {
            then();
        }
    }

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

#[test]
fn what_runs_may_be_killed() {
    alone("kill::what_runs_may_be_killed", |engine| {
        for victim in VICTIMS {
            let mut watch = Then(Some(|| assert!(kill_all(victim) > 0)));
            let source = "print('up')\nimport time\ntime.sleep(600)";
            let ended = match engine.run_watched(&job(source), &limited(&[]), &mut watch) {
                Ok(record) => ended(&record),
                Err(error) => format!("{:?}", error.kind()),
            };
            let expected = match victim {
                // The program alone: a program may kill itself as well.
                PROGRAM => "crashed 9",
                // With its init it is gone, and nothing but the killer knows why.
                _ => "Host",
            };
            assert_eq!(ended, expected, "generation {victim}");
            assert_serves(engine);
        }
    });
}

/// Any process, at any moment, again and again, while runs go on.
#[test]
fn anything_may_be_killed_at_any_step() {
    alone("kill::anything_may_be_killed_at_any_step", |engine| {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let killer = scope.spawn(|| {
                let mut turn = 0_usize;
                let mut killed = 0_usize;
                while !over.load(Ordering::Relaxed) {
                    turn += 1;
                    let found = generations(own());
                    // The younger ones are found in any state; the older are killed more seldom.
                    let generation = if turn.is_multiple_of(40) {
                        turn / 40 % 2
                    } else {
                        2 + turn % 2
                    };
                    let all = found.get(generation).map_or(&[][..], Vec::as_slice);
                    if let Some(victim) = all.get(turn % all.len().max(1)) {
                        let _ = kill(*victim, Signal::KILL);
                        killed += 1;
                    }
                }
                killed
            });
            let work: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut ends = [0_usize; 3];
                        for n in 0..many(30) {
                            match run(engine, &format!("emit({n})")) {
                                Ok(record) => match ended(&record).as_str() {
                                    "crashed 9" => ends[1] += 1,
                                    text => {
                                        assert_eq!(text, format!("finished {n}"));
                                        ends[0] += 1;
                                    }
                                },
                                Err(error) => {
                                    assert_eq!(error.kind(), ErrorKind::Host, "{error}");
                                    ends[2] += 1;
                                }
                            }
                        }
                        ends
                    })
                })
                .collect();
            let ends: Vec<_> = work
                .into_iter()
                .map(thread::ScopedJoinHandle::join)
                .collect();
            over.store(true, Ordering::Relaxed);
            let all = killer.join().unwrap();
            println!("killed {all}; finished, crashed, failed: {ends:?}");
            assert!(ends.iter().all(Result::is_ok) && all > many(50));
        });
        // What was killed may have been given up for dead, and is made again when it is asked for.
        assert_serves(engine);
    });
}
