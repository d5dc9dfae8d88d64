//! Each process of a run is killed at each of its steps, by number, until it has no more: the call
//! says so or is unaffected, the next one works, nothing stays.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use crate::census::{Census, groups};
use crate::hunt::{Hunt, Prey, answer, here};
use crate::run::{State, again, assert_passes, ended, is_again, job, limited, many, names};
use stockade::{Engine, Error, Host, Policy, Record};

/// How long anything may take that must happen.
const WITHIN: Duration = Duration::from_mins(1);

/// What a round is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scene {
    /// A new engine is to keep an interpreter warm, and runs in it.
    Zygote,
    /// An engine that keeps one makes a child for a run, as none that waits fits.
    Child,
    Cold,
}

fn engine() -> Engine {
    Engine::new(Host::probe().unwrap()).unwrap()
}

fn said(ended_so: Result<Record, Error>) -> String {
    match ended_so {
        Ok(record) => {
            let warm = record.evidence.warmth.is_some();
            let how = if warm { "warm" } else { "cold" };
            format!("{} {how}", ended(&record))
        }
        Err(error) => format!("{:?}", error.kind()),
    }
}

/// Plays one round after another, for as long as we are asked to.
fn supervise(scene: Scene) {
    here();
    // What a first engine opens is kept.
    drop(engine());
    let first = engine();
    // Takes the network that the host had in the making.
    first.run(&job("emit(0)"), &limited(&[]).cold()).unwrap();
    let keeper = (scene == Scene::Child).then(|| {
        let keeper = engine();
        keeper.warm(&limited(&[]), 1).unwrap();
        // As above, and who buries begins with the first warm run.
        for policy in [limited(&[]).cold(), limited(&[])] {
            keeper.run(&job("emit(0)"), &policy).unwrap();
        }
        keeper
    });
    let at_rest = |engine: &Engine| {
        let left = engine.settle();
        engine.replenish().unwrap();
        left
    };
    if let Some(keeper) = &keeper {
        assert_eq!(at_rest(keeper), [""; 0]);
    }
    let mut asked = answer("ready");
    while asked == "round" {
        let before = Census::take(&first);
        let mut told = match (&keeper, scene) {
            (Some(keeper), _) => made(keeper),
            (None, Scene::Cold) => cold(),
            (None, Scene::Zygote | Scene::Child) => kept(),
        };
        if let Some(keeper) = &keeper {
            told.extend(at_rest(keeper));
        }
        told.extend(left(&first, &before));
        asked = answer(&told.join(", "));
    }
}

/// What dies with who was killed in the first call is dead when this returns.
fn first_call(told: &str) {
    assert_eq!(answer(told), "next");
}

fn kept() -> Vec<String> {
    let (engine, policy) = (engine(), limited(&[]));
    let kept = engine.warm(&policy, 1);
    let called = said(engine.run(&job("emit(1)"), &policy));
    first_call(&match &kept {
        Ok(()) => called,
        Err(error) => format!("{:?}, {called}", error.kind()),
    });
    let again = kept.or_else(|_| engine.warm(&policy, 1));
    let mut told = vec![said(
        again.and_then(|()| engine.run(&job("emit(2)"), &policy)),
    )];
    told.extend(engine.settle());
    told
}

fn made(keeper: &Engine) -> Vec<String> {
    first_call(&said(
        keeper.run(&job("emit(1)"), &limited(&["memory=1GiB"])),
    ));
    vec![said(keeper.run(&job("emit(2)"), &limited(&[])))]
}

fn cold() -> Vec<String> {
    let (engine, policy): (Engine, Policy) = (engine(), limited(&[]).cold());
    first_call(&said(engine.run(&job("emit(1)"), &policy)));
    vec![said(engine.run(&job("emit(2)"), &policy))]
}

/// What there is now and was not before. The kernel takes ended threads off its list when it gets
/// to it.
fn left(engine: &Engine, before: &Census) -> Option<String> {
    let began = Instant::now();
    loop {
        let now = Census::take(engine);
        if now == *before {
            return None;
        }
        if began.elapsed() > WITHIN {
            return Some(format!("{before:?} before, {now:?} after"));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The numbers of steps to be killed at: all, or a tenth where the machine is emulated and they are
/// hundreds.
fn numbers(prey: Prey) -> impl Iterator<Item = usize> {
    let every = match prey {
        Prey::Mapper | Prey::ChildProgram | Prey::ColdProgram => 1,
        Prey::Supervisor | Prey::ZygoteInit | Prey::Zygote | Prey::ChildInit | Prey::ColdInit => {
            10 / many(10)
        }
    };
    (0..).step_by(every)
}

/// How often the first call ended how.
type Ends = BTreeMap<String, usize>;

/// Kills `prey` at each of its steps. The last of `allowed` is how a call ends that nothing
/// happens to.
fn at_each_step(name: &str, scene: Scene, prey: Prey, allowed: &[&str]) -> Ends {
    if is_again() {
        supervise(scene);
        return Ends::new();
    }
    let state = State::new(name);
    let mut hunt = Hunt::start(&format!("step::{name}"), &state, prey);
    hunt.ask("go").unwrap();
    let mut ends = Ends::new();
    let undisturbed = *allowed.last().unwrap();
    let next_works = undisturbed.replace('1', "2");
    for fatal in numbers(prey) {
        let called = hunt.round(fatal, "round").unwrap();
        let step = format!("{prey:?} before step {fatal}, {}: {called}", hunt.last());
        println!("{step}");
        assert!(allowed.contains(&called.as_str()), "{step}");
        assert_eq!(hunt.ask("next").unwrap(), next_works, "after {step}");
        if !hunt.killed() {
            assert_eq!(called, undisturbed, "nobody was killed");
            break;
        }
        *ends.entry(called).or_default() += 1;
    }
    assert_eq!(hunt.ask("end"), None);
    println!("{prey:?}: {ends:?}");
    ends
}

/// `warm` fails, and the run is cold.
const NOT_KEPT: &str = "Host, finished 1 cold";

#[test]
fn a_zygotes_init_may_be_killed_at_each_step() {
    let name = "a_zygotes_init_may_be_killed_at_each_step";
    let allowed = [NOT_KEPT, "Host", "finished 1 warm"];
    let ends = at_each_step(name, Scene::Zygote, Prey::ZygoteInit, &allowed);
    assert!(is_again() || ends[NOT_KEPT] > many(100), "{ends:?}");
}

#[test]
fn who_maps_a_zygotes_ids_may_be_killed_at_each_step() {
    let name = "who_maps_a_zygotes_ids_may_be_killed_at_each_step";
    let allowed = [NOT_KEPT, "finished 1 warm"];
    let ends = at_each_step(name, Scene::Zygote, Prey::Mapper, &allowed);
    assert!(is_again() || ends.contains_key(NOT_KEPT), "{ends:?}");
}

#[test]
fn a_zygote_may_be_killed_at_each_step() {
    let name = "a_zygote_may_be_killed_at_each_step";
    let allowed = [NOT_KEPT, "Host", "finished 1 warm"];
    let ends = at_each_step(name, Scene::Zygote, Prey::Zygote, &allowed);
    assert!(is_again() || ends[NOT_KEPT] > many(10), "{ends:?}");
}

/// What cannot be made warm is made cold.
#[test]
fn the_init_of_a_zygotes_child_may_be_killed_at_each_step() {
    let name = "the_init_of_a_zygotes_child_may_be_killed_at_each_step";
    let allowed = ["finished 1 cold", "Host", "finished 1 warm"];
    let ends = at_each_step(name, Scene::Child, Prey::ChildInit, &allowed);
    let enough = |ends: &Ends| ends["finished 1 cold"] > many(50) && ends.contains_key("Host");
    assert!(is_again() || enough(&ends), "{ends:?}");
}

#[test]
fn a_zygotes_child_may_be_killed_at_each_step() {
    let name = "a_zygotes_child_may_be_killed_at_each_step";
    let allowed = [
        "finished 1 cold",
        "Host",
        "crashed 9 warm",
        "finished 1 warm",
    ];
    let ends = at_each_step(name, Scene::Child, Prey::ChildProgram, &allowed);
    assert!(
        is_again() || ends.contains_key("crashed 9 warm"),
        "{ends:?}"
    );
}

#[test]
fn a_cold_runs_init_may_be_killed_at_each_step() {
    let name = "a_cold_runs_init_may_be_killed_at_each_step";
    let allowed = ["Host", "finished 1 cold"];
    let ends = at_each_step(name, Scene::Cold, Prey::ColdInit, &allowed);
    assert!(is_again() || ends["Host"] > many(100), "{ends:?}");
}

#[test]
fn a_cold_runs_program_may_be_killed_at_each_step() {
    let name = "a_cold_runs_program_may_be_killed_at_each_step";
    let allowed = ["Host", "crashed 9 cold", "finished 1 cold"];
    let ends = at_each_step(name, Scene::Cold, Prey::ColdProgram, &allowed);
    assert!(
        is_again() || ends.contains_key("crashed 9 cold"),
        "{ends:?}"
    );
}

#[test]
fn a_supervisor_may_be_killed_at_each_step() {
    if is_again() {
        return supervise(Scene::Zygote);
    }
    let here = engine();
    for fatal in numbers(Prey::Supervisor) {
        let state = State::new(&format!("supervisor-{fatal}"));
        let name = "step::a_supervisor_may_be_killed_at_each_step";
        let mut hunt = Hunt::start(name, &state, Prey::Supervisor);
        hunt.ask("go").unwrap();
        let called = hunt.round(fatal, "round").and_then(|_| hunt.ask("next"));
        println!("before step {fatal}, {}: {called:?}", hunt.last());
        if !hunt.killed() {
            assert_eq!(called.as_deref(), Some("finished 2 warm"));
            assert!(fatal > 100, "{fatal}");
            assert_eq!(hunt.ask("end"), None);
            return;
        }
        assert_eq!(called, None);
        // What is left is empty, and the next supervisor removes it.
        let prefix = format!("s{}-", hunt.pid());
        assert_passes(&mut again("step::an_engine_starts", &state));
        assert_eq!(
            groups(&here, &prefix),
            [""; 0].map(std::path::PathBuf::from)
        );
        let left = names(&state.0);
        assert!(
            !left.iter().any(|name| name.starts_with(&prefix)),
            "{left:?}"
        );
    }
}

#[test]
fn an_engine_starts() {
    drop(engine());
}
