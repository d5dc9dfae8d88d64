//! Functions of strings.

use std::sync::Arc;

use super::Function;
use crate::error::{Code, Fallible, Fault};
use crate::eval::{Machine, TEXT_BYTES};
use crate::value::{List, VALUE_BYTES, Value, text};

pub(super) fn call(function: Function, m: &Machine<'_>, arguments: &[&Value]) -> Fallible<Value> {
    let [first, rest @ ..] = arguments else {
        return Ok(Value::Null);
    };
    match function {
        Function::Str => return to_str(m, first),
        Function::Join => return join(m, first, rest.first().copied()),
        _ => {}
    }
    let Value::Str(text) = first else {
        return Err(function.unfit(0, first));
    };
    let mut texts = [""; 2];
    for (index, (slot, value)) in texts.iter_mut().zip(rest).enumerate() {
        match value {
            Value::Str(text) => *slot = text,
            other => return Err(function.unfit(index + 1, other)),
        }
    }
    let [one, two] = texts;
    match function {
        Function::Upper => letters(m, text, str::to_ascii_uppercase, str::to_uppercase),
        Function::Lower => letters(m, text, str::to_ascii_lowercase, str::to_lowercase),
        Function::Strip if rest.is_empty() => {
            m.scan(text.len())?;
            shared(m, text.trim())
        }
        Function::Strip => {
            // Each end is compared with each of the characters.
            m.charge((text.len() as u64).saturating_mul(1 + one.len() as u64) / 64)?;
            shared(m, text.trim_matches(|c| one.contains(c)))
        }
        Function::Split if rest.is_empty() => {
            m.scan(text.len())?;
            pieces(m, text.split_whitespace())
        }
        Function::Split if one.is_empty() => Err(Fault::new(
            Code::ArgumentMet,
            "the separator of `split` is empty",
        )
        .hint("for the characters: `[c for c in text]`")),
        Function::Split => {
            m.scan(text.len() * 2 + one.len())?;
            pieces(m, text.split(one))
        }
        Function::Replace => replace(m, text, one, two),
        Function::StartsWith => {
            m.scan(one.len())?;
            Ok(Value::Bool(text.starts_with(one)))
        }
        Function::EndsWith => {
            m.scan(one.len())?;
            Ok(Value::Bool(text.ends_with(one)))
        }
        _ => {
            m.scan(text.len() * 2 + one.len())?;
            let place = text.find(one).map(|at| text[..at].chars().count());
            Ok(Value::Int(
                place.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1),
            ))
        }
    }
}

/// A string, paid for.
pub(crate) fn shared(m: &Machine<'_>, text: &str) -> Fallible<Value> {
    m.build(text.len() as u64 + TEXT_BYTES)?;
    Ok(Value::str(text))
}

fn to_str(m: &Machine<'_>, value: &Value) -> Fallible<Value> {
    if let Value::Str(_) = value {
        return Ok(value.clone());
    }
    let mut out = String::new();
    text::write(&mut out, value, &mut |bytes| m.build(bytes))?;
    shared(m, &out)
}

fn letters(
    m: &Machine<'_>,
    text: &Arc<str>,
    ascii: fn(&str) -> String,
    all: fn(&str) -> String,
) -> Fallible<Value> {
    let len = text.len() as u64;
    m.scan(text.len())?;
    // One letter can become three.
    let changed = if text.is_ascii() {
        m.build(len)?;
        ascii(text)
    } else {
        m.build(len * 3)?;
        all(text)
    };
    shared(m, &changed)
}

fn pieces<'t>(m: &Machine<'_>, pieces: impl Iterator<Item = &'t str> + Clone) -> Fallible<Value> {
    let (count, bytes) = pieces
        .clone()
        .fold((0_u64, 0_u64), |(count, bytes), piece| {
            (count + 1, bytes + piece.len() as u64)
        });
    m.charge(count)?;
    m.build(count * (VALUE_BYTES + TEXT_BYTES) + bytes)?;
    let mut items = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    items.extend(pieces.map(Value::str));
    Ok(Value::List(List::new(items)?))
}

fn join(m: &Machine<'_>, list: &Value, between: Option<&Value>) -> Fallible<Value> {
    let Value::List(list) = list else {
        return Err(Function::Join.unfit(0, list));
    };
    let between = match between {
        None => "",
        Some(Value::Str(text)) => text,
        Some(other) => return Err(Function::Join.unfit(1, other)),
    };
    let mut bytes = 0;
    for item in list.items() {
        m.charge(1)?;
        let Value::Str(text) = item else {
            let kind = item.kind().phrase();
            return Err(
                Fault::new(Code::ArgumentMet, format!("`join` met {kind} as an item"))
                    .hint("use `join([str(x) for x in items], ', ')`"),
            );
        };
        bytes += text.len() as u64 + between.len() as u64;
    }
    m.build(bytes)?;
    let mut out = String::with_capacity(usize::try_from(bytes).unwrap_or(0));
    for (at, item) in list.items().iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        if let Value::Str(text) = item {
            out.push_str(text);
        }
    }
    shared(m, &out)
}

fn replace(m: &Machine<'_>, text: &str, from: &str, to: &str) -> Fallible<Value> {
    m.scan(text.len() * 2 + from.len())?;
    let count = text.matches(from).count() as u64;
    let (len, from_len, to_len) = (text.len() as u64, from.len() as u64, to.len() as u64);
    let bytes = (len + count * to_len).saturating_sub(count * from_len);
    m.build(bytes.max(len))?;
    shared(m, &text.replace(from, to))
}
