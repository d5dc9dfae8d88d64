//! `stockade limits` and `stockade rungs`: tables that the library holds.

use serde_json::json;
use stockade::limits::{SPECS, Scope, Unit};
use stockade::{Amount, Enforcement, Guarantee, LADDER, LimitId};

use crate::flag::Format;
use crate::table::{Table, wrapped};
use crate::terminal::{self, Paint};
use crate::trouble::Failure;

/// Prints the limits.
pub(crate) fn limits(format: Format) -> Result<u8, Failure> {
    match format {
        Format::Human => {
            let paint = Paint::for_stdout();
            let mut text = String::new();
            for id in LimitId::ALL {
                let row = id.spec();
                let [min, default, max] =
                    [row.min, row.default, row.max].map(|value| Amount::of(id, value));
                text.extend([format!(
                    "{}  {default}, from {min} to {max}\n    {}\n",
                    paint.strong(row.name),
                    wrapped(sentence(row.doc), 4)
                )]);
            }
            terminal::print(&text)?;
        }
        Format::Json => {
            let rows: Vec<_> = SPECS
                .iter()
                .map(|row| {
                    json!({
                        "name": row.name,
                        "unit": unit(row.unit),
                        "min": row.min,
                        "default": row.default,
                        "max": row.max,
                        "over": over(row.scope),
                        "doc": sentence(row.doc),
                    })
                })
                .collect();
            terminal::print_json(&json!(rows))?;
        }
    }
    Ok(0)
}

/// A doc comment as running text: its lines keep the space that they began with.
fn sentence(doc: &str) -> &str {
    doc.trim()
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Millis => "ms",
        Unit::Bytes => "bytes",
        Unit::Count => "count",
    }
}

fn over(scope: Scope) -> &'static str {
    match scope {
        Scope::Guest => "guest",
        Scope::Process => "process",
        Scope::Supervisor => "supervisor",
    }
}

/// Over what a mechanism holds.
pub(crate) fn scope(how: Enforcement) -> &'static str {
    match how {
        Enforcement::WholeGuest { .. } => "guest",
        Enforcement::PerProcess { .. } => "process",
        Enforcement::Nothing { .. } => "nothing",
    }
}

/// Prints the rungs, what they give and what they share, and the guarantees.
pub(crate) fn rungs(format: Format) -> Result<u8, Failure> {
    match format {
        Format::Human => terminal::print(&ladder(Paint::for_stdout()))?,
        Format::Json => {
            let rungs: Vec<_> = LADDER
                .iter()
                .map(|rung| {
                    let spec = rung.spec();
                    json!({
                        "name": spec.name,
                        "summary": spec.summary,
                        "languages": spec.languages.iter().map(|l| l.slug()).collect::<Vec<_>>(),
                        "guarantees": spec.guarantees.iter().map(|g| g.slug()).collect::<Vec<_>>(),
                        "shares": spec.shares,
                    })
                })
                .collect();
            let guarantees: Vec<_> = Guarantee::ALL
                .iter()
                .map(|g| json!({ "name": g.slug(), "doc": sentence(g.doc()) }))
                .collect();
            terminal::print_json(&json!({ "rungs": rungs, "guarantees": guarantees }))?;
        }
    }
    Ok(0)
}

fn ladder(paint: Paint) -> String {
    let mut out = String::new();
    for rung in LADDER {
        let spec = rung.spec();
        let given: Vec<_> = spec.guarantees.iter().map(|g| g.slug()).collect();
        let mut table = Table::default();
        table.row(["what", spec.summary]);
        table.row(["gives", &given.join(", ")]);
        table.row(["shares", &spec.shares.join("; ")]);
        out.extend([format!("{}\n{}", paint.strong(spec.name), table.text(2))]);
    }
    let mut table = Table::default();
    for guarantee in Guarantee::ALL {
        table.row([guarantee.slug(), sentence(guarantee.doc())]);
    }
    out.extend([format!(
        "\n{}\n{}",
        paint.strong("guarantees"),
        table.text(2)
    )]);
    out
}
