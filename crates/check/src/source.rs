//! Bytes to text, when every reader of them sees the same text.

use crate::finding::Findings;
use crate::rule::Rule;

/// The text of `bytes`, or nothing where a finding says why not.
pub(crate) fn text<'a>(
    bytes: &'a [u8],
    bytes_max: usize,
    findings: &mut Findings<'_>,
) -> Option<&'a str> {
    if bytes.len() > bytes_max {
        let message = format!("{} bytes, and at most {bytes_max} are allowed", bytes.len());
        findings.add(Rule::TooLarge, 0..0, message);
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let byte = bytes.get(at).copied().unwrap_or_default();
            let message = format!("the byte 0x{byte:02x} is not UTF-8");
            findings.add(Rule::NotUtf8, at..at, message);
            return None;
        }
    };
    let before = findings.len();
    controls(text, findings);
    if let Some((name, start)) = cookie(text) {
        let message = format!("the file says it is `{}`, not UTF-8", excerpt(name));
        findings.add(Rule::EncodingCookie, start..start + name.len(), message);
    }
    (findings.len() == before).then_some(text)
}

/// At most 40 characters, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    cut(text, 40)
}

/// At most 200 characters of what the parser says: it may quote a name of any length.
pub(crate) fn clipped(message: &str) -> String {
    cut(message, 200)
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Whether the character reorders the text around it.
pub(crate) fn is_bidi(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
    ) || matches!(c, '\u{2066}'..='\u{2069}')
}

/// Bytes that no control character and no character that reorders begins with or is.
const PLAIN: [bool; 256] = plain();

const fn plain() -> [bool; 256] {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = matches!(byte, 0x09 | 0x0a | 0x0c);
        byte += 1;
    }
    plain[0x7f] = false;
    // The first bytes of U+0080 to U+009F, U+061C and U+2000 to U+2FFF.
    plain[0xc2] = false;
    plain[0xd8] = false;
    plain[0xe2] = false;
    plain
}

fn controls(text: &str, findings: &mut Findings<'_>) {
    for (at, byte) in text.bytes().enumerate() {
        if PLAIN[usize::from(byte)] {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else {
            continue;
        };
        let message = match c {
            '\r' if rest.starts_with("\r\n") => continue,
            '\r' => "a carriage return that is not followed by a line feed".to_owned(),
            c if is_bidi(c) => format!("U+{:04X} reorders the text around it", u32::from(c)),
            c if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
            _ => continue,
        };
        findings.add(Rule::ControlCharacter, at..at + c.len_utf8(), message);
    }
}

/// The encoding that the first two lines name, and where, unless it is UTF-8. As Python looks for
/// it: the second line counts only after a line without code.
fn cookie(text: &str) -> Option<(&str, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n').take(2) {
        let bare = line
            .trim_start_matches('\u{feff}')
            .trim_matches([' ', '\t', '\x0c', '\r', '\n']);
        if !bare.is_empty() && !bare.starts_with('#') {
            return None;
        }
        if let Some(name) = named(bare) {
            let canonical = name.to_ascii_lowercase().replace('_', "-");
            let utf8 =
                canonical == "utf8" || canonical == "utf-8" || canonical.starts_with("utf-8-");
            let at = line.find(name).unwrap_or_default();
            return (!utf8).then_some((name, start + at));
        }
        start += line.len();
    }
    None
}

/// What stands behind the first `coding:` or `coding=` that has a name behind it.
fn named(comment: &str) -> Option<&str> {
    let mut rest = comment;
    while let Some(at) = rest.find("coding") {
        rest = rest.get(at + "coding".len()..)?;
        let Some(value) = rest.strip_prefix([':', '=']) else {
            continue;
        };
        let value = value.trim_start_matches([' ', '\t']);
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let end = value.find(|c| !is_of_name(c)).unwrap_or(value.len());
        if end > 0 {
            return value.get(..end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_where_python_finds_it() {
        for (text, found) in [
            ("# -*- coding: latin-1 -*-\n", Some("latin-1")),
            (
                "#!/usr/bin/python\n# vim: set fileencoding=koi8-r :\n",
                Some("koi8-r"),
            ),
            ("\n#coding:cp1252", Some("cp1252")),
            ("# decoding is fun; coding= utf-7\n", Some("utf-7")),
            ("# coding: utf-8\n# coding: latin-1\n", None),
            ("x = 1\n# coding: latin-1\n", None),
            ("\n\n# coding: latin-1\n", None),
            ("# -*- coding: UTF_8 -*-\n", None),
            ("# coding: utf-8-unix\n", None),
            ("# encoding\n", None),
        ] {
            assert_eq!(cookie(text).map(|(name, _)| name), found, "{text:?}");
        }
    }

    #[test]
    fn the_place_of_a_cookie_is_that_of_its_name() {
        let text = "#!x\n# coding: latin-1\n";
        let (name, at) = cookie(text).unwrap();
        assert_eq!(text.get(at..at + name.len()), Some("latin-1"));
    }
}
