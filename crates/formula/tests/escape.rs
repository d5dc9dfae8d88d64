//! Ways out of a Python interpreter, none of which can be written as a formula: the whole program
//! is refused, and so is each expression that it assigns.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use stockade_formula::{Family, Formula, Signature};

/// A line for each file: its code, then those of the expressions that it assigns to `leak`.
const GOLDEN: &str = include_str!("../../../golden/formula/escape.txt");

/// The code for a formula that is handed nothing.
fn code(source: &[u8]) -> &'static str {
    match Formula::compile_bytes(source, &Signature::new()) {
        Ok(_) => "COMPILED",
        Err(error) => {
            assert!(
                matches!(error.family(), Family::Source | Family::Language),
                "{error}"
            );
            error.code().slug()
        }
    }
}

/// Whether `source` shows a way out of an interpreter: the others attack the boundary of a process.
fn is_specimen(source: &[u8]) -> bool {
    source
        .split(|byte| *byte == b'\n')
        .any(|line| line == b"# expect: specimen")
}

#[test]
fn every_escape_is_refused_with_its_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../escape/escape");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| is_specimen(&fs::read(path).unwrap()))
        .collect();
    paths.sort();
    assert!(paths.len() > 50);
    let mut found = String::new();
    for path in paths {
        let source = fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        write!(found, "{name} {}", code(&source)).unwrap();
        for line in String::from_utf8_lossy(&source).lines() {
            // A constant leads nowhere.
            let nothing = |text: &&str| {
                let whole = text.starts_with('"') && text.ends_with('"');
                *text != "None" && !(whole && text.matches('"').count() == 2)
            };
            let assigned = line.trim_start().strip_prefix("leak = ");
            if let Some(expression) = assigned.filter(nothing) {
                write!(found, " {}", code(expression.as_bytes())).unwrap();
            }
        }
        found.push('\n');
    }
    if std::env::var_os("STOCKADE_BLESS").is_some() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/formula/escape.txt");
        fs::write(golden, &found).unwrap();
    }
    assert!(!found.contains("COMPILED"), "{found}");
    assert_eq!(found, GOLDEN);
}
