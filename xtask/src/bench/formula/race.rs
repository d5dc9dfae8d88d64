//! The formulas in Rust: this project's evaluator beside `cel`, in one process.
//!
//! `formula-race` prints a line for each measurement: engine, formula, phase, median µs.
//! `formula-race only NAME` measures one formula of this project, for a profile.
//! `formula-race inputs` prints the inputs, `formula-race table` the formulas, for Python.
#![forbid(unsafe_code)]

#[path = "../../../../crates/formula/tests/memory/hostile.rs"]
mod hostile;
mod table;

use std::hint::black_box;
use std::time::Instant;

use stockade_formula::{Budget, Formula, Signature};
use table::{SIGNATURE, TABLE, inputs};

/// Batches of which the median is taken.
const BATCHES: usize = 31;
/// Time that one batch takes about, µs.
const BATCH_US: f64 = 4_000.0;

type Done = Result<(), Box<dyn std::error::Error>>;
type Measured = Result<f64, Box<dyn std::error::Error>>;

/// Median µs of one call.
fn median(mut call: impl FnMut() -> Done) -> Measured {
    let once = Instant::now();
    call()?;
    let each = (once.elapsed().as_secs_f64() * 1e6).max(0.01);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped"
    )]
    let count = ((BATCH_US / each) as u32).clamp(1, 200_000);
    let mut times = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let start = Instant::now();
        for _ in 0..count {
            call()?;
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    }
    times.sort_by(f64::total_cmp);
    Ok(times[BATCHES / 2])
}

fn main() -> Done {
    match std::env::args().nth(1).as_deref() {
        Some("inputs") => println!("{}", inputs()),
        Some("table") => {
            for row in TABLE {
                println!(
                    "{}\t{}\t{}\t{}",
                    row.name,
                    row.formula,
                    if row.cel.is_ok() { "cel" } else { "" },
                    row.cel.unwrap_or_else(|why| why)
                );
            }
        }
        Some("signature") => println!("{SIGNATURE}"),
        Some("hostile") => end_hostile(),
        Some("only") => ours(std::env::args().nth(2).as_deref())?,
        _ => {
            ours(None)?;
            cel()?;
        }
    }
    Ok(())
}

/// All formulas, or the one that is called so.
fn ours(only: Option<&str>) -> Done {
    let (signature, json) = (Signature::parse(SIGNATURE)?, inputs());
    for row in TABLE {
        if only.is_some_and(|name| name != row.name) {
            continue;
        }
        let compiled = Formula::compile(row.formula, &signature)?;
        let given = compiled.inputs_from_json(json.as_bytes())?;
        let cold = median(|| {
            let formula = Formula::compile(black_box(row.formula), &signature)?;
            black_box(formula.eval(&given, Budget::default())?);
            Ok(())
        })?;
        let warm = median(|| {
            black_box(compiled.eval(black_box(&given), Budget::default())?);
            Ok(())
        })?;
        println!("stockade\t{}\tparse+eval\t{cold:.4}", row.name);
        println!("stockade\t{}\tcompiled\t{warm:.4}", row.name);
    }
    Ok(())
}

fn cel() -> Done {
    let tree: serde_json::Value = serde_json::from_str(&inputs())?;
    let mut context = cel::Context::default();
    for (name, value) in tree.as_object().into_iter().flatten() {
        context.add_variable_from_value(name, cel::to_value(value)?);
    }
    // Dates are texts in JSON.
    for (name, made) in [
        ("today", "timestamp('2024-03-31T00:00:00Z')"),
        ("due", "timestamp('2024-01-31T00:00:00Z')"),
        ("limit", "duration('720h')"),
    ] {
        let value = cel::Program::compile(made)?.execute(&context)?;
        context.add_variable_from_value(name, value);
    }
    for row in TABLE {
        let source = match row.cel {
            Ok(source) => source,
            Err(why) => {
                println!("cel\t{}\tboth phases\tcannot: {why}", row.name);
                continue;
            }
        };
        let compiled = cel::Program::compile(source)?;
        let cold = median(|| {
            let program = cel::Program::compile(black_box(source))?;
            black_box(program.execute(&context)?);
            Ok(())
        })?;
        let warm = median(|| {
            black_box(compiled.execute(&context)?);
            Ok(())
        })?;
        println!("cel\t{}\tparse+eval\t{cold:.4}", row.name);
        println!("cel\t{}\tcompiled\t{warm:.4}", row.name);
    }
    Ok(())
}

/// Formulas that hang or fill memory elsewhere, and their variations: each ends with an error or a
/// small value.
fn end_hostile() {
    for source in hostile::all() {
        let start = Instant::now();
        let signature = Signature::open();
        let ended = Formula::compile(&source, &signature).and_then(|formula| {
            let inputs = formula.inputs_from_json(b"{\"x\": 1}")?;
            formula.eval(&inputs, Budget::default())
        });
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let ended = ended.map_or_else(|error| error.code().slug(), |_| "a value");
        let shown: String = source.chars().take(60).collect();
        println!("{ms:.3}\t{ended}\t{shown}");
    }
}
