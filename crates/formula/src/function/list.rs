//! Functions of lists and maps.

use std::cmp::Ordering;

use super::Function;
use crate::error::{Code, Fallible, Fault};
use crate::eval::{Machine, log2};
use crate::tree::Operator;
use crate::value::{List, VALUE_BYTES, Value, order};

pub(super) fn call(function: Function, m: &Machine<'_>, arguments: &[&Value]) -> Fallible<Value> {
    let [first, rest @ ..] = arguments else {
        return Ok(Value::Null);
    };
    match (function, *first) {
        (Function::Len, Value::Str(text)) => {
            m.scan(text.len())?;
            int(if text.is_ascii() {
                text.len()
            } else {
                text.chars().count()
            })
        }
        (Function::Len, Value::List(list)) => int(list.items().len()),
        (Function::Len, Value::Map(map)) => int(map.len()),
        (Function::Any, Value::List(list)) => {
            m.charge(list.items().len() as u64)?;
            Ok(Value::Bool(list.items().iter().any(Value::is_truthy)))
        }
        (Function::All, Value::List(list)) => {
            m.charge(list.items().len() as u64)?;
            Ok(Value::Bool(list.items().iter().all(Value::is_truthy)))
        }
        (Function::Min | Function::Max, Value::List(list)) if rest.is_empty() => {
            extreme(function, m, list.items().iter())
        }
        (Function::Min | Function::Max, _) if !rest.is_empty() => {
            extreme(function, m, arguments.iter().copied())
        }
        (Function::Sorted, Value::List(list)) => sorted(m, list, rest),
        (Function::Range, _) => range(m, arguments),
        (Function::Keys, Value::Map(map)) => {
            let items = items(m, map.len())?;
            finish(
                items,
                map.entries().iter().map(|(key, _)| Value::Str(key.clone())),
            )
        }
        (Function::Values, Value::Map(map)) => {
            let items = items(m, map.len())?;
            finish(items, map.entries().iter().map(|(_, value)| value.clone()))
        }
        (Function::Get, Value::Map(map)) => {
            let Some(Value::Str(key)) = rest.first() else {
                return Err(function.unfit(1, rest.first().unwrap_or(first)));
            };
            m.lookup(map.len(), key)?;
            let found = map.get(key).or(rest.get(1).copied());
            Ok(found.cloned().unwrap_or(Value::Null))
        }
        (Function::Contains, Value::Str(_) | Value::List(_) | Value::Map(_)) => {
            let needle = rest.first().copied().unwrap_or(first);
            m.compare(Operator::In, needle, first).map(Value::Bool)
        }
        (Function::Count, Value::List(list)) => count(m, list, rest.first().copied()),
        (Function::Unique, Value::List(list)) => unique(m, list),
        _ => Err(function.unfit(0, first)),
    }
}

fn int(len: usize) -> Fallible<Value> {
    i64::try_from(len)
        .map(Value::Int)
        .map_err(|_| Fault::new(Code::Overflow, "too many"))
}

/// Room for `len` items, paid for.
fn items(m: &Machine<'_>, len: usize) -> Fallible<Vec<Value>> {
    m.charge(len as u64)?;
    m.build(len as u64 * VALUE_BYTES)?;
    Ok(Vec::with_capacity(len))
}

fn finish(mut items: Vec<Value>, values: impl Iterator<Item = Value>) -> Fallible<Value> {
    items.extend(values);
    Ok(Value::List(List::new(items)?))
}

/// Whether `value` replaces `best`.
pub(crate) fn better(function: Function, best: &Value, value: &Value) -> Fallible<bool> {
    let wanted = if function == Function::Min {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    match order::compare(value, best) {
        Some(order) => Ok(order == wanted),
        None => Err(unordered(value, best)),
    }
}

fn unordered(a: &Value, b: &Value) -> Box<Fault> {
    let (a, b) = (a.kind().phrase(), b.kind().phrase());
    Fault::new(Code::OperandsMet, format!("{a} and {b} have no order"))
        .hint("numbers, strings, dates, datetimes and durations have one, each among themselves")
}

fn extreme<'v>(
    function: Function,
    m: &Machine<'_>,
    mut values: impl Iterator<Item = &'v Value>,
) -> Fallible<Value> {
    let Some(mut best) = values.next() else {
        let name = function.name();
        return Err(Fault::new(Code::NoItems, format!("`{name}` of no items"))
            .hint("test `len(x) > 0` first"));
    };
    if order::compare(best, best).is_none() {
        return Err(unordered(best, best));
    }
    m.charge(1)?;
    for value in values {
        m.charge(1 + text_bytes(value) / 64)?;
        if better(function, best, value)? {
            best = value;
        }
    }
    Ok(best.clone())
}

fn text_bytes(value: &Value) -> u64 {
    if let Value::Str(text) = value {
        text.len() as u64
    } else {
        0
    }
}

/// Charges a sort of `values` and checks that they have an order.
pub(super) fn sortable<'v>(
    m: &Machine<'_>,
    values: impl Iterator<Item = &'v Value> + Clone,
) -> Fallible<()> {
    let (mut len, mut longest) = (0, 0);
    let first = values.clone().next();
    for value in values {
        m.charge(1)?;
        len += 1;
        longest = longest.max(text_bytes(value));
        if let Some(first) = first
            && order::compare(first, value).is_none()
        {
            return Err(unordered(first, value));
        }
    }
    m.charge(len * log2(len) * (1 + longest / 64))
}

fn sorted(m: &Machine<'_>, list: &List, rest: &[&Value]) -> Fallible<Value> {
    let items = list.items();
    let order = |a: &Value, b: &Value| order::compare(a, b).unwrap_or(Ordering::Equal);
    // The sort's own room is as much again.
    m.build(items.len() as u64 * VALUE_BYTES * 2)?;
    let Some(field) = rest.first() else {
        sortable(m, items.iter())?;
        let mut sorted = items.to_vec();
        sorted.sort_by(order);
        return Ok(Value::List(List::new(sorted)?));
    };
    let Value::Str(name) = field else {
        return Err(Function::Sorted.unfit(1, field));
    };
    m.build(items.len() as u64 * 48)?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        keyed.push((field_of(m, item, name)?, item));
    }
    sortable(m, keyed.iter().map(|(key, _)| *key))?;
    keyed.sort_by(|a, b| order(a.0, b.0));
    let sorted = keyed.into_iter().map(|(_, item)| item.clone()).collect();
    Ok(Value::List(List::new(sorted)?))
}

/// A field of an item that must be a map.
pub(super) fn field_of<'v>(m: &Machine<'_>, item: &'v Value, name: &str) -> Fallible<&'v Value> {
    let Value::Map(map) = item else {
        let kind = item.kind().phrase();
        return Err(Fault::new(
            Code::ArgumentMet,
            format!("an item is {kind}, not a map"),
        ));
    };
    m.lookup(map.len(), name)?;
    map.get(name).ok_or_else(|| crate::eval::missing_key(name))
}

fn range(m: &Machine<'_>, arguments: &[&Value]) -> Fallible<Value> {
    let mut ints = [0_i64; 3];
    for (index, (slot, value)) in ints.iter_mut().zip(arguments).enumerate() {
        match value {
            Value::Int(value) => *slot = *value,
            other => return Err(Function::Range.unfit(index, other)),
        }
    }
    let (start, end, step) = match arguments.len() {
        1 => (0, ints[0], 1),
        2 => (ints[0], ints[1], 1),
        _ => (ints[0], ints[1], ints[2]),
    };
    if step == 0 {
        return Err(Fault::new(Code::ArgumentMet, "the step of `range` is 0")
            .hint("give a step of 1 or -1"));
    }
    let span = i128::from(end) - i128::from(start);
    let step = i128::from(step);
    let len = if (span > 0) == (step > 0) && span != 0 {
        span.unsigned_abs().div_ceil(step.unsigned_abs())
    } else {
        0
    };
    let len = u64::try_from(len).unwrap_or(u64::MAX);
    m.charge(len)?;
    m.build(len.saturating_mul(VALUE_BYTES))?;
    let start = i128::from(start);
    // All at once: one that grows takes what was charged three times over.
    let mut values = Vec::with_capacity(usize::try_from(len).unwrap_or(usize::MAX));
    let ints = (0..i128::from(len)).map_while(|n| i64::try_from(start + n * step).ok());
    values.extend(ints.map(Value::Int));
    Ok(Value::List(List::new(values)?))
}

fn count(m: &Machine<'_>, list: &List, wanted: Option<&Value>) -> Fallible<Value> {
    let mut found = 0;
    for item in list.items() {
        m.charge(1)?;
        let counts = match wanted {
            Some(wanted) => m.equal(item, wanted)?,
            None => !matches!(item, Value::Null),
        };
        found += i64::from(counts);
    }
    Ok(Value::Int(found))
}

fn unique(m: &Machine<'_>, list: &List) -> Fallible<Value> {
    let items = list.items();
    let len = items.len() as u64;
    let mut longest = 0;
    for item in items {
        m.charge(1)?;
        longest = longest.max(text_bytes(item));
        if matches!(item, Value::List(_) | Value::Map(_)) {
            let kind = item.kind().phrase();
            return Err(
                Fault::new(Code::ArgumentMet, format!("`unique` has {kind} as an item"))
                    .hint("take a field: `unique([r['x'] for r in rows])`"),
            );
        }
    }
    m.charge(len * log2(len) * (1 + longest / 64))?;
    m.build(len * (VALUE_BYTES + 16))?;
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by(|a, b| order::total(&items[*a], &items[*b]));
    // The sort is stable: the first of equal items comes first.
    places.dedup_by(|b, a| order::total(&items[*a], &items[*b]) == Ordering::Equal);
    places.sort_unstable();
    let kept = places.into_iter().map(|at| items[at].clone()).collect();
    Ok(Value::List(List::new(kept)?))
}
