//! One engine, kept warm, and what came of its runs.

use std::sync::OnceLock;

use stockade::{Engine, Host, Limits, Outcome, Policy, Record, Submission};

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

/// Keeps `depth` children for runs with these limits.
pub(crate) fn warm(limits: &[&str], depth: usize) {
    engine().warm(&limited(limits), depth).unwrap();
}

/// `source`, with `emit` at hand.
pub(crate) fn job(source: &str) -> Submission {
    Submission::python(format!("from stockade_guest import emit\n{source}"))
}

/// The default policy with some limits.
pub(crate) fn limited(limits: &[&str]) -> Policy {
    let parsed = limits
        .iter()
        .try_fold(Limits::default(), |all, one| all.parse(one));
    Policy::default().limits(parsed.unwrap())
}

/// Runs `source` warm, or fails.
#[track_caller]
pub(crate) fn run(source: &str, limits: &[&str]) -> Record {
    let record = engine().run(&job(source), &limited(limits)).unwrap();
    assert!(record.evidence.warmth.is_some(), "{}", record.to_json());
    record
}

/// The outcome in a line.
pub(crate) fn ended(record: &Record) -> String {
    let rest = match &record.outcome {
        Outcome::Finished { value: Some(value) } => value.text().to_owned(),
        Outcome::Finished { value: None } => String::new(),
        Outcome::Raised {
            exception, message, ..
        } => format!("{exception}: {message}"),
        Outcome::Exited { code } => code.to_string(),
        Outcome::Crashed { signal } => signal.to_string(),
        Outcome::LimitExceeded { limit, .. } => limit.name().to_owned(),
        Outcome::Denied { by, .. } => by.clone(),
        Outcome::ResultRejected(rejection) => rejection.to_string(),
        Outcome::ProtocolViolated { why } => why.clone(),
    };
    format!("{} {rest}", record.outcome.slug())
}
