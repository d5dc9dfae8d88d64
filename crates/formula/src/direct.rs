//! Formulas over a few scalars: those are read one by one from where they are, and the records
//! around them are never made.

use std::sync::Arc;

use crate::bound::Budget;
use crate::eval::{Machine, log2, units};
use crate::kind::Type;
use crate::program::{Op, Program};
use crate::tree::{Id, Ids, Operator, place};
use crate::value::{Scalar, Value};

/// A formula as it is evaluated over scalars that were read one by one.
///
/// Holding one proves that value and cost are those of the whole formula, where it gives a value
/// at all: every record on the way has exactly the keys that its type says, so that what a look
/// into it costs is known.
#[derive(Debug)]
pub struct Direct {
    program: Program,
    reads: Vec<Read>,
    /// Where the formula is a sum of texts; the program has no root then.
    sum: Option<Sum>,
}

/// Texts that are added one after the other.
#[derive(Debug)]
pub(crate) struct Sum {
    pub(crate) parts: Vec<Id>,
    /// Cost units without those of what is built.
    pub(crate) units: u64,
}

/// A scalar that a formula reads.
#[derive(Debug, Default, PartialEq)]
pub struct Read {
    /// Which input, in the order of [`Compiled::names`](crate::Compiled::names).
    pub input: usize,
    /// The keys from there; none where the input is the scalar.
    pub path: Vec<Arc<str>>,
    /// What it must be.
    pub kind: Type,
}

impl Direct {
    /// The direct form, where each part can be evaluated the quick way or the whole is a sum of
    /// texts, and each input is read as scalars alone.
    pub(crate) fn new(whole: &Program, inputs: &[(Arc<str>, Type)]) -> Option<Self> {
        let mut builder = Builder {
            whole,
            inputs,
            direct: Self {
                program: Program::default(),
                reads: Vec::new(),
                sum: None,
            },
        };
        match builder.sum(whole.root) {
            Some(sum) => builder.direct.sum = Some(sum),
            None if whole.quick[whole.root as usize] == 0 => return None,
            None => builder.direct.program.root = builder.node(whole.root)?,
        }
        Some(builder.direct)
    }

    /// What is read, in the order in which [`Direct::eval_with`] takes it.
    #[must_use]
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// The texts that the formula itself has: what it gives may be one of them, at the same place.
    pub fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.program.nodes.iter().filter_map(|op| match op {
            Op::Const(Value::Str(text)) => Some(text),
            _ => None,
        })
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
        scalars: &[Scalar<'_>],
        budget: Budget,
        look: impl FnOnce(Scalar<'_>, u64) -> T,
    ) -> Option<T> {
        let takes = |(read, scalar): (&Read, &Scalar<'_>)| read.kind.takes(scalar);
        if scalars.len() != self.reads.len() || !self.reads.iter().zip(scalars).all(takes) {
            return None;
        }
        let machine = Machine::direct(&self.program, scalars, budget);
        match &self.sum {
            None => {
                let scalar = machine.quick_run()?;
                Some(look(scalar, machine.cost()))
            }
            Some(sum) => {
                let text = machine.sum_run(sum)?;
                Some(look(Scalar::Str(&text), machine.cost()))
            }
        }
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
                left: self.node(*left)?,
                right: self.node(*right)?,
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
                first: self.node(*first)?,
                steps: self.steps(steps)?,
            },
            Op::Comparisons { first, steps } => Op::Comparisons {
                first: self.node(*first)?,
                steps: self.steps(steps)?,
            },
            Op::And(parts) => Op::And(self.parts(parts)?),
            Op::Or(parts) => Op::Or(self.parts(parts)?),
            Op::Not(operand) => Op::Not(self.node(*operand)?),
            Op::If { test, then, other } => Op::If {
                test: self.node(*test)?,
                then: self.node(*then)?,
                other: self.node(*other)?,
            },
            // Not quick, inside of what is not, or in a direct form alone.
            Op::Read(_)
            | Op::Variable(_)
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

    /// A sum of leaves that is known to be one of texts, because one of them is a text.
    fn sum(&mut self, id: Id) -> Option<Sum> {
        let whole = self.whole;
        let binary: [(Operator, Id); 1];
        let (first, rest, mut units) = match &whole.nodes[id as usize] {
            Op::Binary {
                operator,
                left,
                right,
            } => {
                binary = [(*operator, *right)];
                (*left, &binary[..], 1)
            }
            Op::Chain { first, steps } => {
                let rest = &whole.steps[steps.start as usize..steps.end as usize];
                (*first, rest, 1 + rest.len() as u64)
            }
            _ => return None,
        };
        if rest.iter().any(|(operator, _)| *operator != Operator::Add) {
            return None;
        }
        let ids = std::iter::once(first).chain(rest.iter().map(|(_, right)| *right));
        let texts = ids.clone().map(|id| self.is_text(id));
        if !texts.collect::<Option<Vec<bool>>>()?.contains(&true) {
            return None;
        }
        let parts = ids.map(|id| self.node(id)).collect::<Option<Vec<Id>>>()?;
        let quick = &self.direct.program.quick;
        units += parts
            .iter()
            .map(|id| u64::from(quick[*id as usize]))
            .sum::<u64>();
        Some(Sum { parts, units })
    }

    /// Whether a leaf is a text, for all that is known; nothing where it is none.
    fn is_text(&self, id: Id) -> Option<bool> {
        match &self.whole.nodes[id as usize] {
            Op::Const(Value::Str(_)) => Some(true),
            Op::Input(_) | Op::Field { .. } => {
                let mut read = Read::default();
                self.find(id, &mut read)?;
                match read.kind.present() {
                    Type::Str(_) => Some(true),
                    Type::Any => Some(false),
                    _ => None,
                }
            }
            _ => None,
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

    fn steps(&mut self, steps: &Ids) -> Option<Ids> {
        let steps = &self.whole.steps[steps.start as usize..steps.end as usize];
        let copies: Option<Vec<(Operator, Id)>> = steps
            .iter()
            .map(|(operator, id)| Some((*operator, self.node(*id)?)))
            .collect();
        let steps = &mut self.direct.program.steps;
        let start = place(steps.len());
        steps.extend(copies?);
        Some(start..place(steps.len()))
    }

    /// A scalar, read once however often it is used, and charged as the looks that lead to it.
    fn read(&mut self, id: Id) -> Option<Id> {
        let mut read = Read::default();
        let units = self.find(id, &mut read)?;
        match read.kind.present() {
            Type::List(..) | Type::Map(..) | Type::Record(_) => return None,
            // What turns out to be no scalar is not of the direct form.
            Type::Any
            | Type::Null
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
        Some(self.add(Op::Read(place(at)), units))
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
        before: date, least: float, limit: duration, tags: map[int], other: {x: int}?, loose: any";
    const INPUTS: &[u8] = br#"{"order": {"customer": {"name": "Ada", "age": 36, "vip": null,
        "address": {"city": "Berlin", "zip": "10115", "lat": 52.5}}, "total": 99.5,
        "when": "2024-03-31"}, "before": "2024-01-31", "least": 50, "limit": "P30D",
        "tags": {"a": 1}, "other": {"x": 1}, "loose": "x"}"#;

    const DIRECT: [&str; 18] = [
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
        "least * 2 > 99.0 and least < 1000.0",
        "'low' if least < 10.0 else 'high'",
        "before == before and before < order['when']",
        "order['customer']['name'] + ' (' + order['customer']['address']['zip'] + ')'",
        "order['customer']['name'] + '!'",
        "loose + order['customer']['name'] + loose",
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
            Scalar::of(value).unwrap()
        };
        let scalars: Vec<Scalar<'_>> = direct.reads().iter().map(read).collect();
        let usual = formula.eval(&inputs, budget).ok();
        let usual = usual.map(|usual| (usual.value, usual.cost));
        let kept = |value: &Value, cost| (value.clone(), cost);
        assert_eq!(formula.eval_with(&inputs, budget, kept).ok(), usual);
        Some([
            direct.eval_with(&scalars, budget, |scalar, cost| (scalar.to_value(), cost)),
            usual,
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
        let small = |part: usize, max: u64| {
            let mut budget = Budget::default();
            let [cost, built, result] = [
                &mut budget.cost_max,
                &mut budget.built_bytes_max,
                &mut budget.result_bytes_max,
            ];
            *[cost, built, result][part] = max;
            budget
        };
        for source in DIRECT {
            for max in 0..200 {
                for part in 0..3 {
                    let [direct, usual] = both(source, small(part, max)).expect(source);
                    assert_eq!(direct, usual, "{source}, {max} of {part}");
                }
            }
        }
        assert_eq!(both(DIRECT[11], small(2, 1)), Some([None, None]));
        assert_eq!(both(DIRECT[15], small(1, 1)), Some([None, None]));
    }

    #[test]
    fn a_formula_that_needs_more_than_scalars_has_no_direct_form() {
        for source in [
            "order['customer']",
            "order == order['customer']",
            "order['customer'] == None or order['total'] > 1",
            "tags['a'] > 1",
            "other['x'] > 1",
            "len(order['customer']['name']) > 2",
            "[x for x in [1, 2] if x > order['total']]",
            "order['customer']['name'] + str(least)",
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
        let look = |scalar: Scalar<'_>, _| scalar.to_value();
        let eval = |scalars: &[Scalar<'_>]| direct.eval_with(scalars, Budget::default(), look);
        assert_eq!(eval(&[Scalar::Int(6)]), Some(Value::Bool(true)));
        assert_eq!(eval(&[Scalar::Null]), None);
        assert_eq!(eval(&[Scalar::Str("6")]), None);
        assert_eq!(eval(&[]), None);

        // Of an input of any type it is seen when it is read whether it is a text.
        let formula = Formula::compile("loose + '!'", &Signature::open()).unwrap();
        let direct = formula.direct().unwrap();
        let eval = |scalar| direct.eval_with(&[scalar], Budget::default(), look);
        assert_eq!(eval(Scalar::Str("6")), Some(Value::str("6!")));
        assert_eq!(eval(Scalar::Int(6)), None);
    }

    #[test]
    fn a_text_of_the_formula_is_given_where_it_is() {
        let signature = Signature::parse("n: int").unwrap();
        let formula = Formula::compile("'big' if n > 5 else 'low'", &signature).unwrap();
        let direct = formula.direct().unwrap();
        let texts: Vec<_> = direct.texts().collect();
        for (n, at) in [(6, "big"), (5, "low")] {
            let same = |scalar: Scalar<'_>, _| {
                let Scalar::Str(given) = scalar else {
                    panic!("{scalar:?}")
                };
                let own = texts
                    .iter()
                    .find(|text| std::ptr::eq::<str>(text.as_ref(), given));
                assert_eq!(own.map(|text| &***text), Some(at));
            };
            let seen = direct.eval_with(&[Scalar::Int(n)], Budget::default(), same);
            assert_eq!(seen, Some(()));
        }
    }
}
