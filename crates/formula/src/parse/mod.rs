//! From source to our own tree: the one place that knows the parser.
//!
//! `ruff_python_parser` reads all of Python; this module bounds what it is given, takes what is in
//! the language, and says what to write instead of the rest.

mod lower;
mod refuse;
mod scan;
mod template;

use ruff_python_parser::{ParseError, parse_expression};

use crate::bound::Bounds;
use crate::error::{Code, Fallible, Fault, Span};
use crate::tree::{Tree, place};

/// The tree of `source`.
pub(crate) fn parse(source: &str, bounds: &Bounds) -> Fallible<Tree> {
    if source.len() > bounds.source_bytes_max {
        let (len, max) = (source.len(), bounds.source_bytes_max);
        let message = format!("the formula has {len} bytes, and at most {max} are allowed");
        return Err(Fault::new(Code::TooLong, message).hint("pass long lists as inputs"));
    }
    scan::scan(source, bounds)?;
    let text = source.trim_end();
    let trimmed = text.trim_start();
    if trimmed.is_empty() {
        return Err(Fault::new(Code::Empty, "there is no formula").hint("as in `price * qty`"));
    }
    let offset = place(text.len() - trimmed.len());
    let parsed = match parse_expression(trimmed) {
        Ok(parsed) => parsed,
        Err(error) => return Err(unparsed(trimmed, offset, &error)),
    };
    lower::Lowering::new(bounds, offset, text.len()).run(parsed.expr())
}

/// A statement is told as that; anything else as what the parser says.
fn unparsed(source: &str, offset: u32, error: &ParseError) -> Box<Fault> {
    if let Some(fault) = refuse::statement(source, offset) {
        return fault;
    }
    let message = error.error.to_string();
    let mut letters = message.chars();
    let lower = letters
        .next()
        .map(|c| c.to_lowercase().to_string())
        .unwrap_or_default();
    Fault::new(Code::Syntax, format!("{lower}{}", letters.as_str()))
        .hint(
            "a formula is one expression, as in `price * qty > 100`; several lines go into \
               parentheses",
        )
        .at(span_of(error.location, offset))
}

fn span_of(range: ruff_text_size::TextRange, offset: u32) -> Span {
    Span {
        start: range.start().to_u32() + offset,
        end: range.end().to_u32() + offset,
    }
}
