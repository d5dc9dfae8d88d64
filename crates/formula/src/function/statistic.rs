//! Sums and statistics.

use std::sync::Arc;

use super::Function;
use super::list::{field_of, sortable};
use crate::error::{Code, Fallible, Fault};
use crate::eval::{Machine, log2};
use crate::tree::Operator;
use crate::value::{Map, Value, order};

pub(super) fn call(function: Function, m: &Machine<'_>, arguments: &[&Value]) -> Fallible<Value> {
    let [first, rest @ ..] = arguments else {
        return Ok(Value::Null);
    };
    let Value::List(list) = first else {
        return Err(function.unfit(0, first));
    };
    let items = list.items();
    match function {
        Function::Sum => total(m, items.iter()),
        Function::Mean => {
            need(function, items, 1)?;
            let sum = total(m, items.iter())?;
            quotient(m, &sum, items.len())
        }
        Function::Stdev => stdev(m, items),
        Function::Median => {
            need(function, items, 1)?;
            let sorted = numbers(function, m, items)?;
            let middle = sorted.len() / 2;
            if sorted.len() % 2 == 1 {
                return Ok(sorted[middle].clone());
            }
            let sum = m.arithmetic(Operator::Add, sorted[middle - 1], sorted[middle])?;
            quotient(m, &sum, 2)
        }
        Function::Quantile => quantile(m, items, rest.first().copied().unwrap_or(first)),
        _ => group_sum(m, items, rest),
    }
}

fn need(function: Function, items: &[Value], count: usize) -> Fallible<()> {
    if items.len() >= count {
        return Ok(());
    }
    let (name, len) = (function.name(), items.len());
    Err(Fault::new(
        Code::NoItems,
        format!("`{name}` needs {count} items or more, not {len}"),
    )
    .hint("test `len(x)` first"))
}

/// A sum that takes items one by one.
#[derive(Debug, Default)]
pub(crate) struct Total(Option<Value>);

impl Total {
    pub(crate) fn add(&mut self, m: &Machine<'_>, item: &Value) -> Fallible<()> {
        let sum = match (&self.0, item) {
            // A sum begins with 0, which makes -0.0 a 0.0.
            (None, Value::Float(first)) => Value::Float(first + 0.0),
            (None, Value::Int(_) | Value::Decimal(_) | Value::Duration(_)) => item.clone(),
            (Some(Value::Float(sum)), Value::Float(item)) => crate::eval::finite(sum + item)?,
            (
                Some(sum),
                Value::Int(_) | Value::Float(_) | Value::Decimal(_) | Value::Duration(_),
            ) => m.arithmetic(Operator::Add, sum, item)?,
            (_, other) => {
                let kind = other.kind().phrase();
                return Err(Fault::new(Code::ArgumentMet, format!("a sum met {kind}"))
                    .hint("strings are joined with `join(list)`; leave `None` out with `if`"));
            }
        };
        self.0 = Some(sum);
        Ok(())
    }

    #[inline]
    pub(crate) fn add_float(&mut self, m: &Machine<'_>, item: f64) -> Fallible<()> {
        if let Some(Value::Float(sum)) = &mut self.0
            && (*sum + item).is_finite()
        {
            *sum += item;
            return Ok(());
        }
        self.add(m, &Value::Float(item))
    }

    pub(crate) fn value(self) -> Value {
        self.0.unwrap_or(Value::Int(0))
    }
}

fn total<'v>(m: &Machine<'_>, items: impl Iterator<Item = &'v Value>) -> Fallible<Value> {
    let mut total = Total::default();
    for item in items {
        m.charge(1)?;
        total.add(m, item)?;
    }
    Ok(total.value())
}

fn quotient(m: &Machine<'_>, sum: &Value, count: usize) -> Fallible<Value> {
    let count = Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
    // A mean of durations is a duration.
    let operator = match sum {
        Value::Duration(_) => Operator::FloorDivide,
        _ => Operator::Divide,
    };
    m.arithmetic(operator, sum, &count)
}

#[allow(clippy::cast_precision_loss, reason = "as in Python")]
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Decimal(value) => Some(value.to_float()),
        _ => None,
    }
}

fn stdev(m: &Machine<'_>, items: &[Value]) -> Fallible<Value> {
    need(Function::Stdev, items, 2)?;
    m.charge(items.len() as u64 * 2)?;
    m.build(items.len() as u64 * 8)?;
    let mut floats = Vec::with_capacity(items.len());
    for item in items {
        floats.push(float(item).ok_or_else(|| not_a_number(Function::Stdev, item))?);
    }
    let count = u32::try_from(floats.len()).map_or(f64::MAX, f64::from);
    let mean = floats.iter().sum::<f64>() / count;
    let squares: f64 = floats.iter().map(|x| (x - mean) * (x - mean)).sum();
    crate::eval::finite((squares / (count - 1.0)).sqrt())
}

fn not_a_number(function: Function, item: &Value) -> Box<Fault> {
    let (name, kind) = (function.name(), item.kind().phrase());
    Fault::new(Code::ArgumentMet, format!("`{name}` met {kind} as an item"))
        .hint("leave `None` out: `[x for x in items if x != None]`")
}

/// The items in order; all of them numbers, or all durations.
fn numbers<'v>(
    function: Function,
    m: &Machine<'_>,
    items: &'v [Value],
) -> Fallible<Vec<&'v Value>> {
    let odd = items
        .iter()
        .find(|item| float(item).is_none() && !matches!(item, Value::Duration(_)));
    if let Some(odd) = odd {
        return Err(not_a_number(function, odd));
    }
    sortable(m, items.iter())?;
    m.build(items.len() as u64 * 16)?;
    let mut sorted: Vec<&Value> = items.iter().collect();
    sorted.sort_by(|a, b| order::compare(a, b).unwrap_or(std::cmp::Ordering::Equal));
    Ok(sorted)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below the length"
)]
#[allow(clippy::cast_precision_loss, reason = "lengths are far below 2^53")]
fn quantile(m: &Machine<'_>, items: &[Value], part: &Value) -> Fallible<Value> {
    need(Function::Quantile, items, 1)?;
    let Some(part) = float(part).filter(|part| (0.0..=1.0).contains(part)) else {
        return Err(Fault::new(
            Code::ArgumentMet,
            "the part of `quantile` is not from 0 to 1",
        )
        .hint("as in `quantile(x, 0.95)`"));
    };
    let sorted = numbers(Function::Quantile, m, items)?;
    let place = part * (sorted.len() - 1) as f64;
    let at = place.floor() as usize;
    let rest = place - place.floor();
    let low = sorted[at];
    let Some(high) = sorted.get(at + 1).filter(|_| rest > 0.0) else {
        return Ok(low.clone());
    };
    let (Some(low), Some(high)) = (float(low), float(high)) else {
        return Err(not_a_number(Function::Quantile, low));
    };
    crate::eval::finite(low + (high - low) * rest)
}

fn group_sum(m: &Machine<'_>, items: &[Value], names: &[&Value]) -> Fallible<Value> {
    let (Some(Value::Str(key)), Some(Value::Str(field))) = (names.first(), names.get(1)) else {
        let at = usize::from(matches!(names.first(), Some(Value::Str(_))));
        return Err(
            Function::GroupSum.unfit(at + 1, names.get(at).copied().unwrap_or(&Value::Null))
        );
    };
    let len = items.len() as u64;
    m.build(len * (40 + crate::value::ENTRY_BYTES))?;
    let mut rows: Vec<(&Arc<str>, usize, &Value)> = Vec::with_capacity(items.len());
    let mut longest = 0;
    for (at, item) in items.iter().enumerate() {
        m.charge(1)?;
        let group = field_of(m, item, key)?;
        let Value::Str(group) = group else {
            let kind = group.kind().phrase();
            return Err(
                Fault::new(Code::ArgumentMet, format!("`group_sum` groups by {kind}"))
                    .hint("group by a string"),
            );
        };
        longest = longest.max(group.len() as u64);
        rows.push((group, at, field_of(m, item, field)?));
    }
    m.charge(len * log2(len) * (1 + longest / 64))?;
    rows.sort_by(|a, b| a.0.cmp(b.0).then(a.1.cmp(&b.1)));
    let mut sums: Vec<(usize, Arc<str>, Value)> = Vec::new();
    for group in rows.chunk_by(|a, b| a.0 == b.0) {
        let sum = total(m, group.iter().map(|(_, _, value)| *value))?;
        if let Some((name, first, _)) = group.first() {
            sums.push((*first, Arc::clone(name), sum));
        }
    }
    // In the order in which the groups first appear.
    sums.sort_by_key(|(first, _, _)| *first);
    let entries = sums.into_iter().map(|(_, name, sum)| (name, sum)).collect();
    Ok(Value::Map(Arc::new(Map::new(entries)?)))
}
