//! JSON text as it may be printed: nothing in it drives a terminal.

use std::fmt::Write as _;

use stockade::value::is_unsafe_to_print;

/// Levels that are indented; deeper ones stay at this depth, or a deep value would be mostly
/// spaces.
const INDENTED_MAX: usize = 16;

/// Compact JSON `text` for a person: a line an item, two spaces a level.
pub(crate) fn laid_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                string(&mut chars, &mut out);
            }
            '{' | '[' => {
                out.push(c);
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => out.push(c),
        }
    }
    out
}

/// Copies the rest of a string, its closing quote included.
fn string(chars: &mut impl Iterator<Item = char>, out: &mut String) {
    while let Some(c) = chars.next() {
        out.push(c);
        match c {
            '"' => return,
            '\\' => out.extend(chars.next()),
            _ => {}
        }
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth.min(INDENTED_MAX) {
        out.push_str("  ");
    }
}

/// The same JSON `text` with every unsafe character as `\u…`: outside of strings there are none.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe_to_print(c) {
            // Every unsafe character is in the basic plane. Writing to a `String` cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn laid_out_text_is_the_same_document() {
        let tree = json!({ "a": [1, 2, { "b": "x{,:\"\\" }], "c": {}, "d": [], "e": null });
        let text = laid_out(&tree.to_string());
        assert_eq!(text, serde_json::to_string_pretty(&tree).unwrap());
    }

    #[test]
    fn a_deep_document_is_not_mostly_spaces() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        assert!(laid_out(&deep).len() < 500 * 80);
    }

    #[test]
    fn what_drives_a_terminal_is_escaped_and_reads_back() {
        let tree = json!("\u{9b}31m \u{202e} \x7f \x1b");
        let text = printable(&tree.to_string());
        assert!(!text.chars().any(is_unsafe_to_print), "{text}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            tree
        );
    }
}
