//! Short, printable pieces of a hostile document.

use std::fmt::Write as _;

/// Characters in an excerpt at most.
pub const EXCERPT_CHARS_MAX: usize = 80;

/// Characters of context before the fault.
const CONTEXT_CHARS: usize = 24;

/// Whether a character may drive a terminal or reorder the text around it: control characters
/// (C0, DEL, C1), the line separators, the bidirectional controls, the byte order mark and the
/// interlinear annotations.
#[must_use]
pub fn is_unsafe_to_print(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Writes `c` as it may be printed. Everything unsafe is in the basic plane, so that four
/// hexadecimal digits always do.
pub(super) fn push_printable(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_unsafe_to_print(c) => {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        c => out.push(c),
    }
}

/// At most `chars_max` characters of `text`, printable; a cut is marked with `…`.
pub(super) fn printable(text: &str, chars_max: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let before = out.len();
        push_printable(&mut out, c);
        // Only ASCII is written for a character that is escaped.
        used += if c.len_utf8() == out.len() - before {
            1
        } else {
            out.len() - before
        };
        if used >= chars_max {
            let cut = used > chars_max || before + c.len_utf8() < text.len();
            if cut {
                out.truncate(before);
                out.push('…');
            }
            return out;
        }
    }
    out
}

/// The text around byte `offset`, which must be a character boundary or the end.
pub(super) fn around(text: &str, offset: usize) -> String {
    let head = text.get(..offset).unwrap_or_default();
    let start = head
        .char_indices()
        .rev()
        .take(CONTEXT_CHARS)
        .last()
        .map_or(offset, |(i, _)| i);
    let mark = if start > 0 { "…" } else { "" };
    let room = EXCERPT_CHARS_MAX - mark.chars().count();
    format!(
        "{mark}{}",
        printable(text.get(start..).unwrap_or_default(), room)
    )
}

/// The printable start of bytes that are not UTF-8, around byte `offset`.
pub(super) fn around_bytes(bytes: &[u8], offset: usize) -> String {
    let start = offset.saturating_sub(CONTEXT_CHARS);
    let end = bytes.len().min(start.saturating_add(EXCERPT_CHARS_MAX));
    let text = String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default());
    let mark = if start > 0 { "…" } else { "" };
    format!(
        "{mark}{}",
        printable(&text, EXCERPT_CHARS_MAX - mark.chars().count())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_never_longer_than_its_bound() {
        for text in [
            "a".repeat(500),
            "\u{9b}".repeat(500),
            "é\n".repeat(300),
            "\0".repeat(90),
        ] {
            for (offset, _) in text.char_indices() {
                let shown = around(&text, offset);
                assert!(shown.chars().count() <= EXCERPT_CHARS_MAX, "{shown}");
                assert!(!shown.contains(is_unsafe_to_print), "{shown}");
            }
        }
        assert!(around_bytes(&[0xff; 500], 250).chars().count() <= EXCERPT_CHARS_MAX);
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        assert_eq!(around("[1, NaN]", 4), "[1, NaN]");
        assert_eq!(printable("abc", 3), "abc");
        assert_eq!(printable("abcd", 3), "ab…");
    }

    #[test]
    fn what_drives_a_terminal_is_escaped() {
        assert_eq!(
            printable("\x1b[2J\u{9b}\u{202e}\u{7f}", 80),
            "\\u001b[2J\\u009b\\u202e\\u007f"
        );
    }
}
