//! From the tree to the program: names become slots, types are checked, the cost is bounded.

mod call;
mod operator;

use std::sync::Arc;

use crate::error::{Code, Fallible, Fault};
use crate::eval::units;
use crate::function::{Function, known};
use crate::kind::Type;
use crate::program::{Loop, Op, Part, Program};
use crate::signature::{INPUTS_MAX, Signature};
use crate::tree::{self, Id, Ids, Name, Node, Shape, Tree, place};
use crate::value::{ENTRY_BYTES, VALUE_BYTES, Value};

/// A compiled node: where it is, and what is known of its value and cost.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    pub(crate) id: Id,
    pub(crate) kind: Type,
    /// Most cost units of one evaluation.
    pub(crate) cost: Option<u64>,
    /// Most bytes built by one.
    pub(crate) int: Option<i64>,
}

/// What a formula was compiled to.
pub(crate) struct Output {
    pub(crate) program: Program,
    pub(crate) inputs: Arc<Vec<(Arc<str>, Type)>>,
    /// Which inputs it uses.
    pub(crate) used: Vec<bool>,
    pub(crate) kind: Type,
    pub(crate) cost: Option<u64>,
}

struct Compiler<'a> {
    tree: &'a Tree,
    signature: &'a Signature,
    inputs: Arc<Vec<(Arc<str>, Type)>>,
    used: Vec<bool>,
    /// Variables of the clauses around, the innermost last.
    scope: Vec<(Name, Type)>,
    program: Program,
    sites: u32,
}

/// Compiles a tree for a signature.
pub(crate) fn compile(tree: &Tree, signature: &Signature) -> Fallible<Output> {
    let size = tree.nodes.len();
    let mut compiler = Compiler {
        tree,
        signature,
        inputs: Arc::clone(&signature.inputs),
        used: vec![false; signature.inputs.len()],
        scope: Vec::new(),
        program: Program {
            nodes: Vec::with_capacity(size),
            spans: Vec::with_capacity(size),
            quick: Vec::with_capacity(size),
            children: Vec::with_capacity(tree.children.len()),
            steps: Vec::with_capacity(tree.steps.len()),
            clauses: Vec::with_capacity(tree.clauses.len()),
            parts: Vec::with_capacity(tree.parts.len()),
            hosts: signature.functions.clone(),
            root: 0,
        },
        sites: 0,
    };
    let root = compiler.node(tree.root)?;
    compiler.program.root = root.id;
    Ok(Output {
        program: compiler.program,
        inputs: compiler.inputs,
        used: compiler.used,
        kind: root.kind,
        cost: root.cost,
    })
}

impl Compiler<'_> {
    fn add(&mut self, op: Op, from: Id) -> Id {
        let program = &mut self.program;
        let units = units(&op, &program.children, &program.steps, &program.quick);
        program.nodes.push(op);
        program.quick.push(units);
        program.spans.push(self.tree.span(from));
        place(self.program.nodes.len() - 1)
    }

    /// A node without parts.
    fn leaf(&mut self, op: Op, from: Id, kind: Type) -> Done {
        Done {
            id: self.add(op, from),
            kind,
            cost: Some(1),
            int: None,
        }
    }

    fn ids(&mut self, ids: &[Id]) -> Ids {
        let start = place(self.program.children.len());
        self.program.children.extend_from_slice(ids);
        start..place(self.program.children.len())
    }

    fn node(&mut self, id: Id) -> Fallible<Done> {
        let tree = self.tree;
        let done = match &tree.nodes[id as usize].0 {
            Node::Const(value) => Ok(self.constant(value, id)),
            Node::Name(name) => self.name(*name, id),
            Node::Chain { first, steps } => self.chain(*first, steps, id),
            Node::Compare { first, steps } => self.compare(*first, steps, id),
            Node::And(parts) => self.logic(parts, id, Op::And),
            Node::Or(parts) => self.logic(parts, id, Op::Or),
            Node::Not(operand) => self.node(*operand).map(|operand| {
                let done = self.leaf(Op::Not(operand.id), id, Type::Bool);
                Done {
                    cost: known::sum(&[done.cost, operand.cost]),
                    ..done
                }
            }),
            Node::Negate(operand) => self.signed(*operand, id, Op::Negate),
            Node::Plus(operand) => self.signed(*operand, id, Op::Plus),
            Node::If { test, then, other } => self.choice(*test, *then, *other, id),
            Node::List(items) => self.list(items, id),
            Node::Map(items) => self.map(items, id),
            Node::Comprehension { shape, clauses } => self.comprehension(*shape, clauses, id),
            Node::Index { base, index } => self.index(*base, *index, id),
            Node::Slice { base, bounds } => self.slice(*base, bounds, id),
            Node::Call { name, arguments } => self.call(*name, arguments, id),
            Node::Template(parts) => self.template(parts, id),
        };
        done.map_err(|fault| fault.at(tree.span(id)))
    }

    fn constant(&mut self, value: &Value, id: Id) -> Done {
        let kind = match value {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::Str(text) => Type::str(Some(text.len() as u64)),
            Value::Decimal(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Date(_)
            | Value::DateTime(_)
            | Value::Duration(_) => Type::Any,
        };
        let int = if let Value::Int(int) = value {
            Some(*int)
        } else {
            None
        };
        Done {
            int,
            ..self.leaf(Op::Const(value.clone()), id, kind)
        }
    }

    fn name(&mut self, name: Name, id: Id) -> Fallible<Done> {
        let text = self.tree.name(name);
        let inner = self
            .scope
            .iter()
            .rev()
            .position(|(other, _)| self.tree.name(*other) == text);
        if let Some(out) = inner {
            let kind = self.scope[self.scope.len() - 1 - out].1.clone();
            return Ok(self.leaf(Op::Variable(place(out)), id, kind));
        }
        if let Some(slot) = self.inputs.iter().position(|(input, _)| **input == *text) {
            self.used[slot] = true;
            let kind = self.inputs[slot].1.clone();
            return Ok(self.leaf(Op::Input(place(slot)), id, kind));
        }
        let function = Function::named(text).is_some()
            || self
                .signature
                .functions
                .iter()
                .any(|function| *function.name == *text);
        if function && !self.signature.open {
            return Err(Fault::new(
                Code::FunctionAsValue,
                format!("`{text}` is a function, and no value"),
            )
            .hint(format!("call it: `{text}(x)`")));
        }
        let reserved = text.starts_with("__");
        if !self.signature.open || reserved || self.inputs.len() >= INPUTS_MAX {
            return Err(self.unknown(text));
        }
        Arc::make_mut(&mut self.inputs).push((Arc::from(text), Type::Any));
        self.used.push(true);
        Ok(self.leaf(Op::Input(place(self.inputs.len() - 1)), id, Type::Any))
    }

    fn unknown(&self, text: &str) -> Box<Fault> {
        let fault = Fault::new(Code::UnknownName, format!("there is no input `{text}`"));
        let names = self.inputs.iter().map(|(name, _)| &**name);
        match call::nearest(text, names) {
            Some(name) => fault.hint(format!("do you mean `{name}`?")),
            None if self.inputs.is_empty() => fault.hint("this formula has no inputs"),
            None => {
                let names: Vec<_> = self
                    .inputs
                    .iter()
                    .take(8)
                    .map(|(name, _)| &**name)
                    .collect();
                fault.hint(format!("the inputs are `{}`", names.join("`, `")))
            }
        }
    }

    fn all(&mut self, ids: &Ids) -> Fallible<Vec<Done>> {
        let tree = self.tree;
        tree.children(ids).iter().map(|id| self.node(*id)).collect()
    }

    fn logic(&mut self, parts: &Ids, id: Id, op: fn(Ids) -> Op) -> Fallible<Done> {
        let parts = self.all(parts)?;
        let ids: Vec<Id> = parts.iter().map(|part| part.id).collect();
        let cost = costs(&parts);
        let kind = parts
            .into_iter()
            .map(|part| part.kind)
            .reduce(Type::join)
            .unwrap_or(Type::Any);
        let range = self.ids(&ids);
        Ok(Done {
            cost,
            ..self.leaf(op(range), id, kind)
        })
    }

    fn choice(&mut self, test: Id, then: Id, other: Id, id: Id) -> Fallible<Done> {
        let (test, then, other) = (self.node(test)?, self.node(then)?, self.node(other)?);
        let branch = then.cost.zip(other.cost).map(|(a, b)| a.max(b));
        let op = Op::If {
            test: test.id,
            then: then.id,
            other: other.id,
        };
        let done = self.leaf(op, id, then.kind.join(other.kind));
        Ok(Done {
            cost: known::sum(&[Some(1), test.cost, branch]),
            ..done
        })
    }

    fn list(&mut self, items: &Ids, id: Id) -> Fallible<Done> {
        let items = self.all(items)?;
        let ids: Vec<Id> = items.iter().map(|item| item.id).collect();
        let len = items.len() as u64;
        let cost = known::sum(&[costs(&items), known::built(Some(len * VALUE_BYTES))]);
        let item = items
            .into_iter()
            .map(|item| item.kind)
            .reduce(Type::join)
            .unwrap_or(Type::Null);
        let range = self.ids(&ids);
        Ok(Done {
            cost,
            ..self.leaf(Op::List(range), id, Type::list(item, Some(len)))
        })
    }

    fn map(&mut self, items: &Ids, id: Id) -> Fallible<Done> {
        let parts = self.all(items)?;
        let tree = self.tree;
        let mut fields: Option<Vec<(Arc<str>, Type)>> = Some(Vec::new());
        for (pair, keys) in parts
            .chunks_exact(2)
            .zip(tree.children(items).chunks_exact(2))
        {
            self.key(&pair[0], keys[0])?;
            match (&tree.nodes[keys[0] as usize].0, &mut fields) {
                (Node::Const(Value::Str(name)), Some(known))
                    if known.iter().all(|(other, _)| other != name) =>
                {
                    known.push((Arc::clone(name), pair[1].kind.clone()));
                }
                _ => fields = None,
            }
        }
        let ids: Vec<Id> = parts.iter().map(|part| part.id).collect();
        let len = ids.len() as u64 / 2;
        let build = len * crate::eval::log2(len) + (len * ENTRY_BYTES).div_ceil(64);
        let cost = known::sum(&[costs(&parts), Some(build)]);
        let range = self.ids(&ids);
        let kind = match fields {
            Some(fields) => Type::Record(fields.into()),
            None => Type::Map(Arc::new(Type::Any), None),
        };
        Ok(Done {
            cost,
            ..self.leaf(Op::Map(range), id, kind)
        })
    }

    /// A key is a string.
    fn key(&self, key: &Done, id: Id) -> Fallible<()> {
        match key.kind.present() {
            Type::Any | Type::Str(_) => Ok(()),
            other => Err(Fault::new(
                Code::Subscript,
                format!("`{other}` as a key; keys are strings"),
            )
            .hint("use `str(key)`")
            .at(self.tree.span(id))),
        }
    }

    /// The clauses, with their variables in scope: how often the inside is evaluated at most, and
    /// what the clauses cost.
    fn clauses(&mut self, clauses: &Ids) -> Fallible<(Vec<Loop>, Option<u64>, Option<u64>)> {
        let tree = self.tree;
        let (mut rounds, mut cost) = (Some(1), Some(1));
        let mut loops = Vec::with_capacity(clauses.len());
        for clause in &tree.clauses[clauses.start as usize..clauses.end as usize] {
            let items = self.node(clause.items)?;
            if !is_iterable(items.kind.present()) {
                let message = format!("`{}` has no items", items.kind);
                return Err(Fault::new(Code::Iteration, message)
                    .hint("`for` takes a list, a string or the keys of a map")
                    .at(tree.span(clause.items)));
            }
            let text = tree.name(clause.variable);
            if text.starts_with("__") {
                return Err(self.unknown(text).at(clause.span));
            }
            // A letter is built for each round over a string.
            let each = if matches!(items.kind.present(), Type::Str(_)) {
                2
            } else {
                1
            };
            cost = known::sum(&[cost, known::times(rounds, items.cost)]);
            rounds = known::times(rounds, known::loops_of(&items.kind));
            self.scope
                .push((clause.variable, known::item_of(&items.kind)));
            let conditions = self.all(&clause.conditions)?;
            let inside = known::sum(&[costs(&conditions), Some(each)]);
            cost = known::sum(&[cost, known::times(rounds, inside)]);
            let ids: Vec<Id> = conditions.iter().map(|condition| condition.id).collect();
            loops.push(Loop {
                items: items.id,
                conditions: self.ids(&ids),
            });
        }
        Ok((loops, rounds, cost))
    }

    fn keep(&mut self, loops: Vec<Loop>) -> Ids {
        let start = place(self.program.clauses.len());
        self.program.clauses.extend(loops);
        start..place(self.program.clauses.len())
    }

    fn comprehension(&mut self, shape: Shape, clauses: &Ids, id: Id) -> Fallible<Done> {
        let outer = self.scope.len();
        let (loops, rounds, cost) = self.clauses(clauses)?;
        let (op, kind, inside, bytes) = match shape {
            Shape::List { item } | Shape::Stream { item } => {
                let item = self.node(item)?;
                let clauses = self.keep(loops);
                let kind = Type::list(item.kind, rounds);
                (
                    Op::ListOf {
                        item: item.id,
                        clauses,
                    },
                    kind,
                    item.cost,
                    VALUE_BYTES,
                )
            }
            Shape::Map { key, value } => {
                let (name, value) = (self.node(key)?, self.node(value)?);
                self.key(&name, key)?;
                let clauses = self.keep(loops);
                let short =
                    known::bytes_of(&name.kind).filter(|n| *n <= crate::kind::KEY_BYTES_MAX);
                let most = rounds
                    .and_then(|n| u32::try_from(n).ok())
                    .filter(|_| short.is_some());
                let inside = known::sum(&[name.cost, value.cost]);
                let op = Op::MapOf {
                    key: name.id,
                    value: value.id,
                    clauses,
                };
                (
                    op,
                    Type::Map(Arc::new(value.kind), most),
                    inside,
                    ENTRY_BYTES + 5,
                )
            }
        };
        self.scope.truncate(outer);
        // Rooms that double add up to less than four times the last.
        let room = known::times(known::sum(&[rounds, Some(4)]), Some(bytes * 4 / 64 + 1));
        let sort = known::times(rounds, rounds.map(crate::eval::log2));
        let sort = if bytes == VALUE_BYTES { Some(0) } else { sort };
        let cost = known::sum(&[cost, known::times(rounds, inside), room, sort, Some(8)]);
        Ok(Done {
            cost,
            ..self.leaf(op, id, kind)
        })
    }

    fn template(&mut self, parts: &Ids, id: Id) -> Fallible<Done> {
        let tree = self.tree;
        let (mut bytes, mut cost) = (Some(0), Some(1));
        let mut kept = Vec::with_capacity(parts.len());
        for part in &tree.parts[parts.start as usize..parts.end as usize] {
            let written = match part {
                tree::Part::Text(text) => {
                    kept.push(Part::Text(Arc::clone(text)));
                    Some(text.len() as u64)
                }
                tree::Part::Value(value, format) => {
                    let value = self.node(*value)?;
                    cost =
                        known::sum(&[cost, value.cost, known::times(value.kind.steps(), Some(3))]);
                    if !format.is_plain() {
                        cost = known::sum(&[cost, Some(crate::format::FORMAT_TOIL_MAX)]);
                    }
                    kept.push(Part::Value(value.id, *format));
                    known::sum(&[value.kind.text_bytes(), Some(format.extra_bytes())])
                }
            };
            bytes = known::sum(&[bytes, written]);
            cost = known::sum(&[cost, known::built(written)]);
        }
        let start = place(self.program.parts.len());
        self.program.parts.extend(kept);
        let range = start..place(self.program.parts.len());
        let cost = known::sum(&[
            cost,
            known::built(bytes.map(|n| n + crate::eval::TEXT_BYTES)),
        ]);
        Ok(Done {
            cost,
            ..self.leaf(Op::Template(range), id, Type::str(bytes))
        })
    }
}

fn is_iterable(kind: &Type) -> bool {
    match kind {
        Type::Any | Type::List(..) | Type::Map(..) | Type::Record(_) | Type::Str(_) => true,
        Type::Null
        | Type::Bool
        | Type::Int
        | Type::Decimal
        | Type::Float
        | Type::Number
        | Type::Date
        | Type::DateTime
        | Type::Duration
        | Type::Optional(_) => false,
    }
}

/// The node itself, and its parts once each.
fn costs(parts: &[Done]) -> Option<u64> {
    parts
        .iter()
        .try_fold(1_u64, |sum, part| Some(sum.saturating_add(part.cost?)))
}
