//! String literals: escapes resolved, lone surrogates found.

/// What stands where a string should.
pub(super) enum Quoted {
    /// A string and the byte after its closing quote.
    Whole {
        /// The characters, with U+FFFD in place of a lone surrogate.
        value: String,
        /// The byte after the closing quote.
        end: usize,
        /// Where the first lone surrogate stands.
        lone: Option<usize>,
    },
    /// Not a string, and where that shows.
    Malformed(&'static str, usize),
}

/// Reads the string whose opening quote is at byte `at`.
pub(super) fn quoted(text: &str, at: usize) -> Quoted {
    let bytes = text.as_bytes();
    let mut value = String::new();
    let mut lone = None;
    let mut end = at + 1;
    loop {
        let start = end;
        while bytes
            .get(end)
            .is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f))
        {
            end += 1;
        }
        // Both ends are ASCII, so the slice is on character boundaries.
        let plain = text.get(start..end).unwrap_or_default();
        match bytes.get(end) {
            Some(b'"') => {
                // The exact size matters: a document may hold a hundred thousand short strings.
                value.reserve_exact(plain.len());
                value.push_str(plain);
                return Quoted::Whole {
                    value,
                    end: end + 1,
                    lone,
                };
            }
            Some(b'\\') => {
                value.push_str(plain);
                match escape(bytes, end) {
                    Ok(Escape::Char(c, next)) => {
                        value.push(c);
                        end = next;
                    }
                    Ok(Escape::Lone(next)) => {
                        lone = lone.or(Some(end));
                        value.push(char::REPLACEMENT_CHARACTER);
                        end = next;
                    }
                    Err((message, place)) => return Quoted::Malformed(message, place),
                }
            }
            Some(_) => {
                return Quoted::Malformed("a control character in a string needs an escape", end);
            }
            None => return Quoted::Malformed("a string that does not end", at),
        }
    }
}

enum Escape {
    Char(char, usize),
    Lone(usize),
}

/// Resolves the escape whose backslash is at byte `at`.
fn escape(bytes: &[u8], at: usize) -> Result<Escape, (&'static str, usize)> {
    let c = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(bytes, at),
        Some(_) => return Err(("an escape that JSON does not have", at)),
        None => return Err(("a string that does not end", at)),
    };
    Ok(Escape::Char(c, at + 2))
}

fn unicode(bytes: &[u8], at: usize) -> Result<Escape, (&'static str, usize)> {
    let first = hex4(bytes, at + 2).ok_or(("`\\u` needs four hexadecimal digits", at))?;
    // Anything but a surrogate is a character.
    if let Some(c) = char::from_u32(first) {
        return Ok(Escape::Char(c, at + 6));
    }
    let is_high = first < 0xdc00;
    if is_high && bytes.get(at + 6..at + 8) == Some(b"\\u") {
        let second = hex4(bytes, at + 8).ok_or(("`\\u` needs four hexadecimal digits", at + 6))?;
        if (0xdc00..0xe000).contains(&second) {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            if let Some(c) = char::from_u32(code) {
                return Ok(Escape::Char(c, at + 12));
            }
        }
    }
    Ok(Escape::Lone(at + 6))
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let mut code = 0;
    for byte in bytes.get(at..at + 4)? {
        code = code * 16 + char::from(*byte).to_digit(16)?;
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> (String, Option<usize>) {
        match quoted(text, 0) {
            Quoted::Whole { value, end, lone } => {
                assert_eq!(end, text.len());
                (value, lone)
            }
            Quoted::Malformed(message, at) => panic!("{text}: {message} at {at}"),
        }
    }

    #[test]
    fn escapes_are_resolved() {
        let text = r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#;
        assert_eq!(whole(text), ("a\"\\/\u{8}\u{c}\n\r\té😀é".to_owned(), None));
    }

    #[test]
    fn half_of_a_pair_is_found_where_it_stands() {
        assert_eq!(whole(r#""\ud800""#).1, Some(1));
        assert_eq!(whole(r#""ab\udc00""#).1, Some(3));
        assert_eq!(whole(r#""\ud800x""#).1, Some(1));
        // The second and third are a pair, the first is alone.
        assert_eq!(
            whole(r#""\ud83d\ud83d\ude00""#),
            ("\u{fffd}😀".to_owned(), Some(1))
        );
        assert_eq!(whole(r#""\ud800\n""#), ("\u{fffd}\n".to_owned(), Some(1)));
    }

    #[test]
    fn a_broken_string_says_where() {
        for (text, place) in [
            ("\"abc", 0),
            ("\"a\nb\"", 2),
            (r#""\x41""#, 1),
            (r#""\u12g4""#, 1),
            (r#""\u12"#, 1),
            ("\"\\", 1),
            (r#""\ud800\u12""#, 7),
        ] {
            match quoted(text, 0) {
                Quoted::Malformed(_, at) => assert_eq!(at, place, "{text}"),
                Quoted::Whole { .. } => panic!("{text} was taken"),
            }
        }
    }
}
