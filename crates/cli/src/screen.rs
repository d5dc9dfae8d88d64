//! Untrusted text as it may be shown on a terminal.

use std::fmt::Write as _;

use stockade::value::is_unsafe_to_print;

/// `text` on one line: everything that could drive a terminal or reorder the text is shown as an
/// escape, line ends and tabs included.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push(&mut out, c);
    }
    out
}

/// At most `chars_max` characters of `text` on one line; a cut is marked with `…`.
pub(crate) fn excerpt(text: &str, chars_max: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count >= chars_max {
            out.push('…');
            break;
        }
        push(&mut out, c);
    }
    out
}

fn push(out: &mut String, c: char) {
    // Writing to a `String` cannot fail.
    let _ = match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c if is_unsafe_to_print(c) && c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
        c if is_unsafe_to_print(c) => write!(out, "\\u{{{:x}}}", u32::from(c)),
        c => out.write_char(c),
    };
}

/// Makes text that may be shown from bytes that arrive in pieces. Line ends and tabs stay.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The start of a character whose rest has not come, at most three bytes.
    held: Vec<u8>,
}

impl Decoder {
    /// Appends what can be shown of `bytes` to `out`.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut String) {
        let mut joined = std::mem::take(&mut self.held);
        joined.extend_from_slice(bytes);
        let mut rest = joined.as_slice();
        while !rest.is_empty() {
            let Err(error) = std::str::from_utf8(rest) else {
                show(&String::from_utf8_lossy(rest), out);
                return;
            };
            let (good, bad) = rest.split_at(error.valid_up_to());
            show(&String::from_utf8_lossy(good), out);
            let Some(length) = error.error_len() else {
                self.held = bad.to_vec();
                return;
            };
            out.push('\u{fffd}');
            rest = &bad[length..];
        }
    }

    /// What is held now is never completed.
    pub(crate) fn finish(&mut self, out: &mut String) {
        if !std::mem::take(&mut self.held).is_empty() {
            out.push('\u{fffd}');
        }
    }
}

fn show(text: &str, out: &mut String) {
    for c in text.chars() {
        if matches!(c, '\n' | '\t') {
            out.push(c);
        } else {
            push(out, c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(pieces: &[&[u8]]) -> String {
        let (mut decoder, mut out) = (Decoder::default(), String::new());
        for piece in pieces {
            decoder.push(piece, &mut out);
        }
        decoder.finish(&mut out);
        out
    }

    #[test]
    fn what_drives_a_terminal_is_shown_and_not_sent() {
        let hostile = "\x1b]0;title\x07 \x7f \u{9b}31m \u{202e}abc\r\n\tok";
        let shown = decoded(&[hostile.as_bytes()]);
        assert_eq!(
            shown,
            "\\x1b]0;title\\x07 \\x7f \\u{9b}31m \\u{202e}abc\\r\n\tok"
        );
    }

    #[test]
    fn a_character_in_two_pieces_is_one_character() {
        assert_eq!(decoded(&[b"a\xe2\x82", b"\xacb"]), "a€b");
        assert_eq!(decoded(&[b"\xf0", b"\x9f", b"\x98", b"\x80"]), "😀");
    }

    #[test]
    fn a_control_character_in_two_pieces_is_escaped() {
        assert_eq!(decoded(&[b"\xc2", b"\x9b31m"]), "\\u{9b}31m");
    }

    #[test]
    fn bytes_that_are_no_character_are_replaced() {
        assert_eq!(
            decoded(&[b"ok \xff\xfe end\xe2\x82"]),
            "ok \u{fffd}\u{fffd} end\u{fffd}"
        );
        assert_eq!(decoded(&[b"\xe2\x82", b"x"]), "\u{fffd}x");
    }

    #[test]
    fn a_line_stays_a_line() {
        assert_eq!(line("a\nb\tc\x1b[m"), "a\\nb\\tc\\x1b[m");
        assert_eq!(excerpt("abcdef", 3), "abc…");
        assert_eq!(excerpt("abc", 3), "abc");
    }
}
