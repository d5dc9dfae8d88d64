//! The figures that the project promises, each measured beside its yardstick in one run.
//!
//! `cold` and `memory` report whether a bar is met and fail only when a run fails: times on a busy
//! machine are no test. `leftovers` is exact, so it fails when anything is left.

mod census;
mod cold;
mod leftover;
mod memory;

use std::path::PathBuf;

const ROUNDS: u32 = 60;
/// Fewer give no 99th percentile worth its name.
const ROUNDS_MIN: u32 = 40;
const USAGE: &str = "\
usage: cargo xtask bench [cold|memory|leftovers|all] [--rounds N] [--json FILE] [--stockade FILE]
  --stockade FILE    measure this command instead of building one";

/// What was measured, as text for people and as members of a JSON object.
#[derive(Debug, Default)]
struct Report {
    members: Vec<String>,
}

impl Report {
    fn number(&mut self, name: &str, value: f64) {
        self.members.push(format!("\"{name}\":{value:.3}"));
    }

    fn bar(&mut self, name: &str, value: f64, most: f64) {
        let verdict = if value <= most { "met" } else { "MISSED" };
        println!("{verdict}: {name} {value:.2}, at most {most}");
        self.number(name, value);
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut what, mut rounds, mut json, mut given) = ("all", ROUNDS, None, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "cold" | "memory" | "leftovers" | "all" => what = word,
            "--rounds" => {
                let number = words.next().and_then(|text| text.parse().ok());
                rounds = number.ok_or(USAGE)?;
            }
            "--json" => json = Some(PathBuf::from(words.next().ok_or(USAGE)?)),
            "--stockade" => given = Some(PathBuf::from(words.next().ok_or(USAGE)?)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    if rounds < ROUNDS_MIN {
        return Err(format!(
            "at least {ROUNDS_MIN} rounds, not {rounds}: fewer have no p99"
        ));
    }
    let stockade = match given {
        Some(path) => path,
        None => crate::artefact::stockade()?,
    };
    let mut report = Report::default();
    if matches!(what, "cold" | "all") {
        cold::measure(&stockade, rounds, &mut report)?;
    }
    if matches!(what, "memory" | "all") {
        memory::measure(&stockade, &mut report)?;
    }
    if matches!(what, "leftovers" | "all") {
        leftover::measure(&stockade, &mut report)?;
    }
    let Some(path) = json else { return Ok(()) };
    std::fs::write(&path, format!("{{{}}}\n", report.members.join(",")))
        .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
}
