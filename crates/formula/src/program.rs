//! A compiled formula: names are slots, functions are known, sizes are bounded.

use std::sync::Arc;

use crate::error::Span;
use crate::format::Format;
use crate::function::Function;
use crate::signature::HostFunction;
use crate::tree::{Id, Ids, Operator};
use crate::value::Value;

/// What is evaluated.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) nodes: Vec<Op>,
    pub(crate) spans: Vec<Span>,
    /// Cost units of the nodes that are evaluated the quick way, 0 for the others.
    pub(crate) quick: Vec<u32>,
    pub(crate) children: Vec<Id>,
    pub(crate) steps: Vec<(Operator, Id)>,
    pub(crate) clauses: Vec<Loop>,
    pub(crate) parts: Vec<Part>,
    pub(crate) hosts: Vec<Arc<HostFunction>>,
    pub(crate) root: Id,
}

#[derive(Debug)]
pub(crate) enum Op {
    Const(Value),
    Input(u32),
    /// The scalar that was read at this place; in a formula's direct form alone.
    Read(u32),
    /// The variable of the clause so many clauses out.
    Variable(u32),
    Binary {
        operator: Operator,
        left: Id,
        right: Id,
    },
    Chain {
        first: Id,
        steps: Ids,
    },
    Compare {
        operator: Operator,
        left: Id,
        right: Id,
    },
    Comparisons {
        first: Id,
        steps: Ids,
    },
    And(Ids),
    Or(Ids),
    Not(Id),
    Negate(Id),
    Plus(Id),
    If {
        test: Id,
        then: Id,
        other: Id,
    },
    List(Ids),
    Map(Ids),
    ListOf {
        item: Id,
        clauses: Ids,
    },
    MapOf {
        key: Id,
        value: Id,
        clauses: Ids,
    },
    /// An aggregate over what a generator gives, without a list between.
    Fold {
        fold: Fold,
        item: Id,
        clauses: Ids,
    },
    /// An index by a key that is known; `site` remembers where the key was last.
    Field {
        base: Id,
        key: Arc<str>,
        site: u32,
    },
    Index {
        base: Id,
        index: Id,
    },
    Slice {
        base: Id,
        bounds: [Option<Id>; 3],
    },
    Call {
        function: Function,
        arguments: Ids,
    },
    Host {
        function: u32,
        arguments: Ids,
    },
    Template(Ids),
}

/// Aggregates that take items one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Sum,
    Min,
    Max,
    Any,
    All,
    Count,
}

/// One `for` with its `if`s.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) items: Id,
    pub(crate) conditions: Ids,
}

#[derive(Debug)]
pub(crate) enum Part {
    Text(Arc<str>),
    Value(Id, Format),
}
