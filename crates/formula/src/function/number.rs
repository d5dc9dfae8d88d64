//! Functions of numbers.

use super::Function;
use crate::error::{Code, Fallible, Fault};
use crate::eval::{Machine, finite, int_overflow};
use crate::value::{Decimal, Duration, Value, text};

/// Longest text that is read as a number, bytes.
const NUMBER_BYTES_MAX: usize = 400;

pub(super) fn call(function: Function, m: &Machine<'_>, arguments: &[&Value]) -> Fallible<Value> {
    let [value, rest @ ..] = arguments else {
        return Ok(Value::Null);
    };
    match function {
        Function::Abs => abs(value),
        Function::Round => round(m, value, rest.first().copied()),
        Function::Int => to_int(m, value),
        Function::Float => to_float(m, value),
        Function::Decimal => to_decimal(m, value),
        _ => Ok(Value::Bool(value.is_truthy())),
    }
}

fn abs(value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(value) => value.checked_abs().map(Value::Int).ok_or_else(int_overflow),
        Value::Float(value) => Ok(Value::Float(value.abs())),
        Value::Decimal(value) if *value < Decimal::ZERO => Ok(Value::Decimal(value.neg())),
        Value::Decimal(_) => Ok(value.clone()),
        Value::Duration(value) => {
            Duration::checked(value.micros().checked_abs()).map(Value::Duration)
        }
        other => Err(Function::Abs.unfit(0, other)),
    }
}

fn round(m: &Machine<'_>, value: &Value, places: Option<&Value>) -> Fallible<Value> {
    let places = match places {
        None => None,
        Some(Value::Int(places)) if (-18..=30).contains(places) => Some(*places),
        Some(Value::Int(_)) => {
            return Err(Fault::new(Code::ArgumentMet, "places are from -18 to 30"));
        }
        Some(other) => return Err(Function::Round.unfit(1, other)),
    };
    // A float is rounded through its digits.
    m.charge(4)?;
    match (value, places) {
        (Value::Int(value), None | Some(0..)) => Ok(Value::Int(*value)),
        (Value::Int(value), Some(places)) => {
            let step = 10_i128.pow(u32::try_from(-places).unwrap_or(0));
            let value = i128::from(*value);
            let (down, rest) = (value.div_euclid(step), value.rem_euclid(step));
            let up = rest * 2 > step || rest * 2 == step && down % 2 != 0;
            i64::try_from((down + i128::from(up)) * step)
                .map(Value::Int)
                .map_err(|_| int_overflow())
        }
        (Value::Float(value), None) => whole(value.round_ties_even()),
        // From here on floats have no places.
        (Value::Float(large), Some(0..)) if large.abs() >= 9_007_199_254_740_992.0 => {
            Ok(value.clone())
        }
        (Value::Float(value), Some(places @ 0..)) => {
            let places = usize::try_from(places).unwrap_or(0);
            let rounded: f64 = format!("{value:.places$}").parse().unwrap_or(*value);
            finite(rounded)
        }
        (Value::Decimal(value), None) => i64::try_from(value.round(0)?.trunc())
            .map(Value::Int)
            .map_err(|_| int_overflow()),
        (Value::Decimal(value), Some(places @ 0..)) => value
            .round(u32::try_from(places).unwrap_or(0))
            .map(Value::Decimal),
        (Value::Float(_) | Value::Decimal(_), Some(_)) => {
            Err(Fault::new(Code::ArgumentMet, "places below 0 are for ints")
                .hint("use `round(int(x), -2)`"))
        }
        (other, _) => Err(Function::Round.unfit(0, other)),
    }
}

/// A float without places as an int.
#[allow(
    clippy::cast_possible_truncation,
    reason = "within the range and whole"
)]
fn whole(value: f64) -> Fallible<Value> {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    if (-BOUND..BOUND).contains(&value) {
        Ok(Value::Int(value as i64))
    } else {
        Err(int_overflow())
    }
}

fn unreadable(text: &str, what: &str) -> Box<Fault> {
    let shown = text::excerpt(text);
    Fault::new(Code::Unreadable, format!("`{shown}` is no {what}"))
}

/// The text without white space around it, if it is no longer than a number may be.
fn digits<'a>(m: &Machine<'_>, text: &'a str, what: &str) -> Fallible<&'a str> {
    m.scan(text.len())?;
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.len() > NUMBER_BYTES_MAX {
        return Err(unreadable(text, what));
    }
    Ok(trimmed)
}

fn to_int(m: &Machine<'_>, value: &Value) -> Fallible<Value> {
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Bool(value) => Ok(Value::Int(i64::from(*value))),
        Value::Float(value) => whole(value.trunc()),
        Value::Decimal(value) => i64::try_from(value.trunc())
            .map(Value::Int)
            .map_err(|_| int_overflow()),
        Value::Str(text) => {
            let trimmed = digits(m, text, "int")?;
            trimmed
                .parse()
                .map(Value::Int)
                .map_err(|error: std::num::ParseIntError| match error.kind() {
                    std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                        int_overflow()
                    }
                    _ => unreadable(text, "int"),
                })
        }
        other => Err(Function::Int.unfit(0, other)),
    }
}

#[allow(clippy::cast_precision_loss, reason = "as in Python")]
fn to_float(m: &Machine<'_>, value: &Value) -> Fallible<Value> {
    match value {
        Value::Float(_) => Ok(value.clone()),
        Value::Int(value) => Ok(Value::Float(*value as f64)),
        Value::Bool(value) => Ok(Value::Float(f64::from(u8::from(*value)))),
        Value::Decimal(value) => Ok(Value::Float(value.to_float())),
        Value::Str(text) => {
            let trimmed = digits(m, text, "float")?;
            let plain = |b: u8| b.is_ascii_digit() || b"+-.eE".contains(&b);
            // `inf` and `nan` are no values here.
            if !trimmed.bytes().all(plain) {
                return Err(unreadable(text, "float"));
            }
            finite(trimmed.parse().map_err(|_| unreadable(text, "float"))?)
        }
        other => Err(Function::Float.unfit(0, other)),
    }
}

fn to_decimal(m: &Machine<'_>, value: &Value) -> Fallible<Value> {
    match value {
        Value::Decimal(_) => Ok(value.clone()),
        Value::Int(value) => Ok(Value::Decimal(Decimal::from_int(*value))),
        Value::Bool(value) => Ok(Value::Decimal(Decimal::from_int(i64::from(*value)))),
        Value::Float(value) => {
            m.charge(4)?;
            // The shortest digits, with an exponent written out.
            let shown = format!("{value}");
            let cut = shown
                .find('.')
                .map_or(shown.len(), |point| (point + 13).min(shown.len()));
            let exact = Decimal::parse(&shown);
            exact
                .or_else(|| nearest(*value, &shown[..cut]))
                .map(Value::Decimal)
                .ok_or_else(|| {
                    Fault::new(Code::Overflow, "the float is beyond the range of decimals")
                })
        }
        Value::Str(text) => {
            let trimmed = digits(m, text, "decimal")?;
            Decimal::parse(trimmed).map(Value::Decimal).ok_or_else(|| {
                unreadable(text, "decimal")
                    .hint("up to 24 digits before the point and 12 after it, without exponent")
            })
        }
        other => Err(Function::Decimal.unfit(0, other)),
    }
}

/// More digits than a decimal has: rounded half even at the last place.
fn nearest(value: f64, cut: &str) -> Option<Decimal> {
    let twelve = format!("{value:.12}");
    Decimal::parse(&twelve).or_else(|| Decimal::parse(cut))
}
