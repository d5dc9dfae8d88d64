//! A formula goes the whole way of a submission: planned, run, judged, recorded.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use stockade::{
    Engine, ErrorKind, Guarantee, Host, LimitId, Limits, Outcome, Policy, Schema, Submission,
};

fn engine() -> Engine {
    Engine::new(Host::probe().unwrap()).unwrap()
}

#[test]
fn a_formula_gives_a_value_and_the_record_names_rung_and_language() {
    let submission = Submission::formula("sum(r['x'] for r in rows)")
        .input(br#"{"rows": [{"x": 1}, {"x": 41}]}"#.as_slice());
    let record = engine().run(&submission, &Policy::default()).unwrap();
    assert_eq!(record.outcome.value().unwrap().text(), "42");
    assert_eq!(record.evidence.rung, "formula");
    assert_eq!(record.evidence.template.2, (1, 0, 0));
    assert_eq!(record.submission.language, "formula");
}

#[test]
fn a_fault_of_a_formula_is_an_outcome_with_its_code() {
    for (source, code) in [
        ("1 / x", "eval-division-by-zero"),
        ("().__class__", "language-attribute"),
        ("y", "eval-missing-input"),
        ("1 +", "source-syntax"),
    ] {
        let submission = Submission::formula(source).input(br#"{"x": 0}"#.as_slice());
        let record = engine().run(&submission, &Policy::default()).unwrap();
        let Outcome::Raised { exception, .. } = record.outcome else {
            panic!("{source}: {}", record.outcome.verdict());
        };
        assert_eq!(exception, code, "{source}");
    }
}

#[test]
fn a_budget_that_is_used_up_is_a_limit() {
    let policy = |limit: &str| Policy::default().limits(Limits::default().parse(limit).unwrap());
    for (source, limit, id) in [
        (
            "[a for a in range(9999) for b in range(9999)]",
            "cost=100000",
            LimitId::Cost,
        ),
        ("sum(a for a in range(50))", "cost=100", LimitId::Cost),
        ("[a for a in range(500)]", "built=1KiB", LimitId::Built),
        ("[a for a in range(500)]", "result=1KiB", LimitId::Result),
    ] {
        let submission = Submission::formula(source);
        let record = engine().run(&submission, &policy(limit)).unwrap();
        let Outcome::LimitExceeded {
            limit: met,
            allowed,
            ..
        } = record.outcome
        else {
            panic!("{source}: {}", record.outcome.verdict());
        };
        let asked = Limits::default().parse(limit).unwrap().get(id);
        assert_eq!((met, allowed), (id, asked), "{source}");
    }
    let within = engine()
        .run(
            &Submission::formula("sum(a for a in range(9))"),
            &policy("cost=100"),
        )
        .unwrap();
    assert_eq!(within.outcome.value().unwrap().text(), "36");
}

#[test]
fn a_record_says_which_version_of_the_language_it_was() {
    let record = engine()
        .run(&Submission::formula("1"), &Policy::default())
        .unwrap();
    let json = record.to_json();
    assert!(json.contains(r#""language_version":"1""#), "{json}");
    assert!(!json.contains(r#""python""#), "{json}");
}

#[test]
fn the_value_of_a_formula_is_checked_against_the_schema() {
    let schema = Schema::compile(br#"{"type": "string"}"#).unwrap();
    let policy = Policy::default().schema(schema);
    let rejected = engine().run(&Submission::formula("1"), &policy).unwrap();
    assert!(matches!(rejected.outcome, Outcome::ResultRejected(_)));
    let passed = engine().run(&Submission::formula("'a'"), &policy).unwrap();
    assert!(matches!(passed.outcome, Outcome::Finished { .. }));
}

#[test]
fn what_the_formula_rung_does_not_give_is_refused() {
    for guarantee in [Guarantee::SeparateAddressSpace, Guarantee::SeparateKernel] {
        let policy = Policy::default().require(guarantee);
        let refused = engine()
            .run(&Submission::formula("1"), &policy)
            .unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Refused);
    }
    let policy = Policy::default().rung("formula");
    let refused = engine().run(&Submission::python("1"), &policy).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    let file = Submission::formula("1").file("a.csv", "x").unwrap();
    let refused = engine().run(&file, &Policy::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidSubmission);
}

#[test]
fn python_is_never_run_on_the_formula_rung() {
    let (plan, _) = engine()
        .plan(&Submission::python("1"), &Policy::default())
        .unwrap();
    assert_ne!(plan.rung, "formula");
}
