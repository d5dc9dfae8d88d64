//! Formulas over a few scalars of nested records: those are read one by one, and the records
//! around them are never made.

use std::sync::Arc;

use crate::bound::Budget;
use crate::eval::{Machine, log2, units};
use crate::kind::Type;
use crate::program::{Op, Program};
use crate::tree::{Id, Ids, Operator, place};
use crate::value::Value;

/// A formula as it is evaluated over scalars that were read one by one.
///
/// Holding one proves that value and cost are those of the whole formula, where it gives a value
/// at all: every record on the way has exactly the keys that its type says, so that what a look
/// into it costs is known.
#[derive(Debug)]
pub struct Direct {
    program: Program,
    reads: Vec<Read>,
}

/// A scalar that a formula reads.
#[derive(Debug, PartialEq)]
pub struct Read {
    /// Which input, in the order of [`Compiled::names`](crate::Compiled::names).
    pub input: usize,
    /// The keys from there; none where the input is the scalar.
    pub path: Vec<Arc<str>>,
    /// What it must be.
    pub kind: Type,
}

impl Direct {
    /// The direct form, where each part can be evaluated the quick way, each input is read as
    /// scalars alone, and one of them is inside a record.
    pub(crate) fn new(whole: &Program, inputs: &[(Arc<str>, Type)], used: &[bool]) -> Option<Self> {
        let nested = |((_, kind), used): (&(Arc<str>, Type), &bool)| {
            *used && matches!(kind, Type::Record(_))
        };
        if whole.quick[whole.root as usize] == 0 || !inputs.iter().zip(used).any(nested) {
            return None;
        }
        let mut builder = Builder {
            whole,
            inputs,
            direct: Self {
                program: Program::default(),
                reads: Vec::new(),
            },
        };
        builder.direct.program.root = builder.node(whole.root)?;
        let direct = builder.direct;
        direct
            .reads
            .iter()
            .any(|read| !read.path.is_empty())
            .then_some(direct)
    }

    /// What is read, in the order in which [`Direct::eval_with`] takes it.
    #[must_use]
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// Has the value for what was read looked at, and its cost units. Nothing where the usual way
    /// must find out: a value is not of its kind, the budget is used up, or an operator is wrong
    /// or slow for what it meets.
    ///
    /// Whoever calls this has checked that the rest of each record is as its type says.
    #[must_use]
    #[inline]
    pub fn eval_with<T>(
        &self,
        values: &[Value],
        budget: Budget,
        look: impl FnOnce(&Value, u64) -> T,
    ) -> Option<T> {
        let fit = |(read, value): (&Read, &Value)| read.kind.fits(value);
        if values.len() != self.reads.len() || !self.reads.iter().zip(values).all(fit) {
            return None;
        }
        let machine = Machine::new(&self.program, values, budget);
        let value = machine.quick_run()?;
        Some(look(&value, machine.cost()))
    }
}

struct Builder<'p> {
    whole: &'p Program,
    inputs: &'p [(Arc<str>, Type)],
    direct: Direct,
}

impl Builder<'_> {
    /// Copies a node with its parts, as deep as a formula may be nested.
    fn node(&mut self, id: Id) -> Option<Id> {
        let whole = self.whole;
        let op = match &whole.nodes[id as usize] {
            Op::Const(value) => Op::Const(value.clone()),
            Op::Input(_) | Op::Field { .. } => return self.read(id),
            Op::Binary {
                operator,
                left,
                right,
            } => Op::Binary {
                operator: *operator,
                left: self.number(*left)?,
                right: self.number(*right)?,
            },
            Op::Compare {
                operator,
                left,
                right,
            } => Op::Compare {
                operator: *operator,
                left: self.node(*left)?,
                right: self.node(*right)?,
            },
            Op::Chain { first, steps } => Op::Chain {
                first: self.number(*first)?,
                steps: self.steps(steps, Self::number)?,
            },
            Op::Comparisons { first, steps } => Op::Comparisons {
                first: self.node(*first)?,
                steps: self.steps(steps, Self::node)?,
            },
            Op::And(parts) => Op::And(self.parts(parts)?),
            Op::Or(parts) => Op::Or(self.parts(parts)?),
            Op::Not(operand) => Op::Not(self.node(*operand)?),
            Op::If { test, then, other } => Op::If {
                test: self.node(*test)?,
                then: self.node(*then)?,
                other: self.node(*other)?,
            },
            // Not quick, or inside of what is not.
            Op::Variable(_)
            | Op::Negate(_)
            | Op::Plus(_)
            | Op::List(_)
            | Op::Map(_)
            | Op::ListOf { .. }
            | Op::MapOf { .. }
            | Op::Fold { .. }
            | Op::Index { .. }
            | Op::Slice { .. }
            | Op::Call { .. }
            | Op::Host { .. }
            | Op::Template(_) => return None,
        };
        let program = &self.direct.program;
        let units = units(&op, &program.children, &program.steps, &program.quick);
        (units > 0).then(|| self.add(op, units))
    }

    fn add(&mut self, op: Op, units: u32) -> Id {
        let program = &mut self.direct.program;
        program.nodes.push(op);
        program.quick.push(units);
        place(program.nodes.len() - 1)
    }

    /// An operand of arithmetic: of texts it is never quick, and would be tried for nothing.
    fn number(&mut self, id: Id) -> Option<Id> {
        let copy = self.node(id)?;
        let program = &self.direct.program;
        match &program.nodes[copy as usize] {
            Op::Const(Value::Str(_)) => None,
            Op::Input(read) => match self.direct.reads[*read as usize].kind.present() {
                Type::Str(_) => None,
                _ => Some(copy),
            },
            _ => Some(copy),
        }
    }

    fn parts(&mut self, parts: &Ids) -> Option<Ids> {
        let parts = &self.whole.children[parts.start as usize..parts.end as usize];
        let copies = parts.iter().map(|id| self.node(*id));
        let copies = copies.collect::<Option<Vec<_>>>()?;
        let children = &mut self.direct.program.children;
        let start = place(children.len());
        children.extend(copies);
        Some(start..place(children.len()))
    }

    fn steps(&mut self, steps: &Ids, copy: impl Fn(&mut Self, Id) -> Option<Id>) -> Option<Ids> {
        let steps = &self.whole.steps[steps.start as usize..steps.end as usize];
        let copies: Option<Vec<(Operator, Id)>> = steps
            .iter()
            .map(|(operator, id)| Some((*operator, copy(self, *id)?)))
            .collect();
        let steps = &mut self.direct.program.steps;
        let start = place(steps.len());
        steps.extend(copies?);
        Some(start..place(steps.len()))
    }

    /// A scalar, read once however often it is used, and charged as the looks that lead to it.
    fn read(&mut self, id: Id) -> Option<Id> {
        let mut read = Read {
            input: 0,
            path: Vec::new(),
            kind: Type::Any,
        };
        let units = self.find(id, &mut read)?;
        match read.kind.present() {
            Type::Any | Type::List(..) | Type::Map(..) | Type::Record(_) => return None,
            Type::Null
            | Type::Bool
            | Type::Int
            | Type::Decimal
            | Type::Float
            | Type::Number
            | Type::Str(_)
            | Type::Date
            | Type::DateTime
            | Type::Duration
            | Type::Optional(_) => {}
        }
        let reads = &mut self.direct.reads;
        let known = reads.iter().position(|known| *known == read);
        let at = known.unwrap_or_else(|| {
            reads.push(read);
            reads.len() - 1
        });
        Some(self.add(Op::Input(place(at)), units))
    }

    /// Follows keys to where they lead, and counts the units of the way.
    fn find(&self, id: Id, read: &mut Read) -> Option<u32> {
        match &self.whole.nodes[id as usize] {
            Op::Input(slot) => {
                read.input = *slot as usize;
                read.kind = self.inputs.get(read.input)?.1.clone();
                Some(1)
            }
            Op::Field { base, key, .. } => {
                let units = self.find(*base, read)?;
                let Type::Record(fields) = &read.kind else {
                    return None;
                };
                let look = log2(fields.len() as u64) * (1 + key.len() as u64 / 64);
                let (name, kind) = fields.iter().find(|(name, _)| name == key)?;
                read.path.push(Arc::clone(name));
                read.kind = kind.clone();
                (units + 1).checked_add(u32::try_from(look).ok()?)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Formula, Signature};

    const SIGNATURE: &str = "order: {customer: {name: str, age: int, vip: bool?, \
        address: {city: str[64], zip: str, lat: float}}, total: float, when: date}, \
        before: date, least: float, limit: duration, tags: map[int], other: {x: int}?";
    const INPUTS: &[u8] = br#"{"order": {"customer": {"name": "Ada", "age": 36, "vip": null,
        "address": {"city": "Berlin", "zip": "10115", "lat": 52.5}}, "total": 99.5,
        "when": "2024-03-31"}, "before": "2024-01-31", "least": 50, "limit": "P30D",
        "tags": {"a": 1}, "other": {"x": 1}}"#;

    const DIRECT: [&str; 12] = [
        "order['customer']['address']['city'] == 'Berlin'",
        "order['customer']['address']['city'] == order['customer']['name']",
        "order['total'] * 2.0 + order['total'] - least > order['customer']['age']",
        "order['when'] - before > limit and order['customer']['age'] > 18",
        "0 < order['customer']['age'] <= 36 < order['total'] < 90",
        "order['customer']['name'] if order['customer']['vip'] else order['customer']['age']",
        "order['customer']['vip'] == None or not order['total']",
        "order['total'] / (order['customer']['age'] - 36)",
        "order['total'] * 1e300 * 1e300",
        "order['customer']['age'] * 9223372036854775807",
        "order['customer']['name'] in order['customer']['address']['city']",
        "order['customer']['address']['city']",
    ];

    /// What the direct way says for the scalars of `INPUTS`, or nothing; and what the usual says.
    fn both(source: &str, budget: Budget) -> Option<[Option<(Value, u64)>; 2]> {
        let signature = Signature::parse(SIGNATURE).unwrap();
        let formula = Formula::compile(source, &signature).unwrap();
        let inputs = formula.inputs_from_json(INPUTS).unwrap();
        let direct = formula.direct()?;
        let (_, whole) = formula.parts(&inputs);
        let read = |read: &Read| {
            let mut value = &whole[read.input];
            for key in &read.path {
                let Value::Map(map) = value else {
                    panic!("{key} of no map")
                };
                value = map.get(key).unwrap();
            }
            value.clone()
        };
        let values: Vec<Value> = direct.reads().iter().map(read).collect();
        let kept = |value: &Value, cost| (value.clone(), cost);
        let usual = formula.eval(&inputs, budget).ok();
        assert!(usual.as_ref().is_none_or(|usual| usual.built == 0));
        assert_eq!(
            formula.eval_with(&inputs, budget, kept).ok(),
            usual
                .as_ref()
                .map(|usual| (usual.value.clone(), usual.cost))
        );
        Some([
            direct.eval_with(&values, budget, kept),
            usual.map(|usual| (usual.value, usual.cost)),
        ])
    }

    #[test]
    fn the_direct_way_gives_value_and_cost_of_the_usual_one() {
        let mut valued = 0;
        for source in DIRECT {
            let [direct, usual] = both(source, Budget::default()).expect(source);
            assert_eq!(direct, usual, "{source}");
            valued += usize::from(direct.is_some());
        }
        // The others end in an error, which the usual way finds.
        assert_eq!(valued, DIRECT.len() - 3);
    }

    #[test]
    fn a_small_budget_ends_both_at_the_same_unit() {
        for source in DIRECT {
            for cost_max in 0..40 {
                let budget = Budget {
                    cost_max,
                    ..Budget::default()
                };
                let [direct, usual] = both(source, budget).expect(source);
                assert_eq!(direct, usual, "{source}, {cost_max} units");
            }
        }
        let budget = Budget {
            result_bytes_max: 1,
            ..Budget::default()
        };
        assert_eq!(both(DIRECT[11], budget), Some([None, None]));
    }

    #[test]
    fn a_formula_that_needs_more_than_scalars_has_no_direct_form() {
        for source in [
            "least > 5.0",
            "order['customer']",
            "order == order['customer']",
            "order['customer'] == None or order['total'] > 1",
            "tags['a'] > 1",
            "other['x'] > 1",
            "len(order['customer']['name']) > 2",
            "[x for x in [1, 2] if x > order['total']]",
            "order['customer']['name'] + '!'",
            "'a' + order['customer']['name'] == 'aAda'",
        ] {
            assert_eq!(both(source, Budget::default()), None, "{source}");
        }
    }

    #[test]
    fn what_is_not_of_its_kind_is_left_to_the_usual_way() {
        let signature = Signature::parse(SIGNATURE).unwrap();
        let formula = Formula::compile("order['total'] > 5.0", &signature).unwrap();
        let direct = formula.direct().unwrap();
        let look = |value: &Value, _| value.clone();
        let eval = |values: &[Value]| direct.eval_with(values, Budget::default(), look);
        assert_eq!(eval(&[Value::Int(6)]), Some(Value::Bool(true)));
        assert_eq!(eval(&[Value::Null]), None);
        assert_eq!(eval(&[Value::str("6")]), None);
        assert_eq!(eval(&[]), None);
    }
}
