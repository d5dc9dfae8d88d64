//! Comprehensions and aggregates over generators.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::quick::Quick;
use super::{Held, Machine, TEXT_BYTES, bad_key, log2};
use crate::error::{Code, Fallible, Fault};
use crate::function::{Function, Total, better};
use crate::program::{Fold, Op};
use crate::tree::{Id, Ids};
use crate::value::{ENTRY_BYTES, List, Map, VALUE_BYTES, Value};

/// The variable of one clause, and those of the clauses around it.
#[derive(Clone, Copy)]
pub(crate) struct Env<'e> {
    value: &'e Value,
    outer: Option<&'e Env<'e>>,
}

/// The variable so many clauses out.
#[inline]
pub(super) fn variable<'e>(env: Option<&'e Env<'e>>, out: u32) -> &'e Value {
    // The compiler counted the clauses; `None` is met only if it counted wrong.
    static NOTHING: Value = Value::Null;
    let mut env = env;
    for _ in 0..out {
        env = env.and_then(|env| env.outer);
    }
    env.map_or(&NOTHING, |env| env.value)
}

/// What is done with each combination of items.
type Sink<'s> = dyn FnMut(Option<&Env<'_>>) -> Fallible<ControlFlow<()>> + 's;

impl Machine<'_> {
    /// Calls `sink` for each combination of items that meets the conditions.
    fn each(
        &self,
        clauses: &Ids,
        env: Option<&Env<'_>>,
        sink: &mut Sink<'_>,
    ) -> Fallible<ControlFlow<()>> {
        if clauses.start == clauses.end {
            return sink(env);
        }
        let clause = &self.program.clauses[clauses.start as usize];
        let rest = clauses.start + 1..clauses.end;
        let items = self.eval(clause.items, env)?;
        let mut step = |value: &Value| -> Fallible<ControlFlow<()>> {
            self.charge(1)?;
            let inner = Env { value, outer: env };
            for condition in self.children(&clause.conditions) {
                let holds = match self.quick(*condition, Some(&inner)) {
                    Some(value) => value.is_truthy(),
                    None => self.eval(*condition, Some(&inner))?.is_truthy(),
                };
                if !holds {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            if rest.is_empty() {
                return sink(Some(&inner));
            }
            self.each(&rest, Some(&inner), sink)
        };
        match &*items {
            Value::List(list) => {
                for item in list.items() {
                    if step(item)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            Value::Map(map) => {
                for (key, _) in map.entries() {
                    if step(&Value::Str(Arc::clone(key)))?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            Value::Str(text) => {
                for letter in text.chars() {
                    self.build(TEXT_BYTES + 4)?;
                    if step(&Value::str(letter.encode_utf8(&mut [0; 4])))?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            other => {
                let kind = other.kind().phrase();
                let fault = Fault::new(Code::OperandsMet, format!("{kind} has no items"))
                    .hint("`for` takes a list, a string or the keys of a map");
                return Err(self.placed(fault, clause.items));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Makes room for one more, doubling: what is charged is what is taken.
    fn room<T>(&self, items: &mut Vec<T>, bytes: u64) -> Fallible<()> {
        if items.len() == items.capacity() {
            let more = items.len().max(4);
            self.build((items.len() + more) as u64 * bytes)?;
            items.reserve_exact(more);
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn list_of<'e>(
        &'e self,
        item: Id,
        clauses: &Ids,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let mut items = Vec::new();
        let _ = self.each(clauses, env, &mut |env| {
            // A filter: the item itself is kept.
            let value = if let Op::Variable(out) = &self.program.nodes[item as usize] {
                self.charge(1).map_err(|fault| self.placed(fault, item))?;
                self.room(&mut items, VALUE_BYTES)?;
                variable(env, *out).clone()
            } else {
                let value = self.value(item, env)?.into_value();
                self.room(&mut items, VALUE_BYTES)?;
                value
            };
            items.push(value);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Held::Own(Value::List(List::new(items)?)))
    }

    #[inline(never)]
    pub(super) fn map_of<'e>(
        &'e self,
        key: Id,
        value: Id,
        clauses: &Ids,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        let _ = self.each(clauses, env, &mut |env| {
            let name = match &*self.eval(key, env)? {
                Value::Str(name) => Arc::clone(name),
                other => return Err(self.placed(bad_key(other), key)),
            };
            let value = self.eval(value, env)?.into_value();
            self.room(&mut entries, ENTRY_BYTES)?;
            entries.push((name, value));
            Ok(ControlFlow::Continue(()))
        })?;
        let len = entries.len() as u64;
        self.charge(len * log2(len))?;
        // The index of a large map.
        self.build(len * 5)?;
        Ok(Held::Own(Value::Map(Arc::new(Map::new(entries)?))))
    }

    #[inline(never)]
    pub(super) fn fold<'e>(
        &'e self,
        fold: Fold,
        item: Id,
        clauses: &Ids,
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let value = match fold {
            Fold::Sum => {
                let mut total = Total::default();
                let _ = self.each(clauses, env, &mut |env| {
                    match self.quick(item, env) {
                        Some(Quick::Float(item)) => total.add_float(self, item.float())?,
                        Some(other) => total.add(self, &other.held())?,
                        None => total.add(self, &*self.eval(item, env)?)?,
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
                total.value()
            }
            Fold::Min => self.extreme(Function::Min, item, clauses, env)?,
            Fold::Max => self.extreme(Function::Max, item, clauses, env)?,
            Fold::Any => Value::Bool(self.decided(true, item, clauses, env)?),
            Fold::All => Value::Bool(!self.decided(false, item, clauses, env)?),
            Fold::Count => {
                let mut count = 0;
                let _ = self.each(clauses, env, &mut |env| {
                    count += i64::from(!matches!(*self.value(item, env)?, Value::Null));
                    Ok(ControlFlow::Continue(()))
                })?;
                Value::Int(count)
            }
        };
        Ok(Held::Own(value))
    }

    fn extreme(
        &self,
        function: Function,
        item: Id,
        clauses: &Ids,
        env: Option<&Env<'_>>,
    ) -> Fallible<Value> {
        let mut best: Option<Value> = None;
        let _ = self.each(clauses, env, &mut |env| {
            let value = self.value(item, env)?;
            if let Value::Str(text) = &*value {
                self.scan(text.len())?;
            }
            // A value without order is found by comparing it with itself.
            let first = best.is_none();
            let replaces = better(function, best.as_ref().unwrap_or(&value), &value)?;
            if first || replaces {
                best = Some(value.into_value());
            }
            Ok(ControlFlow::Continue(()))
        })?;
        best.ok_or_else(|| {
            let name = function.name();
            Fault::new(Code::NoItems, format!("`{name}` of no items"))
                .hint("test that there are some first")
        })
    }

    /// Whether an item's truth is `wanted`.
    fn decided(
        &self,
        wanted: bool,
        item: Id,
        clauses: &Ids,
        env: Option<&Env<'_>>,
    ) -> Fallible<bool> {
        let end = self.each(clauses, env, &mut |env| {
            let decides = self.value(item, env)?.is_truthy() == wanted;
            Ok(if decides {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        Ok(end.is_break())
    }
}
