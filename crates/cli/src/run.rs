//! `stockade run`.

use std::time::Duration;

use stockade::{Engine, Error, ErrorKind, Host, Outcome, Record};

use crate::destination::Destination;
use crate::flag::{Format, Request};
use crate::interrupt::Interrupt;
use crate::live::{Live, Show, Shown};
use crate::terminal::{self, Paint};
use crate::trouble::Failure;
use crate::{evidence, json, request, verdict};

/// How long a reader of the output may take after a cancellation.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs the submission, prints what came of it, gives the exit code.
pub(crate) fn run(request: &Request) -> Result<u8, Failure> {
    // Begins what takes longest before a run.
    let host = Host::probe()?;
    let (submission, policy) = request::read(request)?;
    let destination = request
        .out
        .as_deref()
        .map(Destination::prepare)
        .transpose()?;
    let interrupt = Interrupt::catch()?;
    let mut engine = Engine::new(host)?;
    if let Some(path) = &request.audit {
        engine = engine.audit_file(path)?;
    }
    let mut live = Live::new(show(request), &interrupt);
    let ended = engine.run_watched(&submission, &policy, &mut live);
    drop(engine);
    interrupt.over();
    let cancelled = matches!(&ended, Err(error) if error.kind() == ErrorKind::Cancelled);
    let Some(shown) = live.finish(cancelled.then_some(PATIENCE)) else {
        // Whoever holds up the output would hold up the error as well.
        return Ok(ErrorKind::Cancelled.exit_code());
    };
    let Shown { fresh, stdout } = shown;
    if !fresh {
        terminal::say("\n");
    }
    let record = match (ended, stdout) {
        (Err(error), _) if error.kind() != ErrorKind::Cancelled => return Err(error.into()),
        // A run that was cancelled because its output had no reader is told as that.
        (_, Err(unwritten)) => return Err(terminal::unwritten(unwritten)),
        (ended, Ok(())) => ended?,
    };
    hand_over(request, &record, destination)?;
    tell(request, &record);
    Ok(record.outcome.exit_code())
}

fn show(request: &Request) -> Show {
    match request.format {
        Format::Human if request.no_value => Show::Through,
        Format::Human if request.quiet => Show::Nothing,
        // The record has it.
        Format::Json if !request.verbose => Show::Nothing,
        Format::Json | Format::Human => Show::Beside,
    }
}

/// Gives the caller what was asked for, on standard output or in the file.
fn hand_over(
    request: &Request,
    record: &Record,
    destination: Option<Destination>,
) -> Result<(), Failure> {
    match (request.format, destination) {
        (Format::Json, None) => terminal::print_json_text(&record.to_json())?,
        (Format::Json, Some(destination)) => {
            destination.write(&json::printable(&record.to_json()))?;
        }
        (Format::Human, None) => match record.outcome.value() {
            Some(value) if terminal::stdout_is_one() => {
                terminal::print(&format!("{}\n", value.pretty()))?;
            }
            Some(value) => terminal::print(&format!("{}\n", value.text()))?,
            None => {}
        },
        (Format::Human, Some(destination)) => {
            if let Some(value) = record.outcome.value() {
                destination.write(value.text())?;
            }
        }
    }
    Ok(())
}

/// Tells a person how it went.
fn tell(request: &Request, record: &Record) {
    let paint = Paint::for_stderr();
    let went_well = matches!(record.outcome, Outcome::Finished { .. });
    let mut text = String::new();
    match request.format {
        Format::Json if !request.verbose => return,
        Format::Human if request.quiet && went_well => return,
        // It was not shown, and is wanted after all.
        Format::Human if request.quiet => text.push_str(&verdict::stderr(record)),
        Format::Json | Format::Human => {}
    }
    text.push_str(&verdict::line(record, paint));
    text.push_str(&verdict::notes(record, paint));
    if request.verbose {
        text.push_str(&evidence::text(record, paint));
    }
    terminal::say(&text);
}

/// An engine for what only looks.
pub(crate) fn engine() -> Result<Engine, Error> {
    Engine::new(Host::probe()?)
}
