//! One hostile program, run and named by its outcome.

use std::sync::OnceLock;

pub(crate) use crate::ended::ended;
use crate::twin;
use stockade::{Engine, Host, Limits, Policy, Record, Submission};

/// The engine of this process.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        let facts = engine.host().facts();
        assert!(facts.cgroup.is_usable(), "a cgroup: {:?}", facts.cgroup);
        engine
    })
}

/// Runs `source` on the jail, cold and warm, where the two may end differently: by the kernel's
/// timing.
#[track_caller]
pub(crate) fn run_each_way(source: &str, limits: &[&str]) -> [Record; 2] {
    let (job, policy) = asked("jail", source, limits);
    // What keeps a zygote for it.
    twin::run(
        engine(),
        &Submission::python(""),
        &policy.clone().no_value(),
    )
    .unwrap();
    let warm = engine().run(&job, &policy).unwrap();
    assert!(warm.evidence.warmth.is_some());
    [engine().run(&job, &policy.cold()).unwrap(), warm]
}

/// Runs `source` on `rung`, with `emit` at hand, under the default policy with some limits.
#[track_caller]
pub(crate) fn run_on(rung: &str, source: &str, limits: &[&str]) -> Record {
    let (job, policy) = asked(rung, source, limits);
    twin::run(engine(), &job, &policy).unwrap()
}

fn asked(rung: &str, source: &str, limits: &[&str]) -> (Submission, Policy) {
    let parsed = limits
        .iter()
        .try_fold(Limits::default(), |all, one| all.parse(one));
    let policy = Policy::default().limits(parsed.unwrap()).rung(rung);
    let job = Submission::python(format!("from stockade_guest import emit\n{source}"));
    (job, policy)
}

/// [`run_on`] the jail.
#[track_caller]
pub(crate) fn run(source: &str, limits: &[&str]) -> Record {
    run_on("jail", source, limits)
}

/// Fails, showing the whole record, unless [`ended`] says `expected`.
#[track_caller]
pub(crate) fn assert_ended(record: &Record, expected: &str) {
    assert_eq!(ended(record), expected, "{}", record.to_json());
}

/// [`run`], and the value that it must give.
#[track_caller]
pub(crate) fn assert_value(source: &str, limits: &[&str], expected: &str) {
    assert_ended(&run(source, limits), &format!("finished {expected}"));
}
