//! The report cards, for people and for programs.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stockade::record::rfc3339;
use stockade_proof::{Attack, Card, Finding};

use super::attack::Proving;
use crate::format;
use crate::screen;
use crate::table::Table;
use crate::terminal::Paint;

/// Characters of a probe's account that are shown.
const DETAIL_CHARS: usize = 160;

pub(super) fn text(proving: &Proving<'_>, paint: Paint) -> String {
    let mut out = String::new();
    for card in &proving.cards {
        out.push_str(&one(card, proving.whole, paint));
    }
    for (rung, reason) in &proving.left {
        let reason = screen::line(reason);
        out.extend([format!("{} not attacked: {reason}\n", paint.strong(rung))]);
    }
    out
}

fn one(card: &Card<'_>, whole: bool, paint: Paint) -> String {
    let mut out = format!(
        "{} {}\n",
        paint.strong(&card.rung),
        head(card, whole, paint)
    );
    out.push_str(&rows(card, whole, paint).text(2));
    let (promised, other): (Vec<_>, Vec<_>) = card.through().partition(|(f, _)| f.promised);
    let lists = [
        ("got through what is promised", promised),
        ("got through, as nothing promised otherwise", other),
        (
            "say nothing, so that this proves nothing",
            card.failed().collect(),
        ),
    ];
    for (title, findings) in lists {
        if !findings.is_empty() {
            out.extend([format!(
                "  {}\n{}",
                paint.strong(title),
                list(&findings).text(4)
            )]);
        }
    }
    for (title, findings) in [
        ("skipped", card.skipped().collect::<Vec<_>>()),
        ("run without a control", card.uncontrolled().collect()),
    ] {
        if !findings.is_empty() {
            out.extend([format!(
                "  {}\n{}",
                paint.strong(title),
                by_reason(&findings).text(4)
            )]);
        }
    }
    out
}

fn head(card: &Card<'_>, whole: bool, paint: Paint) -> String {
    let failed = card.failed().count();
    let mark = if !card.is_fit() {
        paint.bad("✗ not fit for use: it is not offered any more")
    } else if failed > 0 || (whole && !card.is_conclusive()) {
        paint.bad("✗ not proved")
    } else {
        paint.good("✓ keeps what it promises")
    };
    let took = u64::try_from(card.took.as_micros()).unwrap_or(u64::MAX);
    format!(
        "{mark}\n  {}: {} held, {} got through, {} skipped, {} say nothing, in {}",
        format::count(card.findings.len() as u64, "probe"),
        card.held().count(),
        card.through().count(),
        card.skipped().count(),
        failed,
        format::time(took)
    )
}

fn rows(card: &Card<'_>, whole: bool, paint: Paint) -> Table {
    let mut table = Table::default();
    table.row(["attacked", "run", "held", "through", "skipped", ""]);
    for row in card.rows() {
        let through = match (row.through, row.promised) {
            (0, _) => "0".to_owned(),
            (count, true) => paint.bad(&count.to_string()),
            (count, false) => count.to_string(),
        };
        let note = match (row.attack, row.promised) {
            (Attack::Guarantee(_), false) => "not promised",
            (Attack::Guarantee(_) | Attack::Limit(_), _) if row.run == 0 => "not attacked",
            (Attack::Guarantee(_), true) => "",
            (Attack::Limit(_), _) => "limit",
        };
        // Of a few that were asked for, only what they attack.
        if row.run + row.skipped == 0 && !whole {
            continue;
        }
        table.row([
            row.attack.name(),
            &row.run.to_string(),
            &row.held.to_string(),
            &through,
            &row.skipped.to_string(),
            note,
        ]);
    }
    table
}

fn list(findings: &[(&Finding<'_>, &str)]) -> Table {
    let mut table = Table::default();
    for (finding, how) in findings {
        let attacks: Vec<_> = finding.probe.attacks.iter().map(|a| a.name()).collect();
        let text = format!(
            "{} ({}): {}",
            finding.probe.technique,
            attacks.join(", "),
            screen::excerpt(how, DETAIL_CHARS)
        );
        table.row([&finding.probe.id, &text]);
    }
    table
}

/// Most reasons are those of many.
fn by_reason(findings: &[(&Finding<'_>, &str)]) -> Table {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (finding, why) in findings {
        reasons.entry(why).or_default().push(&finding.probe.id);
    }
    let mut table = Table::default();
    for (why, ids) in reasons {
        let why = screen::excerpt(why, DETAIL_CHARS);
        table.row([&ids.len().to_string(), &format!("{why}: {}", ids.join(" "))]);
    }
    table
}

pub(super) fn document(proving: &Proving<'_>) -> Value {
    let cards: Vec<_> = proving.cards.iter().map(Card::document).collect();
    let left = proving.left.iter();
    json!({
        "at": rfc3339(proving.at_ms),
        "kernel": stockade_sys::process::kernel_release(),
        "fit": !proving.cards.is_empty() && proving.cards.iter().all(Card::is_fit),
        "held": proving.cards.iter().map(|card| card.held().count()).sum::<usize>(),
        "through": merged(&cards, "through"),
        "skipped": merged(&cards, "skipped"),
        "failed": merged(&cards, "failed"),
        "rungs": cards,
        "not_attacked": left
            .map(|(rung, reason)| json!({ "rung": rung, "reason": reason }))
            .collect::<Vec<_>>(),
    })
}

/// What is called `key` on all cards, each with its rung.
fn merged(cards: &[Value], key: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for card in cards {
        for entry in card[key].as_array().into_iter().flatten() {
            let mut entry = entry.clone();
            entry["rung"] = card["rung"].clone();
            all.push(entry);
        }
    }
    all
}
