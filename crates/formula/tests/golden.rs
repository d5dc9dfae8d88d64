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
        match formula.eval(&inputs, Budget::default()) {
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
