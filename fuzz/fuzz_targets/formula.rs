//! Any bytes as a formula, on a small stack: no panic, no budget exceeded, no more memory than
//! twice what was charged.
#![no_main]

use std::alloc::System;

use cap::Cap;
use libfuzzer_sys::fuzz_target;
use stockade_formula::{Budget, Formula, Signature, Type, Value};

/// Counts what is taken. One formula is evaluated at a time, and nothing else runs meanwhile.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What an evaluation may take beside what it is charged for: an error and its texts, the slots of
/// one call.
const SLACK_BYTES: u64 = 4 << 10;

fn names() -> Vec<(&'static str, Value)> {
    let json = br#"[3, -1, 2.5, "a", null, {"x": [1]}]"#;
    vec![
        ("x", Value::Int(7)),
        ("y", Value::Float(-0.5)),
        ("s", Value::str("a\u{f1}b C")),
        ("rows", Value::from_json(json, &Type::Any).unwrap()),
        (
            "row",
            Value::from_json(br#"{"sku": "A-1", "size": {"w": 2}}"#, &Type::Any).unwrap(),
        ),
    ]
}

fn check(data: &[u8]) {
    let Ok(formula) = Formula::compile_bytes(data, &Signature::open()) else {
        return;
    };
    let Ok(inputs) = formula.inputs(names()) else {
        return;
    };
    let budget = Budget {
        cost_max: 20_000,
        ..Budget::default()
    };
    let before = ALLOCATOR.total_allocated();
    let ended = formula.eval(&inputs, budget);
    let taken = (ALLOCATOR.total_allocated() - before) as u64;
    match &ended {
        Ok(done) => {
            assert!(done.cost <= budget.cost_max && done.built <= budget.built_bytes_max);
            assert!(
                taken <= done.built * 2 + SLACK_BYTES,
                "{taken} taken, {} charged",
                done.built
            );
            assert!(done.value.bytes() <= budget.result_bytes_max);
        }
        Err(error) => {
            assert!(error.cost() <= budget.cost_max);
            assert!(error.span().end <= data.len());
            assert!(
                taken <= error.cost() * 128 + SLACK_BYTES * 4,
                "{taken}, {}",
                error.cost()
            );
        }
    }
    assert_eq!(
        formula.eval(&inputs, budget),
        ended,
        "the same formula differs"
    );
}

fuzz_target!(|data: &[u8]| {
    let data = data.to_vec();
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || check(&data))
        .unwrap()
        .join()
        .unwrap();
});
