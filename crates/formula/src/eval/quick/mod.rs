//! Parts of a formula that build nothing: comparisons and arithmetic of numbers, fields, logic.
//!
//! They are evaluated without boxes and charged at once. What turns out to be an error, over the
//! budget or of a rarer kind is evaluated again by the usual walk, which says what is wrong and
//! where: so that value, cost and error are those of the usual walk, always.

mod operand;

use std::sync::Arc;

pub(super) use operand::{Quick, holds};

use super::{Env, Held, Machine, SITES, comprehension, log2};
use crate::program::Op;
use crate::tree::{Id, Ids, Operator};
use crate::value::{Scalar, Value};

/// So many parts of an evaluation are evaluated again, then none is tried.
const RETRIES_MAX: u8 = 8;

/// What a node is charged at once with all its parts that are always evaluated; 0 where it is not
/// quick. `of` gives that of the parts, which come first.
pub(crate) fn units(op: &Op, children: &[Id], steps: &[(Operator, Id)], of: &[u32]) -> u32 {
    let one = |id: Id| of[id as usize];
    // The node and parts that are always evaluated.
    let all = |sums: &[u32]| {
        if sums.contains(&0) {
            0
        } else {
            1 + sums.iter().sum::<u32>()
        }
    };
    let rights = |range: &Ids| steps[range.start as usize..range.end as usize].iter();
    match op {
        Op::Const(_) | Op::Input(_) | Op::Read(_) | Op::Variable(_) => 1,
        Op::Binary { left, right, .. } | Op::Compare { left, right, .. } => {
            all(&[one(*left), one(*right)])
        }
        Op::Field { base, .. } => all(&[one(*base)]),
        Op::Not(operand) => all(&[one(*operand)]),
        Op::Chain { first, steps } => {
            let add = |sum: u32, (_, right): &(Operator, Id)| match one(*right) {
                0 => None,
                // Each step is one more.
                units => Some(sum + units + 1),
            };
            let sum = rights(steps).try_fold(1 + one(*first), add);
            sum.filter(|_| one(*first) > 0).unwrap_or(0)
        }
        // What is evaluated only sometimes is charged when it is; all of it must be quick.
        Op::Comparisons { first, steps } => {
            let quick = rights(steps).all(|(_, right)| one(*right) > 0);
            if quick { all(&[one(*first)]) } else { 0 }
        }
        Op::And(ids) | Op::Or(ids) => match &children[ids.start as usize..ids.end as usize] {
            [first, rest @ ..] if rest.iter().all(|id| one(*id) > 0) => all(&[one(*first)]),
            [..] => 0,
        },
        Op::If { test, then, other } => match (one(*then), one(*other)) {
            (0, _) | (_, 0) => 0,
            _ => all(&[one(*test)]),
        },
        Op::Negate(_)
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
        | Op::Template(_) => 0,
    }
}

impl Machine<'_> {
    /// The value of a node if it is quick, has one and is within the budget; else nothing has
    /// been charged.
    #[inline]
    pub(super) fn quick<'e>(&'e self, id: Id, env: Option<&'e Env<'e>>) -> Option<Quick<'e>> {
        let units = self.program.quick[id as usize];
        if units == 0 || self.retries.get() >= RETRIES_MAX {
            return None;
        }
        let before = self.cost.get();
        self.cost.set(before.saturating_add(u64::from(units)));
        let value = self.walk(id, env);
        if value.is_none() || self.cost.get() > self.budget.cost_max {
            self.cost.set(before);
            self.retries.set(self.retries.get() + 1);
            return None;
        }
        value
    }

    /// The result of a direct form, where the quick way finds it and it is
    /// not too large.
    #[inline]
    pub(crate) fn quick_run(&self) -> Option<Scalar<'_>> {
        let value = self.quick(self.program.root, None)?.scalar()?;
        (value.bytes() <= self.budget.result_bytes_max).then_some(value)
    }

    /// The text that a leaf of a direct form is, if it is one.
    pub(super) fn text(&self, id: Id) -> Option<&str> {
        self.leaf(id, None)?.text()
    }

    /// As [`Machine::run`], with the result looked at where it is.
    #[inline]
    pub(crate) fn run_with<T>(
        &self,
        look: impl FnOnce(&Value, u64) -> T,
    ) -> crate::error::Fallible<T> {
        let held = match self.quick(self.program.root, None) {
            Some(quick) => {
                let value = quick.held();
                self.fits(&value)?;
                return Ok(look(&value, self.cost()));
            }
            None => self.eval(self.program.root, None)?,
        };
        self.fits(&held)?;
        Ok(look(&held, self.cost()))
    }

    /// The value of a node, quick where it can be.
    #[inline]
    pub(super) fn value<'e>(
        &'e self,
        id: Id,
        env: Option<&'e Env<'e>>,
    ) -> crate::error::Fallible<Held<'e>> {
        match self.quick(id, env) {
            Some(quick) => Ok(quick.held()),
            None => self.eval(id, env),
        }
    }

    /// Charges what is not known when a formula is compiled; the sum is looked at afterwards.
    #[inline]
    fn later(&self, units: u64) {
        self.cost.set(self.cost.get().saturating_add(units));
    }

    /// A part that is evaluated only sometimes.
    #[inline]
    fn part<'e>(&'e self, id: Id, env: Option<&'e Env<'e>>) -> Option<Quick<'e>> {
        self.later(u64::from(self.program.quick[id as usize]));
        self.leaf(id, env)
    }

    /// A node that is often a leaf: those are looked at without a call.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "measured: a quarter of the time of a filter"
    )]
    fn leaf<'e>(&'e self, id: Id, env: Option<&'e Env<'e>>) -> Option<Quick<'e>> {
        match &self.program.nodes[id as usize] {
            Op::Const(value) => Some(Quick::of(value)),
            Op::Input(slot) => Some(Quick::of(&self.inputs[*slot as usize])),
            Op::Read(at) => Some(Quick::read(&self.scalars[*at as usize])),
            Op::Variable(out) => Some(Quick::of(comprehension::variable(env, *out))),
            Op::Field { base, key, site } => self.quick_field(*base, key, *site, env),
            _ => self.walk(id, env),
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as above")]
    fn quick_field<'e>(
        &'e self,
        base: Id,
        key: &Arc<str>,
        site: u32,
        env: Option<&'e Env<'e>>,
    ) -> Option<Quick<'e>> {
        let base = match &self.program.nodes[base as usize] {
            Op::Variable(out) => comprehension::variable(env, *out),
            Op::Input(slot) => &self.inputs[*slot as usize],
            _ => match self.walk(base, env)? {
                Quick::Ref(base) => base,
                Quick::Bool(_)
                | Quick::Int(_)
                | Quick::Float(_)
                | Quick::Date(_)
                | Quick::Duration(_)
                | Quick::Read(_) => return None,
            },
        };
        let Value::Map(map) = base else {
            return None;
        };
        self.later(log2(map.len() as u64) * (1 + key.len() as u64 / 64));
        let site = &self.sites[site as usize % SITES];
        let hint = usize::from(site.get());
        if let Some((name, value)) = map.entries().get(hint)
            && (Arc::ptr_eq(name, key) || **name == **key)
        {
            return Some(Quick::of(value));
        }
        let at = map.position(key)?;
        site.set(u16::try_from(at).unwrap_or(0));
        Some(Quick::of(&map.entries()[at].1))
    }

    fn walk<'e>(&'e self, id: Id, env: Option<&'e Env<'e>>) -> Option<Quick<'e>> {
        match &self.program.nodes[id as usize] {
            Op::Binary {
                operator,
                left,
                right,
            } => Quick::arithmetic(*operator, self.leaf(*left, env)?, self.leaf(*right, env)?),
            Op::Compare {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.leaf(*left, env)?, self.leaf(*right, env)?);
                self.met(*operator, left, right).map(Quick::bool)
            }
            Op::Chain { first, steps } => {
                let mut value = self.leaf(*first, env)?;
                for (operator, right) in self.steps(steps) {
                    value = Quick::arithmetic(*operator, value, self.leaf(*right, env)?)?;
                }
                Some(value)
            }
            Op::Comparisons { first, steps } => {
                let mut left = self.leaf(*first, env)?;
                for (operator, right) in self.steps(steps) {
                    self.later(1);
                    let right = self.part(*right, env)?;
                    if !self.met(*operator, left, right)? {
                        return Some(Quick::bool(false));
                    }
                    left = right;
                }
                Some(Quick::bool(true))
            }
            Op::And(parts) => self.decide(parts, env, false),
            Op::Or(parts) => self.decide(parts, env, true),
            Op::Not(operand) => Some(Quick::bool(!self.leaf(*operand, env)?.is_truthy())),
            Op::If { .. } => self.choose(id, env),
            Op::Const(_) | Op::Input(_) | Op::Read(_) | Op::Variable(_) | Op::Field { .. } => {
                self.leaf(id, env)
            }
            // Not quick: no units.
            Op::Negate(_)
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
            | Op::Template(_) => None,
        }
    }

    /// The part that a conditional comes to, however many there are in a row.
    #[inline]
    fn choose<'e>(&'e self, mut id: Id, env: Option<&'e Env<'e>>) -> Option<Quick<'e>> {
        while let Op::If { test, then, other } = &self.program.nodes[id as usize] {
            let truthy = self.leaf(*test, env)?.is_truthy();
            id = if truthy { *then } else { *other };
            self.later(u64::from(self.program.quick[id as usize]));
        }
        self.leaf(id, env)
    }

    fn steps(&self, steps: &Ids) -> &[(Operator, Id)] {
        &self.program.steps[steps.start as usize..steps.end as usize]
    }

    /// The first part that decides, or the last.
    fn decide<'e>(
        &'e self,
        parts: &Ids,
        env: Option<&'e Env<'e>>,
        decides: bool,
    ) -> Option<Quick<'e>> {
        let (first, rest) = self.children(parts).split_first()?;
        let mut value = self.leaf(*first, env)?;
        for part in rest {
            if value.is_truthy() == decides {
                break;
            }
            value = self.part(*part, env)?;
        }
        Some(value)
    }

    #[inline]
    fn met(&self, operator: Operator, a: Quick<'_>, b: Quick<'_>) -> Option<bool> {
        match (a, b) {
            (Quick::Float(a), Quick::Float(b)) => holds(operator, a.float(), b.float()),
            (Quick::Int(a), Quick::Int(b)) => holds(operator, a, b),
            _ => self.met_any(operator, a, b),
        }
    }

    #[inline(never)]
    fn met_any(&self, operator: Operator, a: Quick<'_>, b: Quick<'_>) -> Option<bool> {
        if let (Quick::Duration(a), Quick::Duration(b)) = (a, b) {
            return holds(operator, a, b);
        }
        if let (Quick::Date(a), Quick::Date(b)) = (a, b) {
            return holds(operator, a, b);
        }
        if let (Some(a), Some(b)) = (a.text(), b.text()) {
            return self.texts(operator, a, b);
        }
        // An error is found again by the usual walk, with its place.
        self.compare(operator, &a.held(), &b.held()).ok()
    }

    /// As [`Machine::compare`] has it for texts.
    fn texts(&self, operator: Operator, a: &str, b: &str) -> Option<bool> {
        let bytes = match operator {
            Operator::Equal | Operator::NotEqual if a.len() != b.len() => 0,
            Operator::In | Operator::NotIn => a.len() + b.len(),
            _ => a.len().min(b.len()),
        };
        self.scan(bytes).ok()?;
        match operator {
            Operator::In => Some(b.contains(a)),
            Operator::NotIn => Some(!b.contains(a)),
            _ => holds(operator, a, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Budget;
    use crate::{Duration, Formula, Signature};

    /// Value or error with its place, and the cost: as a run that tries the quick way, and as one
    /// that does not.
    fn both(source: &str, cost_max: u64) -> [(String, u64); 2] {
        let formula = Formula::compile(source, &Signature::open()).unwrap();
        let json = br#"{"a": 2, "b": 2.5, "s": "Berlin", "n": null, "z": 0,
            "long": "0123456789012345678901234567890123456789012345678901234567890123456789",
            "rows": [{"p": 1.5, "q": 4, "t": "EU"}, {"p": 7, "q": 0.5, "t": "US"}],
            "odd": [{"p": 1}, {"p": null}, {"q": 1}, {"p": "x"}]}"#;
        let inputs = formula.inputs_from_json(json).unwrap();
        let budget = Budget {
            cost_max,
            ..Budget::default()
        };
        [0, RETRIES_MAX].map(|retries| {
            let (program, values) = formula.parts(&inputs);
            let machine = Machine::new(program, values, budget);
            machine.retries.set(retries);
            let shown = match machine.run() {
                Ok(value) => value.into_value().to_json(),
                Err(fault) => format!("{fault:?}"),
            };
            (shown, machine.cost())
        })
    }

    #[test]
    fn the_quick_way_gives_value_cost_and_error_of_the_usual_one() {
        for source in [
            "a * b - 1 + a",
            "1 < a <= b < 9",
            "1 < a and b > 9 or not s",
            "'x' if a > b else s if s < 'C' else n",
            "long == long and long < s",
            "n + 1 > 0",
            "a / z",
            "a / z if a > 5 else z",
            "9223372036854775807 + a",
            "b * 1e308 * 10",
            "s in 'Berlin and Bonn' and s != n",
            "[r for r in rows if r['p'] * r['q'] > 4 and r['t'] == 'EU']",
            "sum(r['p'] * r['q'] for r in rows)",
            "sum(r['p'] for r in odd)",
            "[r['p'] > 0 for r in odd]",
            "[r['p'] == 1 for r in odd if 'p' in r]",
            "any(r['p'] > 5 for r in rows)",
            "max(r['p'] - r['q'] for r in rows)",
            "count(x if x > 1 else n for x in [1, 2, 3])",
            "[x for x in [1, 'a', None, 2.5, 1, 1, 1, 1, 1, 1, 1] if x > a]",
        ] {
            let [quick, usual] = both(source, 100_000);
            assert_eq!(quick, usual, "{source}");
            for cost_max in 0..=usual.1 {
                let [quick, usual] = both(source, cost_max);
                assert_eq!(quick, usual, "{source}, {cost_max} units");
            }
        }
    }

    #[test]
    fn durations_are_met_the_quick_way_as_the_usual_one() {
        for operator in ["<", "<=", ">", ">=", "==", "!=", "in", "not in"] {
            let source = format!("short {operator} long");
            let formula = Formula::compile(&source, &Signature::open()).unwrap();
            for (short, long) in [(1, 2), (2, 2), (3, -2)] {
                let of = |micros| Value::Duration(Duration::from_micros(micros));
                let pairs = [("short", of(short)), ("long", of(long))];
                let inputs = formula.inputs(pairs).unwrap();
                let (program, values) = formula.parts(&inputs);
                let [quick, usual] = [0, RETRIES_MAX].map(|retries| {
                    let machine = Machine::new(program, values, Budget::default());
                    machine.retries.set(retries);
                    let result = machine.run().map(|value| value.into_value().to_json());
                    (format!("{result:?}"), machine.cost())
                });
                assert_eq!(quick, usual, "{source}");
            }
        }
    }

    #[test]
    fn a_formula_without_errors_is_evaluated_once() {
        let formula = Formula::compile("a * 2 > 3 and not b", &Signature::open()).unwrap();
        let inputs = formula.inputs_from_json(b"{\"a\": 2, \"b\": 0}").unwrap();
        let (program, values) = formula.parts(&inputs);
        let machine = Machine::new(program, values, Budget::default());
        assert!(machine.quick(program.root, None).is_some());
        assert_eq!(machine.retries.get(), 0);
    }
}
