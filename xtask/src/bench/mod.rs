//! The figures that the project promises, each measured beside its yardstick in one run.
//!
//! `cold`, `warm` and `memory` report whether a bar is met and fail only when a run fails: times on
//! a busy machine are no test. `leftovers` is exact, so it fails when anything is left.

mod census;
mod check;
mod cold;
mod formula;
mod leftover;
mod memory;
mod warm;

use std::path::PathBuf;

const ROUNDS: u32 = 60;
/// Fewer give no 99th percentile worth its name.
const ROUNDS_MIN: u32 = 40;
const USAGE: &str = "\
usage: cargo xtask bench [cold|warm|memory|leftovers|formula|check|all] [--rounds N] [--json FILE]
  --stockade FILE    measure this command instead of building one (not `warm`)
of `warm`:
  --against NAMES    who runs the same: of bwrap,nsjail,runsc,python,fork (all that are there)
  --svg FILE         draw the medians
  --build            build the template with pandas, and install nsjail, where they are missing
  --full             60 s of throughput, 10,000 runs at once, all rounds: minutes, not seconds";

/// What was measured, as text for people and as members of a JSON object.
#[derive(Debug, Default)]
struct Report {
    members: Vec<String>,
}

impl Report {
    /// The members of an object that is JSON already.
    fn splice(&mut self, object: &str) {
        let object = object.trim();
        let inner = object
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        if let Some(inner) = inner {
            self.members.push(inner.trim().to_owned());
        }
    }

    fn number(&mut self, name: &str, value: f64) {
        self.members.push(format!("\"{name}\":{value:.3}"));
    }

    fn least(&mut self, name: &str, value: f64, least: f64) {
        let verdict = if value >= least { "met" } else { "MISSED" };
        println!("{verdict}: {name} {value:.2}, at least {least}");
        self.number(name, value);
    }

    fn below(&mut self, name: &str, value: f64, bound: f64) {
        let verdict = if value < bound { "met" } else { "MISSED" };
        println!("{verdict}: {name} {value:.2}, below {bound}");
        self.number(name, value);
    }

    fn bar(&mut self, name: &str, value: f64, most: f64) {
        let verdict = if value <= most { "met" } else { "MISSED" };
        println!("{verdict}: {name} {value:.2}, at most {most}");
        self.number(name, value);
    }
}

/// What is asked for.
struct Request<'a> {
    what: &'a str,
    rounds: u32,
    json: Option<PathBuf>,
    stockade: Option<PathBuf>,
    warm: warm::Wish<'a>,
}

impl<'a> Request<'a> {
    fn parse(arguments: &'a [String]) -> Result<Self, String> {
        let mut request = Self {
            what: "all",
            rounds: ROUNDS,
            json: None,
            stockade: None,
            warm: warm::Wish::default(),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "cold" | "warm" | "memory" | "leftovers" | "formula" | "check" | "all" => {
                    request.what = word;
                }
                "--rounds" => {
                    let number = words.next().and_then(|text| text.parse().ok());
                    request.rounds = number.ok_or(USAGE)?;
                }
                "--json" => request.json = Some(words.next().ok_or(USAGE)?.into()),
                "--stockade" => request.stockade = Some(words.next().ok_or(USAGE)?.into()),
                "--svg" => request.warm.svg = Some(words.next().ok_or(USAGE)?.into()),
                "--against" => request.warm.against = Some(words.next().ok_or(USAGE)?),
                "--build" => request.warm.build = true,
                "--full" => request.warm.full = true,
                _ => return Err(USAGE.to_owned()),
            }
        }
        if request.rounds < ROUNDS_MIN {
            return Err(format!(
                "at least {ROUNDS_MIN} rounds, not {}: fewer have no p99",
                request.rounds
            ));
        }
        Ok(request)
    }

    fn includes(&self, what: &str) -> bool {
        self.what == what || self.what == "all"
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let request = Request::parse(arguments)?;
    let mut report = Report::default();
    if request.what != "warm" {
        let stockade = match &request.stockade {
            Some(path) => path.clone(),
            None => crate::artefact::stockade()?,
        };
        if request.includes("cold") {
            cold::measure(&stockade, request.rounds, &mut report)?;
        }
        if request.includes("memory") {
            memory::measure(&stockade, &mut report)?;
        }
        if request.includes("leftovers") {
            leftover::measure(&stockade, &mut report)?;
        }
        if request.includes("formula") {
            formula::measure(&stockade, &mut report)?;
        }
        if request.includes("check") {
            check::measure(&stockade, &mut report)?;
        }
    }
    if request.includes("warm") {
        warm::measure(&request.warm, request.rounds, &mut report)?;
    }
    let Some(path) = request.json else {
        return Ok(());
    };
    std::fs::write(&path, format!("{{{}}}\n", report.members.join(",")))
        .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Request::parse(&words).map(|request| request.what.to_owned())
    }

    #[test]
    fn one_bench_or_all_and_no_word_that_is_not_known() {
        assert_eq!(parse(&[]).as_deref(), Ok("all"));
        assert_eq!(parse(&["warm", "--full", "--build"]).as_deref(), Ok("warm"));
        for words in [
            &["hot"][..],
            &["--rounds", "x"],
            &["--rounds", "3"],
            &["--json"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn the_members_of_an_object_join_those_that_are_there() {
        let mut report = Report::default();
        report.number("first", 1.0);
        report.splice("{\n  \"second\": {\"third\": 3}\n}\n");
        let all = report.members.join(",");
        assert_eq!(all, "\"first\":1.000,\"second\": {\"third\": 3}");
    }
}
