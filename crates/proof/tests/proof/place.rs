//! What is attacked with, and how a card is shown.

use std::sync::OnceLock;

use stockade::{Engine, Host};
use stockade_proof::{Card, Corpus, Ground, Probe, Prover};

/// The engine of this process.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        let facts = engine.host().facts();
        assert!(facts.cgroup.is_usable(), "a cgroup: {:?}", facts.cgroup);
        engine.unproved()
    })
}

/// The corpus in this binary.
pub(crate) fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| Corpus::embedded().unwrap())
}

/// Attacks `ground` with the probes that `wanted` picks.
pub(crate) fn attack(ground: &dyn Ground, wanted: &dyn Fn(&Probe) -> bool) -> Card<'static> {
    let prover = Prover::new(engine(), corpus()).unwrap();
    let card = prover.prove(ground, wanted, &|_, _, _| {});
    show(&card);
    card
}

/// What a person wants to see of a card where a test fails.
fn show(card: &Card<'_>) {
    println!(
        "{}: {} held of {} in {:?}",
        card.rung,
        card.held().count(),
        card.findings.len(),
        card.took
    );
    let mut slowest: Vec<_> = card
        .findings
        .iter()
        .map(|f| (f.took, &f.probe.id))
        .collect();
    slowest.sort();
    println!(
        "slowest: {:?}",
        slowest.iter().rev().take(40).collect::<Vec<_>>()
    );
    for (finding, how) in card.through() {
        let mark = if finding.promised {
            "THROUGH"
        } else {
            "through"
        };
        println!(
            "{mark} {} {}: {how}",
            finding.probe.id, finding.probe.technique
        );
    }
    for (finding, why) in card.failed() {
        println!(
            "FAILED {} {}: {why}",
            finding.probe.id, finding.probe.technique
        );
    }
    for (finding, why) in card.skipped() {
        println!(
            "skipped {} {}: {why}",
            finding.probe.id, finding.probe.technique
        );
    }
}
