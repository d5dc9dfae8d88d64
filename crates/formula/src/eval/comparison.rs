//! Comparisons.

use std::cmp::Ordering;

use super::quick::holds;
use super::{Env, Held, Machine};
use crate::error::{Code, Fallible, Fault};
use crate::tree::{Id, Ids, Operator};
use crate::value::{Value, order};

impl Machine<'_> {
    /// `a < b < c`: each operand once, until one does not hold.
    pub(super) fn comparisons<'e>(
        &'e self,
        first: Id,
        steps: &Ids,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let mut left = self.eval(first, env)?;
        for (operator, right) in &self.program.steps[steps.start as usize..steps.end as usize] {
            let right = self.eval(*right, env)?;
            self.charge(1)?;
            if !self.compare(*operator, &left, &right)? {
                return Ok(Held::Own(Value::Bool(false)));
            }
            left = right;
        }
        Ok(Held::Own(Value::Bool(true)))
    }

    #[inline]
    pub(crate) fn compare(&self, operator: Operator, a: &Value, b: &Value) -> Fallible<bool> {
        if let (Value::Int(x), Value::Int(y)) = (a, b)
            && let Some(holds) = holds(operator, *x, *y)
        {
            return Ok(holds);
        }
        self.compare_any(operator, a, b)
    }

    fn compare_any(&self, operator: Operator, a: &Value, b: &Value) -> Fallible<bool> {
        match operator {
            Operator::Equal => self.equal(a, b),
            Operator::NotEqual => self.equal(a, b).map(|equal| !equal),
            Operator::Less => self.ordered(operator, a, b).map(Ordering::is_lt),
            Operator::LessEqual => self.ordered(operator, a, b).map(Ordering::is_le),
            Operator::Greater => self.ordered(operator, a, b).map(Ordering::is_gt),
            Operator::GreaterEqual => self.ordered(operator, a, b).map(Ordering::is_ge),
            Operator::In => self.contains(a, b),
            Operator::NotIn => self.contains(a, b).map(|inside| !inside),
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::FloorDivide
            | Operator::Modulo
            | Operator::Power => Err(unordered(operator, a, b)),
        }
    }

    pub(crate) fn equal(&self, a: &Value, b: &Value) -> Fallible<bool> {
        order::equal(a, b, &mut |units| self.charge(units))
    }

    #[inline]
    fn ordered(&self, operator: Operator, a: &Value, b: &Value) -> Fallible<Ordering> {
        if let (Value::Str(a), Value::Str(b)) = (a, b) {
            self.scan(a.len().min(b.len()))?;
        }
        order::compare(a, b).ok_or_else(|| unordered(operator, a, b))
    }

    /// Whether `item` is in `within`.
    fn contains(&self, item: &Value, within: &Value) -> Fallible<bool> {
        match (item, within) {
            (Value::Str(part), Value::Str(text)) => {
                self.scan(text.len() + part.len())?;
                Ok(text.contains(&**part))
            }
            (item, Value::List(list)) => {
                for other in list.items() {
                    self.charge(1)?;
                    if self.equal(item, other)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Value::Str(key), Value::Map(map)) => {
                self.lookup(map.len(), key)?;
                Ok(map.position(key).is_some())
            }
            (item, within) => {
                let (item, within) = (item.kind().phrase(), within.kind().phrase());
                Err(
                    Fault::new(Code::OperandsMet, format!("{item} cannot be in {within}"))
                        .hint("`in` looks for a text in a text, an item in a list, a key in a map"),
                )
            }
        }
    }
}

#[cold]
fn unordered(operator: Operator, a: &Value, b: &Value) -> Box<Fault> {
    let (symbol, a, b) = (operator.symbol(), a.kind().phrase(), b.kind().phrase());
    Fault::new(
        Code::OperandsMet,
        format!("`{symbol}` is not for {a} and {b}"),
    )
    .hint("numbers, strings, dates, datetimes and durations have an order, each among themselves")
}
