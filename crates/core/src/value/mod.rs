//! Values: strict JSON in, one canonical text out, and JSON Schema between.
//!
//! A [`Value`] proves that bytes from inside a boundary kept every rule of [`Rule`] up to
//! [`Rule::Syntax`]: at most so many bytes, UTF-8, at most so deep, no key twice in one object,
//! no NaN or Infinity, no lone surrogate, no number that a reader would change in silence, one
//! document and nothing after it. It does not prove that the value means what the caller wants:
//! that is what a [`Schema`] is for, and beyond it the caller's own judgement.
//!
//! The rules are checked in the order of [`Rule`]. A document that breaks several is reported
//! under the first of them, and among faults of one rule under the first in the text.
//!
//! The reader is our own, because the usual ones repair: they keep the last of two equal keys,
//! turn 2**70 into a float, and read an object with one magic key as a number.
//!
//! ```
//! use stockade_core::value::{Rule, Rules, Schema, read};
//!
//! let rules = Rules { bytes_max: 1 << 20, depth_max: 64 };
//! let schema = Schema::compile(br#"{"properties": {"id": {"type": "integer"}}}"#)?;
//!
//! let value = read(br#"{"id": 1180591620717411303424}"#, &rules)?;
//! schema.check(&value)?;
//! assert_eq!(value.text(), r#"{"id":1180591620717411303424}"#);
//!
//! let rejection = read(br#"{"id": NaN}"#, &rules).unwrap_err();
//! assert_eq!((rejection.rule, rejection.pointer.as_str()), (Rule::NotFinite, "/id"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bound;
mod decimal;
mod excerpt;
mod explain;
mod meter;
mod number;
mod pointer;
mod reader;
mod schema;
mod string;
mod unique;
mod writer;

use std::fmt;

pub use excerpt::{EXCERPT_CHARS_MAX, is_unsafe_to_print};
pub use number::NUMBER_DIGITS_MAX;
pub use pointer::POINTER_CHARS_MAX;
pub use reader::read;
pub use schema::{SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX, SCHEMA_STEPS_MAX, Schema};

/// The deepest nesting that [`read`] takes whatever the [`Rules`] say: what may be dropped and
/// walked on a stack of 256 KiB.
pub const DEPTH_MAX: usize = 512;

/// How large and how deep a document may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Bytes of the document, white space included.
    pub bytes_max: usize,
    /// Arrays and objects within each other: `1` is 0 deep, `[]` is 1 deep. Above [`DEPTH_MAX`]
    /// that bound holds, and the rejection names it.
    pub depth_max: usize,
}

/// What a document may break, in the order in which it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// There is no document.
    Missing,
    /// The document is not in a regular file.
    NotRegular,
    /// More bytes than allowed.
    Size,
    /// Not UTF-8, or a byte order mark before the text.
    Utf8,
    /// Nested deeper than allowed.
    Depth,
    /// The same key twice in one object.
    DuplicateKey,
    /// NaN or an infinity.
    NotFinite,
    /// Half of a surrogate pair, which no UTF-8 text can carry.
    LoneSurrogate,
    /// A number that overflows, or of too many digits.
    Number,
    /// Not JSON (RFC 8259), or more than one document.
    Syntax,
    /// JSON, but not what the schema allows.
    Schema,
}

impl Rule {
    /// Every rule, in the order in which they are checked.
    pub const ALL: [Self; 11] = [
        Self::Missing,
        Self::NotRegular,
        Self::Size,
        Self::Utf8,
        Self::Depth,
        Self::DuplicateKey,
        Self::NotFinite,
        Self::LoneSurrogate,
        Self::Number,
        Self::Syntax,
        Self::Schema,
    ];

    /// The name in records and on the command line.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::NotRegular => "not-regular",
            Self::Size => "size",
            Self::Utf8 => "utf8",
            Self::Depth => "depth",
            Self::DuplicateKey => "duplicate-key",
            Self::NotFinite => "not-finite",
            Self::LoneSurrogate => "lone-surrogate",
            Self::Number => "number",
            Self::Syntax => "syntax",
            Self::Schema => "schema",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

/// Why a document was refused, and where.
///
/// All of it is bounded and safe to print: what the guest wrote appears only in `pointer`,
/// `message` and `excerpt`, shortened, with everything that could drive a terminal escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// JSON pointer (RFC 6901) to the place; empty means the whole document. Longer than
    /// [`POINTER_CHARS_MAX`] it ends in `…`.
    pub pointer: String,
    /// The rule that was broken.
    pub rule: Rule,
    /// What is wrong, with the number that matters.
    pub message: String,
    /// At most [`EXCERPT_CHARS_MAX`] characters of the document; empty where none would help.
    pub excerpt: String,
    /// Bytes from the start of the document to the fault, where the fault has a place in the
    /// text.
    pub offset: Option<usize>,
}

impl Rejection {
    /// A rejection of the document as a whole, with nothing to show of it.
    #[must_use]
    pub fn whole(rule: Rule, message: impl Into<String>) -> Self {
        Self {
            pointer: String::new(),
            rule,
            message: message.into(),
            excerpt: String::new(),
            offset: None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)?;
        if !self.excerpt.is_empty() {
            write!(f, " (`{}`)", self.excerpt)?;
        }
        Ok(())
    }
}

impl std::error::Error for Rejection {}

/// One JSON value that kept the rules, with its canonical text.
///
/// Do not parse [`Value::text`] with `serde_json` to get at the value: with
/// `arbitrary_precision`, its reader takes an object whose only key is
/// `$serde_json::private::Number` for a number, and a guest may write that key. Use
/// [`Value::tree`], or [`read`].
#[derive(Clone, Debug)]
pub struct Value {
    tree: serde_json::Value,
    text: String,
}

impl Value {
    /// Compact JSON: keys in the order of the document, numbers digit for digit as written (an
    /// exponent as `e+5`), strings escaped so that the text can be printed to a terminal.
    ///
    /// Reading it again gives the same text. It may be longer than the document was (at most six
    /// times), because `\u009b` is longer than the character.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same with a line an item, two spaces a level up to 16 levels, and no line end after
    /// the last line.
    #[must_use]
    pub fn pretty(&self) -> String {
        writer::pretty(&self.tree)
    }

    /// The value as a tree. Numbers keep their digits (`serde_json`'s `arbitrary_precision`).
    #[must_use]
    pub fn tree(&self) -> &serde_json::Value {
        &self.tree
    }

    fn new(tree: serde_json::Value) -> Self {
        let text = writer::compact(&tree);
        Self { tree, text }
    }
}

impl PartialEq for Value {
    /// Equal when they are written alike: `1.0` is not `1`, and the order of keys counts.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Value {}
