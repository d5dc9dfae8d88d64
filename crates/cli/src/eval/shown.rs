//! Errors and formulas as people read them.

use serde_json::json;
use stockade_formula::{Compiled, FormulaError, LANGUAGE_VERSION};

use crate::flag::Format;
use crate::screen;
use crate::terminal::{self, Paint};
use crate::trouble::Failure;

/// Characters of the source shown with an error.
const SHOWN_CHARS_MAX: usize = 100;

pub(super) fn document(error: &FormulaError) -> serde_json::Value {
    let span = error.span();
    json!({
        "error": {
            "code": error.code().slug(),
            "family": error.family().slug(),
            "message": error.message(),
            "hint": error.hint(),
            "line": error.line(),
            "column": error.column(),
            "span": [span.start, span.end],
            "cost": error.cost(),
        }
    })
}

/// Tells an error with its place, and gives the exit code.
pub(super) fn error(error: &FormulaError, source: &str, format: Format) -> Result<u8, Failure> {
    let paint = Paint::for_stderr();
    let message = screen::line(error.message());
    let mut text = format!("{} {message} [{}]\n", paint.bad("error:"), error.code());
    text.push_str(&place(error, source));
    if let Some(hint) = error.hint() {
        text.extend([format!(
            "{} {}\n",
            paint.strong("hint:"),
            screen::line(hint)
        )]);
    }
    terminal::say(&text);
    match format {
        Format::Human => {}
        Format::Json => terminal::print_json(&document(error))?,
    }
    Ok(super::exit_code(error))
}

/// The line of the source with a mark below the place; nothing where the whole is meant.
fn place(error: &FormulaError, source: &str) -> String {
    let span = error.span();
    let whole = span.start == 0 && span.end >= source.len();
    let line = source.lines().nth(error.line() as usize - 1);
    let (Some(line), false) = (line, whole) else {
        return String::new();
    };
    let before = error.column() as usize - 1;
    let marked = source.get(span.clone()).map_or(1, |part| {
        part.lines()
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            .max(1)
    });
    // A long line is shown from near the place.
    let start = before.saturating_sub(SHOWN_CHARS_MAX / 2);
    let shown: String = line.chars().skip(start).take(SHOWN_CHARS_MAX).collect();
    // What is escaped takes more room than it has characters.
    let lead: String = line.chars().skip(start).take(before - start).collect();
    let lead = screen::line(&lead).chars().count();
    let room = (SHOWN_CHARS_MAX + start).saturating_sub(before).max(1);
    let number = error.line();
    let gutter = number.to_string().len();
    format!(
        "{number} | {}\n{:gutter$} | {:lead$}{}\n",
        screen::line(&shown),
        "",
        "",
        "^".repeat(marked.min(room)),
    )
}

/// Shows what is known of a formula.
pub(super) fn explain(formula: &Compiled, format: Format) -> Result<(), Failure> {
    let bound = formula.cost_max();
    match format {
        Format::Json => {
            let inputs: Vec<_> = formula
                .names()
                .map(|(name, kind, used)| {
                    json!({"name": name, "type": kind.to_string(), "used": used})
                })
                .collect();
            terminal::print_json(&json!({
                "type": formula.kind().to_string(),
                "inputs": inputs,
                "cost_max": bound,
                "nodes": formula.nodes(),
                "depth": formula.depth(),
                "language_version": LANGUAGE_VERSION,
            }))
        }
        Format::Human => {
            let mut text = format!("gives      {}\n", formula.kind());
            for (name, kind, used) in formula.names() {
                let unused = if used { "" } else { " (unused)" };
                text.extend([format!(
                    "input      {}: {kind}{unused}\n",
                    screen::line(name)
                )]);
            }
            let bound = bound.map_or_else(
                || "unknown before there is data; declare sizes with `--signature`".to_owned(),
                |bound| format!("at most {bound} units"),
            );
            text.extend([format!(
                "cost       {bound}\nsize       {} nodes, {} deep\nlanguage   version \
                 {LANGUAGE_VERSION}\n",
                formula.nodes(),
                formula.depth(),
            )]);
            terminal::print(&text)
        }
    }
}
