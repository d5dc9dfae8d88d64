//! JSON out.

use std::fmt::Write as _;

use crate::value::{Value, text};

pub(super) fn write(out: &mut String, value: &Value) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => out.write_str("null"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Decimal(value) => write!(out, "{value}"),
        Value::Float(value) => {
            text::float(out, *value);
            Ok(())
        }
        Value::Str(text) => {
            string(out, text);
            Ok(())
        }
        Value::List(list) => {
            for (at, item) in list.items().iter().enumerate() {
                out.push(if at == 0 { '[' } else { ',' });
                write(out, item);
            }
            out.write_str(if list.items().is_empty() { "[]" } else { "]" })
        }
        Value::Map(map) => {
            for (at, (key, item)) in map.entries().iter().enumerate() {
                out.push(if at == 0 { '{' } else { ',' });
                string(out, key);
                out.push(':');
                write(out, item);
            }
            out.write_str(if map.is_empty() { "{}" } else { "}" })
        }
        Value::Date(value) => write!(out, "\"{value}\""),
        Value::DateTime(value) => write!(out, "\"{value}\""),
        Value::Duration(value) => write!(out, "\"{value}\""),
    };
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' => out.write_str("\\\""),
            '\\' => out.write_str("\\\\"),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            c if (c as u32) < 0x20 || c.is_control() => write!(out, "\\u{:04x}", c as u32),
            c => out.write_char(c),
        };
    }
    out.push('"');
}
