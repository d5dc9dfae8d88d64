//! A run that the daemon may have, and what is done for the one after it.

use stockade::{Error, ErrorKind, Record, Sink, Watch, record};
use stockade_sys::{clock, process};

use super::address::{self, Address};
use super::client::{Extras, Handed, Link, Met};
use super::is_wanted;
use super::message::{Keep, Pattern, ToDaemon};
use super::start::{self, Wishes};
use crate::answer::Answer;
use crate::asked::Asked;
use crate::flag::Request;

/// What a start of the interpreter alone costs is not worth a daemon: `python` and its other names.
const LIGHT: [&str; 3] = ["python", "base", "ubuntu-24.04"];

/// What is to be done when this run has ended, so that the next is warm.
pub(crate) struct Next<'a> {
    request: &'a Request,
    daemon: Found,
    /// The run was cold, and could have been warm.
    missed: bool,
}

/// The daemon that was found.
enum Found {
    None,
    /// It keeps other templates.
    Without(Box<Link>),
    /// It is of another build, and is asked to go; it keeps these.
    Old(Vec<String>),
    /// It has the run, or cannot be used.
    Taken,
}

impl<'a> Next<'a> {
    pub(crate) fn new(request: &'a Request) -> Self {
        Self {
            request,
            daemon: Found::None,
            missed: false,
        }
    }

    /// The daemon, if this run can be warm there.
    pub(crate) fn usable(&mut self, link: Link) -> Option<Link> {
        let rung = self.request.rung.as_str();
        self.daemon = match link.meet() {
            Met::Ours(link, greeting) => {
                if greeting.surroundings != address::surroundings() {
                    Found::Taken
                } else if !greeting.kept.contains(&self.request.template) {
                    Found::Without(Box::new(link))
                } else if rung == "auto" || rung == "jail" {
                    self.daemon = Found::Taken;
                    return Some(link);
                } else {
                    Found::Taken
                }
            }
            Met::Other(link, kept) => match link.drain() {
                Ok(_) => Found::Old(kept),
                Err(_) => Found::None,
            },
            Met::Nobody => Found::Taken,
        };
        None
    }

    /// Notes how a cold run went.
    pub(crate) fn saw(&mut self, record: &Record) {
        self.missed = stockade::LADDER
            .iter()
            .any(|rung| rung.spec().name == record.evidence.rung && rung.keeps_warm());
    }

    /// Has the template of this run kept warm for the next, where that is worth it, and waits for
    /// nothing. What fails here is no failure of this run: the next is cold as this one was.
    pub(crate) fn prepare(self) {
        if !is_wanted(self.request.cold) {
            return;
        }
        let template = &self.request.template;
        let wanted = self.missed && !LIGHT.contains(&template.as_str());
        let mut wishes = Wishes::default();
        match self.daemon {
            Found::Taken => return,
            Found::Without(mut link) => {
                if wanted {
                    let _ = link.say(&ToDaemon::Keep(Keep {
                        pattern: Pattern {
                            template: template.clone(),
                            limits: self.request.limits.clone(),
                            grants: self.request.grants.clone(),
                            calls: self.request.call.is_some(),
                        },
                        depth: None,
                        idle_ms: None,
                        wait: false,
                    }));
                }
                return;
            }
            Found::Old(kept) => wishes.templates = kept,
            Found::None => {}
        }
        if wanted && !wishes.templates.contains(template) {
            wishes.templates.push(template.clone());
            wishes.limits.clone_from(&self.request.limits);
        }
        if wishes.templates.is_empty() {
            return;
        }
        if let Ok(address) = Address::made() {
            let _ = start::in_background(&address, &wishes);
        }
    }
}

/// Runs it in the daemon; gives back what is asked for when the daemon has not begun it.
pub(crate) fn warm(
    link: Link,
    asked: Asked,
    extras: Extras,
    sink: Option<&dyn Sink>,
    watch: &mut dyn Watch,
) -> Result<Result<Answer, Error>, Box<Asked>> {
    if let Some(Err(error)) = sink.map(Sink::reserve) {
        return Ok(Err(error));
    }
    let started_ms = u64::try_from(clock::wall().as_millis()).unwrap_or(u64::MAX);
    let Handed::Over(ended, audit) = link.run(&asked, extras, watch) else {
        return Err(Box::new(asked));
    };
    let Some(sink) = sink else { return Ok(ended) };
    let audit = match (&ended, audit) {
        (_, Some(record)) => Some(record),
        // The daemon has ended without a record, and the run was begun.
        (Err(error), None) if error.kind() == ErrorKind::Host => lost(asked, started_ms, error),
        // What was refused before it began has no record, as when it is run here.
        (Ok(_) | Err(_), None) => None,
    };
    Ok(match audit.map(|record| sink.write(record)) {
        Some(Err(error)) => Err(error),
        Some(Ok(())) | None => ended,
    })
}

/// The record of a run of which nothing more will be heard.
fn lost(asked: Asked, started_ms: u64, error: &Error) -> Option<serde_json::Value> {
    let start = record::Start {
        run: format!("c{}-{:x}-0", process::pid(), clock::boot().as_nanos()),
        started_ms,
    };
    let (submission, _) = asked.open().ok()?;
    let told = error.to_string();
    Some(record::failed(&start, &submission, error.kind(), &told))
}
