//! What a formula may use: inputs with their types, functions of the host.

use std::fmt;
use std::sync::Arc;

use crate::error::{Code, Fallible, Fault, FormulaError};
use crate::kind::Type;
use crate::value::Value;

/// Most inputs that a signature may have.
pub const INPUTS_MAX: usize = 256;

/// The text form of a signature is at most so long, bytes.
const NOTATION_BYTES_MAX: usize = 64 << 10;
/// Types in it are nested at most so deep.
const NOTATION_DEPTH_MAX: usize = 16;

/// The names that formulas may use.
///
/// Holding one proves that every name is an identifier and none is there twice.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Shared with each formula that is compiled for it.
    pub(crate) inputs: Arc<Vec<(Arc<str>, Type)>>,
    pub(crate) functions: Vec<Arc<HostFunction>>,
    /// Whether other names are inputs of any type.
    pub(crate) open: bool,
}

/// A function of the host: `call` must be quick, pure and charge what it says.
pub struct HostFunction {
    pub(crate) name: Arc<str>,
    pub(crate) parameters: Vec<Type>,
    pub(crate) returns: Type,
    pub(crate) cost: u64,
    pub(crate) call: Box<HostCall>,
}

/// What a function of the host does; an error's text becomes the message.
pub type HostCall = dyn Fn(&[Value]) -> Result<Value, String> + Send + Sync;

impl fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}({:?}) -> {}",
            self.name, self.parameters, self.returns
        )
    }
}

impl Signature {
    /// Without inputs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One for which every name in a formula is an input of any type: nothing is known before
    /// there is data, and no bound of the cost.
    #[must_use]
    pub fn open() -> Self {
        Self {
            open: true,
            ..Self::default()
        }
    }

    /// The same with one input more.
    ///
    /// # Errors
    /// `types-signature` when the name is no identifier, is there already, or there are too many.
    pub fn input(mut self, name: &str, kind: Type) -> Result<Self, FormulaError> {
        self.add(name, kind)
            .map_err(|fault| FormulaError::locate(fault, "", 0))?;
        Ok(self)
    }

    fn add(&mut self, name: &str, kind: Type) -> Fallible<()> {
        if !is_name(name) {
            let shown = crate::value::text::excerpt(name);
            return Err(wrong(format!("`{shown}` is no name for an input")));
        }
        if self.has(name) {
            return Err(wrong(format!("`{name}` is there twice")));
        }
        if self.inputs.len() >= INPUTS_MAX {
            return Err(wrong(format!("more than {INPUTS_MAX} inputs")));
        }
        Arc::make_mut(&mut self.inputs).push((Arc::from(name), kind));
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        self.inputs.iter().any(|(other, _)| **other == *name)
            || self
                .functions
                .iter()
                .any(|function| *function.name == *name)
    }

    /// The same with a function of the host: its parameters, what it returns, what a call costs.
    ///
    /// # Errors
    /// `types-signature` when the name is no identifier, is there already, or is a function of
    /// the language.
    pub fn function(
        mut self,
        name: &str,
        parameters: Vec<Type>,
        returns: Type,
        cost: u64,
        call: impl Fn(&[Value]) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Result<Self, FormulaError> {
        let taken = self.has(name) || crate::function::Function::named(name).is_some();
        if taken || !is_name(name) {
            let shown = crate::value::text::excerpt(name);
            let fault = wrong(format!("`{shown}` is no free name for a function"));
            return Err(FormulaError::locate(fault, "", 0));
        }
        self.functions.push(Arc::new(HostFunction {
            name: Arc::from(name),
            parameters,
            returns,
            cost,
            call: Box::new(call),
        }));
        Ok(self)
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.inputs.iter().map(|(name, kind)| (&**name, kind))
    }

    /// Reads `name: type, name: type, …`: types are `int`, `decimal`, `float`, `number`, `bool`,
    /// `date`, `datetime`, `duration`, `none`, `any`, `str` or `str[BYTES]`, `list[type]` or
    /// `list[type, ITEMS]`, `map[type]` or `map[type, ENTRIES]`, `{field: type, …}`, and any of
    /// them with `?` for one that may be `None`.
    ///
    /// # Errors
    /// `types-signature`, with the place.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        if text.len() > NOTATION_BYTES_MAX {
            let fault = wrong(format!("more than {NOTATION_BYTES_MAX} bytes"));
            return Err(FormulaError::locate(fault, "", 0));
        }
        let mut reader = Reader {
            text,
            at: 0,
            depth: 0,
        };
        let mut signature = Self::new();
        reader.signature(&mut signature).map_err(|fault| {
            let at = u32::try_from(reader.at).unwrap_or(u32::MAX);
            let span = crate::error::Span { start: at, end: at };
            FormulaError::locate(fault.at(span), text, 0)
        })?;
        Ok(signature)
    }
}

fn is_name(name: &str) -> bool {
    let start = |c: char| c == '_' || c.is_alphabetic();
    let keyword = [
        "and", "or", "not", "in", "is", "if", "else", "for", "None", "True", "False", "lambda",
        "await", "async", "import", "from", "as", "def", "class", "return", "yield", "while",
        "try", "except", "finally", "raise", "with", "pass", "break", "continue", "global",
        "nonlocal", "del", "assert", "elif",
    ];
    name.len() <= 128
        && name.chars().next().is_some_and(start)
        && name.chars().all(|c| start(c) || c.is_numeric())
        && !keyword.contains(&name)
}

fn wrong(message: impl std::fmt::Display) -> Box<Fault> {
    Fault::new(Code::Signature, format!("signature: {message}"))
        .hint("as in `price: decimal, qty: int, name: str[64], rows: list[{x: float}, 1000]`")
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn skip(&mut self, mark: char) -> bool {
        self.blank();
        let there = self.text[self.at..].starts_with(mark);
        self.at += if there { mark.len_utf8() } else { 0 };
        there
    }

    fn need(&mut self, mark: char) -> Fallible<()> {
        if self.skip(mark) {
            Ok(())
        } else {
            Err(wrong(format!("`{mark}` is expected")))
        }
    }

    fn word(&mut self) -> &'a str {
        self.blank();
        let rest = &self.text[self.at..];
        let len = rest
            .find(|c: char| c != '_' && !c.is_alphanumeric())
            .unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn signature(&mut self, into: &mut Signature) -> Fallible<()> {
        self.blank();
        while self.at < self.text.len() {
            let name = self.word();
            self.need(':')?;
            let kind = self.kind()?;
            into.add(name, kind)?;
            if !self.skip(',') {
                break;
            }
            self.blank();
        }
        if self.at < self.text.len() {
            return Err(wrong("`,` is expected".to_owned()));
        }
        Ok(())
    }

    fn kind(&mut self) -> Fallible<Type> {
        self.depth += 1;
        if self.depth > NOTATION_DEPTH_MAX {
            return Err(wrong(format!(
                "types are nested deeper than {NOTATION_DEPTH_MAX}"
            )));
        }
        let kind = if self.skip('{') {
            self.record()?
        } else {
            self.named()?
        };
        self.depth -= 1;
        Ok(if self.skip('?') {
            kind.optional()
        } else {
            kind
        })
    }

    fn record(&mut self) -> Fallible<Type> {
        let mut fields: Vec<(Arc<str>, Type)> = Vec::new();
        while !self.skip('}') {
            let name = self.word();
            if !is_name(name) || fields.iter().any(|(other, _)| **other == *name) {
                return Err(wrong(format!(
                    "`{name}` is no name for a field, or there twice"
                )));
            }
            self.need(':')?;
            fields.push((Arc::from(name), self.kind()?));
            if !self.skip(',') {
                self.need('}')?;
                break;
            }
        }
        Ok(Type::Record(fields.into()))
    }

    fn named(&mut self) -> Fallible<Type> {
        let word = self.word();
        let plain = match word {
            "any" => Type::Any,
            "none" => Type::Null,
            "bool" => Type::Bool,
            "int" => Type::Int,
            "decimal" => Type::Decimal,
            "float" => Type::Float,
            "number" => Type::Number,
            "date" => Type::Date,
            "datetime" => Type::DateTime,
            "duration" => Type::Duration,
            "str" => {
                let max = if self.skip('[') {
                    Some(self.bound()?)
                } else {
                    None
                };
                return Ok(Type::Str(max));
            }
            "list" | "map" => {
                let (mut item, mut max) = (Type::Any, None);
                if self.skip('[') {
                    item = self.kind()?;
                    max = if self.skip(',') {
                        Some(self.bound()?)
                    } else {
                        self.need(']').map(|()| None)?
                    };
                }
                let item = Arc::new(item);
                return Ok(if word == "list" {
                    Type::List(item, max)
                } else {
                    Type::Map(item, max)
                });
            }
            _ => {
                let shown = crate::value::text::excerpt(word);
                return Err(wrong(format!("`{shown}` is no type")));
            }
        };
        Ok(plain)
    }

    /// A number, and the bracket after it.
    fn bound(&mut self) -> Fallible<u32> {
        let word = self.word();
        let bound = word
            .parse()
            .map_err(|_| wrong(format!("`{word}` is no size")))?;
        self.need(']')?;
        Ok(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_reads_back_as_it_is_shown() {
        let text = "{a: str[64], b: list[{x: float?, y: map[int, 9]}, 1000], c: date}?";
        let signature = Signature::parse(&format!("rows: {text}")).unwrap();
        let (name, kind) = signature.inputs().next().unwrap();
        assert_eq!((name, kind.to_string().as_str()), ("rows", text));
    }

    #[test]
    fn what_is_no_signature_is_refused_with_its_place() {
        for (text, column) in [
            ("a", 2),
            ("a: itn", 7),
            ("a: int b: int", 8),
            ("a: int, a: int", 15),
            ("if: int", 8),
            ("a: str[x]", 9),
        ] {
            let error = Signature::parse(text).unwrap_err();
            assert_eq!(
                (error.code(), error.column()),
                (Code::Signature, column),
                "{text}"
            );
        }
        assert!(Signature::parse(&format!("a: {}", "list[".repeat(1000))).is_err());
    }
}
