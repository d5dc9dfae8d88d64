//! Values as text: what `str` and f-strings give.

use std::fmt::Write as _;

use super::Value;
use crate::error::Fallible;

/// Longest text shown in a message, in characters.
const EXCERPT_CHARS_MAX: usize = 40;

/// The beginning of a text, on one line and safe to print.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(EXCERPT_CHARS_MAX)
        .map(|c| {
            if c.is_control() || is_invisible(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect();
    if text.chars().nth(EXCERPT_CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// Marks that reorder or hide text in a terminal.
fn is_invisible(c: char) -> bool {
    matches!(
        u32::from(c),
        0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff
    )
}

/// Appends what `str(value)` is; `meter` is told of each part before it is written.
pub(crate) fn write(
    out: &mut String,
    value: &Value,
    meter: &mut dyn FnMut(u64) -> Fallible<()>,
) -> Fallible<()> {
    match value {
        Value::Str(text) => {
            meter(text.len() as u64)?;
            out.push_str(text);
            Ok(())
        }
        _ => repr(out, value, meter),
    }
}

/// Appends the value as one would write it in a formula.
fn repr(
    out: &mut String,
    value: &Value,
    meter: &mut dyn FnMut(u64) -> Fallible<()>,
) -> Fallible<()> {
    match value {
        Value::Str(text) => {
            meter(2 + text.len() as u64 * 4)?;
            quoted(out, text);
            return Ok(());
        }
        Value::List(list) => {
            meter(2)?;
            out.push('[');
            for (at, item) in list.items().iter().enumerate() {
                meter(2)?;
                if at > 0 {
                    out.push_str(", ");
                }
                repr(out, item, meter)?;
            }
            out.push(']');
            return Ok(());
        }
        Value::Map(map) => {
            meter(2)?;
            out.push('{');
            for (at, (key, item)) in map.entries().iter().enumerate() {
                meter(6 + key.len() as u64 * 4)?;
                if at > 0 {
                    out.push_str(", ");
                }
                quoted(out, key);
                out.push_str(": ");
                repr(out, item, meter)?;
            }
            out.push('}');
            return Ok(());
        }
        _ => meter(SCALAR_BYTES)?,
    }
    scalar(out, value);
    Ok(())
}

/// What a number, a date, a moment or a duration is charged as text: more than any is long.
pub(crate) const SCALAR_BYTES: u64 = 40;

fn scalar(out: &mut String, value: &Value) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => out.write_str("None"),
        Value::Bool(true) => out.write_str("True"),
        Value::Bool(false) => out.write_str("False"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Decimal(value) => write!(out, "{value}"),
        Value::Float(value) => {
            float(out, *value);
            Ok(())
        }
        Value::Date(value) => write!(out, "{value}"),
        Value::DateTime(value) => write!(out, "{value}"),
        Value::Duration(value) => write!(out, "{value}"),
        Value::Str(_) | Value::List(_) | Value::Map(_) => Ok(()),
    };
}

/// Shortest texts of so many digits may not be the nearest.
const TIE_DIGITS: usize = 15;

/// Digits with the point moved by an exponent from -4 to 15.
fn plain(out: &mut String, digits: &str, exponent: i32) {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    out.push_str(sign);
    let digits = digits.bytes().filter(u8::is_ascii_digit).map(char::from);
    let count = digits.clone().count();
    let Ok(whole) = usize::try_from(exponent + 1) else {
        out.push_str("0.");
        out.extend(std::iter::repeat_n(
            '0',
            exponent.unsigned_abs() as usize - 1,
        ));
        out.extend(digits);
        return;
    };
    if whole == 0 {
        out.push_str("0.");
        out.extend(digits);
        return;
    }
    out.extend(digits.clone().chain(std::iter::repeat('0')).take(whole));
    out.push('.');
    if count > whole {
        out.extend(digits.skip(whole));
    } else {
        out.push('0');
    }
}

/// The shortest text that reads back, in Python's form.
pub(crate) fn float(out: &mut String, value: f64) {
    let mut scientific = format!("{value:e}");
    let places = scientific
        .bytes()
        .take_while(|b| *b != b'e')
        .filter(u8::is_ascii_digit)
        .count();
    if places >= TIE_DIGITS {
        // Of two texts of this length that read back, the nearer one; in the middle, the even one.
        let exact = format!("{value:.*e}", places - 1);
        if exact.parse() == Ok(value) {
            scientific = exact;
        }
    }
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let _ = if (-4..16).contains(&exponent) {
        plain(out, digits, exponent);
        Ok(())
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(out, "{digits}e{sign}{:02}", exponent.abs())
    };
}

/// In quotes as Python chooses and escapes them, for what can be printed.
fn quoted(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(quote);
    for c in text.chars() {
        let _ = match c {
            '\\' => out.write_str("\\\\"),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            c if c == quote => write!(out, "\\{c}"),
            c if c.is_control() && (c as u32) < 0x100 => write!(out, "\\x{:02x}", c as u32),
            c => out.write_char(c),
        };
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_as_in_python() {
        for (value, text) in [
            (1e16, "1e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (1e15, "1000000000000000.0"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (-0.0, "-0.0"),
            (5e-324, "5e-324"),
            (0.1, "0.1"),
            (900_719_925_474_099.2, "900719925474099.2"),
            (-120.5, "-120.5"),
            (120.0, "120.0"),
            (0.000_123, "0.000123"),
        ] {
            let mut out = String::new();
            float(&mut out, value);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn texts_are_quoted_as_in_python() {
        let mut out = String::new();
        quoted(&mut out, "it's\n\x07");
        assert_eq!(out, "\"it's\\n\\x07\"");
    }
}
