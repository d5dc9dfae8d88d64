//! `cargo xtask bench formula`: eight formulas, in Rust beside `cel`, from Python beside what
//! Python has, over a million rows, and hostile ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Report;
use crate::python::{Abi, wheel};
use crate::scratch::Scratch;
use crate::shell::{Shell, cache};

/// What other people evaluate expressions with; pinned.
const PEERS: [&str; 4] = [
    "simpleeval==1.0.8",
    "cel-python==0.5.0",
    "RestrictedPython==9.0",
    "pydantic-monty==1.4.0",
];
const PEERS_SCRIPT: &str = include_str!("peers.py");
const SCALAR_SCRIPT: &str = include_str!("scalar.py");
const PYTHON: &str = "/usr/bin/python3";
const ROWS: u32 = 1_000_000;

/// Formulas over all rows; the others are scalar.
const LARGE: [&str; 2] = ["filter", "aggregate"];

type Times = BTreeMap<(String, String, String), f64>;

pub(super) fn measure(stockade: &Path, report: &mut Report) -> Result<(), String> {
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let race = race()?;
    let mut times = Times::new();
    let from = |text: &str, prefix: &str, times: &mut Times| {
        for line in text.lines() {
            if let [engine, name, phase, us] = line.split('\t').collect::<Vec<_>>()[..] {
                match us.parse() {
                    Ok(us) => {
                        let key = (
                            format!("{prefix}{engine}"),
                            name.to_owned(),
                            phase.to_owned(),
                        );
                        times.insert(key, us);
                    }
                    Err(_) => println!("SKIPPED: {engine}, {name}, {phase}: {us}"),
                }
            }
        }
    };
    from(&Shell::new(&race).read()?, "rust/", &mut times);
    match peers(&race, scratch.path()) {
        Ok(text) => from(&text, "python/", &mut times),
        Err(why) => println!("SKIPPED: what Python has: {why}"),
    }
    println!("{}", shown(&times));
    bars(&times, report);
    hostile(&race, report)?;
    rows(stockade, scratch.path(), report)
}

fn race() -> Result<PathBuf, String> {
    Shell::cargo()
        .args([
            "build",
            "--release",
            "--package",
            "xtask",
            "--bin",
            "formula-race",
        ])
        .args(["--no-default-features", "--features", "formula-race"])
        .run()?;
    Ok(crate::shell::root().join("target/release/formula-race"))
}

/// An environment with what Python has, kept for later runs.
fn environment() -> Result<PathBuf, String> {
    let venv = cache()?.join("formula-peers");
    let interpreter = venv.join("bin/python");
    if !interpreter.exists() {
        Shell::new(PYTHON).args(["-m", "venv"]).arg(&venv).run()?;
    }
    for peer in PEERS {
        let installed = Shell::new(&interpreter)
            .args(["-m", "pip", "install", "--quiet", peer])
            .run();
        if let Err(why) = installed {
            println!("SKIPPED: {peer} cannot be installed: {why}");
        }
    }
    Ok(interpreter)
}

/// What the scripts print, that of the scalar formulas once for each wheel as it is published.
fn peers(race: &Path, scratch: &Path) -> Result<String, String> {
    let interpreter = environment()?;
    let file = |name: &str, content: &str| {
        let path = scratch.join(name);
        std::fs::write(&path, content)
            .map(|()| path)
            .map_err(|e| format!("{name}: {e}"))
    };
    let given = [
        file("table", &Shell::new(race).arg("table").read()?)?,
        file("inputs", &Shell::new(race).arg("inputs").read()?)?,
        file("signature", &Shell::new(race).arg("signature").read()?)?,
    ];
    let (peers, scalar) = (
        file("peers.py", PEERS_SCRIPT)?,
        file("scalar.py", SCALAR_SCRIPT)?,
    );
    let mut said = String::new();
    for (abi, ours) in [(Abi::Stable, "stockade-abi3"), (Abi::Own, "stockade")] {
        let package = scratch.join(ours);
        Shell::new(&interpreter)
            .args(["-m", "pip", "install", "--quiet", "--no-index", "--target"])
            .args([&package, &wheel(abi)?])
            .run()?;
        let script = |script: &Path| {
            Shell::new(&interpreter)
                .arg(script)
                .args(&given)
                .env("PYTHONPATH", &package)
        };
        said += &script(&scalar).arg(ours).read()?;
        match abi {
            Abi::Stable => {}
            Abi::Own => said += &script(&peers).read()?,
        }
    }
    Ok(said)
}

/// A line for each engine and phase, a column for each formula.
fn shown(times: &Times) -> String {
    let mut lines: BTreeMap<(&str, &str), BTreeMap<&str, f64>> = BTreeMap::new();
    for ((engine, name, phase), us) in times {
        lines.entry((phase, engine)).or_default().insert(name, *us);
    }
    let mut text = String::from("median µs");
    for ((phase, engine), columns) in lines {
        let _ = write!(text, "\n{phase:10}  {engine:24}");
        for (name, us) in columns {
            let _ = write!(text, "  {name} {us:.3}");
        }
    }
    text
}

fn bars(times: &Times, report: &mut Report) {
    let worst = |engine: &str, phase: &str, large: bool| {
        let of = times.iter().filter(|((e, name, p), _)| {
            e == engine && p == phase && LARGE.contains(&name.as_str()) == large
        });
        of.map(|(_, us)| *us).fold(f64::NAN, f64::max)
    };
    report.bar(
        "formula_parse_eval_us",
        worst("rust/stockade", "parse+eval", false),
        3.0,
    );
    report.bar(
        "formula_compiled_us",
        worst("rust/stockade", "compiled", false),
        0.3,
    );
    for peer in ["rust/cel", "python/monty", "python/simpleeval"] {
        let over = scalars(times, "parse+eval")
            .map(|(name, ours)| time(times, peer, name, "parse+eval") / ours)
            // What was not measured is not met.
            .reduce(|a, b| if a < b || a.is_nan() { a } else { b });
        report.least(
            &format!("formula_parse_eval_of_{peer}"),
            over.unwrap_or(f64::NAN),
            5.0,
        );
    }
    report.bar(
        "formula_thousand_rows_us",
        worst("rust/stockade", "compiled", true),
        50.0,
    );
    report.bar(
        "formula_python_us",
        worst("python/stockade", "compiled", false),
        1.0,
    );
    for engine in ["stockade", "stockade-abi3"] {
        ratios(times, engine, report);
    }
}

/// Not a number where it was not measured.
fn time(times: &Times, engine: &str, name: &str, phase: &str) -> f64 {
    let key = (engine.to_owned(), name.to_owned(), phase.to_owned());
    times.get(&key).copied().unwrap_or(f64::NAN)
}

/// Each scalar formula, and what it takes in Rust.
fn scalars<'t>(times: &'t Times, phase: &'t str) -> impl Iterator<Item = (&'t str, f64)> {
    let all = times.iter().filter(move |((by, name, of), _)| {
        by == "rust/stockade" && of == phase && !LARGE.contains(&&**name)
    });
    all.map(|((_, name, _), us)| (name.as_str(), *us))
}

/// Each compiled scalar formula from a dict, over `RestrictedPython` and over `eval`,
/// which took turns with it.
fn ratios(times: &Times, engine: &str, report: &mut Report) {
    let of = |by: &str, name| time(times, &format!("python/{by}"), name, "compiled");
    for (name, _) in scalars(times, "compiled") {
        let ours = of(engine, name);
        let beside = |other: &str| of(&format!("{other}, beside {engine}"), name);
        // Whichever way of calling it is the quicker.
        let restricted = beside("restrictedpython").min(beside("restrictedpython-merged"));
        let member = format!("formula_{engine}_{name}_over");
        report.below(
            &format!("{member}_restrictedpython"),
            ours / restricted,
            1.0,
        );
        report.bar(
            &format!("{member}_eval"),
            ours / beside("cpython-eval"),
            2.0,
        );
    }
}

fn hostile(race: &Path, report: &mut Report) -> Result<(), String> {
    let text = Shell::new(race).arg("hostile").read()?;
    let mut worst = (0.0_f64, "");
    for line in text.lines() {
        let ms = line
            .split('\t')
            .next()
            .and_then(|ms| ms.parse().ok())
            .unwrap_or(f64::NAN);
        if ms.is_nan() || ms > worst.0 {
            worst = (ms, line);
        }
    }
    println!(
        "{} hostile formulas; the slowest: {}",
        text.lines().count(),
        worst.1
    );
    report.bar("formula_hostile_ms", worst.0, 100.0);
    Ok(())
}

/// Runs a command and prints its peak memory in KiB after its lines were counted.
const PEAK_SCRIPT: &str = "\
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)
took = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(took, peak, done.stdout.count(10))
";

/// A scalar rule over a million rows of CSV, and the same over a tenth of them.
fn rows(stockade: &Path, scratch: &Path, report: &mut Report) -> Result<(), String> {
    let run = |count: u32| -> Result<(f64, f64), String> {
        let mut text = String::from("region,units,price\n");
        for n in 0..count {
            let _ = writeln!(text, "EU,{},{}.5", n % 100, n % 37);
        }
        let path = scratch.join("rows.csv");
        std::fs::write(&path, text).map_err(|e| format!("cannot write rows: {e}"))?;
        let said = Shell::new(PYTHON)
            .args(["-c", PEAK_SCRIPT])
            .arg(stockade)
            .args(["eval", "units * price > 100", "--each", "--input"])
            .arg(&path)
            .args(["--signature", "units: int, price: float"])
            .read()?;
        let words: Vec<f64> = said
            .split(' ')
            .filter_map(|w| w.trim().parse().ok())
            .collect();
        match words[..] {
            [seconds, kib, lines] if lines.total_cmp(&f64::from(count)).is_eq() => {
                Ok((seconds, kib))
            }
            _ => Err(format!("{said:?} for {count} rows")),
        }
    };
    let ((tenth, small), (whole, large)) = (run(ROWS / 10)?, run(ROWS)?);
    let rate = f64::from(ROWS) / whole / 1e6;
    println!("{ROWS} rows in {whole:.2} s, a tenth in {tenth:.2} s: {rate:.2} M rows/s");
    println!("peak memory {large} KiB, for a tenth of the rows {small} KiB");
    report.bar("formula_us_a_row", 1.0 / rate, 1.0);
    report.bar("formula_rows_peak_growth", large / small, 1.1);
    Ok(())
}
