//! The demonstration, for people and for programs.

use serde_json::{Value, json};
use stockade_leaks::{Cell, Column, Demonstration, Place, Row, Verdict};

use crate::screen;
use crate::table::{Table, wrapped};
use crate::terminal::Paint;

/// How many reasons are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// One a technique.
    Line,
    /// Each.
    Every,
}

pub(super) fn text(shown: &Demonstration, detail: Detail, paint: Paint) -> String {
    let figures = &shown.figures;
    let head = format!("{} {}", figures.implementation, figures.version);
    let mut out = format!("{}\n", paint.strong(&head));
    for sentence in figures.sentences() {
        out.extend([format!("  {}\n", wrapped(&sentence, 2))]);
    }
    out.extend([format!(
        "\n{}\n{}",
        paint.strong("places"),
        places(shown).text(2)
    )]);
    let marks = [
        (Verdict::Reached, "reached something of the host"),
        (Verdict::Stopped, "has nothing"),
        (Verdict::Inapplicable, "cannot be tried there"),
        (Verdict::Skipped, "not tried"),
    ];
    let marks: Vec<_> = marks
        .iter()
        .map(|(verdict, meaning)| format!("{} {meaning}", marked(*verdict, paint)))
        .collect();
    out.extend([format!(
        "\n{}  {}\n",
        paint.strong("techniques"),
        marks.join("   ")
    )]);
    let mut heads = String::new();
    for at in 0..shown.columns.len() {
        heads.extend([format!("{:>3}", at + 1)]);
    }
    out.extend([format!("     {heads}\n")]);
    for row in &shown.rows {
        out += &technique(shown, row, detail, paint);
    }
    out
}

/// The columns with their numbers, and what came of each.
fn places(shown: &Demonstration) -> Table {
    let mut table = Table::default();
    for (at, column) in shown.columns.iter().enumerate() {
        let reached = shown.count(at, Verdict::Reached);
        let tried = reached + shown.count(at, Verdict::Stopped);
        let name = match column.version {
            Some(version) => format!("{} {version}", column.name()),
            None => column.name().to_owned(),
        };
        let result = match (&column.skipped, column.place) {
            (Some(_), _) => "skipped".to_owned(),
            (None, Place::Rung(_)) if reached == 0 => format!("held {tried} of {tried}"),
            (None, Place::Rung(_) | Place::Sandbox(_)) => {
                format!("{reached} of {tried} through")
            }
        };
        table.row([&format!("{:>2}", at + 1), &name, &result, column.what()]);
    }
    table
}

fn technique(shown: &Demonstration, row: &Row, detail: Detail, paint: Paint) -> String {
    let mut marks = String::new();
    for cell in &row.cells {
        marks.extend([format!("  {}", marked(cell.verdict, paint))]);
    }
    let technique = &row.technique;
    let start = 7 + 3 * row.cells.len();
    let (number, title) = (technique.number(), screen::line(&technique.title));
    let title = wrapped(&title, start);
    let mut out = format!("{number:>4} {marks}  {title}\n");
    match detail {
        Detail::Line => {
            if let Some((column, cell)) = telling(shown, row) {
                let why = format!("{}: {}", column.name(), screen::line(&cell.sentence()));
                out.extend([format!("       {}\n", wrapped(&why, 7))]);
            }
        }
        Detail::Every => {
            let mut table = Table::default();
            for (column, cell) in shown.columns.iter().zip(&row.cells) {
                let why = screen::line(&cell.sentence());
                table.row([column.name(), cell.verdict.slug(), &why]);
            }
            out += &table.text(7);
        }
    }
    out
}

/// The cell that says most: the last sandbox that it got through, for it was the hardest; else the
/// first that says why not.
fn telling<'a>(shown: &'a Demonstration, row: &'a Row) -> Option<(&'a Column, &'a Cell)> {
    let cells = || shown.columns.iter().zip(&row.cells);
    cells()
        .rev()
        .find(|(_, cell)| cell.verdict == Verdict::Reached)
        .or_else(|| cells().find(|(_, cell)| cell.verdict == Verdict::Stopped))
        .or_else(|| cells().next())
}

fn marked(verdict: Verdict, paint: Paint) -> String {
    let mark = verdict.mark().to_string();
    match verdict {
        Verdict::Reached | Verdict::Failed => paint.bad(&mark),
        Verdict::Stopped => paint.good(&mark),
        Verdict::Inapplicable | Verdict::Skipped => mark,
    }
}

pub(super) fn document(shown: &Demonstration) -> Value {
    json!({
        "python": {
            "interpreter": shown.interpreter.display().to_string(),
            "implementation": shown.figures.implementation,
            "version": shown.figures.version,
        },
        "figures": {
            "subclasses": shown.figures.subclasses,
            "helper_builtins_are_real": shown.figures.helper_builtins_are_real,
            "generator_builtins_are_real": shown.figures.generator_builtins_are_real,
            "libc_symbols": {
                "syscall": shown.figures.libc_symbols.syscall,
                "getpid": shown.figures.libc_symbols.getpid,
            },
            "libc_getpid_is_ours": shown.figures.libc_getpid_is_ours,
        },
        "places": shown
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| place(shown, at, column))
            .collect::<Vec<_>>(),
        "rows": shown.rows.iter().map(|row| row_document(shown, row)).collect::<Vec<_>>(),
    })
}

fn place(shown: &Demonstration, at: usize, column: &Column) -> Value {
    let counts: serde_json::Map<_, _> = Verdict::ALL
        .iter()
        .map(|verdict| {
            let count = shown.count(at, *verdict);
            (verdict.slug().to_owned(), count.into())
        })
        .collect();
    let (kind, purpose) = match column.place {
        Place::Sandbox(sandbox) => ("sandbox", Some(sandbox.purpose())),
        Place::Rung(_) => ("rung", None),
    };
    json!({
        "name": column.name(),
        "kind": kind,
        "what": column.what(),
        "purpose": purpose,
        "version": column.version,
        "skipped": column.skipped,
        "counts": counts,
    })
}

fn row_document(shown: &Demonstration, row: &Row) -> Value {
    let cells: serde_json::Map<_, _> = shown
        .columns
        .iter()
        .zip(&row.cells)
        .map(|(column, cell)| {
            let document = json!({
                "verdict": cell.verdict.slug(),
                "why": cell.why,
                "through": cell.through.map(stockade_leaks::Through::slug),
                "secret_steps": cell.secret_steps,
            });
            (column.name().to_owned(), document)
        })
        .collect();
    json!({
        "id": row.technique.id,
        "technique": row.technique.title,
        "family": row.technique.family,
        "seen_in": row.technique.seen_in,
        "cells": cells,
    })
}
