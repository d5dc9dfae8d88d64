//! Equality and order. Each step of a walk is charged: values share parts, and what is shared can
//! be walked more often than it is stored.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Decimal, Value};
use crate::error::Fallible;

/// A meter that charges nothing, for the host's side.
#[allow(clippy::unnecessary_wraps, reason = "has the form of a meter")]
pub(crate) fn free(_: u64) -> Fallible<()> {
    Ok(())
}

/// Whether `==` holds.
pub(crate) fn equal(
    a: &Value,
    b: &Value,
    meter: &mut dyn FnMut(u64) -> Fallible<()>,
) -> Fallible<bool> {
    Ok(match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => {
            a.len() == b.len() && {
                meter(a.len() as u64 / 64)?;
                a == b
            }
        }
        (Value::Date(a), Value::Date(b)) => a == b,
        (Value::DateTime(a), Value::DateTime(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            Arc::ptr_eq(a, b)
                || a.items.len() == b.items.len() && {
                    for (a, b) in a.items.iter().zip(&b.items) {
                        meter(1)?;
                        if !equal(a, b, meter)? {
                            return Ok(false);
                        }
                    }
                    true
                }
        }
        (Value::Map(a), Value::Map(b)) => {
            Arc::ptr_eq(a, b)
                || a.len() == b.len() && {
                    for (key, value) in a.entries() {
                        meter(2 + key.len() as u64 / 64)?;
                        match b.get(key) {
                            Some(other) if equal(value, other, meter)? => {}
                            Some(_) | None => return Ok(false),
                        }
                    }
                    true
                }
        }
        _ => number(a, b) == Some(Ordering::Equal),
    })
}

/// How two values are ordered, where they are: numbers, texts, dates, moments, durations.
pub(crate) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::DateTime(a), Value::DateTime(b)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        _ => number(a, b),
    }
}

/// How two numbers are ordered, exactly whatever their kinds are.
fn number(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Decimal(b)) => Some(Decimal::from_int(*a).cmp(b)),
        (Value::Decimal(a), Value::Int(b)) => Some(a.cmp(&Decimal::from_int(*b))),
        (Value::Int(a), Value::Float(b)) => Some(int_float(*a, *b)),
        (Value::Float(a), Value::Int(b)) => Some(int_float(*b, *a).reverse()),
        (Value::Decimal(a), Value::Float(b)) => Some(decimal_float(*a, *b)),
        (Value::Float(a), Value::Decimal(b)) => Some(decimal_float(*b, *a).reverse()),
        _ => None,
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the float is within the range and whole"
)]
#[allow(clippy::cast_precision_loss, reason = "a power of two")]
fn int_float(a: i64, b: f64) -> Ordering {
    const TOP: f64 = i64::MAX as f64;
    const EXACT: u64 = 1 << 53;
    if a.unsigned_abs() <= EXACT
        && let Some(order) = (a as f64).partial_cmp(&b)
    {
        return order;
    }
    if b >= TOP {
        return Ordering::Less;
    }
    if b < -TOP {
        return Ordering::Greater;
    }
    let floor = b.floor();
    a.cmp(&(floor as i64)).then(if b > floor {
        Ordering::Less
    } else {
        Ordering::Equal
    })
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the float is within the range and whole"
)]
fn decimal_float(a: Decimal, b: f64) -> Ordering {
    const BOUND: f64 = 1e25;
    if b >= BOUND {
        return Ordering::Less;
    }
    if b <= -BOUND {
        return Ordering::Greater;
    }
    let one = Decimal::from_int(1).units();
    let units = a.units();
    let whole = b.floor();
    let by_whole = units.div_euclid(one).cmp(&(whole as i128));
    by_whole.then_with(|| fraction(units.rem_euclid(one), b - whole))
}

/// Orders `rest` / 10^12 and the float `part`, which is exact and below one, digit by digit.
#[allow(clippy::cast_possible_truncation, reason = "below 2^53")]
#[allow(clippy::cast_precision_loss, reason = "below 2^53")]
fn fraction(rest: i128, part: f64) -> Ordering {
    // Bit by bit, both sides are doubled; a float's fraction ends after 1074 doublings.
    let one = Decimal::from_int(1).units();
    let (mut rest, mut part) = (rest, part);
    while rest != 0 || part != 0.0 {
        rest *= 2;
        part *= 2.0;
        let (high_rest, high_part) = (rest >= one, part >= 1.0);
        if high_rest != high_part {
            return high_rest.cmp(&high_part);
        }
        if high_rest {
            rest -= one;
            part -= 1.0;
        }
    }
    Ordering::Equal
}

/// A total order over values that are not lists or maps, for grouping.
pub(crate) fn total(a: &Value, b: &Value) -> Ordering {
    compare(a, b).unwrap_or_else(|| match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    })
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Decimal(_) | Value::Float(_) => 2,
        Value::Str(_) => 3,
        Value::Date(_) => 4,
        Value::DateTime(_) => 5,
        Value::Duration(_) => 6,
        Value::List(_) => 7,
        Value::Map(_) => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Value {
        Value::Decimal(Decimal::parse(text).unwrap())
    }

    #[test]
    fn numbers_of_different_kinds_compare_exactly() {
        let big = 9_007_199_254_740_993;
        assert_eq!(
            compare(&Value::Int(big), &Value::Float(9_007_199_254_740_992.0)),
            Some(Ordering::Greater)
        );
        assert_eq!(
            compare(
                &Value::Int(i64::MAX),
                &Value::Float(9.223_372_036_854_776e18)
            ),
            Some(Ordering::Less)
        );
        assert_eq!(
            compare(
                &Value::Int(i64::MIN),
                &Value::Float(-9.223_372_036_854_776e18)
            ),
            Some(Ordering::Equal)
        );
        assert_eq!(
            compare(&Value::Int(-1), &Value::Float(-0.5)),
            Some(Ordering::Less)
        );
        assert_eq!(
            compare(&decimal("0.1"), &Value::Float(0.1)),
            Some(Ordering::Less)
        );
        assert_eq!(
            compare(&decimal("-0.25"), &Value::Float(-0.25)),
            Some(Ordering::Equal)
        );
        assert_eq!(
            compare(&Value::Int(2), &decimal("2")),
            Some(Ordering::Equal)
        );
    }

    #[test]
    fn a_bool_is_no_number_and_text_is_no_date() {
        assert_ne!(Value::Bool(true), Value::Int(1));
        assert_eq!(compare(&Value::Bool(true), &Value::Bool(false)), None);
        assert_eq!(compare(&Value::str("a"), &Value::Int(1)), None);
    }
}
