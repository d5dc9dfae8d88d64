//! The one place that knows the parser: `ruff_python_parser`, pinned.
//!
//! The parser grows its own stack, but its tree is dropped by recursion: a hundred thousand levels
//! overflow a stack of 2 MiB. So [`bound()`] counts levels and chains by the parser's own lexer
//! first, and the parser never sees a source that would make a deep tree.
#![forbid(unsafe_code)]

mod bound;

use std::ops::Range;

pub use ruff_python_ast as ast;
pub use ruff_text_size as text;

use ruff_python_ast::{PythonVersion, Suite};
use ruff_python_parser::{Mode, ParseError, ParseOptions};
use ruff_text_size::{Ranged, TextRange};

pub use bound::Bounds;

/// Bytes behind the place of a lexical error that are read to say what is wrong there.
const LOOK_AHEAD_BYTES: usize = 256;

/// Why a source has no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unparsed {
    /// What is wrong.
    pub kind: Wrong,
    /// Where, in bytes of the source.
    pub span: Range<usize>,
    /// The parser's words, or ours. They may quote the source.
    pub message: String,
}

/// What keeps a source from having a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is not Python.
    Syntax,
    /// Nested deeper than [`Bounds::nesting_max`].
    TooDeep,
    /// A chain of more operators than [`Bounds::chain_max`].
    ChainTooLong,
}

/// What a source is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// Statements.
    Program,
    /// One expression.
    Expression,
}

impl Grammar {
    const fn mode(self) -> Mode {
        match self {
            Self::Program => Mode::Module,
            Self::Expression => Mode::Expression,
        }
    }
}

/// The tree of a program.
#[derive(Debug)]
pub struct Module {
    /// Its statements.
    pub body: Suite,
    /// What the interpreter that was asked for cannot read yet: where, and the parser's words.
    pub newer: Vec<(Range<usize>, String)>,
}

/// Refuses a source whose tree would be deeper than `bounds`, before there is one, and one that the
/// lexer cannot read to its end.
///
/// # Errors
/// What is wrong first.
pub fn bound(source: &str, grammar: Grammar, bounds: Bounds) -> Result<(), Unparsed> {
    bound::bound(source, grammar, bounds).map_err(|excess| unread(source, grammar, excess))
}

/// The tree of a program, for the interpreter of that version.
///
/// # Errors
/// What is wrong first.
pub fn module(source: &str, version: PythonVersion, bounds: Bounds) -> Result<Module, Unparsed> {
    bound(source, Grammar::Program, bounds)?;
    let options = ParseOptions::from(Mode::Module).with_target_version(version);
    let parsed = ruff_python_parser::parse_unchecked(source, options);
    if let Some(error) = parsed.errors().iter().min_by_key(|e| e.location.start()) {
        return Err(unparsed(error));
    }
    let newer = parsed
        .unsupported_syntax_errors()
        .iter()
        .map(|error| (range(error.range()), error.to_string()))
        .collect();
    match parsed.try_into_module() {
        Some(module) => Ok(Module {
            body: module.into_suite(),
            newer,
        }),
        None => Err(Unparsed {
            kind: Wrong::Syntax,
            span: 0..source.len(),
            message: "the parser gave no module".to_owned(),
        }),
    }
}

/// The tree of a source that [`bound()`] has let through.
///
/// # Errors
/// What is wrong first: where in bytes, and the parser's words.
pub fn expression(source: &str) -> Result<ast::Expr, Unparsed> {
    match ruff_python_parser::parse_expression(source) {
        Ok(parsed) => Ok(parsed.into_expr()),
        Err(error) => Err(unparsed(&error)),
    }
}

/// The statements of a source that [`bound()`] has let through, as either.
///
/// # Errors
/// As [`expression`].
pub fn statements(source: &str) -> Result<Suite, Unparsed> {
    match ruff_python_parser::parse_module(source) {
        Ok(parsed) => Ok(parsed.into_suite()),
        Err(error) => Err(unparsed(&error)),
    }
}

/// A range of the tree in bytes.
#[must_use]
pub fn range(range: TextRange) -> Range<usize> {
    range.start().to_usize()..range.end().to_usize()
}

fn unparsed(error: &ParseError) -> Unparsed {
    Unparsed {
        kind: Wrong::Syntax,
        span: range(error.location),
        message: lowered(&error.error.to_string()),
    }
}

/// What is wrong where the counting stopped. Only what was counted is parsed, and a little more.
fn unread(source: &str, grammar: Grammar, excess: bound::Excess) -> Unparsed {
    let at = excess.at(source);
    let message = match excess.kind {
        Wrong::TooDeep => "nested too deep".to_owned(),
        Wrong::ChainTooLong => "too many operators in one chain".to_owned(),
        Wrong::Syntax => {
            let end = source.floor_char_boundary(at + LOOK_AHEAD_BYTES);
            let head = source.get(..end).unwrap_or(source);
            let parsed = ruff_python_parser::parse_unchecked(head, grammar.mode().into());
            let first = parsed.errors().iter().min_by_key(|e| e.location.start());
            if let Some(error) = first {
                return unparsed(error);
            }
            "this is not Python".to_owned()
        }
    };
    let end = source.ceil_char_boundary(at + 1);
    Unparsed {
        kind: excess.kind,
        span: at..end,
        message,
    }
}

/// With a small first letter, as messages of ours are.
fn lowered(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|c| c.to_lowercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}
