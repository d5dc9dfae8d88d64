//! From source to our own tree.
//!
//! The parser of `stockade-syntax` reads all of Python; this module bounds what it is given, takes
//! what is in the language, and says what to write instead of the rest.

mod lower;
mod refuse;
mod scan;
mod template;

use stockade_syntax::{Unparsed, text::TextRange};

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
    let parsed = match stockade_syntax::expression(trimmed) {
        Ok(parsed) => parsed,
        Err(error) => return Err(unparsed(trimmed, offset, &error)),
    };
    lower::Lowering::new(bounds, offset, text.len()).run(&parsed)
}

/// A statement is told as that; anything else as what the parser says.
fn unparsed(source: &str, offset: u32, error: &Unparsed) -> Box<Fault> {
    if let Some(fault) = refuse::statement(source, offset) {
        return fault;
    }
    Fault::new(Code::Syntax, &error.message)
        .hint(
            "a formula is one expression, as in `price * qty > 100`; several lines go into \
               parentheses",
        )
        .at(Span {
            start: place(error.span.start) + offset,
            end: place(error.span.end) + offset,
        })
}

fn span_of(range: TextRange, offset: u32) -> Span {
    Span {
        start: range.start().to_u32() + offset,
        end: range.end().to_u32() + offset,
    }
}
