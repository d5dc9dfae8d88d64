//! Every rung that runs Python keeps what it promises.

use stockade::{Guarantee, LADDER, Language, LimitId, Limits, Policy, Submission};
use stockade_proof::{Attack, Card, Ended, Expect, OnRung, Probe};

use crate::place::{attack, corpus, engine};

fn card(rung: &str) -> Card<'static> {
    attack(&OnRung::named(engine(), rung).unwrap(), &|_| true)
}

fn ids<'a>(
    findings: impl Iterator<Item = (&'a stockade_proof::Finding<'a>, &'a str)>,
) -> Vec<String> {
    findings
        .map(|(finding, why)| format!("{}: {why}", finding.probe.id))
        .collect()
}

/// Nothing got through what is promised, and of no probe is nothing known.
#[track_caller]
fn assert_kept(card: &Card<'static>) {
    assert_eq!(ids(card.broken()), [""; 0]);
    assert_eq!(ids(card.failed()), [""; 0]);
    assert!(card.held().count() > 0, "no probe held");
}

#[test]
fn the_jail_holds_against_everything() {
    let card = card("jail");
    assert_kept(&card);
    assert_eq!(ids(card.through()), [""; 0]);
}

#[test]
fn the_process_rung_keeps_what_it_promises_and_fails_what_it_does_not() {
    let card = card("process");
    assert_kept(&card);
    for guarantee in [
        "no-host-files",
        "no-host-processes",
        "no-network",
        "filtered-syscalls",
    ] {
        let row = card
            .rows()
            .into_iter()
            .find(|row| row.attack.name() == guarantee)
            .unwrap();
        assert!(!row.promised && row.through > 0, "{row:?}");
    }
}

/// Whether a probe is a formula, after what bounds formulas alone.
fn bounded(probe: &Probe) -> bool {
    [LimitId::Cost, LimitId::Built]
        .into_iter()
        .any(|limit| probe.attacks.contains(&Attack::Limit(limit)))
}

/// A language in which every program ends has no word for those that attack it, or a bound.
#[test]
fn the_formula_rung_takes_none_of_them_for_a_value() {
    let formula = Guarantee::TotalLanguage;
    let mut tried = 0;
    for probe in corpus().probes() {
        let total = probe.attacks.contains(&Attack::Guarantee(formula));
        if probe.expect != Expect::Specimen && !total {
            continue;
        }
        let limits = probe.limits(Limits::default()).unwrap();
        let policy = Policy::default()
            .rung("formula")
            .require(formula)
            .limits(limits);
        let job = Submission::formula(probe.live());
        let ended = Ended::of(&engine().run(&job, &policy).unwrap().outcome);
        match &probe.expect {
            Expect::Outcome(wanted) if bounded(probe) => {
                assert!(
                    wanted.iter().any(|one| one.admits(&ended)),
                    "{}: {ended}",
                    probe.id
                );
            }
            // Not a formula at all.
            Expect::Outcome(_) | Expect::Verdict | Expect::Refusal(_) | Expect::Specimen => {
                assert_eq!(ended.slug, "raised", "{}", probe.id);
            }
        }
        tried += 1;
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn no_rung_that_runs_python_is_left_out() {
    let rungs = LADDER.iter().map(|rung| rung.spec());
    let of_python = rungs.filter(|spec| spec.languages.contains(&Language::Python));
    let names: Vec<_> = of_python.map(|spec| spec.name).collect();
    assert_eq!(names, ["process", "jail"], "each has a test above");
}
