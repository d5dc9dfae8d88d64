//! What the functions give and cost at most, from what is known of the arguments.

use super::Function;
use crate::eval::{TEXT_BYTES, log2};
use crate::kind::{KEY_BYTES_MAX, Type};
use crate::value::{ENTRY_BYTES, VALUE_BYTES};

/// What is known of an argument.
pub(crate) struct Known<'a> {
    pub(crate) kind: &'a Type,
    /// Its value, where it is an int written in the formula.
    pub(crate) int: Option<i64>,
}

/// Cost units for so many bytes.
pub(crate) fn built(bytes: Option<u64>) -> Option<u64> {
    bytes.map(|bytes| bytes.div_ceil(64))
}

pub(crate) fn sum(parts: &[Option<u64>]) -> Option<u64> {
    parts
        .iter()
        .try_fold(0_u64, |sum, part| Some(sum.saturating_add((*part)?)))
}

pub(crate) fn times(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a?.saturating_mul(b?))
}

/// Most bytes of a string.
pub(crate) fn bytes_of(kind: &Type) -> Option<u64> {
    match kind.present() {
        Type::Str(max) => max.map(u64::from),
        _ => None,
    }
}

/// Most items of a list or entries of a map.
pub(crate) fn len_of(kind: &Type) -> Option<u64> {
    match kind.present() {
        Type::List(_, max) | Type::Map(_, max) => max.map(u64::from),
        Type::Record(fields) => Some(fields.len() as u64),
        _ => None,
    }
}

/// What the items of a list, the keys of a map or the letters of a string are.
pub(crate) fn item_of(kind: &Type) -> Type {
    match kind.present() {
        // Of an empty list nothing is known.
        Type::List(item, _) if **item == Type::Null => Type::Any,
        Type::List(item, _) => Type::clone(item),
        Type::Map(..) | Type::Record(_) => Type::Str(u32::try_from(KEY_BYTES_MAX).ok()),
        Type::Str(_) => Type::Str(Some(4)),
        _ => Type::Any,
    }
}

/// How many items a loop over it has at most.
pub(crate) fn loops_of(kind: &Type) -> Option<u64> {
    match kind.present() {
        Type::Str(max) => max.map(u64::from),
        _ => len_of(kind),
    }
}

fn values_of(kind: &Type) -> Type {
    match kind.present() {
        Type::Map(item, _) => Type::clone(item),
        Type::Record(fields) => {
            let mut kinds = fields.iter().map(|(_, kind)| kind.clone());
            let first = kinds.next().unwrap_or(Type::Any);
            kinds.fold(first, Type::join)
        }
        _ => Type::Any,
    }
}

/// Steps of a sort of so many values of a type.
fn sort(len: Option<u64>, item: &Type) -> Option<u64> {
    let per = match item.present() {
        Type::Str(_) => 1 + bytes_of(item)? / 64,
        kind if kind.is_number() => 1,
        Type::Date | Type::DateTime | Type::Duration | Type::Bool | Type::Null => 1,
        _ => return None,
    };
    times(
        len.map(|len| len.saturating_mul(log2(len)).saturating_add(len)),
        Some(per),
    )
}

/// Steps to find a key.
pub(crate) fn lookup(map: &Type, key: Option<u64>) -> Option<u64> {
    times(len_of(map).map(log2), key.map(|key| 1 + key / 64))
}

fn shared(bytes: Option<u64>) -> Option<u64> {
    built(bytes.map(|bytes| bytes.saturating_add(TEXT_BYTES)))
}

fn field(item: &Type, name: &str) -> Type {
    match item.present() {
        Type::Record(fields) => fields
            .iter()
            .find(|(field, _)| **field == *name)
            .map_or(Type::Any, |(_, kind)| kind.clone()),
        Type::Map(value, _) => Type::clone(value),
        _ => Type::Any,
    }
}

/// The type of the result, and the most that the call costs besides its arguments.
pub(crate) fn of(
    function: Function,
    arguments: &[Known<'_>],
    text: &[Option<&str>],
) -> (Type, Option<u64>) {
    let Some(first) = arguments.first() else {
        return (Type::Any, None);
    };
    // With more arguments than two, they are kept in a list.
    let many = if arguments.len() > 2 {
        arguments.len() as u64 * (VALUE_BYTES + 8)
    } else {
        0
    };
    let (kind, cost) = match function {
        Function::Str
        | Function::Upper
        | Function::Lower
        | Function::Strip
        | Function::Split
        | Function::Join
        | Function::Replace
        | Function::StartsWith
        | Function::EndsWith
        | Function::Find => texts(function, first.kind, arguments),
        Function::Abs
        | Function::Round
        | Function::Int
        | Function::Float
        | Function::Decimal
        | Function::Bool => numbers(function, first.kind, arguments.len()),
        Function::Days
        | Function::Date
        | Function::DateTime
        | Function::Duration
        | Function::Year
        | Function::Month
        | Function::Day
        | Function::Hour
        | Function::Minute
        | Function::Weekday => times_of(function, first.kind),
        Function::Sum
        | Function::Mean
        | Function::Median
        | Function::Stdev
        | Function::Quantile
        | Function::GroupSum => statistics(function, first.kind, text),
        Function::Len
        | Function::Min
        | Function::Max
        | Function::Any
        | Function::All
        | Function::Sorted
        | Function::Range
        | Function::Keys
        | Function::Values
        | Function::Get
        | Function::Contains
        | Function::Count
        | Function::Unique
        | Function::Coalesce => lists(function, arguments, text),
    };
    (kind, sum(&[cost, Some(many.div_ceil(64))]))
}

fn texts(function: Function, first: &Type, arguments: &[Known<'_>]) -> (Type, Option<u64>) {
    let bytes = bytes_of(first);
    let argument = |at: usize| {
        arguments
            .get(at)
            .map_or(Some(0), |known| bytes_of(known.kind))
    };
    let scan = bytes.map(|bytes| bytes * 2 / 64);
    let same = (Type::str(bytes), sum(&[scan, shared(bytes)]));
    match function {
        Function::Str => match first.present() {
            Type::Str(_) if first.present() == first => (first.clone(), Some(0)),
            _ => {
                // Each part is rounded up to a unit of its own.
                let written = first.text_bytes();
                let steps = times(first.steps(), Some(3));
                (
                    Type::str(written),
                    sum(&[built(written), steps, shared(written)]),
                )
            }
        },
        Function::Upper | Function::Lower => {
            let most = times(bytes, Some(3));
            (Type::str(most), sum(&[scan, built(most), shared(most)]))
        }
        Function::Strip if arguments.len() == 1 => same,
        Function::Strip => {
            let compared = times(bytes, argument(1).map(|set| 1 + set)).map(|n| n / 64);
            (Type::str(bytes), sum(&[compared, shared(bytes)]))
        }
        Function::Split => {
            let pieces = bytes.map(|bytes| bytes + 1);
            let kept = times(pieces, Some(VALUE_BYTES + TEXT_BYTES + 1));
            let kind = Type::list(Type::str(bytes), pieces);
            (
                kind,
                sum(&[scan, argument(1).map(|n| n / 64 + 1), pieces, built(kept)]),
            )
        }
        Function::Join => {
            let (len, item) = (len_of(first), bytes_of(&item_of(first)));
            let most = times(len, sum(&[item, argument(1)]));
            (Type::str(most), sum(&[len, built(most), shared(most)]))
        }
        Function::Replace => {
            let places = bytes.map(|bytes| bytes + 1);
            let most = sum(&[bytes, times(places, argument(2))]);
            let scan = sum(&[scan, argument(1).map(|n| n / 64 + 1)]);
            (Type::str(most), sum(&[scan, built(most), shared(most)]))
        }
        Function::Find => (Type::Int, sum(&[scan, argument(1).map(|n| n / 64 + 1)])),
        _ => (Type::Bool, argument(1).map(|n| n / 64)),
    }
}

fn numbers(function: Function, first: &Type, count: usize) -> (Type, Option<u64>) {
    let read = match first.present() {
        Type::Any => None,
        Type::Str(_) => bytes_of(first).map(|bytes| bytes / 64),
        _ => Some(4),
    };
    match function {
        Function::Abs => (first.present().clone(), Some(0)),
        Function::Round if count == 1 => (Type::Int, Some(4)),
        Function::Round => (first.present().clone(), Some(4)),
        Function::Int => (Type::Int, read),
        Function::Float => (Type::Float, read),
        Function::Decimal => (Type::Decimal, read),
        _ => (Type::Bool, Some(0)),
    }
}

fn times_of(function: Function, first: &Type) -> (Type, Option<u64>) {
    let read = match first.present() {
        Type::Any => None,
        Type::Str(_) => bytes_of(first).map(|bytes| bytes / 64),
        _ => Some(0),
    };
    match function {
        Function::Date => (Type::Date, read),
        Function::DateTime => (Type::DateTime, read),
        Function::Duration => (Type::Duration, read),
        Function::Days => match first.present() {
            Type::Int => (Type::Duration, Some(0)),
            Type::Duration => (Type::Int, Some(0)),
            _ => (Type::Any, Some(0)),
        },
        _ => (Type::Int, Some(0)),
    }
}

/// What a sum of such items is.
pub(crate) fn sum_of(item: &Type) -> Type {
    match item {
        // A sum of nothing is the int 0.
        Type::Int => Type::Int,
        kind if kind.is_number() => Type::Number,
        _ => Type::Any,
    }
}

fn statistics(function: Function, first: &Type, text: &[Option<&str>]) -> (Type, Option<u64>) {
    let (len, item) = (len_of(first), item_of(first));
    let pointers = built(times(len, Some(16)));
    match function {
        Function::Sum => (sum_of(&item), len),
        Function::Stdev => (
            Type::Float,
            sum(&[times(len, Some(2)), built(times(len, Some(8)))]),
        ),
        Function::Median | Function::Quantile => {
            let kind = if item.is_number() {
                Type::Number
            } else {
                Type::Any
            };
            (kind, sum(&[sort(len, &item), pointers]))
        }
        Function::GroupSum => {
            let name = |at: usize| text.get(at).copied().flatten();
            let (key, value) = match (name(1), name(2)) {
                (Some(key), Some(value)) => (field(&item, key), field(&item, value)),
                _ => (Type::Any, Type::Any),
            };
            let found = |at: usize| lookup(&item, name(at).map(|name| name.len() as u64));
            let rows = times(len, sum(&[found(1), found(2), Some(2)]));
            let kept = built(times(len, Some(40 + ENTRY_BYTES)));
            let kind = Type::Map(std::sync::Arc::new(sum_of(&value)), None);
            (kind, sum(&[rows, kept, sort(len, &key)]))
        }
        _ => {
            let kind = if item.is_number() {
                Type::Number
            } else {
                Type::Any
            };
            (kind, len)
        }
    }
}

fn lists(
    function: Function,
    arguments: &[Known<'_>],
    text: &[Option<&str>],
) -> (Type, Option<u64>) {
    let first = arguments[0].kind;
    let second = arguments.get(1).map(|known| known.kind);
    let (len, item) = (len_of(first), item_of(first));
    let listed = sum(&[len, built(times(len, Some(VALUE_BYTES)))]);
    match function {
        Function::Len => match first.present() {
            Type::Str(_) => (Type::Int, bytes_of(first).map(|bytes| bytes / 64)),
            Type::Any => (Type::Int, None),
            _ => (Type::Int, Some(0)),
        },
        Function::Any | Function::All => (Type::Bool, len),
        Function::Min | Function::Max => extreme(arguments, item, len),
        Function::Sorted => {
            let name = text.get(1).copied().flatten();
            let room = built(times(len, Some(VALUE_BYTES * 2)));
            let steps = match (second, name) {
                (None, _) => sort(len, &item),
                (Some(_), Some(name)) => {
                    let found = times(len, lookup(&item, Some(name.len() as u64)));
                    sum(&[
                        found,
                        built(times(len, Some(48))),
                        sort(len, &field(&item, name)),
                    ])
                }
                (Some(_), None) => None,
            };
            (first.present().clone(), sum(&[room, steps]))
        }
        Function::Range => range(arguments),
        Function::Keys => (Type::list(item, len), listed),
        Function::Values => (Type::list(values_of(first), len), listed),
        Function::Get => {
            let name = text.get(1).copied().flatten();
            let found = name.map_or_else(|| values_of(first), |name| field(first, name));
            let other = arguments
                .get(2)
                .map_or(Type::Null, |known| known.kind.clone());
            (found.join(other), lookup(first, second.and_then(bytes_of)))
        }
        Function::Contains => (Type::Bool, contains(second.unwrap_or(&Type::Any), first)),
        Function::Count => (
            Type::Int,
            times(len, equal(second.unwrap_or(&Type::Null), &item)),
        ),
        Function::Unique => {
            let kept = built(times(len, Some(VALUE_BYTES + 16)));
            (first.present().clone(), sum(&[kept, sort(len, &item)]))
        }
        _ => (coalesced(arguments), Some(0)),
    }
}

/// The least or greatest of the items, or of the arguments.
fn extreme(arguments: &[Known<'_>], item: Type, len: Option<u64>) -> (Type, Option<u64>) {
    let (kind, count) = if arguments.len() == 1 {
        (item, len)
    } else {
        let kinds = arguments.iter().map(|known| known.kind.clone());
        let kind = kinds.reduce(Type::join).unwrap_or(Type::Any);
        (kind, Some(arguments.len() as u64))
    };
    let per = match kind.present() {
        Type::Any => None,
        Type::Str(_) => bytes_of(&kind).map(|bytes| 1 + bytes / 64),
        _ => Some(1),
    };
    (kind, times(count, per))
}

/// What the first argument that is there can be.
fn coalesced(arguments: &[Known<'_>]) -> Type {
    let kinds = arguments.iter().map(|known| known.kind.present().clone());
    let kind = kinds.reduce(Type::join).unwrap_or(Type::Any);
    match arguments.last() {
        Some(last) if last.kind.present() == last.kind && *last.kind != Type::Null => kind,
        Some(_) | None => kind.optional(),
    }
}

/// Steps to compare two values, one for the item itself included.
pub(crate) fn equal(a: &Type, b: &Type) -> Option<u64> {
    let least = match (a.steps(), b.steps()) {
        (Some(a), Some(b)) => a.min(b),
        (Some(steps), None) | (None, Some(steps)) => steps,
        (None, None) => return None,
    };
    // A map charges two for each entry and a key's length.
    Some(least.saturating_mul(2) + 1)
}

/// Steps to look for a value in another.
pub(crate) fn contains(item: &Type, within: &Type) -> Option<u64> {
    match within.present() {
        Type::Str(_) => sum(&[bytes_of(within), bytes_of(item)]).map(|bytes| bytes / 64),
        Type::List(inner, _) => times(len_of(within), equal(item, inner).map(|steps| 1 + steps)),
        Type::Map(..) | Type::Record(_) => lookup(within, bytes_of(item)),
        _ => None,
    }
}

fn range(arguments: &[Known<'_>]) -> (Type, Option<u64>) {
    let int = |at: usize| arguments.get(at).and_then(|known| known.int);
    let (start, end, step) = match arguments.len() {
        1 => (Some(0), int(0), Some(1)),
        2 => (int(0), int(1), Some(1)),
        _ => (int(0), int(1), int(2)),
    };
    let len = match (start, end, step) {
        (Some(start), Some(end), Some(step)) if step != 0 => {
            let distance = i128::from(end) - i128::from(start);
            let towards = (distance > 0) == (step > 0);
            let len = distance
                .unsigned_abs()
                .div_ceil(u128::from(step.unsigned_abs()));
            Some(if towards {
                u64::try_from(len).unwrap_or(u64::MAX)
            } else {
                0
            })
        }
        _ => None,
    };
    (
        Type::list(Type::Int, len),
        sum(&[len, built(times(len, Some(VALUE_BYTES)))]),
    )
}
