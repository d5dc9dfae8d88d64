//! Each program in each way that it can be started.

use std::sync::OnceLock;

use stockade::{Engine, Host, LimitId, Limits, Policy, Record, Submission};

/// What every program may use.
const EMIT: &str = "from stockade_guest import emit, input as the_input\n";

/// The engine of this process, which starts each program cold.
pub(crate) fn cold() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        let found = engine.template_named("code-interpreter").unwrap();
        assert_eq!(
            found.standing,
            stockade::template::Standing::Ready,
            "build it with `stockade template build code-interpreter`"
        );
        engine
    })
}

/// The engine that keeps interpreters ready.
fn warm() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        engine.warm(&policy(&[]), 1).unwrap();
        engine
    })
}

/// The policy of these tests, with some limits.
pub(crate) fn policy(limits: &[&str]) -> Policy {
    let parsed = limits
        .iter()
        .try_fold(Limits::default(), |all, one| all.parse(one));
    Policy::default()
        .limits(parsed.unwrap())
        .template("code-interpreter")
}

/// A program with `emit` at hand.
pub(crate) fn job(source: &str) -> Submission {
    Submission::python(format!("{EMIT}{source}"))
}

/// The records of one program, started in each way, by the name of the way.
pub(crate) fn both(job: &Submission, policy: &Policy) -> Vec<(&'static str, Record)> {
    let warm = warm().run(job, policy).unwrap();
    // A share of CPUs is set before the packages are imported: another share is another start.
    let usual = policy.limits_ref().get(LimitId::Cpus) == Limits::default().get(LimitId::Cpus);
    assert_eq!(warm.evidence.warmth.is_some(), usual, "{}", warm.to_json());
    vec![("cold", cold().run(job, policy).unwrap()), ("warm", warm)]
}

/// That `source` gives `expected` however it is started, and says nothing on standard error.
#[track_caller]
pub(crate) fn gives(source: &str, limits: &[&str], expected: &str) {
    for (way, record) in both(&job(source), &policy(limits)) {
        let value = record.outcome.value().map(|value| value.text().to_owned());
        assert_eq!(
            value.as_deref(),
            Some(expected),
            "{way}: {}",
            record.to_json()
        );
        assert_eq!(record.stderr.text(), "", "{way}");
    }
}
