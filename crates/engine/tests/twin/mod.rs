//! One submission run twice, cold and from a warm start: what comes of it must be the same.
//!
//! What may differ is listed here, and nowhere else:
//! - what was measured: times, CPU, memory, and with a limit of time how much was said until then;
//! - the record: a warm one says which zygote it came from and what was done before; its boundary
//!   is destroyed after the answer, so that the account of that is `Engine::settle`'s;
//! - in the program: modules that were imported before are in `sys.modules`; `/proc/self/mountinfo`
//!   shows the zygote's mounts below the run's own, `/proc/self/environ` the zygote's start, and
//!   `ru_maxrss` its memory; what is kept in a module that the zygote had loaded is not finalised;
//! - tests that count what the engine holds run cold only, with `run_cold`: children that wait are
//!   held. `warm/kill.rs` and `warm/soak.rs` count warm.

use std::sync::Mutex;

use stockade::{Engine, Error, LimitId, Outcome, Policy, Record, Submission};

/// Kinds of zygotes that this process keeps: template, whether a function is called, CPUs.
static KEPT: Mutex<Vec<(String, bool, u64)>> = Mutex::new(Vec::new());

/// Keeps a zygote that is fit for a run under `policy`.
fn keep(engine: &Engine, submission: &Submission, policy: &Policy) -> Result<(), Error> {
    let (plan, _) = engine.plan(submission, policy)?;
    let cpus = plan.limits.get(LimitId::Cpus);
    let kind = (plan.template.clone(), plan.call.is_some(), cpus);
    let mut kept = KEPT.lock().unwrap();
    if !kept.contains(&kind) {
        // Children with other limits are made of it as well.
        engine.warm(policy, 1)?;
        kept.push(kind);
    }
    Ok(())
}

/// Runs `submission` cold, then warm, and demands that the two end alike; the cold one's record.
#[track_caller]
pub(crate) fn run(
    engine: &Engine,
    submission: &Submission,
    policy: &Policy,
) -> Result<Record, Error> {
    let cold = engine.run(submission, &policy.clone().cold());
    let fit = engine.plan(submission, policy);
    if !fit.is_ok_and(|(_, rung)| rung.keeps_warm()) {
        return cold;
    }
    keep(engine, submission, policy).unwrap();
    let warm = engine.run(submission, policy);
    match (&cold, &warm) {
        (Ok(cold), Ok(warm)) => assert_alike(engine, cold, warm),
        (Err(cold), Err(warm)) => assert_eq!(cold.kind(), warm.kind(), "{cold}; {warm}"),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("cold: {cold:?}\nwarm: {warm:?}"),
    }
    cold
}

/// Fails unless the two ended alike, and nothing is left of the warm one.
#[track_caller]
fn assert_alike(engine: &Engine, cold: &Record, warm: &Record) {
    assert!(cold.evidence.warmth.is_none(), "{}", cold.to_json());
    assert!(warm.evidence.warmth.is_some(), "{}", warm.to_json());
    let both = || format!("cold: {}\nwarm: {}", cold.to_json(), warm.to_json());
    assert_eq!(said(&cold.outcome), said(&warm.outcome), "{}", both());
    // What a limit cuts short has said more or less until then.
    if !matches!(cold.outcome, Outcome::LimitExceeded { .. }) {
        for (cold, warm) in [(&cold.stdout, &warm.stdout), (&cold.stderr, &warm.stderr)] {
            assert_eq!(cold.text(), warm.text(), "{}", both());
            assert_eq!(cold.dropped, warm.dropped, "{}", both());
        }
    }
    let refused = |record: &Record| record.usage.processes_refused.is_some_and(|many| many > 0);
    assert_eq!(refused(cold), refused(warm), "{}", both());
    assert_eq!(cold.usage.disk_full, warm.usage.disk_full, "{}", both());
    assert_eq!(engine.settle(), [""; 0]);
}

/// All of an outcome but what was measured.
fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Finished { value } => {
            format!("finished {:?}", value.as_ref().map(stockade::Value::text))
        }
        Outcome::Raised {
            exception,
            message,
            traceback,
            ..
        } => format!("raised {exception}: {message}\n{traceback}"),
        Outcome::Exited { code } => format!("exited {code}"),
        Outcome::Crashed { signal } => format!("crashed {signal}"),
        Outcome::LimitExceeded { limit, by, .. } => {
            format!("limit_exceeded {} {by}", limit.name())
        }
        Outcome::Denied { by, what } => format!("denied {what} {by}"),
        Outcome::ResultRejected(rejection) => format!("result_rejected {rejection}"),
        Outcome::ProtocolViolated { why } => format!("protocol_violated {why}"),
    }
}
