//! Costs are part of the language: a change of one is a new version.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use stockade_formula::{Budget, Formula, LANGUAGE_VERSION, Signature, Type, Value};

const GOLDEN: &str = include_str!("../../../golden/formula/cost.txt");
const DOCUMENT: &str = include_str!("../../../docs/formula.md");

/// The formulas of the document with value, cost and bytes built.
#[test]
fn costs_of_this_version_are_what_they_were() {
    let (mut kind, mut json, mut formulas) = ("", String::new(), Vec::new());
    for line in DOCUMENT.lines() {
        match (line.strip_prefix("```"), kind) {
            (Some(next), _) => kind = next,
            (None, "inputs") => json.push_str(line),
            (None, "formula") => formulas.push(line.rsplit_once("  # ").unwrap().0.trim()),
            (None, _) => {}
        }
    }
    let Value::Map(map) = Value::from_json(json.as_bytes(), &Type::Any).unwrap() else {
        panic!("the inputs are no object");
    };
    let mut signature = Signature::new();
    for (name, _) in map.entries() {
        signature = signature.input(name, Type::Any).unwrap();
    }
    let mut found = format!("language version {LANGUAGE_VERSION}\n");
    for source in formulas {
        let Ok(formula) = Formula::compile(source, &signature) else {
            continue;
        };
        let pairs = map
            .entries()
            .iter()
            .map(|(name, value)| (name.as_ref(), value.clone()));
        let inputs = formula.inputs(pairs).unwrap();
        let ended = formula.eval(&inputs, Budget::default());
        // Who only looks at the value sees the same.
        let seen = |value: &Value, cost| (format!("{value:?}"), cost);
        let kept = ended.as_ref().map(|done| seen(&done.value, done.cost));
        let looked = formula.eval_with(&inputs, Budget::default(), seen);
        assert_eq!(format!("{looked:?}"), format!("{kept:?}"), "{source}");
        match ended {
            Ok(done) => writeln!(found, "{} {} {source}", done.cost, done.built).unwrap(),
            Err(error) => writeln!(found, "{} {} {source}", error.cost(), error.code()).unwrap(),
        }
    }
    if std::env::var_os("STOCKADE_BLESS").is_some() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/formula/cost.txt");
        fs::write(golden, &found).unwrap();
    }
    assert_eq!(found, GOLDEN);
}

/// A chain of texts is charged as each sum in it is, however it is made; also where the chain
/// begins or ends with something else.
#[test]
fn a_chain_of_texts_costs_what_its_sums_cost() {
    let text = |len: usize| Value::str(&"x".repeat(len));
    for lens in [[0, 0, 0], [1, 2, 3], [40, 30, 500], [9000, 1, 70_000]] {
        let [a, b, c] = lens;
        let formula = Formula::compile("a + b + c", &Signature::open()).unwrap();
        let pairs = [("a", text(a)), ("b", text(b)), ("c", text(c))];
        let inputs = formula.inputs(pairs).unwrap();
        let done = formula.eval(&inputs, Budget::default()).unwrap();
        let sums = [a + b, a + b + c].map(|len| len as u64 * 2 + 16);
        assert_eq!(done.value, text(a + b + c));
        assert_eq!(done.built, sums.iter().sum::<u64>());
        // The chain, three inputs, two steps.
        let cost = 6 + sums.iter().map(|bytes| bytes.div_ceil(64)).sum::<u64>();
        assert_eq!(done.cost, cost);
        for cost_max in [cost - 1, cost] {
            let budget = Budget {
                cost_max,
                ..Budget::default()
            };
            let ended = formula.eval(&inputs, budget).is_ok();
            assert_eq!(ended, cost_max == cost, "{lens:?}");
        }
    }
    let given = [("s", text(3)), ("n", Value::Int(2)), ("d", Value::Null)];
    for (source, start, end) in [
        ("s + s + n + s", 0, 9),
        ("n + n + s", 0, 9),
        ("s + s - s", 0, 9),
        ("s + (s + s + d) + s", 5, 14),
    ] {
        let formula = Formula::compile(source, &Signature::open()).unwrap();
        let inputs = formula.inputs(given.clone()).unwrap();
        let error = formula.eval(&inputs, Budget::default()).unwrap_err();
        let span = error.span();
        let span = (span.start, span.end);
        assert!(span == (start, end), "{source}: {span:?}");
    }
}
