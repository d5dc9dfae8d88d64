//! Every line of `docs/formula.md` is true.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use stockade_formula::{Budget, Formula, Function, Signature, Type, Value};

const DOCUMENT: &str = include_str!("../../../docs/formula.md");

/// Lines within blocks of the kind.
fn block(kind: &str) -> Vec<&'static str> {
    let (mut lines, mut inside) = (Vec::new(), false);
    for line in DOCUMENT.lines() {
        if let Some(name) = line.strip_prefix("```") {
            inside = name == kind;
        } else if inside {
            lines.push(line);
        }
    }
    lines
}

/// The types of the inputs are not known, but their names are.
fn inputs() -> (Signature, Vec<(String, Value)>) {
    let text = block("inputs").join("\n");
    let Value::Map(map) = Value::from_json(text.as_bytes(), &Type::Any).unwrap() else {
        panic!("the inputs are no object");
    };
    let mut signature = Signature::new();
    let mut pairs = Vec::new();
    for (name, value) in map.entries() {
        signature = signature.input(name, Type::Any).unwrap();
        pairs.push((name.to_string(), value.clone()));
    }
    (signature, pairs)
}

#[test]
fn every_line_of_the_document_is_true() {
    let (signature, pairs) = inputs();
    let lines = block("formula");
    assert!(lines.len() > 150, "{} lines", lines.len());
    let mut wrong = Vec::new();
    for line in lines {
        let (formula, wanted) = line.rsplit_once("  # ").unwrap();
        let found = Formula::compile(formula.trim(), &signature).and_then(|formula| {
            let inputs = formula.inputs(pairs.clone())?;
            formula.eval(&inputs, Budget::default())
        });
        let found = match found {
            Ok(evaluated) => evaluated.value.to_json(),
            Err(error) => error.code().to_string(),
        };
        if found != wanted {
            wrong.push(format!("{formula}: {found}, not {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_function_is_in_the_document() {
    for function in Function::ALL {
        let call = format!("{}(", function.name());
        assert!(DOCUMENT.contains(&call), "{call}");
    }
}
