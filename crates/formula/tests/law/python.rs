//! What Python says of the same expression. One long-lived interpreter reads them from a pipe.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use stockade_formula::{Budget, Code, Compiled, Formula, Signature};

use crate::generator::{Generator, INPUTS, SIGNATURE};

/// Expressions tried in each run.
const TRIED: u64 = 100_000;

/// The interpreter whose semantics these are.
const PYTHON: &str = "/usr/bin/python3";

/// Prints a line for each line: the value as JSON, or the name of the exception.
const ORACLE: &str = r"
import json, sys
names = json.loads(sys.argv[1])
names.update(
    upper=str.upper, lower=str.lower, strip=str.strip, replace=str.replace, find=str.find,
    startswith=str.startswith, endswith=str.endswith, split=str.split,
    join=lambda items, between: between.join(items),
    unique=lambda items: list(dict.fromkeys(items)),
    range=lambda *a: list(range(*a)),
)
out = sys.stdout
for line in sys.stdin:
    try:
        value = eval(json.loads(line), dict(names))
        text = json.dumps(value, ensure_ascii=False, separators=(',', ':'), allow_nan=False)
    except Exception as error:
        text = '!' + type(error).__name__
    out.write(text + '\n')
";

/// Whether what came of it here is what Python says, but for the differences that are meant.
fn agrees(ours: &Result<String, Code>, theirs: &str) -> Verdict {
    let code = match ours {
        Ok(value) if value == theirs => return Verdict::Same,
        Ok(_) => return Verdict::Differs,
        Err(code) => *code,
    };
    let meant = [
        // Python goes on with larger ints, and may drop them before the end.
        Code::Overflow,
        Code::NotFinite,
        Code::NumberTooLarge,
        Code::Cost,
        Code::Built,
        Code::ResultSize,
        // What is always a mistake is one before there is data.
        Code::Unrelated,
    ];
    if meant.contains(&code) {
        return Verdict::Meant;
    }
    let theirs_for = [
        (Code::DivisionByZero, "!ZeroDivisionError"),
        (Code::Index, "!IndexError"),
        (Code::MissingKey, "!KeyError"),
        (Code::NoItems, "!ValueError"),
        (Code::Unreadable, "!ValueError"),
        (Code::ArgumentMet, "!ValueError"),
    ];
    let same = theirs_for.contains(&(code, theirs));
    if same {
        Verdict::Same
    } else {
        Verdict::Differs
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Same,
    Meant,
    Differs,
}

fn evaluate(source: &str, signature: &Signature) -> Result<String, Code> {
    let evaluate = |formula: Compiled| {
        let inputs = formula.inputs_from_json(INPUTS.as_bytes())?;
        formula.eval(&inputs, Budget::default())
    };
    match Formula::compile(source, signature).and_then(evaluate) {
        Ok(evaluated) => Ok(evaluated.value.to_json()),
        Err(error) => Err(error.code()),
    }
}

#[test]
fn python_says_the_same_of_a_hundred_thousand_expressions() {
    let mut python = Command::new(PYTHON)
        .args(["-I", "-c", ORACLE, INPUTS])
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Another hundred thousand: `STOCKADE_LAW_SEED=7 cargo test -p stockade-formula --test law`.
    let run: u64 = std::env::var("STOCKADE_LAW_SEED").map_or(0, |seed| seed.parse().unwrap());
    let formulas: Vec<String> = (run * TRIED..(run + 1) * TRIED)
        .map(|seed| Generator::new(seed).formula(1 + u32::try_from(seed % 4).unwrap()))
        .collect();
    let mut questions = python.stdin.take().unwrap();
    let answers = BufReader::new(python.stdout.take().unwrap());
    let signature = Signature::parse(SIGNATURE).unwrap();
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    std::thread::scope(|scope| {
        let formulas = &formulas;
        scope.spawn(move || {
            for formula in formulas {
                let quoted = formula.replace('\\', "\\\\").replace('"', "\\\"");
                writeln!(questions, "\"{quoted}\"").unwrap();
            }
        });
        for (formula, theirs) in formulas.iter().zip(answers.lines()) {
            let theirs = theirs.unwrap();
            let ours = evaluate(formula, &signature);
            let verdict = agrees(&ours, &theirs);
            if verdict == Verdict::Differs && wrong.len() < 20 {
                wrong.push(format!("{formula}\n  here {ours:?}, in Python {theirs}"));
            }
            *counts.entry(verdict).or_insert(0_u64) += 1;
        }
    });
    assert!(python.wait().unwrap().success());
    assert!(wrong.is_empty(), "{counts:?}\n{}", wrong.join("\n"));
    assert_eq!(counts.values().sum::<u64>(), TRIED);
    // Else the generator mostly makes what cannot be compared.
    assert!(counts[&Verdict::Same] > TRIED * 4 / 5, "{counts:?}");
}
