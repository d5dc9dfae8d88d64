//! From source to our own tree.
//!
//! The parser of `stockade-syntax` reads all of Python; this module bounds what it is given, takes
//! what is in the language, and says what to write instead of the rest.

mod lower;
mod refuse;
mod template;

use stockade_syntax::{Bounds as Deep, Grammar, Unparsed, Wrong, text::TextRange};

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
    let text = source.trim_end();
    let trimmed = text.trim_start();
    if trimmed.is_empty() {
        return Err(Fault::new(Code::Empty, "there is no formula").hint("as in `price * qty`"));
    }
    let offset = place(text.len() - trimmed.len());
    let deep = Deep {
        nesting_max: bounds.depth_max,
        chain_max: bounds.chain_max,
    };
    stockade_syntax::bound(trimmed, Grammar::Expression, deep)
        .map_err(|wrong| unbounded(bounds, offset, &wrong))?;
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
    unread(offset, error)
}

/// What is wrong before there is a tree.
fn unbounded(bounds: &Bounds, offset: u32, wrong: &Unparsed) -> Box<Fault> {
    let fault = match wrong.kind {
        Wrong::Syntax => return unread(offset, wrong),
        Wrong::TooDeep => {
            let max = bounds.depth_max;
            let message = format!("the formula is nested deeper than {max}");
            Fault::new(Code::TooDeep, message).hint("split it into several formulas")
        }
        Wrong::ChainTooLong => {
            let max = bounds.chain_max;
            let message = format!("more than {max} operators in one chain");
            Fault::new(Code::ChainTooLong, message)
                .hint("use a list, as in `sum([a, b, c])` or `x in [a, b, c]`")
        }
    };
    fault.at(place_of(offset, wrong))
}

fn unread(offset: u32, error: &Unparsed) -> Box<Fault> {
    Fault::new(Code::Syntax, &error.message)
        .hint(
            "a formula is one expression, as in `price * qty > 100`; several lines go into \
               parentheses",
        )
        .at(place_of(offset, error))
}

fn place_of(offset: u32, error: &Unparsed) -> Span {
    Span {
        start: place(error.span.start) + offset,
        end: place(error.span.end) + offset,
    }
}

fn span_of(range: TextRange, offset: u32) -> Span {
    Span {
        start: range.start().to_u32() + offset,
        end: range.end().to_u32() + offset,
    }
}
