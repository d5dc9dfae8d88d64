//! Writing a value: one text for each value, safe to print.

use std::fmt::Write as _;
use std::slice;

use serde_json::{Value, map};

use super::excerpt::is_unsafe_to_print;

/// Levels after which [`pretty`] stops moving to the right: a document of one megabyte would else
/// become hundreds of megabytes of spaces.
const INDENT_LEVELS_MAX: usize = 16;

/// What is open while writing. There is no recursion, so that depth costs no stack.
enum Open<'v> {
    Array(slice::Iter<'v, Value>),
    Object(map::Iter<'v>),
}

/// How items are set apart.
#[derive(Clone, Copy)]
enum Layout {
    Compact,
    Lines,
}

/// The text of `tree` without any white space.
pub(super) fn compact(tree: &Value) -> String {
    write(tree, Layout::Compact, usize::MAX)
}

/// The first bytes of the compact text: at least `bytes`, unless the whole is shorter.
pub(super) fn start(tree: &Value, bytes: usize) -> String {
    write(tree, Layout::Compact, bytes)
}

/// The text of `tree` with a line an item.
pub(super) fn pretty(tree: &Value) -> String {
    write(tree, Layout::Lines, usize::MAX)
}

fn write(tree: &Value, layout: Layout, enough: usize) -> String {
    let mut out = String::new();
    let mut open = Vec::new();
    begin(&mut out, tree, &mut open);
    // An item that is first in its container has no comma before it.
    let mut is_first = true;
    while let Some(level) = open.len().checked_sub(1) {
        if out.len() > enough {
            break;
        }
        let (next, close) = match &mut open[level] {
            Open::Array(items) => (items.next().map(|item| (None, item)), ']'),
            Open::Object(members) => (members.next().map(|(key, item)| (Some(key), item)), '}'),
        };
        let Some((key, item)) = next else {
            open.pop();
            if !is_first {
                line(&mut out, layout, open.len());
            }
            out.push(close);
            is_first = false;
            continue;
        };
        if !is_first {
            out.push(',');
        }
        line(&mut out, layout, open.len());
        if let Some(key) = key {
            string(&mut out, key);
            out.push(':');
            if matches!(layout, Layout::Lines) {
                out.push(' ');
            }
        }
        is_first = begin(&mut out, item, &mut open);
    }
    out
}

/// Writes `value`, or opens it. Returns whether it was opened.
fn begin<'v>(out: &mut String, value: &'v Value, open: &mut Vec<Open<'v>>) -> bool {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(text) => string(out, text),
        Value::Array(items) => {
            out.push('[');
            open.push(Open::Array(items.iter()));
            return true;
        }
        Value::Object(members) => {
            out.push('{');
            open.push(Open::Object(members.iter()));
            return true;
        }
    }
    false
}

fn line(out: &mut String, layout: Layout, level: usize) {
    match layout {
        Layout::Compact => {}
        Layout::Lines => {
            out.push('\n');
            for _ in 0..level.min(INDENT_LEVELS_MAX) {
                out.push_str("  ");
            }
        }
    }
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
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
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn compact_text_has_no_spaces_and_keeps_the_order_of_keys() {
        let tree = json!({"b": [1, true, null, {}], "a": {"x": []}});
        assert_eq!(compact(&tree), r#"{"b":[1,true,null,{}],"a":{"x":[]}}"#);
    }

    #[test]
    fn pretty_text_has_a_line_an_item() {
        let tree = json!({"b": [1, []], "a": {}});
        assert_eq!(
            pretty(&tree),
            "{\n  \"b\": [\n    1,\n    []\n  ],\n  \"a\": {}\n}"
        );
    }

    #[test]
    fn what_drives_a_terminal_is_escaped_in_strings_and_keys() {
        let tree = json!({"\u{1b}[2J": "\u{7f}\u{9b}\u{202e}\u{2028}\u{feff}\0\n\"\\é😀"});
        assert_eq!(
            compact(&tree),
            r#"{"\u001b[2J":"\u007f\u009b\u202e\u2028\ufeff\u0000\n\"\\é😀"}"#
        );
    }

    #[test]
    fn deep_indentation_stays_within_bounds() {
        let mut tree = json!(0);
        for _ in 0..100 {
            tree = json!([tree]);
        }
        let widest = pretty(&tree).lines().map(str::len).max();
        assert_eq!(widest, Some(2 * INDENT_LEVELS_MAX + 1));
    }
}
