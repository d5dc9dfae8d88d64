//! The strict reader (RFC 8259), without recursion.
//!
//! It goes on after a fault that leaves the rest readable, because the document is reported under
//! the first rule it breaks, not under the first fault in the text.

use std::collections::HashSet;

use serde_json::{Map, Value as Tree};

use super::excerpt::{self, printable};
use super::number::{self, Literal};
use super::pointer::Pointer;
use super::string::{self, Quoted};
use super::{DEPTH_MAX, Rejection, Rule, Rules, Value};

/// Members up to which a key is looked for among the others one by one.
const FEW_MEMBERS: usize = 16;

/// Reads one JSON document.
///
/// Takes at most about 60 bytes of memory for each byte of the document (measured on documents of
/// 1 MiB made of `0,`, `[],` and `{"":0},`), and time in proportion to it.
///
/// # Errors
/// The first [`Rule`], in their order, that the document breaks.
pub fn read(bytes: &[u8], rules: &Rules) -> Result<Value, Rejection> {
    if bytes.len() > rules.bytes_max {
        return Err(Rejection::whole(
            Rule::Size,
            format!(
                "{} bytes of JSON; at most {} are allowed",
                bytes.len(),
                rules.bytes_max
            ),
        ));
    }
    let text = utf8(bytes)?;
    let depth_max = rules.depth_max.min(DEPTH_MAX);
    if let Some(offset) = first_too_deep(bytes, depth_max) {
        return Err(Rejection {
            pointer: String::new(),
            rule: Rule::Depth,
            message: format!("nested deeper than {depth_max} levels"),
            excerpt: excerpt::around(text, offset),
            offset: Some(offset),
        });
    }
    let mut reader = Reader {
        text,
        at: 0,
        frames: Vec::new(),
        fault: None,
    };
    let tree = reader.document();
    match (reader.fault, tree) {
        (None, Ok(tree)) => Ok(Value::new(tree)),
        (Some(fault), _) => Err(fault),
        // `Halt` is only made after a fault was noted.
        (None, Err(Halt)) => Err(Rejection::whole(Rule::Syntax, "not JSON")),
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Rejection> {
    let rejection = |offset, message: &str| Rejection {
        pointer: String::new(),
        rule: Rule::Utf8,
        message: message.to_owned(),
        excerpt: excerpt::around_bytes(bytes, offset),
        offset: Some(offset),
    };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(rejection(
            0,
            "a byte order mark before the JSON; write UTF-8 without one",
        ));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        rejection(
            offset,
            &format!("not UTF-8 at byte {offset}; write text as UTF-8"),
        )
    })
}

/// Where the document first nests deeper than allowed. Needs no stack and no knowledge of JSON
/// but of its strings, so that no other fault can stand before this one.
fn first_too_deep(bytes: &[u8], depth_max: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_string = false;
    let mut is_escaped = false;
    for (offset, byte) in bytes.iter().enumerate() {
        if is_string {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => is_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => is_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > depth_max {
                    return Some(offset);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The rest of the document cannot be read; the fault is noted.
struct Halt;

/// A container that is open at the place of reading.
enum Frame {
    Array(Vec<Tree>),
    Object(Members),
}

#[derive(Default)]
struct Members {
    done: Vec<(String, Tree)>,
    /// The key whose value is being read.
    key: Option<String>,
    /// All keys so far, once there are more than [`FEW_MEMBERS`].
    keys: Option<HashSet<String>>,
}

impl Members {
    /// Takes the next key. Returns whether the object has it already.
    fn open(&mut self, key: String) -> bool {
        let is_known = match &mut self.keys {
            Some(keys) => !keys.insert(key.clone()),
            None => self.done.iter().any(|(known, _)| *known == key),
        };
        if self.keys.is_none() && self.done.len() >= FEW_MEMBERS {
            let known = self.done.iter().map(|(key, _)| key.clone());
            self.keys = Some(known.chain([key.clone()]).collect());
        }
        self.key = Some(key);
        is_known
    }

    fn close(self) -> Tree {
        // With the exact size: growing would give each small object room for four members.
        let mut map = Map::with_capacity(self.done.len());
        map.extend(self.done);
        Tree::Object(map)
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    frames: Vec<Frame>,
    fault: Option<Rejection>,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Tree, Halt> {
        self.space();
        if self.peek().is_none() {
            return Err(self.halt(self.at, "the document is empty"));
        }
        loop {
            let Some(value) = self.value()? else { continue };
            if let Some(tree) = self.attach(value)? {
                self.space();
                return match self.peek() {
                    None => Ok(tree),
                    Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') => {
                        Err(self.halt(self.at, "a second document after the first"))
                    }
                    Some(_) => Err(self.halt(self.at, "more bytes after the end of the document")),
                };
            }
        }
    }

    /// Reads a value, or opens a container that is not empty.
    fn value(&mut self) -> Result<Option<Tree>, Halt> {
        self.space();
        match self.peek() {
            Some(b'[') => {
                self.at += 1;
                self.space();
                if self.take(b']') {
                    return Ok(Some(Tree::Array(Vec::new())));
                }
                self.frames.push(Frame::Array(Vec::new()));
                Ok(None)
            }
            Some(b'{') => {
                self.at += 1;
                self.space();
                if self.take(b'}') {
                    return Ok(Some(Tree::Object(Map::new())));
                }
                self.frames.push(Frame::Object(Members::default()));
                self.key()?;
                Ok(None)
            }
            Some(b'"') => self.string().map(|text| Some(Tree::String(text))),
            Some(b'-' | b'0'..=b'9') => self.number().map(Some),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => self.word().map(Some),
            Some(byte) => {
                let message = match byte {
                    b'\'' => "a string needs double quotes",
                    b']' | b'}' => "a comma with no value after it",
                    b'+' => "a number may not start with `+`",
                    b'.' => "a number needs a digit before its point",
                    b'/' | b'#' => "JSON has no comments",
                    _ => "expected a value",
                };
                Err(self.halt(self.at, message))
            }
            None => Err(self.halt(self.at, "the document ends where a value should be")),
        }
    }

    /// Puts a value where it belongs and closes what ends after it. Returns the whole document
    /// when nothing is open any more.
    fn attach(&mut self, mut value: Tree) -> Result<Option<Tree>, Halt> {
        loop {
            let Some(mut frame) = self.frames.pop() else {
                return Ok(Some(value));
            };
            let close = match &mut frame {
                Frame::Array(items) => {
                    items.push(value);
                    b']'
                }
                Frame::Object(members) => {
                    if let Some(key) = members.key.take() {
                        members.done.push((key, value));
                    }
                    b'}'
                }
            };
            self.space();
            if self.take(close) {
                value = match frame {
                    Frame::Array(mut items) => {
                        items.shrink_to_fit();
                        Tree::Array(items)
                    }
                    Frame::Object(members) => members.close(),
                };
                continue;
            }
            let is_object = matches!(frame, Frame::Object(_));
            self.frames.push(frame);
            if !self.take(b',') {
                let message = match (self.peek(), is_object) {
                    (None, _) => "the document ends before its last bracket",
                    (Some(_), true) => "expected `,` or `}`",
                    (Some(_), false) => "expected `,` or `]`",
                };
                return Err(self.halt(self.at, message));
            }
            if is_object {
                self.key()?;
            }
            return Ok(None);
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Result<(), Halt> {
        self.space();
        let start = self.at;
        match self.peek() {
            Some(b'"') => {}
            Some(b'}') => return Err(self.halt(start, "a comma with no member after it")),
            Some(_) => return Err(self.halt(start, "a key needs double quotes")),
            None => return Err(self.halt(start, "the document ends where a key should be")),
        }
        let key = self.string()?;
        let is_known = match self.frames.last_mut() {
            Some(Frame::Object(members)) => members.open(key),
            Some(Frame::Array(_)) | None => false,
        };
        if is_known {
            let key = self.text.get(start..self.at).unwrap_or_default();
            let message = format!("the key {} stands twice in one object", printable(key, 40));
            self.note(Rule::DuplicateKey, start, message);
        }
        self.space();
        if self.take(b':') {
            Ok(())
        } else {
            Err(self.halt(self.at, "expected `:` after a key"))
        }
    }

    fn string(&mut self) -> Result<String, Halt> {
        match string::quoted(self.text, self.at) {
            Quoted::Whole { value, end, lone } => {
                self.at = end;
                if let Some(offset) = lone {
                    let written = self.text.get(offset..offset + 6).unwrap_or_default();
                    let message =
                        format!("`{written}` is half of a surrogate pair, not a character");
                    self.note(Rule::LoneSurrogate, offset, message);
                }
                Ok(value)
            }
            Quoted::Malformed(message, offset) => Err(self.halt(offset, message)),
        }
    }

    fn number(&mut self) -> Result<Tree, Halt> {
        let start = self.at;
        match number::literal(self.text, start) {
            Literal::Number(number, end) => {
                self.at = end;
                Ok(Tree::Number(number))
            }
            Literal::Refused(message, end) => {
                self.at = end;
                self.note(Rule::Number, start, message);
                Ok(Tree::Null)
            }
            Literal::NotFinite(end) => {
                self.at = end;
                self.not_finite(start);
                Ok(Tree::Null)
            }
            Literal::Malformed(message, offset) => Err(self.halt(offset, message)),
        }
    }

    fn word(&mut self) -> Result<Tree, Halt> {
        let start = self.at;
        self.at += number::word(self.text.as_bytes(), start);
        let word = self.text.get(start..self.at).unwrap_or_default();
        match word {
            "null" => Ok(Tree::Null),
            "true" => Ok(Tree::Bool(true)),
            "false" => Ok(Tree::Bool(false)),
            word if number::is_not_finite(word) => {
                self.not_finite(start);
                Ok(Tree::Null)
            }
            "None" | "True" | "False" => {
                let message = format!("`{word}` is Python, not JSON; write with `json.dump`");
                Err(self.halt(start, message))
            }
            _ => Err(self.halt(start, "expected a value")),
        }
    }

    fn not_finite(&mut self, start: usize) {
        let word = self.text.get(start..self.at).unwrap_or_default();
        let message = format!("{word} is not JSON; write null, a string, or leave it out");
        self.note(Rule::NotFinite, start, message);
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn halt(&mut self, offset: usize, message: impl Into<String>) -> Halt {
        self.note(Rule::Syntax, offset, message.into());
        Halt
    }

    /// Keeps a fault if its rule comes before that of the fault that is kept. Faults of one rule
    /// are met in the order of the text.
    fn note(&mut self, rule: Rule, offset: usize, message: String) {
        if self.fault.as_ref().is_some_and(|kept| kept.rule <= rule) {
            return;
        }
        self.fault = Some(Rejection {
            pointer: self.pointer(),
            rule,
            message,
            excerpt: excerpt::around(self.text, offset),
            offset: Some(offset),
        });
    }

    fn pointer(&self) -> String {
        let mut pointer = Pointer::root();
        for frame in &self.frames {
            match frame {
                Frame::Array(items) => pointer.index(items.len()),
                Frame::Object(Members { key: Some(key), .. }) => pointer.key(key),
                Frame::Object(Members { key: None, .. }) => {}
            }
        }
        pointer.finish()
    }
}
