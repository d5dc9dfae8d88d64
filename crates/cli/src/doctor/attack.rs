//! `stockade doctor --prove`: the hostile corpus against the rungs of this host.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stockade::{Engine, Error, ErrorKind, Host, LADDER, Language, RungSpec};
use stockade_proof::{Card, Corpus, OnRung, Probe, Prover};
use stockade_sys::clock;

use super::card;
use crate::flag::Format;
use crate::terminal::{self, Paint};
use crate::trouble::Failure;

/// Exit code when something got through what is promised, or a probe says nothing.
const BROKEN: u8 = 1;

/// Exit code when no rung could be attacked.
const UNUSABLE: u8 = 69;

const BAR: &str = "{prefix} [{bar:24}] {pos}/{len} {msg}";

/// What came of it.
pub(super) struct Proving<'a> {
    /// One for each rung that was attacked.
    pub(super) cards: Vec<Card<'a>>,
    /// The others, each with the reason.
    pub(super) left: Vec<(&'static str, String)>,
    /// Whether the whole corpus was run.
    pub(super) whole: bool,
    /// When it was begun, ms since 1970 in UTC.
    pub(super) at_ms: u64,
}

impl Proving<'_> {
    fn exit_code(&self) -> u8 {
        // An attack that was asked for alone may be one that nothing is promised against.
        let silent = |card: &Card<'_>| self.whole && !card.is_conclusive();
        let broken =
            |card: &Card<'_>| !card.is_fit() || card.failed().next().is_some() || silent(card);
        if self.cards.is_empty() {
            UNUSABLE
        } else if self.cards.iter().any(broken) {
            BROKEN
        } else {
            0
        }
    }
}

/// Attacks the rungs called `names`, or all, and prints what that shows. What the whole corpus
/// shows is kept; what `probes` of it show is not.
pub(super) fn prove(names: &[String], probes: &[String], format: Format) -> Result<u8, Failure> {
    let rungs = chosen(names)?;
    let corpus = Corpus::embedded()
        .map_err(|fault| Error::new(ErrorKind::Bug, format!("the corpus is broken: {fault}")))?;
    if let Some(unknown) = probes.iter().find(|id| corpus.get(id).is_none()) {
        return Err(no_probe(unknown).into());
    }
    let engine = Engine::new(Host::prove()?)?.unproved();
    let prover = Prover::new(&engine, &corpus)?;
    let at_ms = u64::try_from(clock::wall().as_millis()).unwrap_or(u64::MAX);
    let mut proving = Proving {
        cards: Vec::new(),
        left: Vec::new(),
        whole: probes.is_empty(),
        at_ms,
    };
    for spec in rungs {
        if let Some(reason) = unattackable(&engine, spec) {
            proving.left.push((spec.name, reason));
            continue;
        }
        let Some(ground) = OnRung::named(&engine, spec.name) else {
            continue;
        };
        let bar = bar(spec.name);
        let wanted = |probe: &Probe| probes.is_empty() || probes.contains(&probe.id);
        let card = prover.prove(&ground, &wanted, &|done, all, id| {
            if let Some(bar) = &bar {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
                bar.set_message(id.to_owned());
            }
        });
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        if probes.is_empty() {
            keep(&engine, &card, at_ms)?;
        }
        proving.cards.push(card);
    }
    match format {
        Format::Human => terminal::print(&card::text(&proving, Paint::for_stdout()))?,
        Format::Json => terminal::print_json(&card::document(&proving))?,
    }
    Ok(proving.exit_code())
}

/// A probe that says nothing leaves its rung not proved, and so does a corpus of which nothing ran;
/// one that got through is enough to know.
fn keep(engine: &Engine, card: &Card<'_>, at_ms: u64) -> Result<(), Error> {
    if card.is_fit() && !card.is_conclusive() {
        engine.forget(&card.rung)
    } else {
        engine.remember(&card.proof(at_ms))
    }
}

fn no_probe(id: &str) -> Error {
    Error::new(
        ErrorKind::InvalidPolicy,
        format!("there is no probe `{id}`"),
    )
    .hint("`stockade doctor --prove --json` names those that matter; their files are in `escape/`")
}

fn chosen(names: &[String]) -> Result<Vec<&'static RungSpec>, Error> {
    let all: Vec<_> = LADDER.iter().map(|rung| rung.spec()).collect();
    if names.is_empty() {
        return Ok(all);
    }
    for name in names {
        if all.iter().all(|spec| spec.name != name) {
            let known: Vec<_> = all.iter().map(|spec| spec.name).collect();
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!("there is no rung `{name}`"),
            )
            .hint(format!("the rungs are {}", known.join(", "))));
        }
    }
    let wanted = |spec: &&RungSpec| names.iter().any(|name| name == spec.name);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Why a rung is not attacked, if it is not.
fn unattackable(engine: &Engine, spec: &RungSpec) -> Option<String> {
    if !spec.languages.contains(&Language::Python) {
        let text = "it runs no Python, and the corpus is Python";
        return Some(text.to_owned());
    }
    (spec.missing)(engine.host().facts()).map(|fault| fault.cause)
}

/// How far it is, on a terminal.
fn bar(rung: &str) -> Option<ProgressBar> {
    if !terminal::stderr_is_one() {
        return None;
    }
    let bar = ProgressBar::no_length();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(BAR) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(rung.to_owned());
    Some(bar)
}
