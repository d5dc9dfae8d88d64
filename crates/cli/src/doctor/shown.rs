//! The diagnosis, for people and for programs.

use serde_json::{Value, json};
use stockade::facts::{Cgroup, Facts, Fault, Privilege};

use super::Diagnosis;
use super::facility::{Facility, State};
use super::trial::{self, Trial};
use crate::errno;
use crate::format;
use crate::screen;
use crate::table::Table;
use crate::terminal::Paint;

pub(super) fn text(found: &Diagnosis<'_>, paint: Paint) -> String {
    let mut out = format!("{}\n{}", paint.strong("host"), host(found.facts).text(2));
    let mut table = Table::default();
    for facility in &found.facilities {
        let (mark, detail) = match &facility.state {
            State::Works(what) => (paint.good("yes"), what.clone()),
            State::Fails(fault) => (paint.bad("no"), fault.cause.clone()),
            State::Untried(why) => ("?".to_owned(), format!("not tried: {why}")),
        };
        table.row([facility.name, &mark, &screen::line(&detail)]);
    }
    out.extend([format!("{}\n{}", paint.strong("facilities"), table.text(2))]);
    // What a rung lacks is told with the rung; what no rung lacks is told here.
    for facility in &found.facilities {
        if let State::Fails(fault) = &facility.state
            && !found.rungs.iter().any(|trial| tells(trial, fault))
        {
            out.extend([format!("  {}\n{}", facility.name, diagnosis(fault).text(4))]);
        }
    }
    out.extend([format!("{}\n", paint.strong("rungs"))]);
    for trial in &found.rungs {
        out.push_str(&rung(trial, paint));
    }
    if found.is_usable() {
        out.extend([format!("{} `stockade run` works here\n", paint.good("✓"))]);
    } else {
        out.extend([format!(
            "{} no rung is usable that gives what every run needs by default\n",
            paint.bad("✗")
        )]);
    }
    out
}

fn tells(trial: &Trial, fault: &Fault) -> bool {
    match &trial.usable {
        Err(told) => told == fault,
        // The remedies for a missing cgroup are among those for the limits that need one.
        Ok(usable) => usable.only.as_ref().is_some_and(|told| {
            fault
                .remedies
                .iter()
                .all(|remedy| told.remedies.contains(remedy))
        }),
    }
}

fn host(facts: &Facts) -> Table {
    let mut table = Table::default();
    let (major, minor) = facts.kernel;
    table.row(["kernel", &format!("Linux {major}.{minor}")]);
    let size = format!(
        "{}, {} of memory",
        format::count(u64::from(facts.cpus), "processor"),
        format::bytes(facts.memory_bytes)
    );
    table.row(["machine", &size]);
    let rights = match facts.privilege {
        Privilege::Root => "root: each run has a uid of its own",
        Privilege::User => "an ordinary user: runs are in a user namespace of this user's",
    };
    table.row(["rights", rights]);
    table.row(["landlock", &format!("ABI {}", facts.landlock_abi)]);
    table
}

fn rung(trial: &Trial, paint: Paint) -> String {
    let name = trial.spec.name;
    let mut table = Table::default();
    let given: Vec<_> = trial.spec.guarantees.iter().map(|g| g.slug()).collect();
    table.row(["gives", &given.join(", ")]);
    let (mark, fault) = match &trial.usable {
        Ok(usable) => {
            let ran = format!("an empty program took {}", format::time(usable.wall_us));
            table.row(["tried", &ran]);
            match &usable.only {
                None => (paint.good("✓ usable"), None),
                Some(fault) => {
                    let only = format!("✓ usable with `{}` only", trial::condition());
                    (paint.good(&only), Some(fault))
                }
            }
        }
        Err(fault) => (paint.bad("✗ not usable"), Some(fault)),
    };
    let mut out = format!("  {} {mark}\n{}", paint.strong(name), table.text(4));
    if let Some(fault) = fault {
        out.push_str(&diagnosis(fault).text(4));
    }
    out
}

/// The first step that failed, why, and what to do.
fn diagnosis(fault: &Fault) -> Table {
    let mut table = Table::default();
    let step = match fault.errno {
        0 => format!("step `{}`", fault.step),
        number => format!("step `{}`: {} ({number})", fault.step, errno::name(number)),
    };
    table.row(["failed", &screen::line(&step)]);
    table.row(["cause", &screen::line(&fault.cause)]);
    for remedy in &fault.remedies {
        table.row(["remedy", &screen::line(remedy)]);
    }
    table
}

pub(super) fn document(found: &Diagnosis<'_>) -> Value {
    let facts = found.facts;
    let (major, minor) = facts.kernel;
    json!({
        "host": {
            "kernel": format!("{major}.{minor}"),
            "cpus": facts.cpus,
            "memory_bytes": facts.memory_bytes,
            "privilege": match facts.privilege {
                Privilege::Root => "root",
                Privilege::User => "user",
            },
            "landlock_abi": facts.landlock_abi,
            "cgroup": match &facts.cgroup {
                Cgroup::V2 { .. } => "v2",
                Cgroup::V1 { .. } => "v1",
                Cgroup::None(_) => "none",
            },
        },
        "facilities": found.facilities.iter().map(facility).collect::<Vec<_>>(),
        "rungs": found.rungs.iter().map(trial_document).collect::<Vec<_>>(),
        "usable": found.is_usable(),
    })
}

fn facility(facility: &Facility) -> Value {
    let (state, detail, failed) = match &facility.state {
        State::Works(what) => ("works", Some(what), None),
        State::Fails(fault) => ("fails", None, Some(failure(fault))),
        State::Untried(why) => ("untried", Some(why), None),
    };
    json!({ "name": facility.name, "state": state, "detail": detail, "failed": failed })
}

fn trial_document(trial: &Trial) -> Value {
    let given: Vec<_> = trial.spec.guarantees.iter().map(|g| g.slug()).collect();
    let (usable, only, fault) = match &trial.usable {
        Ok(usable) => (
            true,
            usable.only.as_ref().map(|_| trial::condition()),
            usable.only.as_ref(),
        ),
        Err(fault) => (false, None, Some(fault)),
    };
    json!({
        "name": trial.spec.name,
        "usable": usable,
        "only_with": only,
        "guarantees": given,
        "failed": fault.map(failure),
    })
}

fn failure(fault: &Fault) -> Value {
    let errno_name = (fault.errno != 0).then(|| errno::name(fault.errno));
    json!({
        "step": fault.step,
        "errno": fault.errno,
        "errno_name": errno_name,
        "cause": fault.cause,
        "remedies": fault.remedies,
    })
}
