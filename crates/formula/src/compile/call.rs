//! Calls: of functions of the language and of the host.

use std::sync::Arc;

use super::{Compiler, Done};
use crate::error::{Code, Fallible, Fault};
use crate::function::{Function, Known, known};
use crate::kind::Type;
use crate::program::{Fold, Op};
use crate::signature::HostFunction;
use crate::tree::{Id, Ids, Name, Node, Shape, place};
use crate::value::{VALUE_BYTES, Value};

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: Name, arguments: &Ids, id: Id) -> Fallible<Done> {
        let tree = self.tree;
        let text = tree.name(name);
        let ids = tree.children(arguments);
        let host = self
            .signature
            .functions
            .iter()
            .position(|host| *host.name == *text);
        if let Some(at) = host {
            let function = Arc::clone(&self.signature.functions[at]);
            return self.host(&function, at, ids, id);
        }
        let Some(function) = Function::named(text) else {
            return Err(self.unlisted(text));
        };
        if !function.takes(ids.len()) {
            let count = ids.len();
            return Err(Fault::new(
                Code::Arity,
                format!("`{text}` does not take {count} arguments"),
            )
            .hint(format!("as in `{}`", function.usage())));
        }
        if let [only] = ids
            && let Node::Comprehension {
                shape: Shape::Stream { item },
                clauses,
            } = &tree.nodes[*only as usize].0
            && let Some(fold) = fold_of(function)
        {
            return self.fold(function, fold, *item, clauses, id);
        }
        let mut done = Vec::with_capacity(ids.len());
        for (index, argument) in ids.iter().enumerate() {
            let argument = self.node(*argument)?;
            self.admit(function, index, &argument, ids[index])?;
            done.push(argument);
        }
        let texts: Vec<Option<&str>> = ids.iter().map(|id| self.text(*id)).collect();
        let known: Vec<Known<'_>> = done
            .iter()
            .map(|done| Known {
                kind: &done.kind,
                int: done.int,
            })
            .collect();
        let (kind, step) = known::of(function, &known, &texts);
        let ids: Vec<Id> = done.iter().map(|done| done.id).collect();
        let cost = known::sum(&[super::costs(&done), step]);
        let arguments = self.ids(&ids);
        Ok(Done {
            cost,
            ..self.leaf(
                Op::Call {
                    function,
                    arguments,
                },
                id,
                kind,
            )
        })
    }

    /// The text of a node that is written in the formula.
    fn text(&self, id: Id) -> Option<&str> {
        match &self.tree.nodes[id as usize].0 {
            Node::Const(Value::Str(text)) => Some(text),
            _ => None,
        }
    }

    fn admit(&self, function: Function, index: usize, done: &Done, id: Id) -> Fallible<()> {
        let kind = &done.kind;
        // One argument of `min` and `max` is a list.
        let single = matches!(function, Function::Min | Function::Max) && index == 0;
        let alone = single && matches!(kind.present(), Type::Bool | Type::Null);
        let wanted = match function.admits(index, kind) {
            Ok(()) if !alone => return Ok(()),
            Ok(()) => "a list, or several values",
            Err(wanted) => wanted,
        };
        let name = function.name();
        Err(Fault::new(
            Code::Argument,
            format!("`{name}` takes {wanted}, not `{kind}`"),
        )
        .hint(format!("as in `{}`", function.usage()))
        .at(self.tree.span(id)))
    }

    fn unlisted(&self, text: &str) -> Box<Fault> {
        if self.inputs.iter().any(|(name, _)| **name == *text)
            || self
                .scope
                .iter()
                .any(|(name, _)| self.tree.name(*name) == text)
        {
            return Fault::new(
                Code::CallOfValue,
                format!("`{text}` is a value, and no function"),
            )
            .hint("a field is `x['name']`, an item `x[0]`");
        }
        let shown = crate::value::text::excerpt(text);
        let fault = Fault::new(
            Code::UnknownFunction,
            format!("there is no function `{shown}`"),
        );
        let names = Function::ALL.iter().map(|function| function.name());
        match nearest(text, names) {
            Some(name) => fault.hint(format!("do you mean `{name}`?")),
            None => fault.hint("the functions are listed in `docs/formula.md`"),
        }
    }

    fn fold(
        &mut self,
        function: Function,
        fold: Fold,
        item: Id,
        clauses: &Ids,
        id: Id,
    ) -> Fallible<Done> {
        let outer = self.scope.len();
        let (loops, rounds, cost) = self.clauses(clauses)?;
        let item_id = item;
        let item = self.node(item)?;
        self.scope.truncate(outer);
        let list = Type::list(item.kind.clone(), rounds);
        if let Err(wanted) = function.admits(0, &list) {
            let (name, kind) = (function.name(), &item.kind);
            return Err(Fault::new(
                Code::Argument,
                format!("`{name}` takes {wanted}, not `{kind}`"),
            )
            .hint(format!("as in `{}`", function.usage()))
            .at(self.tree.span(item_id)));
        }
        let clauses = self.keep(loops);
        let (kind, per) = match fold {
            Fold::Sum => (known::sum_of(&item.kind), Some(0)),
            Fold::Min | Fold::Max => {
                let per = match item.kind.present() {
                    Type::Any => None,
                    Type::Str(_) => known::bytes_of(&item.kind).map(|bytes| bytes / 64),
                    _ => Some(0),
                };
                (item.kind, per)
            }
            Fold::Any | Fold::All => (Type::Bool, Some(0)),
            Fold::Count => (Type::Int, Some(0)),
        };
        let inside = known::times(rounds, known::sum(&[item.cost, per]));
        let cost = known::sum(&[cost, inside, Some(1)]);
        Ok(Done {
            cost,
            ..self.leaf(
                Op::Fold {
                    fold,
                    item: item.id,
                    clauses,
                },
                id,
                kind,
            )
        })
    }

    fn host(&mut self, host: &HostFunction, at: usize, ids: &[Id], id: Id) -> Fallible<Done> {
        let name = &host.name;
        if ids.len() != host.parameters.len() {
            let (count, wanted) = (ids.len(), host.parameters.len());
            return Err(Fault::new(
                Code::Arity,
                format!("`{name}` does not take {count} arguments"),
            )
            .hint(format!("it takes {wanted}")));
        }
        let mut done = Vec::with_capacity(ids.len());
        for (argument, parameter) in ids.iter().zip(&host.parameters) {
            let span = self.tree.span(*argument);
            let argument = self.node(*argument)?;
            if !argument.kind.can_equal(parameter) {
                let kind = &argument.kind;
                let message = format!("`{name}` takes `{parameter}`, not `{kind}`");
                return Err(Fault::new(Code::Argument, message)
                    .hint("convert it, as in `str(x)`")
                    .at(span));
            }
            done.push(argument);
        }
        let ids: Vec<Id> = done.iter().map(|done| done.id).collect();
        let kept = known::built(Some(ids.len() as u64 * VALUE_BYTES));
        let cost = known::sum(&[super::costs(&done), Some(host.cost), kept]);
        let arguments = self.ids(&ids);
        let op = Op::Host {
            function: place(at),
            arguments,
        };
        Ok(Done {
            cost,
            ..self.leaf(op, id, host.returns.clone())
        })
    }
}

fn fold_of(function: Function) -> Option<Fold> {
    match function {
        Function::Sum => Some(Fold::Sum),
        Function::Min => Some(Fold::Min),
        Function::Max => Some(Fold::Max),
        Function::Any => Some(Fold::Any),
        Function::All => Some(Fold::All),
        Function::Count => Some(Fold::Count),
        _ => None,
    }
}

/// The name that differs least, by one or two letters.
pub(super) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if text.len() > 40 {
        return None;
    }
    let allowed = if text.chars().count() <= 3 { 1 } else { 2 };
    names
        .map(|name| (distance(text, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters to change, add or drop.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, d) in b.iter().enumerate() {
            let change = before + usize::from(c.to_lowercase().ne(d.to_lowercase()));
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
