//! Bounds nesting and chains before anything recursive sees the source. Counts too much rather
//! than too little: what it lets through, the parser's tree is no deeper than.

use crate::bound::Bounds;
use crate::error::{Code, Fallible, Fault, Span};
use crate::tree::place;

/// What a level was opened by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    Source,
    Bracket,
    /// A replacement field of an f-string.
    Field,
    /// The text of an f-string: its quote, and whether there are three of them.
    Text {
        quote: u8,
        triple: bool,
    },
    /// The format of a replacement field.
    Spec,
}

struct Level {
    opened: Opened,
    /// Operators that make the tree deeper by recursion of the parser.
    deep: usize,
    /// Operators that make it deeper to the left.
    chain: usize,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// Whether what came last ends an operand: then a bracket calls or indexes, and a sign is
    /// between two.
    operand: bool,
    bounds: &'a Bounds,
}

/// Refuses a source that is nested too deep or has too long a chain.
pub(super) fn scan(source: &str, bounds: &Bounds) -> Fallible<()> {
    let mut scanner = Scanner {
        bytes: source.as_bytes(),
        at: 0,
        levels: Vec::with_capacity(8),
        operand: false,
        bounds,
    };
    scanner.open(Opened::Source)?;
    while scanner.at < scanner.bytes.len() {
        match scanner.levels.last().map(|level| level.opened) {
            Some(Opened::Text { quote, triple }) => scanner.text(quote, triple)?,
            Some(Opened::Spec) => scanner.spec()?,
            Some(Opened::Source | Opened::Bracket | Opened::Field) | None => scanner.code()?,
        }
    }
    Ok(())
}

impl Scanner<'_> {
    fn open(&mut self, opened: Opened) -> Fallible<()> {
        self.levels.push(Level {
            opened,
            deep: 0,
            chain: 0,
        });
        self.operand = false;
        self.check()
    }

    fn close(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
        }
        self.operand = true;
    }

    fn check(&self) -> Fallible<()> {
        let deep: usize = self.levels.iter().map(|level| level.deep).sum();
        let chain: usize = self.levels.iter().map(|level| level.chain).sum();
        let span = Span {
            start: place(self.at),
            end: place(self.at + 1),
        };
        if deep + self.levels.len() - 1 > self.bounds.depth_max {
            let max = self.bounds.depth_max;
            let message = format!("the formula is nested deeper than {max}");
            return Err(Fault::new(Code::TooDeep, message)
                .hint("split it into several formulas")
                .at(span));
        }
        if chain > self.bounds.chain_max {
            let max = self.bounds.chain_max;
            let message = format!("more than {max} operators in one chain");
            return Err(Fault::new(Code::ChainTooLong, message)
                .hint("use a list, as in `sum([a, b, c])` or `x in [a, b, c]`")
                .at(span));
        }
        Ok(())
    }

    fn deeper(&mut self) -> Fallible<()> {
        if let Some(level) = self.levels.last_mut() {
            level.deep += 1;
        }
        self.operand = false;
        self.check()
    }

    fn longer(&mut self) -> Fallible<()> {
        if let Some(level) = self.levels.last_mut() {
            level.chain += 1;
        }
        self.operand = false;
        self.check()
    }

    /// The next part begins, beside the last one.
    fn beside(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.deep = 0;
            level.chain = 0;
        }
        self.operand = false;
    }

    fn code(&mut self) -> Fallible<()> {
        let byte = self.bytes[self.at];
        match byte {
            b' ' | b'\t' | b'\r' | b'\x0c' => self.at += 1,
            b'\n' => {
                self.at += 1;
                if self.levels.len() == 1 {
                    self.beside();
                }
            }
            b'\\' => self.at += 2,
            b'#' => {
                while self
                    .bytes
                    .get(self.at)
                    .is_some_and(|b| *b != b'\n' && *b != b'\r')
                {
                    self.at += 1;
                }
            }
            b'\'' | b'"' => self.string(false)?,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word()?,
            b'(' | b'[' | b'{' => {
                if self.operand {
                    self.longer()?;
                }
                self.at += 1;
                self.open(Opened::Bracket)?;
            }
            b')' | b']' | b'}' => {
                self.at += 1;
                self.close();
            }
            b',' | b';' => {
                self.at += 1;
                self.beside();
            }
            b':' => {
                self.at += 1;
                self.operand = false;
                if self
                    .levels
                    .last()
                    .is_some_and(|level| level.opened == Opened::Field)
                {
                    self.open(Opened::Spec)?;
                }
            }
            _ => self.operator()?,
        }
        Ok(())
    }

    /// One operator, of one byte or several.
    fn operator(&mut self) -> Fallible<()> {
        let run = self.bytes[self.at..].iter().take(3);
        let len = match self.bytes[self.at] {
            // Signs stand one by one: `--x` are two.
            b'+' | b'-' | b'~' => 1,
            _ => run
                .take_while(|b| b"*/<>=!%@&|^".contains(b))
                .count()
                .max(1),
        };
        let power = self.bytes[self.at..].starts_with(b"**");
        self.at += len;
        if self.operand && !power {
            self.longer()
        } else {
            self.deeper()
        }
    }

    /// A name, a number or a keyword; or the prefix of a string.
    fn word(&mut self) -> Fallible<()> {
        let start = self.at;
        let digit = self.bytes[start].is_ascii_digit();
        while self.bytes.get(self.at).is_some_and(|b| {
            b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80 || digit && *b == b'.'
        }) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        let quote = self
            .bytes
            .get(self.at)
            .is_some_and(|b| *b == b'\'' || *b == b'"');
        if quote && word.len() <= 2 && word.iter().all(|b| b"rRbBuUfFtT".contains(b)) {
            return self.string(word.iter().any(|b| b"fFtT".contains(b)));
        }
        match word {
            b"not" | b"lambda" | b"await" | b"yield" | b"else" | b"for" => self.deeper(),
            b"and" | b"or" | b"in" | b"is" | b"if" => self.longer(),
            _ => {
                self.operand = true;
                Ok(())
            }
        }
    }

    /// From the quote on: a plain string is stepped over, an f-string is a level.
    fn string(&mut self, formatted: bool) -> Fallible<()> {
        let quote = self.bytes[self.at];
        let triple = self.bytes[self.at..].starts_with(&[quote; 3]);
        self.at += if triple { 3 } else { 1 };
        if formatted {
            return self.open(Opened::Text { quote, triple });
        }
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 2,
                b'\n' if !triple => break,
                byte if byte == quote => {
                    if self.ends(quote, triple) {
                        break;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.operand = true;
        Ok(())
    }

    /// Steps over the closing quote if it is here.
    fn ends(&mut self, quote: u8, triple: bool) -> bool {
        let close: &[u8] = if triple { &[quote; 3] } else { &[quote] };
        let ends = self.bytes[self.at..].starts_with(close);
        self.at += if ends { close.len() } else { 1 };
        ends
    }

    fn text(&mut self, quote: u8, triple: bool) -> Fallible<()> {
        let next = self.bytes.get(self.at + 1).copied();
        match self.bytes[self.at] {
            b'\\' if next != Some(b'{') => self.at += 2,
            b'{' if next == Some(b'{') => self.at += 2,
            b'{' => {
                self.at += 1;
                self.open(Opened::Field)?;
            }
            b'\n' if !triple => self.close(),
            byte if byte == quote => {
                if self.ends(quote, triple) {
                    self.close();
                }
            }
            _ => self.at += 1,
        }
        Ok(())
    }

    fn spec(&mut self) -> Fallible<()> {
        let byte = self.bytes[self.at];
        self.at += 1;
        match byte {
            b'{' => self.open(Opened::Field)?,
            b'}' => {
                // The format, and the field that it belongs to.
                self.close();
                self.close();
            }
            _ => {}
        }
        Ok(())
    }
}
