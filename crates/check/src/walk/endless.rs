//! Loops that only a limit ends.

use stockade_syntax::ast::visitor::{Visitor, walk_expr, walk_stmt};
use stockade_syntax::ast::{Comprehension, Expr, Number, Stmt, StmtFor, StmtWhile};
use stockade_syntax::text::Ranged;

use super::{Walk, dotted};
use crate::node::Node;
use crate::rule::Rule;

/// Iterators that never end.
const ENDLESS: [&str; 3] = ["itertools.count", "itertools.cycle", "itertools.repeat"];

/// Looks for what leaves a loop.
struct WayOut {
    found: bool,
    /// Loops around, within the one that is asked about: a `break` leaves only the innermost.
    loops: usize,
}

impl<'a> Visitor<'a> for WayOut {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.found {
            return;
        }
        match stmt {
            Stmt::Return(_) | Stmt::Raise(_) => self.found = true,
            Stmt::Break(_) => self.found = self.loops == 0,
            // What they do happens when they are called.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::For(StmtFor { body, orelse, .. })
            | Stmt::While(StmtWhile { body, orelse, .. }) => self.inner(body, orelse),
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.found {
            return;
        }
        match expr {
            // Whoever reads a generator may stop.
            Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_) => self.found = true,
            Expr::Call(call) => {
                let name = dotted(&call.func);
                self.found = matches!(name.as_deref(), Some("sys.exit" | "exit" | "quit"));
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }
}

impl WayOut {
    fn of(body: &[Stmt]) -> bool {
        let mut search = Self {
            found: false,
            loops: 0,
        };
        search.visit_body(body);
        search.found
    }

    fn inner(&mut self, body: &[Stmt], orelse: &[Stmt]) {
        self.loops += 1;
        self.visit_body(body);
        self.loops -= 1;
        self.visit_body(orelse);
    }
}

fn is_always_true(expr: &Expr) -> bool {
    match expr {
        Expr::BooleanLiteral(literal) => literal.value,
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(int) => int.as_u64() != Some(0),
            Number::Float(_) | Number::Complex { .. } => false,
        },
        Expr::StringLiteral(text) => !text.value.is_empty(),
        _ => false,
    }
}

impl<'a> Walk<'a, '_, '_> {
    pub(super) fn endless_while(&mut self, loop_: &'a StmtWhile) {
        if is_always_true(&loop_.test) && !WayOut::of(&loop_.body) {
            let message = "nothing in the loop leaves it";
            self.report(Rule::EndlessLoop, loop_.test.range(), message);
        }
    }

    pub(super) fn endless_for(&mut self, loop_: &'a StmtFor) {
        if self.is_endless(&loop_.iter) && !WayOut::of(&loop_.body) {
            let message = "what is iterated over never ends, and nothing in the loop leaves it";
            self.report(Rule::EndlessLoop, loop_.iter.range(), message);
        }
    }

    pub(super) fn clauses(&mut self, clauses: &'a [Comprehension]) {
        for clause in clauses {
            if clause.is_async {
                self.node(Node::AsyncComprehension, clause.range());
            }
        }
    }

    fn is_endless(&self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else {
            return false;
        };
        let Some(name) = dotted(&call.func) else {
            return false;
        };
        let (first, rest) = name.split_once('.').unwrap_or((&name, ""));
        let full = self.modules.get(first).map(|module| match rest {
            "" => module.clone(),
            rest => format!("{module}.{rest}"),
        });
        // `repeat` with a count ends.
        full.is_some_and(|full| ENDLESS.contains(&full.as_str()))
            && (call.arguments.len() < 2 || !name.ends_with("repeat"))
    }
}
