//! A strict reader of JSON (RFC 8259) that makes values at once: no key twice, no number that
//! would be changed in silence, nothing after the document.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Code, Fallible, Fault};
use crate::kind::Type;
use crate::value::{Decimal, List, Map, VALUE_DEPTH_MAX, Value};

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(json: &'a [u8]) -> Fallible<Self> {
        match std::str::from_utf8(json) {
            Ok(text) => Ok(Self { text, at: 0 }),
            Err(error) => {
                let at = error.valid_up_to();
                Err(Fault::new(
                    Code::Input,
                    format!("byte {at} of the input is not UTF-8"),
                ))
            }
        }
    }

    /// What `read` makes of the one document.
    pub(super) fn document<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Fallible<T>,
    ) -> Fallible<T> {
        self.blank();
        let value = read(self)?;
        self.blank();
        if self.at < self.text.len() {
            return Err(self.wrong("the end of the document is expected"));
        }
        Ok(value)
    }

    #[cold]
    fn wrong(&self, what: &str) -> Box<Fault> {
        Fault::new(
            Code::Input,
            format!("byte {} of the input: {what}", self.at),
        )
        .hint("the input is JSON, as in `{\"price\": 19.5, \"qty\": 6}`")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn skip(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn need(&mut self, byte: u8) -> Fallible<()> {
        if self.skip(byte) {
            return Ok(());
        }
        Err(self.wrong(&format!("`{}` is expected", char::from(byte))))
    }

    /// The fields of an object, one by one.
    fn fields(&mut self, mut each: impl FnMut(&mut Self, &str) -> Fallible<()>) -> Fallible<()> {
        self.need(b'{')?;
        self.blank();
        if self.skip(b'}') {
            return Ok(());
        }
        loop {
            self.blank();
            let mut room = String::new();
            let key = self.string(&mut room)?;
            self.blank();
            self.need(b':')?;
            self.blank();
            each(self, key)?;
            self.blank();
            if !self.skip(b',') {
                return self.need(b'}');
            }
        }
    }

    fn items(&mut self, mut each: impl FnMut(&mut Self) -> Fallible<()>) -> Fallible<()> {
        self.need(b'[')?;
        self.blank();
        if self.skip(b']') {
            return Ok(());
        }
        loop {
            self.blank();
            each(self)?;
            self.blank();
            if !self.skip(b',') {
                return self.need(b']');
            }
        }
    }

    /// The value of each name that is used, where the object has it.
    pub(super) fn inputs(&mut self, names: &[(&str, &Type, bool)]) -> Fallible<Vec<Option<Value>>> {
        let mut slots = vec![None; names.len()];
        // Objects mostly have their keys in the order of the names.
        let mut next = 0;
        self.fields(|reader, key| {
            let at = match names.get(next) {
                Some((name, _, _)) if *name == key => Some(next),
                Some(_) | None => names.iter().position(|(name, _, _)| *name == key),
            };
            match at {
                Some(at) if slots[at].is_some() => Err(reader.twice(key)),
                Some(at) if names[at].2 => {
                    next = at + 1;
                    slots[at] = Some(reader.value(names[at].1, 1)?);
                    Ok(())
                }
                Some(_) | None => reader.step_over(1),
            }
        })?;
        Ok(slots)
    }

    /// Where each item of an array is.
    pub(super) fn ranges(&mut self) -> Fallible<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        self.items(|reader| {
            let start = reader.at;
            reader.step_over(1)?;
            ranges.push(start..reader.at);
            Ok(())
        })?;
        Ok(ranges)
    }

    #[cold]
    fn twice(&self, key: &str) -> Box<Fault> {
        self.wrong(&format!(
            "the key `{}` is there twice",
            crate::value::text::excerpt(key)
        ))
    }

    fn deeper(&self, depth: u8) -> Fallible<u8> {
        if depth >= VALUE_DEPTH_MAX {
            return Err(self.wrong(&format!("nested deeper than {VALUE_DEPTH_MAX}")));
        }
        Ok(depth + 1)
    }

    pub(super) fn value(&mut self, kind: &Type, depth: u8) -> Fallible<Value> {
        match self.peek() {
            Some(b'"') => {
                let mut room = String::new();
                let text = self.string(&mut room)?;
                match super::from_text(text, kind)? {
                    Some(value) => Ok(value),
                    None => Err(self.wrong(&format!("a text, where `{kind}` is declared"))),
                }
            }
            Some(b'{') => self.object(kind.present(), self.deeper(depth)?),
            Some(b'[') => {
                let depth = self.deeper(depth)?;
                let mut items = Vec::new();
                let any = Type::Any;
                let item = if let Type::List(item, _) = kind.present() {
                    item
                } else {
                    &any
                };
                self.items(|reader| {
                    items.push(reader.value(item, depth)?);
                    Ok(())
                })?;
                Ok(Value::List(List::new(items)?))
            }
            Some(b'-' | b'0'..=b'9') => self.number(kind.present()),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) | None => Err(self.wrong("a value is expected")),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Fallible<Value> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.wrong("a value is expected"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn object(&mut self, kind: &Type, depth: u8) -> Fallible<Value> {
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        if let Type::Record(fields) = kind {
            let mut slots: Vec<Option<Value>> = vec![None; fields.len()];
            let mut next = 0;
            self.fields(|reader, key| {
                let at = match fields.get(next) {
                    Some((name, _)) if **name == *key => Some(next),
                    Some(_) | None => fields.iter().position(|(name, _)| **name == *key),
                };
                let Some(at) = at else {
                    return reader.step_over(depth);
                };
                if slots[at].is_some() {
                    return Err(reader.twice(key));
                }
                next = at + 1;
                slots[at] = Some(reader.value(&fields[at].1, depth)?);
                Ok(())
            })?;
            for ((name, kind), slot) in fields.iter().zip(slots) {
                let absent = if kind.present() == kind {
                    None
                } else {
                    Some(Value::Null)
                };
                let value = slot
                    .or(absent)
                    .ok_or_else(|| self.wrong(&format!("no `{name}`")))?;
                entries.push((Arc::clone(name), value));
            }
            return Ok(Value::Map(Arc::new(Map::new(entries)?)));
        }
        let any = Type::Any;
        let item = if let Type::Map(item, _) = kind {
            item
        } else {
            &any
        };
        self.fields(|reader, key| {
            let key = Arc::from(key);
            entries.push((key, reader.value(item, depth)?));
            Ok(())
        })?;
        let count = entries.len();
        let map = Map::new(entries)?;
        if map.len() < count {
            return Err(self.wrong("a key is twice in the object before"));
        }
        Ok(Value::Map(Arc::new(map)))
    }

    /// The text of a number, and whether it has a point or an exponent.
    fn digits(&mut self) -> Fallible<(&'a str, bool)> {
        let start = self.at;
        self.skip(b'-');
        let run = |reader: &mut Self| {
            let start = reader.at;
            while reader.peek().is_some_and(|b| b.is_ascii_digit()) {
                reader.at += 1;
            }
            reader.at > start
        };
        let zero = self.peek() == Some(b'0');
        let whole = self.at;
        let mut fits = run(self) && !(zero && self.at - whole > 1);
        let mut real = false;
        if self.skip(b'.') {
            real = true;
            fits &= run(self);
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            real = true;
            if !self.skip(b'-') {
                self.skip(b'+');
            }
            fits &= run(self);
        }
        if fits {
            Ok((&self.text[start..self.at], real))
        } else {
            Err(self.wrong("no number"))
        }
    }

    fn number(&mut self, kind: &Type) -> Fallible<Value> {
        let (text, real) = self.digits()?;
        let value = match kind {
            Type::Decimal => Decimal::parse(text).map(Value::Decimal),
            Type::Float => text.parse().ok().and_then(Value::float),
            _ if real => text.parse().ok().and_then(Value::float),
            _ => text.parse().ok().map(Value::Int),
        };
        value.ok_or_else(|| {
            self.wrong("the number is beyond the range")
                .hint("declare a `decimal` or a `float`, or write it as a text")
        })
    }

    /// A string: a part of the input where it has no escapes, else made in `room`.
    fn string<'r>(&mut self, room: &'r mut String) -> Fallible<&'r str>
    where
        'a: 'r,
    {
        self.need(b'"')?;
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => {
                    let part: &'a str = &self.text[start..self.at];
                    self.at += 1;
                    if room.is_empty() {
                        return Ok(part);
                    }
                    room.push_str(part);
                    return Ok(room);
                }
                Some(b'\\') => {
                    room.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    room.push(self.escape()?);
                    start = self.at;
                }
                Some(0x20..) => self.at += 1,
                Some(_) => return Err(self.wrong("a control character in a text")),
                None => return Err(self.wrong("the text has no end")),
            }
        }
    }

    fn escape(&mut self) -> Fallible<char> {
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            Some(_) | None => {
                self.at -= 1;
                return Err(self.wrong("no escape"));
            }
        })
    }

    fn unicode(&mut self) -> Fallible<char> {
        let first = self.hex()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            } else {
                first
            }
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| self.wrong("half of a surrogate pair"))
    }

    fn hex(&mut self) -> Fallible<u32> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.wrong("no escape"))?;
        self.at += 4;
        Ok(code)
    }

    /// Reads a value and keeps nothing of it.
    fn step_over(&mut self, depth: u8) -> Fallible<()> {
        match self.peek() {
            Some(b'"') => self.string(&mut String::new()).map(drop),
            Some(b'{') => {
                let depth = self.deeper(depth)?;
                self.fields(|reader, _| reader.step_over(depth))
            }
            Some(b'[') => {
                let depth = self.deeper(depth)?;
                self.items(|reader| reader.step_over(depth))
            }
            Some(b'-' | b'0'..=b'9') => self.digits().map(drop),
            Some(_) | None => self.value(&Type::Any, depth).map(drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Signature;

    fn read(json: &str, kind: &str) -> Result<String, String> {
        let signature = Signature::parse(&format!("x: {kind}")).unwrap();
        let kind = signature.inputs().next().unwrap().1.clone();
        Value::from_json(json.as_bytes(), &kind)
            .map(|value| value.to_json())
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn what_is_read_is_written_alike() {
        for json in [
            r#"{"a":[1,-2.5,"x\n\"é😀"],"b":null}"#,
            "[]",
            "0",
            "-0.5",
            "1e+300",
            r#""\u0001""#,
            "true",
        ] {
            assert_eq!(read(json, "any").unwrap(), json);
        }
        assert_eq!(read(r#""\ud83d\ude00\u00e9""#, "any").unwrap(), "\"😀é\"");
    }

    #[test]
    fn a_type_decides_how_a_text_and_a_number_are_read() {
        assert_eq!(read("0.10", "decimal").unwrap(), "0.1");
        assert_eq!(read("\"0.10\"", "decimal").unwrap(), "0.1");
        assert_eq!(read("3", "float").unwrap(), "3.0");
        assert_eq!(read("\"2024-02-29\"", "date").unwrap(), "\"2024-02-29\"");
        assert_eq!(
            read(r#"{"b":2,"a":1,"c":[3]}"#, "{a: int, b: int, d: str?}").unwrap(),
            r#"{"a":1,"b":2,"d":null}"#
        );
    }

    #[test]
    fn what_is_not_json_or_not_of_the_type_is_refused() {
        for json in [
            "",
            "nul",
            "NaN",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "1e",
            "+1",
            "'x'",
            "\"\\x\"",
            "\"\t\"",
            "1 2",
            "{\"a\":1,\"a\":2}",
            "9223372036854775808",
            "1e400",
            "\"\\ud800\"",
            "[1",
        ] {
            assert!(read(json, "any").is_err(), "{json}");
        }
        for (json, kind) in [
            ("1.5", "int"),
            ("\"x\"", "int"),
            ("1", "str"),
            ("null", "int"),
            ("\"2024-02-30\"", "date"),
            ("\"abc\"", "str[2]"),
            ("[1,2,3]", "list[int, 2]"),
            ("{\"a\":1,\"a\":2}", "{a: int}"),
            ("{}", "{a: int}"),
            ("0.0000000000001", "decimal"),
        ] {
            assert!(read(json, kind).is_err(), "{json} as {kind}");
        }
        assert!(read(&"[".repeat(100_000), "any").is_err());
        let nested = format!("{}{}", "[".repeat(64), "]".repeat(64));
        assert!(read(&nested, "any").is_ok());
        assert!(read(&format!("[{nested}]"), "any").is_err());
    }
}
