//! Operators between values.

use super::{Env, Held, Machine, TEXT_BYTES};
use crate::direct::Sum;
use crate::error::{Code, Fallible, Fault};
use crate::tree::{Id, Ids, Operator};
use crate::value::{Decimal, Duration, List, VALUE_BYTES, Value};

#[cold]
pub(crate) fn int_overflow() -> Box<Fault> {
    Fault::new(Code::Overflow, "the int does not fit into 64 bits")
        .hint("use `float(x)` or `decimal(x)`")
}

#[cold]
fn by_zero() -> Box<Fault> {
    Fault::new(Code::DivisionByZero, "division by zero").hint("as in `a / b if b != 0 else 0`")
}

/// The float, unless it is no number or infinite.
#[inline]
pub(crate) fn finite(value: f64) -> Fallible<Value> {
    if value.is_finite() {
        Ok(Value::Float(value))
    } else {
        Err(not_finite())
    }
}

#[cold]
fn not_finite() -> Box<Fault> {
    Fault::new(
        Code::NotFinite,
        "the float is beyond the range, or undefined",
    )
    .hint("test the operands first")
}

#[cold]
fn unfit(operator: Operator, a: &Value, b: &Value) -> Box<Fault> {
    let symbol = operator.symbol();
    let (left, right) = (a.kind().phrase(), b.kind().phrase());
    let fault = Fault::new(
        Code::OperandsMet,
        format!("`{symbol}` is not for {left} and {right}"),
    );
    match hint(operator, a, b) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

fn hint(operator: Operator, a: &Value, b: &Value) -> Option<&'static str> {
    match (operator, a, b) {
        (_, Value::Null, _) | (_, _, Value::Null) => {
            Some("use `coalesce(x, 0)` for what may be `None`")
        }
        (_, Value::Bool(_), _) | (_, _, Value::Bool(_)) => Some("a bool is no number: `int(x)`"),
        (Operator::Add, Value::Str(_), _) | (Operator::Add, _, Value::Str(_)) => {
            Some("use `str(x)`, or an f-string: `f'{a} {b}'`")
        }
        (Operator::Modulo, Value::Str(_), _) => Some("use an f-string: `f'{x}'`"),
        (Operator::Multiply, Value::Str(_) | Value::List(_), _)
        | (Operator::Multiply, _, Value::Str(_) | Value::List(_)) => {
            Some("texts and lists are not repeated; `f'{x:*>20}'` fills")
        }
        (_, Value::Decimal(_), Value::Float(_)) | (_, Value::Float(_), Value::Decimal(_)) => {
            Some("a decimal and a float do not mix: `decimal(x)` or `float(x)`")
        }
        (
            Operator::Add | Operator::Subtract,
            Value::Date(_) | Value::DateTime(_),
            Value::Int(_),
        ) => Some("add days: `x + days(30)`"),
        _ => None,
    }
}

impl Machine<'_> {
    pub(super) fn chain<'e>(
        &'e self,
        first: Id,
        steps: &Ids,
        id: Id,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let mut value = self.operand(first, env)?;
        // Texts that are added one after the other grow in one place, and are charged as if each
        // sum was made.
        let mut sum: Option<String> = None;
        let start = self.program.spans[id as usize].start;
        for (operator, right) in &self.program.steps[steps.start as usize..steps.end as usize] {
            let operand = self.operand(*right, env)?;
            self.charge(1)?;
            let placed = |fault: Box<Fault>| {
                let end = self.program.spans[*right as usize].end;
                fault.at(crate::error::Span { start, end })
            };
            if let (Operator::Add, Value::Str(more)) = (operator, &*operand) {
                if let Some(text) = &mut sum {
                    self.build_sum(text.len(), more.len()).map_err(placed)?;
                    text.push_str(more);
                    continue;
                }
                if let Value::Str(text) = &*value {
                    self.build_sum(text.len(), more.len()).map_err(placed)?;
                    let mut room = String::with_capacity((text.len() + more.len()) * 2);
                    room.push_str(text);
                    room.push_str(more);
                    sum = Some(room);
                    continue;
                }
            }
            if let Some(text) = sum.take() {
                value = Held::Own(Value::Str(text.into()));
            }
            value = Held::Own(
                self.arithmetic(*operator, &value, &operand)
                    .map_err(placed)?,
            );
        }
        Ok(match sum {
            Some(text) => Held::Own(Value::Str(text.into())),
            None => value,
        })
    }

    /// Charges the sum of two texts: while it is made, it is there twice.
    fn build_sum(&self, a: usize, b: usize) -> Fallible<()> {
        self.build((a + b) as u64 * 2 + TEXT_BYTES)
    }

    /// The sum of texts that were read, charged as [`Machine::chain`] does; nothing where the usual
    /// way must find out.
    pub(crate) fn sum_run(&self, sum: &Sum) -> Option<String> {
        self.charge(sum.units).ok()?;
        let (first, rest) = sum.parts.split_first()?;
        let mut len = self.text(*first)?.len();
        for part in rest {
            let more = self.text(*part)?.len();
            self.build_sum(len, more).ok()?;
            len += more;
        }
        if VALUE_BYTES + len as u64 > self.budget.result_bytes_max {
            return None;
        }
        let mut text = String::with_capacity(len);
        for part in &sum.parts {
            text.push_str(self.text(*part)?);
        }
        Some(text)
    }

    #[inline]
    pub(crate) fn arithmetic(&self, operator: Operator, a: &Value, b: &Value) -> Fallible<Value> {
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => ints(operator, *a, *b),
            (Value::Float(a), Value::Float(b)) => floats(operator, *a, *b),
            _ => self.mixed(operator, a, b),
        }
    }

    #[inline(never)]
    #[allow(clippy::cast_precision_loss, reason = "as in Python")]
    fn mixed(&self, operator: Operator, a: &Value, b: &Value) -> Fallible<Value> {
        match (a, b) {
            (Value::Int(a), Value::Float(b)) => floats(operator, *a as f64, *b),
            (Value::Float(a), Value::Int(b)) => floats(operator, *a, *b as f64),
            (Value::Decimal(a), Value::Int(b)) if operator == Operator::Power => power(*a, *b),
            (Value::Decimal(x), Value::Decimal(y)) => decimals(operator, *x, *y, (a, b)),
            (Value::Decimal(x), Value::Int(y)) => {
                decimals(operator, *x, Decimal::from_int(*y), (a, b))
            }
            (Value::Int(x), Value::Decimal(y)) => {
                decimals(operator, Decimal::from_int(*x), *y, (a, b))
            }
            (Value::Str(a), Value::Str(b)) if operator == Operator::Add => {
                self.build_sum(a.len(), b.len())?;
                let mut text = String::with_capacity(a.len() + b.len());
                text.push_str(a);
                text.push_str(b);
                Ok(Value::Str(text.into()))
            }
            (Value::List(a), Value::List(b)) if operator == Operator::Add => {
                let len = a.items().len() + b.items().len();
                self.charge(len as u64)?;
                self.build(len as u64 * VALUE_BYTES)?;
                let mut items = Vec::with_capacity(len);
                items.extend_from_slice(a.items());
                items.extend_from_slice(b.items());
                Ok(Value::List(List::new(items)?))
            }
            _ => times(operator, a, b),
        }
    }

    pub(super) fn negate(value: &Value) -> Fallible<Value> {
        match value {
            Value::Int(value) => value.checked_neg().map(Value::Int).ok_or_else(int_overflow),
            Value::Float(value) => Ok(Value::Float(-value)),
            Value::Decimal(value) => Ok(Value::Decimal(value.neg())),
            Value::Duration(value) => {
                Duration::checked(value.micros().checked_neg()).map(Value::Duration)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Str(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Date(_)
            | Value::DateTime(_) => Err(signed("-", value)),
        }
    }

    pub(super) fn plus(value: Held<'_>) -> Fallible<Held<'_>> {
        match *value {
            Value::Int(_) | Value::Float(_) | Value::Decimal(_) | Value::Duration(_) => Ok(value),
            Value::Null
            | Value::Bool(_)
            | Value::Str(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Date(_)
            | Value::DateTime(_) => Err(signed("+", &value)),
        }
    }
}

#[cold]
fn signed(sign: &str, value: &Value) -> Box<Fault> {
    let kind = value.kind().phrase();
    Fault::new(Code::OperandsMet, format!("`{sign}` is not for {kind}"))
        .hint("numbers and durations have a sign")
}

#[inline]
#[allow(clippy::cast_precision_loss, reason = "as in Python")]
pub(super) fn ints(operator: Operator, a: i64, b: i64) -> Fallible<Value> {
    let value = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide | Operator::FloorDivide | Operator::Modulo if b == 0 => {
            return Err(by_zero());
        }
        // Rounded once, as in Python, where both are exact as floats.
        Operator::Divide => return finite(quotient(a, b)),
        Operator::FloorDivide => {
            let (quotient, rest) = (a.checked_div(b), a.checked_rem(b));
            match (quotient, rest) {
                (Some(q), Some(r)) => Some(q - i64::from(r != 0 && (r < 0) != (b < 0))),
                _ => None,
            }
        }
        Operator::Modulo => {
            let rest = a.checked_rem(b).unwrap_or(0);
            Some(if rest != 0 && (rest < 0) != (b < 0) {
                rest + b
            } else {
                rest
            })
        }
        Operator::Power if b >= 0 => {
            u32::try_from(b).map_or_else(|_| small_power(a, b), |exponent| a.checked_pow(exponent))
        }
        Operator::Power if a == 0 => return Err(by_zero()),
        Operator::Power => return floats(operator, a as f64, b as f64),
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual
        | Operator::In
        | Operator::NotIn => {
            return Err(unfit(operator, &Value::Int(a), &Value::Int(b)));
        }
    };
    value.map(Value::Int).ok_or_else(int_overflow)
}

/// What fits into 64 bits with an exponent beyond 32.
fn small_power(base: i64, exponent: i64) -> Option<i64> {
    match base {
        0 | 1 => Some(base),
        -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => None,
    }
}

/// `a / b`, rounded once.
#[allow(
    clippy::cast_precision_loss,
    reason = "the case in which it is exact is told apart"
)]
fn quotient(a: i64, b: i64) -> f64 {
    const EXACT: u64 = 1 << 53;
    if a.unsigned_abs() <= EXACT && b.unsigned_abs() <= EXACT {
        return a as f64 / b as f64;
    }
    // With so many bits in front, what is lost of the rest only breaks ties.
    let negative = (a < 0) != (b < 0);
    let (magnitude, by) = (a.unsigned_abs(), u128::from(b.unsigned_abs()));
    let shift = 64 + magnitude.leading_zeros().min(63);
    let wide = u128::from(magnitude) << shift;
    let sticky = u128::from(!wide.is_multiple_of(by));
    // Powers of two divide exactly.
    let magnitude = ((wide / by) | sticky) as f64 / (1_u128 << shift) as f64;
    if negative { -magnitude } else { magnitude }
}

#[inline]
pub(super) fn floats(operator: Operator, a: f64, b: f64) -> Fallible<Value> {
    let value = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide | Operator::FloorDivide | Operator::Modulo if b == 0.0 => {
            return Err(by_zero());
        }
        Operator::Divide => a / b,
        Operator::FloorDivide => floor_div(a, b),
        Operator::Modulo => modulo(a, b),
        Operator::Power if a == 0.0 && b < 0.0 => return Err(by_zero()),
        // In software: the same on every machine.
        Operator::Power => libm::pow(a, b),
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual
        | Operator::In
        | Operator::NotIn => {
            return Err(unfit(operator, &Value::Float(a), &Value::Float(b)));
        }
    };
    finite(value)
}

fn modulo(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        0.0_f64.copysign(b)
    } else if (rest < 0.0) != (b < 0.0) {
        rest + b
    } else {
        rest
    }
}

/// As `CPython` does it: from the exact rest, then snapped to a whole number.
fn floor_div(a: f64, b: f64) -> f64 {
    let rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0_f64.copysign(a / b);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 {
        floor + 1.0
    } else {
        floor
    }
}

fn decimals(
    operator: Operator,
    a: Decimal,
    b: Decimal,
    given: (&Value, &Value),
) -> Fallible<Value> {
    let value = match operator {
        Operator::Add => a.add(b),
        Operator::Subtract => a.sub(b),
        Operator::Multiply => a.mul(b),
        Operator::Divide => a.div(b),
        Operator::FloorDivide => a.floor_div(b),
        Operator::Modulo => a.rem(b),
        Operator::Power
        | Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual
        | Operator::In
        | Operator::NotIn => return Err(unfit(operator, given.0, given.1)),
    };
    value.map(Value::Decimal)
}

fn power(base: Decimal, exponent: i64) -> Fallible<Value> {
    let Ok(mut exponent) = u64::try_from(exponent) else {
        return Err(
            Fault::new(Code::OperandsMet, "a decimal to a negative power").hint("use `1 / x ** n`"),
        );
    };
    let (mut square, mut product) = (base, Decimal::from_int(1));
    while exponent > 0 {
        if exponent % 2 == 1 {
            product = product.mul(square)?;
        }
        exponent /= 2;
        if exponent > 0 {
            square = square.mul(square)?;
        }
    }
    Ok(Value::Decimal(product))
}

/// Dates, moments and durations.
#[allow(
    clippy::cast_precision_loss,
    reason = "a part of one duration in another"
)]
fn times(operator: Operator, a: &Value, b: &Value) -> Fallible<Value> {
    let span = |micros: Option<i64>| Duration::checked(micros).map(Value::Duration);
    let back = |d: &Duration| Duration::checked(d.micros().checked_neg());
    match (operator, a, b) {
        (Operator::Add, Value::Date(d), Value::Duration(n))
        | (Operator::Add, Value::Duration(n), Value::Date(d)) => d.add(*n).map(Value::Date),
        (Operator::Add, Value::DateTime(d), Value::Duration(n))
        | (Operator::Add, Value::Duration(n), Value::DateTime(d)) => d.add(*n).map(Value::DateTime),
        (Operator::Subtract, Value::Date(d), Value::Duration(n)) => {
            d.add(back(n)?).map(Value::Date)
        }
        (Operator::Subtract, Value::DateTime(d), Value::Duration(n)) => {
            d.add(back(n)?).map(Value::DateTime)
        }
        (Operator::Subtract, Value::Date(a), Value::Date(b)) => Ok(Value::Duration(a.since(*b))),
        (Operator::Subtract, Value::DateTime(a), Value::DateTime(b)) => {
            Ok(Value::Duration(a.since(*b)))
        }
        (Operator::Add, Value::Duration(a), Value::Duration(b)) => {
            span(a.micros().checked_add(b.micros()))
        }
        (Operator::Subtract, Value::Duration(a), Value::Duration(b)) => {
            span(a.micros().checked_sub(b.micros()))
        }
        (Operator::Multiply, Value::Duration(d), Value::Int(n))
        | (Operator::Multiply, Value::Int(n), Value::Duration(d)) => {
            span(d.micros().checked_mul(*n))
        }
        (Operator::Divide | Operator::FloorDivide, Value::Duration(a), Value::Duration(b)) => {
            if operator == Operator::Divide && b.micros() != 0 {
                return finite(a.micros() as f64 / b.micros() as f64);
            }
            ints(Operator::FloorDivide, a.micros(), b.micros())
        }
        (Operator::FloorDivide, Value::Duration(d), Value::Int(n)) => {
            match ints(Operator::FloorDivide, d.micros(), *n)? {
                Value::Int(micros) => span(Some(micros)),
                other => Ok(other),
            }
        }
        _ => Err(unfit(operator, a, b)),
    }
}
