//! `stockade explain`: what `run` would do.

use serde_json::{Value, json};
use stockade::facts::{Cgroup, Facts};
use stockade::{Explanation, Step};

use crate::evidence::mechanism;
use crate::flag::{Format, Request};
use crate::screen;
use crate::table::Table;
use crate::terminal::{self, Paint};
use crate::trouble::Failure;
use crate::{request, run};

/// Prints the plan.
pub(crate) fn explain(request: &Request) -> Result<u8, Failure> {
    let (submission, policy) = request::read(request)?.open()?;
    let engine = run::engine()?;
    let found = engine.explain(&submission, &policy)?;
    let facts = engine.host().facts();
    match request.format {
        Format::Human => terminal::print(&text(&found, facts, Paint::for_stdout()))?,
        Format::Json => terminal::print_json(&document(&found, facts))?,
    }
    Ok(0)
}

fn text(found: &Explanation, facts: &Facts, paint: Paint) -> String {
    let plan = &found.plan;
    let given: Vec<_> = plan.guarantees.iter().map(|g| g.slug()).collect();
    let mut head = Table::default();
    head.row(["rung", &paint.strong(plan.rung)]);
    head.row(["gives", &given.join(", ")]);
    for (name, why) in &plan.passed_over {
        head.row(["not", &format!("{name}: {why}")]);
    }
    let (what, version) = found.template.version_entry();
    let what = if what == "python" {
        "Python"
    } else {
        "language"
    };
    let template = format!(
        "{} ({what} {version}), sha256 {}",
        found.template.name, found.template.digest
    );
    head.row(["template", &template]);
    head.row(["namespaces", &found.namespaces.join(", ")]);
    head.row(["cgroup", &cgroup(&facts.cgroup)]);
    let mut limits = Table::default();
    for (id, how) in &plan.enforcement {
        let amount = plan.limits.amount(*id).to_string();
        limits.row([id.name(), &amount, &mechanism(*how)]);
    }
    let mut steps = Table::default();
    for (at, step) in found.steps.iter().enumerate() {
        let number = format!("{:>2}", at + 1);
        steps.row([&number, step.name(), &screen::line(&step.detail())]);
    }
    let mut out = head.text(0);
    for (title, table) in [("limits", limits), ("fence, in this order", steps)] {
        out.extend([format!("{}\n{}", paint.strong(title), table.text(2))]);
    }
    for warning in &plan.warnings {
        out.extend([format!("{} {warning}\n", paint.strong("note:"))]);
    }
    out
}

/// Where resource control is had, in a phrase.
pub(crate) fn cgroup(found: &Cgroup) -> String {
    match found {
        Cgroup::V2 { parent } => format!("v2, below {}", screen::line(&parent.to_string_lossy())),
        Cgroup::V1 {
            memory, pids, cpu, ..
        } => {
            let below = [memory, pids, cpu].map(|path| screen::line(&path.to_string_lossy()));
            format!("v1, below {}", below.join(", "))
        }
        Cgroup::None(fault) => format!("none: {}", screen::line(&fault.cause)),
    }
}

fn document(found: &Explanation, facts: &Facts) -> Value {
    let plan = &found.plan;
    let (what, version) = found.template.version_entry();
    let limits: serde_json::Map<_, _> = plan
        .enforcement
        .iter()
        .map(|(id, how)| {
            let value = json!({
                "value": plan.limits.get(*id),
                "shown": plan.limits.amount(*id).to_string(),
                "by": how.by(),
                "scope": crate::listing::scope(*how),
            });
            (id.name().to_owned(), value)
        })
        .collect();
    let passed_over: Vec<_> = plan
        .passed_over
        .iter()
        .map(|(name, why)| json!({ "rung": name, "why": why }))
        .collect();
    let steps: Vec<_> = found.steps.iter().map(step).collect();
    json!({
        "rung": plan.rung,
        "guarantees": plan.guarantees.iter().map(|g| g.slug()).collect::<Vec<_>>(),
        "passed_over": passed_over,
        "template": {
            "name": found.template.name,
            "digest": found.template.digest,
            what: version,
        },
        "namespaces": found.namespaces,
        "cgroup": cgroup(&facts.cgroup),
        "limits": limits,
        "steps": steps,
        "warnings": plan.warnings,
    })
}

fn step(step: &Step) -> Value {
    json!({ "name": step.name(), "detail": step.detail() })
}
