//! Texts of a table's cells.

use std::sync::Arc;

use crate::error::{Code, Fallible, Fault};
use crate::kind::Type;
use crate::value::{Value, text};

pub(super) fn read(cell: &str, kind: &Type) -> Fallible<Value> {
    let value = match kind {
        Type::Optional(_) if cell.is_empty() => Some(Value::Null),
        Type::Optional(inner) => return read(cell, inner),
        Type::Any => Some(guess(cell)),
        Type::Null => cell.is_empty().then_some(Value::Null),
        Type::Bool => match cell {
            "true" | "True" | "1" => Some(Value::Bool(true)),
            "false" | "False" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Int => cell.parse().ok().map(Value::Int),
        Type::Float => plain(cell)
            .then(|| cell.parse().ok().and_then(Value::float))
            .flatten(),
        Type::Number => match guess(cell) {
            number @ (Value::Int(_) | Value::Float(_)) => Some(number),
            _ => None,
        },
        Type::Str(Some(max)) if cell.len() > *max as usize => None,
        Type::Decimal | Type::Str(_) | Type::Date | Type::DateTime | Type::Duration => {
            super::from_text(cell, kind)?
        }
        Type::List(..) | Type::Map(..) | Type::Record(_) => None,
    };
    value.ok_or_else(|| {
        let shown = text::excerpt(cell);
        Fault::new(Code::Input, format!("`{shown}` is no `{kind}`"))
    })
}

fn plain(cell: &str) -> bool {
    cell.bytes()
        .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b))
}

/// A number where it is written as JSON writes one, so that `007` stays a text.
fn guess(cell: &str) -> Value {
    let digits = cell.strip_prefix('-').unwrap_or(cell).as_bytes();
    let number = match digits {
        [] => {
            return if cell.is_empty() {
                Value::Null
            } else {
                Value::Str(Arc::from(cell))
            };
        }
        [b'0', second, ..] => *second == b'.',
        [first, ..] => first.is_ascii_digit(),
    };
    let last = digits.last().is_some_and(u8::is_ascii_digit);
    if number && last && plain(cell) {
        if let Ok(int) = cell.parse() {
            return Value::Int(int);
        }
        if cell.contains(['.', 'e', 'E'])
            && let Some(float) = cell.parse().ok().and_then(Value::float)
        {
            return float;
        }
    }
    Value::Str(Arc::from(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_number_only_where_nothing_is_lost() {
        assert_eq!(guess("12"), Value::Int(12));
        assert_eq!(guess("-0.5"), Value::Float(-0.5));
        assert_eq!(guess("1e3"), Value::Float(1000.0));
        assert_eq!(guess(""), Value::Null);
        for text in [
            "007",
            "1.",
            "12 ",
            "1e999",
            "9223372036854775808",
            "-",
            "1-2",
            "nan",
            "+1",
        ] {
            assert_eq!(guess(text), Value::str(text));
        }
    }
}
