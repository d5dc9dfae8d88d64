//! A formula as our own tree: all in a few vectors, so that nothing is dropped recursively.

use std::ops::Range;
use std::sync::Arc;

use crate::error::Span;
use crate::format::Format;
use crate::value::Value;

/// Place of a node.
pub(crate) type Id = u32;
/// Places in one of the tree's side vectors.
pub(crate) type Ids = Range<u32>;

/// The whole of a formula.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<(Node, Span)>,
    pub(crate) children: Vec<Id>,
    pub(crate) steps: Vec<(Operator, Id)>,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) parts: Vec<Part>,
    pub(crate) root: Id,
    pub(crate) depth: usize,
    names: String,
}

/// A name, in the tree's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
}

impl Operator {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Modulo => "%",
            Self::Power => "**",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
        }
    }
}

#[derive(Debug)]
pub(crate) enum Node {
    Const(Value),
    Name(Name),
    /// Arithmetic from left to right: a long chain is no deep tree.
    Chain {
        first: Id,
        steps: Ids,
    },
    Compare {
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
    /// Keys and values in turn.
    Map(Ids),
    Comprehension {
        shape: Shape,
        clauses: Ids,
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
        name: Name,
        arguments: Ids,
    },
    Template(Ids),
}

/// What a comprehension makes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    List {
        item: Id,
    },
    Map {
        key: Id,
        value: Id,
    },
    /// The items of the one argument of a call.
    Stream {
        item: Id,
    },
}

#[derive(Debug)]
pub(crate) struct Clause {
    pub(crate) variable: Name,
    pub(crate) span: Span,
    pub(crate) items: Id,
    pub(crate) conditions: Ids,
}

#[derive(Debug)]
pub(crate) enum Part {
    Text(Arc<str>),
    Value(Id, Format),
}

impl Tree {
    /// With room for a formula of so many bytes, as most are.
    pub(crate) fn with_room(source_bytes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity((source_bytes / 4).clamp(4, 16)),
            names: String::with_capacity(source_bytes.min(64)),
            ..Self::default()
        }
    }

    pub(crate) fn name(&self, name: Name) -> &str {
        &self.names[name.start as usize..name.end as usize]
    }

    pub(crate) fn keep(&mut self, text: &str) -> Name {
        let start = place(self.names.len());
        self.names.push_str(text);
        Name {
            start,
            end: place(self.names.len()),
        }
    }

    pub(crate) fn add(&mut self, node: Node, span: Span) -> Id {
        self.nodes.push((node, span));
        place(self.nodes.len() - 1)
    }

    pub(crate) fn span(&self, id: Id) -> Span {
        self.nodes[id as usize].1
    }

    pub(crate) fn ids(&mut self, ids: &[Id]) -> Ids {
        let start = place(self.children.len());
        self.children.extend_from_slice(ids);
        start..place(self.children.len())
    }

    pub(crate) fn children(&self, ids: &Ids) -> &[Id] {
        &self.children[ids.start as usize..ids.end as usize]
    }
}

/// A source is bounded far below 2^32.
pub(crate) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
