//! Evaluation: a walk over the program that charges each step before it is made.
//!
//! The walk recurses as deep as the formula is nested, which is bounded when it is compiled.
//! Items of a loop are borrowed from the list that they are in, so that a loop over rows clones
//! nothing.

mod access;
mod arithmetic;
mod comparison;
mod comprehension;
mod quick;

use std::cell::Cell;
use std::ops::Deref;

use crate::bound::Budget;
use crate::error::{Code, Fallible, Fault};
use crate::program::{Op, Part, Program};
use crate::tree::{Id, Ids};
use crate::value::{List, Map, Scalar, VALUE_BYTES, Value, text};

pub(crate) use access::missing_key;
pub(crate) use arithmetic::{finite, int_overflow};
pub(crate) use comprehension::Env;
pub(crate) use quick::units;

/// What a string takes besides its bytes.
pub(crate) const TEXT_BYTES: u64 = 16;

/// Places at which fields remember where they were; more sites share them.
const SITES: usize = 16;

/// Steps of a binary search or of one item's part in a sort.
pub(crate) fn log2(len: u64) -> u64 {
    u64::from(u64::BITS - len.leading_zeros())
}

/// One evaluation.
pub(crate) struct Machine<'p> {
    program: &'p Program,
    inputs: &'p [Value],
    /// What was read for a program that is a direct form.
    scalars: &'p [Scalar<'p>],
    cost: Cell<u64>,
    built: Cell<u64>,
    budget: Budget,
    sites: [Cell<u16>; SITES],
    /// How many parts were evaluated twice, because the quick way did not end.
    retries: Cell<u8>,
}

/// A value that was made, or one that is somewhere already.
pub(crate) enum Held<'e> {
    Own(Value),
    Ref(&'e Value),
}

impl Deref for Held<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        match self {
            Self::Own(value) => value,
            Self::Ref(value) => value,
        }
    }
}

impl Held<'_> {
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Own(value) => value,
            Self::Ref(value) => value.clone(),
        }
    }
}

impl<'p> Machine<'p> {
    #[inline]
    pub(crate) fn new(program: &'p Program, inputs: &'p [Value], budget: Budget) -> Self {
        Self {
            program,
            inputs,
            scalars: &[],
            cost: Cell::new(0),
            built: Cell::new(0),
            budget,
            sites: [const { Cell::new(0) }; SITES],
            retries: Cell::new(0),
        }
    }

    /// For a program that is a formula's direct form.
    #[inline]
    pub(crate) fn direct(program: &'p Program, scalars: &'p [Scalar<'p>], budget: Budget) -> Self {
        Self {
            scalars,
            ..Self::new(program, &[], budget)
        }
    }

    pub(crate) fn cost(&self) -> u64 {
        self.cost.get()
    }

    pub(crate) fn built(&self) -> u64 {
        self.built.get()
    }

    /// Charges `units`, before what they are for is done.
    #[inline]
    pub(crate) fn charge(&self, units: u64) -> Fallible<()> {
        let cost = self.cost.get().saturating_add(units);
        if cost > self.budget.cost_max {
            return Err(over_cost(self.budget.cost_max));
        }
        self.cost.set(cost);
        Ok(())
    }

    /// Charges `bytes` that will be built.
    pub(crate) fn build(&self, bytes: u64) -> Fallible<()> {
        let built = self.built.get().saturating_add(bytes);
        if built > self.budget.built_bytes_max {
            let max = self.budget.built_bytes_max;
            return Err(
                Fault::new(Code::Built, format!("more than {max} bytes are built"))
                    .hint("build shorter texts and lists, or raise the budget"),
            );
        }
        self.built.set(built);
        self.charge(bytes.div_ceil(64))
    }

    /// Charges a look through `bytes` of text.
    pub(crate) fn scan(&self, bytes: usize) -> Fallible<()> {
        self.charge(bytes as u64 / 64)
    }

    /// Charges the search for a key.
    pub(crate) fn lookup(&self, len: usize, key: &str) -> Fallible<()> {
        self.charge(log2(len as u64) * (1 + key.len() as u64 / 64))
    }

    /// The result, if it is not too large.
    #[inline]
    pub(crate) fn run(&self) -> Fallible<Held<'_>> {
        let value = self.value(self.program.root, None)?;
        self.fits(&value)?;
        Ok(value)
    }

    /// Refuses a result that is too large.
    #[inline]
    fn fits(&self, result: &Value) -> Fallible<()> {
        let max = self.budget.result_bytes_max;
        if result.bytes() > max {
            return Err(over_result(max));
        }
        Ok(())
    }

    /// The value of a node that is often a leaf: those are looked at without a call.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "measured: a third of the time of a filter"
    )]
    fn operand<'e>(&'e self, id: Id, env: Option<&'e Env<'e>>) -> Fallible<Held<'e>> {
        let value = match &self.program.nodes[id as usize] {
            Op::Const(value) => value,
            Op::Input(slot) => &self.inputs[*slot as usize],
            Op::Variable(out) => comprehension::variable(env, *out),
            Op::Field { base, key, site } => return self.field_of(*base, key, *site, id, env),
            _ => return self.eval(id, env),
        };
        self.charge(1).map_err(|fault| self.placed(fault, id))?;
        Ok(Held::Ref(value))
    }

    /// A field; of a variable or an input without a call.
    #[inline]
    fn field_of<'e>(
        &'e self,
        base: Id,
        key: &std::sync::Arc<str>,
        site: u32,
        id: Id,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        self.charge(1).map_err(|fault| self.placed(fault, id))?;
        let base = match &self.program.nodes[base as usize] {
            Op::Variable(out) => {
                self.charge(1).map_err(|fault| self.placed(fault, id))?;
                Held::Ref(comprehension::variable(env, *out))
            }
            _ => self.eval(base, env)?,
        };
        self.field(base, key, site)
            .map_err(|fault| self.placed(fault, id))
    }

    /// The value of a node.
    pub(crate) fn eval<'e>(&'e self, id: Id, env: Option<&'e Env<'e>>) -> Fallible<Held<'e>> {
        self.charge(1).map_err(|fault| self.placed(fault, id))?;
        match &self.program.nodes[id as usize] {
            Op::Const(value) => Ok(Held::Ref(value)),
            Op::Input(slot) => Ok(Held::Ref(&self.inputs[*slot as usize])),
            Op::Variable(out) => Ok(Held::Ref(comprehension::variable(env, *out))),
            Op::Binary {
                operator,
                left,
                right,
            } => {
                let left = self.operand(*left, env)?;
                let right = self.operand(*right, env)?;
                match self.arithmetic(*operator, &left, &right) {
                    Ok(value) => Ok(Held::Own(value)),
                    Err(fault) => Err(self.placed(fault, id)),
                }
            }
            Op::Compare {
                operator,
                left,
                right,
            } => {
                let left = self.operand(*left, env)?;
                let right = self.operand(*right, env)?;
                match self.compare(*operator, &left, &right) {
                    Ok(holds) => Ok(Held::Own(Value::Bool(holds))),
                    Err(fault) => Err(self.placed(fault, id)),
                }
            }
            Op::And(parts) => self.logic(parts, env, false),
            Op::Or(parts) => self.logic(parts, env, true),
            Op::Not(operand) => {
                let truthy = self.operand(*operand, env)?.is_truthy();
                Ok(Held::Own(Value::Bool(!truthy)))
            }
            Op::If { test, then, other } => {
                let truthy = self.eval(*test, env)?.is_truthy();
                self.eval(if truthy { *then } else { *other }, env)
            }
            op => self
                .rarer(op, id, env)
                .map_err(|fault| self.placed(fault, id)),
        }
    }

    /// What is met less often, out of the way of the rest.
    #[inline(never)]
    fn rarer<'e>(&'e self, op: &'e Op, id: Id, env: Option<&'e Env<'e>>) -> Fallible<Held<'e>> {
        match op {
            Op::Chain { first, steps } => self.chain(*first, steps, id, env),
            Op::Comparisons { first, steps } => self.comparisons(*first, steps, env),
            Op::Negate(operand) => {
                let operand = self.eval(*operand, env)?;
                Self::negate(&operand).map(Held::Own)
            }
            Op::Plus(operand) => {
                let operand = self.eval(*operand, env)?;
                Self::plus(operand)
            }
            Op::List(items) => self.list(items, env),
            Op::Map(items) => self.map(items, env),
            Op::ListOf { item, clauses } => self.list_of(*item, clauses, env),
            Op::MapOf {
                key,
                value,
                clauses,
            } => self.map_of(*key, *value, clauses, env),
            Op::Fold {
                fold,
                item,
                clauses,
            } => self.fold(*fold, *item, clauses, env),
            Op::Index { base, index } => {
                let base = self.eval(*base, env)?;
                let index = self.eval(*index, env)?;
                self.index(base, &index)
            }
            Op::Slice { base, bounds } => self.slice(*base, bounds, env),
            Op::Call {
                function,
                arguments,
            } => self.call(*function, arguments, env),
            Op::Host {
                function,
                arguments,
            } => self.host(*function, arguments, env),
            Op::Template(parts) => self.template(parts, env),
            Op::Field { base, key, site } => {
                let base = self.eval(*base, env)?;
                self.field(base, key, *site)
            }
            Op::Read(at) => Ok(Held::Own(self.scalars[*at as usize].to_value())),
            // The others are evaluated where this is called.
            Op::Const(_)
            | Op::Input(_)
            | Op::Variable(_)
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::And(_)
            | Op::Or(_)
            | Op::Not(_)
            | Op::If { .. } => Ok(Held::Own(Value::Null)),
        }
    }

    #[cold]
    fn placed(&self, fault: Box<Fault>, id: Id) -> Box<Fault> {
        fault.at(self.program.spans[id as usize])
    }

    fn children(&self, ids: &Ids) -> &[Id] {
        &self.program.children[ids.start as usize..ids.end as usize]
    }

    /// The first part that decides, or the last.
    fn logic<'e>(
        &'e self,
        parts: &Ids,
        env: Option<&'e Env<'e>>,
        decides: bool,
    ) -> Fallible<Held<'e>> {
        let [first, rest @ ..] = self.children(parts) else {
            return Ok(Held::Own(Value::Bool(!decides)));
        };
        let mut value = self.eval(*first, env)?;
        for part in rest {
            if value.is_truthy() == decides {
                break;
            }
            value = self.eval(*part, env)?;
        }
        Ok(value)
    }

    fn list<'e>(&'e self, items: &Ids, env: Option<&'e Env<'e>>) -> Fallible<Held<'e>> {
        let ids = self.children(items);
        self.build(ids.len() as u64 * VALUE_BYTES)?;
        let mut values = Vec::with_capacity(ids.len());
        for id in ids {
            values.push(self.eval(*id, env)?.into_value());
        }
        Ok(Held::Own(Value::List(List::new(values)?)))
    }

    fn map<'e>(&'e self, items: &Ids, env: Option<&'e Env<'e>>) -> Fallible<Held<'e>> {
        let ids = self.children(items);
        let len = ids.len() as u64 / 2;
        self.build(len * crate::value::ENTRY_BYTES)?;
        self.charge(len * log2(len))?;
        let mut entries = Vec::with_capacity(ids.len() / 2);
        for pair in ids.chunks_exact(2) {
            let key = self.eval(pair[0], env)?;
            let Value::Str(key) = &*key else {
                return Err(self.placed(bad_key(&key), pair[0]));
            };
            let key = key.clone();
            entries.push((key, self.eval(pair[1], env)?.into_value()));
        }
        Ok(Held::Own(Value::Map(std::sync::Arc::new(Map::new(
            entries,
        )?))))
    }

    fn call<'e>(
        &'e self,
        function: crate::function::Function,
        arguments: &Ids,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let ids = self.children(arguments);
        if function == crate::function::Function::Coalesce {
            let mut value = Held::Own(Value::Null);
            for id in ids {
                value = self.eval(*id, env)?;
                if !matches!(*value, Value::Null) {
                    break;
                }
            }
            return Ok(value);
        }
        // As many as any function but `min` and `max` takes.
        match ids {
            [a] => {
                let a = self.eval(*a, env)?;
                function.call(self, &[&*a]).map(Held::Own)
            }
            [a, b] => {
                let a = self.eval(*a, env)?;
                let b = self.eval(*b, env)?;
                function.call(self, &[&*a, &*b]).map(Held::Own)
            }
            ids => self.call_many(function, ids, env),
        }
    }

    fn call_many<'e>(
        &'e self,
        function: crate::function::Function,
        ids: &[Id],
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        self.build(ids.len() as u64 * (VALUE_BYTES + 8))?;
        let mut held = Vec::with_capacity(ids.len());
        for id in ids {
            held.push(self.eval(*id, env)?);
        }
        let values: Vec<&Value> = held.iter().map(Deref::deref).collect();
        function.call(self, &values).map(Held::Own)
    }

    fn host<'e>(
        &'e self,
        function: u32,
        arguments: &Ids,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let host = &self.program.hosts[function as usize];
        let ids = self.children(arguments);
        self.build(ids.len() as u64 * VALUE_BYTES)?;
        let mut values = Vec::with_capacity(ids.len());
        for (id, parameter) in ids.iter().zip(&host.parameters) {
            let value = self.eval(*id, env)?.into_value();
            if let Err(fault) = parameter.check(&value, &mut host.name.to_string()) {
                let message = fault.message.replacen("input", "the argument of", 1);
                return Err(Fault::new(Code::ArgumentMet, message));
            }
            values.push(value);
        }
        self.charge(host.cost)?;
        let value = (host.call)(&values).map_err(|message| {
            let message = text::excerpt(&message);
            Fault::new(Code::Host, format!("`{}`: {message}", host.name))
        })?;
        if host
            .returns
            .check(&value, &mut host.name.to_string())
            .is_err()
        {
            let (name, returns) = (&host.name, &host.returns);
            let message = format!("`{name}` of the host did not return `{returns}`");
            return Err(
                Fault::new(Code::Host, message).hint("correct the function, or its registration")
            );
        }
        Ok(Held::Own(value))
    }

    fn template<'e>(&'e self, parts: &Ids, env: Option<&'e Env<'e>>) -> Fallible<Held<'e>> {
        let mut out = String::new();
        for part in &self.program.parts[parts.start as usize..parts.end as usize] {
            match part {
                Part::Text(part) => {
                    self.build(part.len() as u64)?;
                    out.push_str(part);
                }
                Part::Value(id, format) => {
                    let value = self.eval(*id, env)?;
                    if format.is_plain() {
                        text::write(&mut out, &value, &mut |bytes| self.build(bytes))?;
                    } else {
                        let own = if let Value::Str(text) = &*value {
                            text.len()
                        } else {
                            0
                        };
                        self.build(own as u64 + format.extra_bytes())?;
                        self.charge(format.toil(&value))?;
                        let placed = |fault| self.placed(fault, *id);
                        format.write(&mut out, &value).map_err(placed)?;
                    }
                }
            }
        }
        crate::function::shared(self, &out).map(Held::Own)
    }
}

#[cold]
fn over_result(max: u64) -> Box<Fault> {
    let message = format!("the result has more than {max} bytes");
    Fault::new(Code::ResultSize, message).hint("give fewer items, or raise the budget")
}

#[cold]
fn over_cost(max: u64) -> Box<Fault> {
    Fault::new(Code::Cost, format!("more than {max} cost units"))
        .hint("give it fewer rows, or raise the budget")
}

#[cold]
pub(crate) fn bad_key(key: &Value) -> Box<Fault> {
    let kind = key.kind().phrase();
    Fault::new(
        Code::OperandsMet,
        format!("{kind} as a key; keys are strings"),
    )
    .hint("use `str(key)`")
}

// What is handed from node to node fits into a few registers.
const _: () = assert!(size_of::<Fallible<Held<'_>>>() <= 32);
