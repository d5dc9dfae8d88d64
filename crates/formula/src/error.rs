//! What can be wrong with a formula: one closed table of codes in five families.

use std::fmt;
use std::ops::Range;

/// What a person has to do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The text is no expression, or larger than a formula may be.
    Source,
    /// The text is Python, and not in this language.
    Language,
    /// A name, an operand or an argument cannot fit, whatever the data.
    Types,
    /// The data does not fit what the formula does with it.
    Evaluation,
    /// The formula used up what it may use.
    Budget,
}

impl Family {
    /// Stable name in records and JSON.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Language => "language",
            Self::Types => "types",
            Self::Evaluation => "evaluation",
            Self::Budget => "budget",
        }
    }

    /// Whether it is found before any data is there.
    #[must_use]
    pub fn is_of_the_formula(self) -> bool {
        match self {
            Self::Source | Self::Language | Self::Types => true,
            Self::Evaluation | Self::Budget => false,
        }
    }
}

/// Declares the codes once, so that enum, names, families and texts cannot disagree.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $id:ident => $slug:literal, $family:ident;)+) => {
        /// The stable code of an error. Closed: a new one stops the build wherever it matters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[doc = $doc])+ $id,)+ }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$id,)+];

            /// Stable name, as in records, JSON and documents.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(Self::$id => $slug,)+ }
            }

            /// The family.
            #[must_use]
            pub fn family(self) -> Family {
                match self { $(Self::$id => Family::$family,)+ }
            }

            /// What it means, in a sentence.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self { $(Self::$id => concat!($($doc),+),)+ }
            }
        }
    };
}

codes! {
    /// There is no formula.
    Empty => "source-empty", Source;
    /// More bytes than a formula may have.
    TooLong => "source-too-long", Source;
    /// Not UTF-8.
    NotUtf8 => "source-not-utf8", Source;
    /// Nested deeper than a formula may be.
    TooDeep => "source-too-deep", Source;
    /// More operators in one chain than a formula may have.
    ChainTooLong => "source-chain-too-long", Source;
    /// More parts than a formula may have.
    TooManyNodes => "source-too-many-nodes", Source;
    /// No expression of Python.
    Syntax => "source-syntax", Source;
    /// A number that no value of the language can hold.
    NumberTooLarge => "source-number", Source;

    /// Statements, assignments, several lines.
    Statement => "language-statement", Language;
    /// `import`.
    Import => "language-import", Language;
    /// Assignment with `=`, `+=` and the like.
    Assignment => "language-assignment", Language;
    /// Assignment within an expression, `:=`.
    Walrus => "language-walrus", Language;
    /// A dot after a value.
    Attribute => "language-attribute", Language;
    /// `lambda`.
    Lambda => "language-lambda", Language;
    /// `*x` and `**x`.
    Starred => "language-starred", Language;
    /// `await`, `async for`.
    Await => "language-await", Language;
    /// `yield`.
    Yield => "language-yield", Language;
    /// Tuples.
    Tuple => "language-tuple", Language;
    /// Sets.
    Set => "language-set", Language;
    /// A generator that is not the one argument of a function that takes it.
    Generator => "language-generator", Language;
    /// Bytes, complex numbers, `...`, template strings.
    Literal => "language-literal", Language;
    /// `@`, `&`, `|`, `^`, `~`, `<<`, `>>`, and `is` but for `is None`.
    Operator => "language-operator", Language;
    /// `name=value` in a call.
    Keyword => "language-keyword-argument", Language;
    /// A call of something that is no function's name.
    CallOfValue => "language-call-of-value", Language;
    /// A function that is not called.
    FunctionAsValue => "language-function-as-value", Language;
    /// A conversion or a format that f-strings here do not have.
    Format => "language-format", Language;
    /// A name that nothing has.
    UnknownName => "language-unknown-name", Language;
    /// A function that is not listed.
    UnknownFunction => "language-unknown-function", Language;

    /// An operator between values that it is not for.
    Operands => "types-operands", Types;
    /// The wrong number of arguments.
    Arity => "types-arity", Types;
    /// An argument of the wrong kind.
    Argument => "types-argument", Types;
    /// A comparison of values that are never equal.
    Unrelated => "types-unrelated", Types;
    /// A field that the record does not have.
    Field => "types-field", Types;
    /// An index or a key of the wrong kind, or of something without items.
    Subscript => "types-subscript", Types;
    /// An iteration over something without items.
    Iteration => "types-iteration", Types;
    /// A signature that is no signature.
    Signature => "types-signature", Types;
    /// An input of another kind or size than the signature says.
    Input => "types-input", Types;

    /// An operator met values that it is not for.
    OperandsMet => "eval-operands", Evaluation;
    /// A function met an argument that it is not for.
    ArgumentMet => "eval-argument", Evaluation;
    /// A whole number or a decimal beyond the range.
    Overflow => "eval-overflow", Evaluation;
    /// A division by zero.
    DivisionByZero => "eval-division-by-zero", Evaluation;
    /// A float beyond the range, or undefined.
    NotFinite => "eval-not-finite", Evaluation;
    /// A key that the map does not have.
    MissingKey => "eval-missing-key", Evaluation;
    /// An index outside the list or the string.
    Index => "eval-index", Evaluation;
    /// A text that cannot be read as what is asked for.
    Unreadable => "eval-unreadable", Evaluation;
    /// No items where there must be one.
    NoItems => "eval-no-items", Evaluation;
    /// A date that the calendar does not have.
    Calendar => "eval-calendar", Evaluation;
    /// An input that is not given.
    MissingInput => "eval-missing-input", Evaluation;
    /// A function of the host reported a fault.
    Host => "eval-host-function", Evaluation;

    /// More cost units than allowed.
    Cost => "budget-cost", Budget;
    /// More bytes built than allowed.
    Built => "budget-built", Budget;
    /// A result of more bytes than allowed.
    ResultSize => "budget-result", Budget;
    /// A value nested deeper than values may be.
    ValueDepth => "budget-depth", Budget;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

/// What is wrong, without the place: the place is added where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) span: Option<Span>,
}

/// A fault, small enough to be returned by everything.
pub(crate) type Fallible<T> = Result<T, Box<Fault>>;

/// Byte positions in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Fault {
    #[cold]
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code,
            message: message.into(),
            hint: None,
            span: None,
        })
    }

    #[cold]
    pub(crate) fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    /// The same at `span`, unless a narrower place is known already.
    #[cold]
    pub(crate) fn at(mut self: Box<Self>, span: Span) -> Box<Self> {
        self.span.get_or_insert(span);
        self
    }
}

/// Why there is no value, and where in the formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError(Box<Located>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Located {
    fault: Fault,
    line: u32,
    column: u32,
    cost: u64,
}

impl FormulaError {
    #[cold]
    #[allow(clippy::boxed_local, reason = "faults come in boxes")]
    pub(crate) fn locate(fault: Box<Fault>, source: &str, cost: u64) -> Self {
        let mut fault = *fault;
        let len = u32::try_from(source.len()).unwrap_or(u32::MAX);
        let span = *fault.span.get_or_insert(Span { start: 0, end: len });
        let before = source
            .as_bytes()
            .get(..span.start as usize)
            .unwrap_or_default();
        let line_start = before
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let line = 1 + before.split(|b| *b == b'\n').count() - 1;
        let column = 1 + String::from_utf8_lossy(&before[line_start..])
            .chars()
            .count();
        Self(Box::new(Located {
            fault,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            cost,
        }))
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.fault.code
    }

    /// The family of the code.
    #[must_use]
    pub fn family(&self) -> Family {
        self.0.fault.code.family()
    }

    /// What is wrong, in one lower-case sentence without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.fault.message
    }

    /// What to write instead, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.0.fault.hint.as_deref()
    }

    /// Where in the source, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        let span = self.0.fault.span.unwrap_or_default();
        span.start as usize..span.end as usize
    }

    /// Line of the start of the span, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.0.line
    }

    /// Column of the start of the span in characters, from 1.
    #[must_use]
    pub fn column(&self) -> u32 {
        self.0.column
    }

    /// Cost units that were used before this; 0 where nothing was evaluated.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.0.cost
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Located {
            line,
            column,
            fault,
            ..
        } = &*self.0;
        write!(f, "{line}:{column}: {} [{}]", fault.message, fault.code)
    }
}

impl std::error::Error for FormulaError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_named_after_their_families() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.slug()), "{code} appears twice");
            let family = match code.family() {
                Family::Evaluation => "eval",
                Family::Source | Family::Language | Family::Types | Family::Budget => {
                    code.family().slug()
                }
            };
            assert!(code.slug().starts_with(&format!("{family}-")), "{code}");
        }
    }

    #[test]
    fn a_place_is_told_in_lines_and_characters() {
        let fault = Fault::new(Code::Syntax, "x").at(Span { start: 6, end: 7 });
        let error = FormulaError::locate(fault, "(1+\né+)", 0);
        assert_eq!((error.line(), error.column()), (2, 2));
        assert_eq!(error.span(), 6..7);
    }
}
