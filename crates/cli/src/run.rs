//! `stockade run`.

use std::time::Duration;

use stockade::{Engine, Error, ErrorKind, Host, Sink, Watch};

use crate::answer::{Answer, Wanted};
use crate::asked::Asked;
use crate::destination::Destination;
use crate::flag::{Format, Request};
use crate::interrupt::Interrupt;
use crate::live::{Live, Show, Shown};
use crate::terminal;
use crate::trouble::Failure;
use crate::warm::client::{Extras, Link};
use crate::warm::next::{Next, warm};
use crate::{json, request};

/// How long a reader of the output may take after a cancellation.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs the submission, prints what came of it, gives the exit code.
pub(crate) fn run(request: &Request, link: Option<Link>) -> Result<u8, Failure> {
    // Begins what takes longest before a run.
    let host = link.is_none().then(Host::probe).transpose()?;
    let asked = request::read(request)?;
    let destination = request
        .out
        .as_deref()
        .map(Destination::prepare)
        .transpose()?;
    let interrupt = Interrupt::catch()?;
    let extras = Extras {
        wanted: Wanted::by(request),
        audited: request.audit.is_some(),
        live: show(request) != Show::Nothing,
    };
    let mut next = Next::new(request);
    let link = link.and_then(|link| next.usable(link));
    let sink = request.audit.as_deref().map(stockade::audit_file);
    let sink = sink.transpose()?;
    let mut live = Live::new(show(request), &interrupt);
    let warm = match link {
        Some(link) => warm(link, asked, extras, sink.as_deref(), &mut live),
        None => Err(Box::new(asked)),
    };
    let ended = warm.unwrap_or_else(|asked| {
        let host = host.map_or_else(Host::probe, Ok)?;
        let (record, wanted) = (sink.as_deref(), extras.wanted);
        cold(host, *asked, wanted, record, &mut live, &mut next)
    });
    interrupt.over();
    // A cancelled run whose boundary could not be taken away fails for that.
    let failed = ended.as_ref().err().map(Error::kind);
    let given_up = failed.filter(|kind| *kind == ErrorKind::Cancelled || interrupt.has_come());
    let Some(shown) = live.finish(given_up.map(|_| PATIENCE)) else {
        // Whoever holds up the output would hold up the error as well.
        return Ok(given_up.unwrap_or(ErrorKind::Cancelled).exit_code());
    };
    let Shown { fresh, stdout } = shown;
    if !fresh {
        terminal::say("\n");
    }
    let answer = match (ended, stdout) {
        (Err(error), _) if error.kind() != ErrorKind::Cancelled => return Err(error.into()),
        // A run that was cancelled because its output had no reader is told as that.
        (_, Err(unwritten)) => return Err(terminal::unwritten(unwritten)),
        (ended, Ok(())) => ended?,
    };
    hand_over(request, &answer, destination)?;
    terminal::say(&answer.told);
    next.prepare();
    Ok(answer.exit_code)
}

/// Runs it here.
fn cold(
    host: Host,
    asked: Asked,
    wanted: Wanted,
    sink: Option<&dyn Sink>,
    watch: &mut dyn Watch,
    next: &mut Next<'_>,
) -> Result<Answer, Error> {
    let (submission, policy) = asked.open()?;
    let engine = Engine::new(host)?;
    let ended = match sink {
        Some(sink) => engine.run_recorded(&submission, &policy, watch, sink),
        None => engine.run_watched(&submission, &policy, watch),
    };
    // All is removed before anything is said.
    drop(engine);
    let record = ended?;
    next.saw(&record);
    Ok(Answer::of(&record, wanted))
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
    answer: &Answer,
    destination: Option<Destination>,
) -> Result<(), Failure> {
    let Some(result) = &answer.result else {
        return Ok(());
    };
    match (request.format, destination) {
        (Format::Json, None) => terminal::print_json_text(result)?,
        (Format::Json, Some(destination)) => destination.write(&json::printable(result))?,
        (Format::Human, None) => terminal::print(&format!("{result}\n"))?,
        (Format::Human, Some(destination)) => destination.write(result)?,
    }
    Ok(())
}

/// An engine for what only looks.
pub(crate) fn engine() -> Result<Engine, Error> {
    Engine::new(Host::probe()?)
}
