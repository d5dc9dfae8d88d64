//! `stockade doctor`: what this host can do, found by doing it.

mod facility;
mod shown;
mod trial;

use stockade::facts::Facts;
use stockade::{Engine, Guarantee, Host, LADDER};

use crate::flag::Format;
use crate::terminal::{self, Paint};
use crate::trouble::Failure;

use facility::Facility;
use trial::Trial;

/// Exit code when no rung is usable that gives what every run needs by default.
const UNUSABLE: u8 = 69;

/// What was found.
struct Diagnosis<'a> {
    facts: &'a Facts,
    facilities: Vec<Facility>,
    rungs: Vec<Trial>,
}

impl Diagnosis<'_> {
    /// Whether a run can be had without naming a rung.
    fn is_usable(&self) -> bool {
        let gives_all = |given: &[Guarantee]| {
            stockade::BASELINE
                .iter()
                .all(|wanted| given.contains(wanted))
        };
        self.rungs
            .iter()
            .any(|trial| trial.usable.is_ok() && gives_all(trial.spec.guarantees))
    }
}

/// Tries everything and prints what came of it.
pub(crate) fn doctor(format: Format) -> Result<u8, Failure> {
    let engine = Engine::new(Host::prove()?)?;
    let rungs: Vec<_> = LADDER
        .iter()
        .map(|rung| trial::run(&engine, rung.spec()))
        .collect();
    let diagnosis = Diagnosis {
        facts: engine.host().facts(),
        facilities: facility::all(&engine, &rungs),
        rungs,
    };
    match format {
        Format::Human => terminal::print(&shown::text(&diagnosis, Paint::for_stdout()))?,
        Format::Json => terminal::print_json(&shown::document(&diagnosis))?,
    }
    Ok(if diagnosis.is_usable() { 0 } else { UNUSABLE })
}
