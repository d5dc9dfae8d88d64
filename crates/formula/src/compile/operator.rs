//! Types and bounds of operators, indexes and slices.

use std::ops::Range;
use std::sync::Arc;

use super::{Compiler, Done};
use crate::error::{Code, Fallible, Fault, Span};
use crate::eval::TEXT_BYTES;
use crate::function::known;
use crate::kind::Type;
use crate::program::Op;
use crate::tree::{Id, Ids, Node, Operator, place};
use crate::value::{VALUE_BYTES, Value};

/// What `operator` gives for the types, and the most that it costs; `None` where it is not for
/// them.
fn arithmetic(operator: Operator, a: &Type, b: &Type) -> Option<(Type, Option<u64>)> {
    let free = Some(0);
    match (a.present(), b.present()) {
        (Type::Any, Type::Any) => Some((Type::Any, None)),
        // A number beside it leaves numbers and durations; anything else may be a text or a list.
        (Type::Any, other) | (other, Type::Any) if other.is_number() => Some((Type::Any, free)),
        (Type::Any, _) | (_, Type::Any) => Some((Type::Any, None)),
        (x, y) if x.is_number() && y.is_number() => {
            numbers(operator, x, y).map(|kind| (kind, free))
        }
        (Type::Str(left), Type::Str(right)) if operator == Operator::Add => {
            let bytes = left
                .zip(*right)
                .map(|both| u64::from(both.0) + u64::from(both.1));
            let cost = known::built(bytes.map(|bytes| bytes * 2 + TEXT_BYTES));
            Some((Type::str(bytes), cost))
        }
        (Type::List(left, n), Type::List(right, m)) if operator == Operator::Add => {
            let len = n.zip(*m).map(|both| u64::from(both.0) + u64::from(both.1));
            let cost = known::sum(&[len, known::built(known::times(len, Some(VALUE_BYTES)))]);
            // An empty list adds nothing to what the items are.
            let item = match (n, m) {
                (Some(0), _) => Type::clone(right),
                (_, Some(0)) => Type::clone(left),
                _ => Type::clone(left).join(Type::clone(right)),
            };
            Some((Type::list(item, len), cost))
        }
        (x, y) => times(operator, x, y).map(|kind| (kind, free)),
    }
}

fn numbers(operator: Operator, a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Type::Decimal, Type::Float) | (Type::Float, Type::Decimal) => None,
        (Type::Int, Type::Int) => Some(match operator {
            Operator::Divide => Type::Float,
            Operator::Power => Type::Number,
            _ => Type::Int,
        }),
        // An int is admitted where a decimal or a float is declared, so nothing more is known.
        _ => Some(Type::Number),
    }
}

#[allow(
    clippy::unnested_or_patterns,
    reason = "a line for each pair reads better"
)]
fn times(operator: Operator, a: &Type, b: &Type) -> Option<Type> {
    use Operator::{Add, Divide, FloorDivide, Multiply, Subtract};
    match (operator, a, b) {
        (Add | Subtract, Type::Date, Type::Duration) | (Add, Type::Duration, Type::Date) => {
            Some(Type::Date)
        }
        (Add | Subtract, Type::DateTime, Type::Duration)
        | (Add, Type::Duration, Type::DateTime) => Some(Type::DateTime),
        (Subtract, Type::Date, Type::Date)
        | (Subtract, Type::DateTime, Type::DateTime)
        | (Add | Subtract, Type::Duration, Type::Duration)
        | (Multiply, Type::Duration, Type::Int | Type::Number)
        | (Multiply, Type::Int | Type::Number, Type::Duration)
        | (FloorDivide, Type::Duration, Type::Int | Type::Number) => Some(Type::Duration),
        (Divide, Type::Duration, Type::Duration) => Some(Type::Float),
        (FloorDivide, Type::Duration, Type::Duration) => Some(Type::Int),
        _ => None,
    }
}

fn unfit(operator: Operator, a: &Type, b: &Type) -> Box<Fault> {
    let symbol = operator.symbol();
    let fault = Fault::new(
        Code::Operands,
        format!("`{symbol}` is not for `{a}` and `{b}`"),
    );
    let hint = match (a.present(), b.present()) {
        (Type::Bool, _) | (_, Type::Bool) => "a bool is no number: `int(x)`",
        (Type::Str(_), _) | (_, Type::Str(_)) if operator == Operator::Add => {
            "use `str(x)`, or an f-string: `f'{a} {b}'`"
        }
        (Type::Str(_), _) if operator == Operator::Modulo => "use an f-string: `f'{x}'`",
        (Type::Str(_) | Type::List(..), _) | (_, Type::Str(_) | Type::List(..))
            if operator == Operator::Multiply =>
        {
            "texts and lists are not repeated; `f'{x:*>20}'` fills"
        }
        (Type::Decimal, Type::Float) | (Type::Float, Type::Decimal) => {
            "a decimal and a float do not mix: `decimal(x)` or `float(x)`"
        }
        (Type::Date | Type::DateTime, Type::Int) => "add days: `x + days(30)`",
        _ => "convert one of them, as in `float(x)` or `str(x)`",
    };
    fault.hint(hint)
}

/// Whether values of the types have an order.
fn ordered(a: &Type, b: &Type) -> bool {
    match (a.present(), b.present()) {
        (Type::Any, other) | (other, Type::Any) => !matches!(
            other,
            Type::Null | Type::Bool | Type::List(..) | Type::Map(..) | Type::Record(_)
        ),
        (a, b) if a.is_number() => b.is_number(),
        (Type::Str(_), Type::Str(_))
        | (Type::Date, Type::Date)
        | (Type::DateTime, Type::DateTime)
        | (Type::Duration, Type::Duration) => true,
        _ => false,
    }
}

/// The most that a comparison costs, if the types can be compared so.
fn comparison(operator: Operator, a: &Type, b: &Type) -> Fallible<Option<u64>> {
    let symbol = operator.symbol();
    match operator {
        Operator::Equal | Operator::NotEqual if a.can_equal(b) => Ok(known::equal(a, b)),
        Operator::Equal | Operator::NotEqual => Err(Fault::new(
            Code::Unrelated,
            format!("`{a}` and `{b}` are never equal"),
        )
        .hint("convert one of them, as in `str(x)` or `date(x)`")),
        Operator::In | Operator::NotIn => {
            let fits = match b.present() {
                Type::Any => true,
                Type::List(item, _) => a.can_equal(item),
                Type::Str(_) | Type::Map(..) | Type::Record(_) => {
                    matches!(a.present(), Type::Str(_) | Type::Any)
                }
                _ => false,
            };
            if fits {
                return Ok(known::contains(a, b));
            }
            Err(
                Fault::new(Code::Operands, format!("`{a}` cannot be in `{b}`"))
                    .hint("`in` looks for a text in a text, an item in a list, a key in a map"),
            )
        }
        _ if ordered(a, b) => Ok(match (known::bytes_of(a), known::bytes_of(b)) {
            (Some(a), Some(b)) => Some(a.min(b) / 64),
            (Some(bytes), None) | (None, Some(bytes)) => Some(bytes / 64),
            (None, None) => {
                let text = |kind: &Type| matches!(kind.present(), Type::Str(_) | Type::Any);
                if text(a) && text(b) { None } else { Some(0) }
            }
        }),
        _ => Err(Fault::new(
            Code::Operands,
            format!("`{symbol}` is not for `{a}` and `{b}`"),
        )
        .hint("numbers, strings, dates, datetimes and durations have an order")),
    }
}

impl Compiler<'_> {
    pub(super) fn chain(&mut self, first: Id, steps: &Ids, id: Id) -> Fallible<Done> {
        let tree = self.tree;
        let start = tree.span(id).start;
        let mut left = self.node(first)?;
        let written = &tree.steps[steps.start as usize..steps.end as usize];
        let places = self.places(written);
        let mut last = (Operator::Add, left.id);
        let mut cost = known::sum(&[Some(1), left.cost]);
        for (at, (operator, right)) in written.iter().enumerate() {
            let right_id = *right;
            let right = self.node(right_id)?;
            let end = tree.span(right_id).end;
            let (kind, step) = arithmetic(*operator, &left.kind, &right.kind)
                .ok_or_else(|| unfit(*operator, &left.kind, &right.kind).at(Span { start, end }))?;
            cost = known::sum(&[cost, right.cost, step, Some(1)]);
            last = (*operator, right.id);
            if let Some(step) = self.program.steps[places.clone()].get_mut(at) {
                *step = last;
            }
            left.kind = kind;
        }
        let op = match written {
            [_] => Op::Binary {
                operator: last.0,
                left: left.id,
                right: last.1,
            },
            _ => Op::Chain {
                first: left.id,
                steps: place(places.start)..place(places.end),
            },
        };
        let is_text = matches!(left.kind, Type::Str(_));
        let done = self.leaf(op, id, left.kind);
        if is_text {
            // Built, so never quick: it would be tried for nothing.
            self.program.quick[done.id as usize] = 0;
        }
        Ok(Done { cost, ..done })
    }

    /// The places of a chain's steps, which those that are written hold until each is compiled; one
    /// step alone needs none.
    fn places(&mut self, written: &[(Operator, Id)]) -> Range<usize> {
        let steps = &mut self.program.steps;
        let start = steps.len();
        if written.len() > 1 {
            steps.extend_from_slice(written);
        }
        start..steps.len()
    }

    pub(super) fn compare(&mut self, first: Id, steps: &Ids, id: Id) -> Fallible<Done> {
        let tree = self.tree;
        let first = self.node(first)?;
        let (mut kind, mut start) = (first.kind.clone(), tree.span(id).start);
        let written = &tree.steps[steps.start as usize..steps.end as usize];
        let places = self.places(written);
        let mut last = (Operator::Equal, first.id);
        let mut cost = known::sum(&[Some(1), first.cost]);
        for (at, (operator, right)) in written.iter().enumerate() {
            let span = tree.span(*right);
            let right = self.node(*right)?;
            let step = comparison(*operator, &kind, &right.kind).map_err(|fault| {
                fault.at(Span {
                    start,
                    end: span.end,
                })
            })?;
            cost = known::sum(&[cost, right.cost, step, Some(1)]);
            last = (*operator, right.id);
            if let Some(step) = self.program.steps[places.clone()].get_mut(at) {
                *step = last;
            }
            kind = right.kind;
            start = span.start;
        }
        let op = match written {
            [_] => Op::Compare {
                operator: last.0,
                left: first.id,
                right: last.1,
            },
            _ => Op::Comparisons {
                first: first.id,
                steps: place(places.start)..place(places.end),
            },
        };
        Ok(Done {
            cost,
            ..self.leaf(op, id, Type::Bool)
        })
    }

    pub(super) fn signed(&mut self, operand: Id, id: Id, op: fn(Id) -> Op) -> Fallible<Done> {
        let operand = self.node(operand)?;
        let kind = operand.kind.present().clone();
        if !kind.is_number() && !matches!(kind, Type::Any | Type::Duration) {
            return Err(
                Fault::new(Code::Operands, format!("a sign is not for `{kind}`"))
                    .hint("numbers and durations have a sign"),
            );
        }
        let cost = known::sum(&[Some(1), operand.cost]);
        Ok(Done {
            cost,
            ..self.leaf(op(operand.id), id, kind)
        })
    }

    pub(super) fn index(&mut self, base: Id, index: Id, id: Id) -> Fallible<Done> {
        let tree = self.tree;
        let base = self.node(base)?;
        if let Node::Const(Value::Str(key)) = &tree.nodes[index as usize].0 {
            return self.field(&base, key, id);
        }
        let index = self.node(index)?;
        let at = index.kind.present();
        let by_int = at.is_number() || *at == Type::Any;
        let by_text = matches!(at, Type::Str(_) | Type::Any);
        let (kind, step) = match base.kind.present() {
            Type::Any => (Type::Any, None),
            Type::List(..) if by_int => (known::item_of(&base.kind), Some(0)),
            Type::Str(max) if by_int => {
                (Type::Str(Some(4)), max.map(|max| u64::from(max) / 64 + 1))
            }
            Type::Map(item, _) if by_text => (
                Type::clone(item),
                known::lookup(&base.kind, known::bytes_of(at)),
            ),
            Type::Record(_) if by_text => {
                (Type::Any, known::lookup(&base.kind, known::bytes_of(at)))
            }
            other => {
                return Err(Fault::new(
                    Code::Subscript,
                    format!("`{other}` cannot be indexed by `{at}`"),
                )
                .hint("lists and strings are indexed by ints, maps by strings"));
            }
        };
        let cost = known::sum(&[Some(1), base.cost, index.cost, step]);
        Ok(Done {
            cost,
            ..self.leaf(
                Op::Index {
                    base: base.id,
                    index: index.id,
                },
                id,
                kind,
            )
        })
    }

    /// An index by a text that is written in the formula.
    fn field(&mut self, base: &Done, key: &Arc<str>, id: Id) -> Fallible<Done> {
        let mut shared = key;
        let kind = match base.kind.present() {
            Type::Any => Type::Any,
            Type::Map(item, _) => Type::clone(item),
            Type::Record(fields) => {
                if let Some((name, kind)) = fields.iter().find(|(name, _)| name == key) {
                    // Rows have the signature's own texts as keys: those are found at a glance.
                    shared = name;
                    kind.clone()
                } else {
                    let shown = crate::value::text::excerpt(key);
                    let names = fields.iter().map(|(name, _)| &**name);
                    let near = super::call::nearest(key, names);
                    let hint = near.map_or_else(
                        || format!("the record is `{}`", base.kind),
                        |name| format!("do you mean `{name}`?"),
                    );
                    return Err(
                        Fault::new(Code::Field, format!("there is no field `{shown}`")).hint(hint),
                    );
                }
            }
            other => {
                return Err(
                    Fault::new(Code::Subscript, format!("`{other}` has no fields"))
                        .hint("maps have keys"),
                );
            }
        };
        let site = self.sites;
        self.sites += 1;
        let step = known::lookup(&base.kind, Some(key.len() as u64));
        let cost = known::sum(&[Some(1), base.cost, step]);
        let op = Op::Field {
            base: base.id,
            key: Arc::clone(shared),
            site,
        };
        Ok(Done {
            cost,
            ..self.leaf(op, id, kind)
        })
    }

    pub(super) fn slice(&mut self, base: Id, bounds: &[Option<Id>; 3], id: Id) -> Fallible<Done> {
        let tree = self.tree;
        let base = self.node(base)?;
        let mut ids = [None; 3];
        let mut cost = known::sum(&[Some(1), base.cost]);
        for (slot, bound) in ids.iter_mut().zip(bounds) {
            let Some(bound) = bound else { continue };
            let done = self.node(*bound)?;
            let kind = done.kind.present();
            if !kind.is_number() && !matches!(kind, Type::Any | Type::Null) {
                return Err(
                    Fault::new(Code::Subscript, format!("`{kind}` as a bound of a slice"))
                        .hint("bounds are ints, as in `x[1:3]`")
                        .at(tree.span(*bound)),
                );
            }
            cost = known::sum(&[cost, done.cost]);
            *slot = Some(done.id);
        }
        let step = match base.kind.present() {
            Type::Any => None,
            Type::List(..) => {
                let len = known::len_of(&base.kind);
                known::sum(&[len, known::built(known::times(len, Some(VALUE_BYTES)))])
            }
            Type::Str(max) => max.map(|max| u64::from(max) * 7 / 64 + 5),
            other => {
                return Err(
                    Fault::new(Code::Subscript, format!("`{other}` cannot be sliced"))
                        .hint("lists and strings can"),
                );
            }
        };
        let kind = base.kind.present().clone();
        let cost = known::sum(&[cost, step]);
        Ok(Done {
            cost,
            ..self.leaf(
                Op::Slice {
                    base: base.id,
                    bounds: ids,
                },
                id,
                kind,
            )
        })
    }
}
