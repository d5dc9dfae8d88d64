//! `stockade doctor`: what this host can do, found by doing it, and what it holds, found by
//! attacking it.

mod attack;
mod card;
mod facility;
mod shown;
mod trial;

use stockade::facts::Facts;
use stockade::{Engine, Guarantee, Host, LADDER};

use clap::Args;

use crate::flag::Format;
use crate::terminal::{self, Paint};
use crate::trouble::Failure;

use facility::Facility;
use trial::Trial;

/// What is asked of the doctor.
#[derive(Debug, Args)]
pub(crate) struct Request {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Attack the rungs of this host with the hostile programs that are in this binary
    ///
    /// Each is first run where nothing holds it, if that does no harm, and must get through there.
    /// A rung that is got through is not offered any more to the runs of this user, this kernel and
    /// this program.
    #[arg(long)]
    prove: bool,

    /// Attack this rung alone; can be given several times
    #[arg(long = "rung", value_name = "NAME", requires = "prove")]
    rungs: Vec<String>,

    /// Run this probe alone, as `escape/064`, and keep nothing; can be given several times
    #[arg(long = "probe", value_name = "ID", requires = "prove")]
    probes: Vec<String>,
}

impl Request {
    /// How to print it.
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

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

/// Tries everything, or attacks it, and prints what came of it.
pub(crate) fn doctor(request: &Request) -> Result<u8, Failure> {
    if request.prove {
        return attack::prove(&request.rungs, &request.probes, request.format());
    }
    let format = request.format();
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
