//! From the parser's tree to ours.

use std::sync::Arc;

use stockade_syntax::ast::{
    BoolOp, CmpOp, Comprehension, Expr, ExprBinOp, ExprCall, ExprCompare, ExprDict,
    ExprNumberLiteral, ExprSubscript, ExprUnaryOp, Number, Operator as BinaryOp, UnaryOp,
};
use stockade_syntax::text::Ranged;

use super::{refuse, span_of};
use crate::bound::Bounds;
use crate::error::{Code, Fallible, Fault, Span};
use crate::tree::{Clause, Id, Ids, Node, Operator, Shape, Tree, place};
use crate::value::Value;

pub(super) struct Lowering<'a> {
    pub(super) tree: Tree,
    bounds: &'a Bounds,
    offset: u32,
    depth: usize,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(bounds: &'a Bounds, offset: u32, source_bytes: usize) -> Self {
        Self {
            tree: Tree::with_room(source_bytes),
            bounds,
            offset,
            depth: 0,
        }
    }

    pub(super) fn run(mut self, expr: &Expr) -> Fallible<Tree> {
        self.tree.root = self.lower(expr)?;
        Ok(self.tree)
    }

    pub(super) fn span(&self, of: &impl Ranged) -> Span {
        span_of(of.range(), self.offset)
    }

    pub(super) fn add(&mut self, node: Node, span: Span) -> Fallible<Id> {
        if self.tree.nodes.len() >= self.bounds.nodes_max {
            let max = self.bounds.nodes_max;
            return Err(
                Fault::new(Code::TooManyNodes, format!("more than {max} parts"))
                    .hint("pass long lists as inputs, or split the formula")
                    .at(span),
            );
        }
        Ok(self.tree.add(node, span))
    }

    pub(super) fn lower(&mut self, expr: &Expr) -> Fallible<Id> {
        self.depth += 1;
        if self.depth > self.bounds.depth_max + 1 {
            let message = format!(
                "the formula is nested deeper than {}",
                self.bounds.depth_max
            );
            return Err(Fault::new(Code::TooDeep, message).at(self.span(expr)));
        }
        self.tree.depth = self.tree.depth.max(self.depth);
        let span = self.span(expr);
        let lowered = self.expression(expr, span).map_err(|fault| fault.at(span));
        self.depth -= 1;
        lowered
    }

    fn expression(&mut self, expr: &Expr, span: Span) -> Fallible<Id> {
        let node = match expr {
            Expr::NumberLiteral(number) => Node::Const(literal(number, false)?),
            Expr::StringLiteral(text) => Node::Const(Value::str(text.value.to_str())),
            Expr::BooleanLiteral(literal) => Node::Const(Value::Bool(literal.value)),
            Expr::NoneLiteral(_) => Node::Const(Value::Null),
            Expr::Name(name) => Node::Name(self.tree.keep(name.id.as_str())),
            Expr::BinOp(binary) => self.chain(binary)?,
            Expr::UnaryOp(unary) => self.unary(unary)?,
            Expr::BoolOp(logic) => {
                let parts = self.all(&logic.values)?;
                match logic.op {
                    BoolOp::And => Node::And(parts),
                    BoolOp::Or => Node::Or(parts),
                }
            }
            Expr::Compare(comparison) => self.compare(comparison)?,
            Expr::If(choice) => {
                let test = self.lower(&choice.test)?;
                let then = self.lower(&choice.body)?;
                let other = self.lower(&choice.orelse)?;
                Node::If { test, then, other }
            }
            Expr::List(list) => Node::List(self.all(&list.elts)?),
            Expr::Dict(map) => self.map(map)?,
            Expr::ListComp(comprehension) => {
                let clauses = self.clauses(&comprehension.generators)?;
                let item = self.lower(&comprehension.elt)?;
                Node::Comprehension {
                    shape: Shape::List { item },
                    clauses,
                }
            }
            Expr::DictComp(comprehension) => {
                let clauses = self.clauses(&comprehension.generators)?;
                let Some(key) = &comprehension.key else {
                    return Err(starred());
                };
                let key = self.lower(key)?;
                let value = self.lower(&comprehension.value)?;
                Node::Comprehension {
                    shape: Shape::Map { key, value },
                    clauses,
                }
            }
            Expr::Subscript(subscript) => self.subscript(subscript)?,
            Expr::Call(call) => self.call(call)?,
            Expr::FString(template) => self.template(template)?,
            Expr::Named(_)
            | Expr::Lambda(_)
            | Expr::Set(_)
            | Expr::SetComp(_)
            | Expr::Generator(_)
            | Expr::Await(_)
            | Expr::Yield(_)
            | Expr::YieldFrom(_)
            | Expr::TString(_)
            | Expr::BytesLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::Attribute(_)
            | Expr::Starred(_)
            | Expr::Tuple(_)
            | Expr::Slice(_)
            | Expr::IpyEscapeCommand(_) => return Err(refuse::expression(expr)),
        };
        self.add(node, span)
    }

    fn all(&mut self, exprs: &[Expr]) -> Fallible<Ids> {
        let mut ids = Vec::with_capacity(exprs.len());
        for expr in exprs {
            ids.push(self.lower(expr)?);
        }
        Ok(self.tree.ids(&ids))
    }

    /// Walks down the left side in a loop: that side may be as long as a chain may be. Each step
    /// has its place before it is lowered, since parts have steps of their own.
    fn chain(&mut self, binary: &ExprBinOp) -> Fallible<Node> {
        let mut parts: Vec<&Expr> = Vec::with_capacity(4);
        let places = self.tree.steps.len();
        let mut left = binary;
        let first = loop {
            let operator = arithmetic(left.op).map_err(|fault| fault.at(self.span(left)))?;
            parts.push(&left.right);
            self.tree.steps.push((operator, 0));
            match &*left.left {
                Expr::BinOp(inner) => left = inner,
                other => break other,
            }
        };
        let steps = places..self.tree.steps.len();
        self.tree.steps[places..].reverse();
        let first = self.lower(first)?;
        for (at, right) in steps.clone().zip(parts.into_iter().rev()) {
            self.tree.steps[at].1 = self.lower(right)?;
        }
        Ok(Node::Chain {
            first,
            steps: place(steps.start)..place(steps.end),
        })
    }

    fn unary(&mut self, unary: &ExprUnaryOp) -> Fallible<Node> {
        match (unary.op, &*unary.operand) {
            // The smallest int has no positive counterpart.
            (UnaryOp::USub, Expr::NumberLiteral(number)) => Ok(Node::Const(literal(number, true)?)),
            (UnaryOp::USub, operand) => Ok(Node::Negate(self.lower(operand)?)),
            (UnaryOp::UAdd, operand) => Ok(Node::Plus(self.lower(operand)?)),
            (UnaryOp::Not, operand) => Ok(Node::Not(self.lower(operand)?)),
            (UnaryOp::Invert, _) => Err(Fault::new(Code::Operator, "there is no operator `~`")
                .hint("use `not`, or `-x - 1`")),
        }
    }

    fn compare(&mut self, comparison: &ExprCompare) -> Fallible<Node> {
        let first = self.lower(&comparison.left)?;
        let places = self.tree.steps.len();
        let count = comparison.ops.len();
        self.tree
            .steps
            .extend(std::iter::repeat_n((Operator::Equal, 0), count));
        let compared = comparison.ops.iter().zip(&comparison.comparators);
        for (at, (op, right)) in compared.enumerate() {
            let operator = match op {
                CmpOp::Eq => Operator::Equal,
                CmpOp::NotEq => Operator::NotEqual,
                CmpOp::Lt => Operator::Less,
                CmpOp::LtE => Operator::LessEqual,
                CmpOp::Gt => Operator::Greater,
                CmpOp::GtE => Operator::GreaterEqual,
                CmpOp::In => Operator::In,
                CmpOp::NotIn => Operator::NotIn,
                CmpOp::Is if right.is_none_literal_expr() => Operator::Equal,
                CmpOp::IsNot if right.is_none_literal_expr() => Operator::NotEqual,
                CmpOp::Is | CmpOp::IsNot => {
                    return Err(Fault::new(Code::Operator, "`is` is for `None` alone")
                        .hint("use `==` or `!=`")
                        .at(self.span(right)));
                }
            };
            let right = match (operator, right) {
                // What is looked through need not be a value.
                (Operator::In | Operator::NotIn, Expr::Tuple(tuple)) => {
                    let span = self.span(tuple);
                    let items = self.all(&tuple.elts)?;
                    self.add(Node::List(items), span)?
                }
                (_, right) => self.lower(right)?,
            };
            self.tree.steps[places + at] = (operator, right);
        }
        Ok(Node::Compare {
            first,
            steps: place(places)..place(places + count),
        })
    }

    fn map(&mut self, map: &ExprDict) -> Fallible<Node> {
        let mut ids = Vec::with_capacity(map.items.len() * 2);
        for item in &map.items {
            let key = item.key.as_ref().ok_or_else(starred)?;
            ids.push(self.lower(key)?);
            ids.push(self.lower(&item.value)?);
        }
        Ok(Node::Map(self.tree.ids(&ids)))
    }

    fn clauses(&mut self, generators: &[Comprehension]) -> Fallible<Ids> {
        let mut clauses = Vec::with_capacity(generators.len());
        for generator in generators {
            let span = self.span(&generator.target);
            if generator.is_async {
                return Err(Fault::new(Code::Await, "a formula waits for nothing")
                    .hint("drop `async`")
                    .at(span));
            }
            let variable = match &generator.target {
                Expr::Name(name) => self.tree.keep(name.id.as_str()),
                Expr::Tuple(_) | Expr::List(_) => {
                    return Err(Fault::new(Code::Tuple, "an item is not taken apart")
                        .hint("name the item and index it: `x[0]`; for maps: `for k in keys(map)`")
                        .at(span));
                }
                other => return Err(refuse::expression(other).at(span)),
            };
            let items = self.lower(&generator.iter)?;
            let conditions = self.all(&generator.ifs)?;
            clauses.push(Clause {
                variable,
                span,
                items,
                conditions,
            });
        }
        let start = place(self.tree.clauses.len());
        self.tree.clauses.extend(clauses);
        Ok(start..place(self.tree.clauses.len()))
    }

    fn subscript(&mut self, subscript: &ExprSubscript) -> Fallible<Node> {
        let base = self.lower(&subscript.value)?;
        let Expr::Slice(slice) = &*subscript.slice else {
            return Ok(Node::Index {
                base,
                index: self.lower(&subscript.slice)?,
            });
        };
        let mut bounds = [None; 3];
        for (bound, expr) in bounds
            .iter_mut()
            .zip([&slice.lower, &slice.upper, &slice.step])
        {
            if let Some(expr) = expr {
                *bound = Some(self.lower(expr)?);
            }
        }
        Ok(Node::Slice { base, bounds })
    }

    fn call(&mut self, call: &ExprCall) -> Fallible<Node> {
        let name = match &*call.func {
            Expr::Name(name) => self.tree.keep(name.id.as_str()),
            Expr::Attribute(_) => {
                return Err(refuse::expression(&call.func).at(self.span(&*call.func)));
            }
            other => {
                return Err(
                    Fault::new(Code::CallOfValue, "only a listed function can be called")
                        .hint("write the function's name, as in `len(x)`")
                        .at(self.span(other)),
                );
            }
        };
        if let Some(keyword) = call.arguments.keywords.first() {
            let span = self.span(keyword);
            if keyword.arg.is_none() {
                return Err(starred().at(span));
            }
            return Err(Fault::new(Code::Keyword, "arguments have no names")
                .hint("give them in order, as in `round(x, 2)`")
                .at(span));
        }
        let arguments = match &*call.arguments.args {
            [Expr::Generator(generator)] => {
                let span = self.span(generator);
                let clauses = self.clauses(&generator.generators)?;
                let item = self.lower(&generator.elt)?;
                let node = Node::Comprehension {
                    shape: Shape::Stream { item },
                    clauses,
                };
                let id = self.add(node, span)?;
                self.tree.ids(&[id])
            }
            arguments => self.all(arguments)?,
        };
        Ok(Node::Call { name, arguments })
    }
}

fn starred() -> Box<Fault> {
    Fault::new(Code::Starred, "`**` in front of a value").hint("write the keys one by one")
}

fn arithmetic(op: BinaryOp) -> Fallible<Operator> {
    Ok(match op {
        BinaryOp::Add => Operator::Add,
        BinaryOp::Sub => Operator::Subtract,
        BinaryOp::Mult => Operator::Multiply,
        BinaryOp::Div => Operator::Divide,
        BinaryOp::FloorDiv => Operator::FloorDivide,
        BinaryOp::Mod => Operator::Modulo,
        BinaryOp::Pow => Operator::Power,
        BinaryOp::MatMult
        | BinaryOp::LShift
        | BinaryOp::RShift
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::BitAnd => return Err(refuse::operator(op)),
    })
}

fn literal(number: &ExprNumberLiteral, negative: bool) -> Fallible<Value> {
    match &number.value {
        Number::Int(int) => {
            let magnitude = int.as_u64().map(i128::from);
            magnitude
                .and_then(|int| i64::try_from(if negative { -int } else { int }).ok())
                .map(Value::Int)
                .ok_or_else(|| {
                    Fault::new(Code::NumberTooLarge, "the number does not fit into 64 bits")
                        .hint("use a float, as in `1e20`, or `decimal('…')`")
                })
        }
        Number::Float(float) => Value::float(if negative { -float } else { *float })
            .ok_or_else(|| Fault::new(Code::NumberTooLarge, "the float is beyond the range")),
        Number::Complex { .. } => {
            Err(Fault::new(Code::Literal, "there are no complex numbers").hint("drop the `j`"))
        }
    }
}

/// A text constant of the tree.
pub(super) fn shared(text: &str) -> Arc<str> {
    Arc::from(text)
}
