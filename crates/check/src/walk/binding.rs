//! What is bound, and names that are read.

use stockade_syntax::ast::{
    Decorator, Expr, ExprCall, ExprContext, ExprName, Identifier, Pattern, PatternMatchClass,
};
use stockade_syntax::text::{Ranged, TextRange};

use super::{Scope, Walk, dotted};
use crate::rule::Rule;
use crate::source::excerpt;

/// Ends of names of exceptions.
const EXCEPTIONS: [&str; 5] = [
    "Exception",
    "Error",
    "Warning",
    "Interrupt",
    "ExceptionGroup",
];
/// Methods that run when somebody wants an exception as text.
const TEXTS: [&str; 4] = ["__str__", "__repr__", "__format__", "__bytes__"];

/// Whether a class is called as exceptions are.
pub(super) fn is_exception(name: &str) -> bool {
    EXCEPTIONS.iter().any(|end| name.ends_with(end)) || name.ends_with("Exit")
}

pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// Names like `_this_`, which rewritten code uses for its guards.
fn is_guard(name: &str) -> bool {
    let one_each = name.len() > 2 && name.starts_with('_') && name.ends_with('_');
    one_each && !name.starts_with("__") && !name.ends_with("__")
}

impl<'a> Walk<'a, '_, '_> {
    /// A name is bound here, by whatever binds names, or deleted.
    pub(super) fn bind(&mut self, name: &str, at: TextRange) {
        let policy = self.policy;
        if is_dunder(name) {
            let scope = self.scopes.last().copied().unwrap_or(Scope::Code);
            match scope {
                Scope::Exception if TEXTS.contains(&name) => {
                    let message = format!("`{}` of an exception", excerpt(name));
                    self.report(Rule::ExceptionText, at, message);
                }
                Scope::Class | Scope::Exception if !policy.methods.contains(name) => {
                    let message = format!("`{}` is not a listed method", excerpt(name));
                    self.report(Rule::ClassHook, at, message);
                }
                Scope::Code if !policy.names_allowed.contains(name) => {
                    let message = format!("`{}` is bound", excerpt(name));
                    self.report(Rule::ProtectedName, at, message);
                }
                Scope::Code | Scope::Class | Scope::Exception => {}
            }
            return;
        }
        // A method that is called `open` shadows nothing: it is reached through its object.
        let shadows = self.scopes.last() == Some(&Scope::Code)
            && (policy.reflective.contains(name) || policy.protected.contains(name));
        if is_guard(name) || shadows {
            let message = format!("the protected name `{}` is bound", excerpt(name));
            self.report(Rule::ProtectedName, at, message);
        }
    }

    pub(super) fn bind_all(&mut self, names: &[Identifier]) {
        for name in names {
            self.bind(name.as_str(), name.range());
        }
    }

    pub(super) fn name(&mut self, name: &'a ExprName) {
        let (text, at) = (name.id.as_str(), name.range());
        match name.ctx {
            ExprContext::Store | ExprContext::Del => return self.bind(text, at),
            ExprContext::Load | ExprContext::Invalid => {}
        }
        if self.policy.reflective.contains(text) {
            let message = format!(
                "`{}` is in the policy's list of reflective names",
                excerpt(text)
            );
            self.report(Rule::ReflectiveName, at, message);
        } else if is_dunder(text) && !self.policy.names_allowed.contains(text) {
            self.report(Rule::DunderName, at, format!("`{}` is read", excerpt(text)));
        }
    }

    pub(super) fn decorator(&mut self, decorator: &'a Decorator) {
        let callee = match &decorator.expression {
            Expr::Call(call) => &call.func,
            other => other,
        };
        let name = dotted(callee);
        let listed = name.as_deref().is_some_and(|name| {
            // `@size.setter` goes on with the property that `@property` made.
            let of_property = name.split_once('.').is_some_and(|(_, method)| {
                matches!(method, "setter" | "getter" | "deleter" | "register")
            });
            of_property || self.policy.decorators.contains(name)
        });
        if !listed {
            let shown = name.as_deref().map_or("this", |name| name);
            let message = format!("`@{}` is not a listed decorator", excerpt(shown));
            self.report(Rule::Decorator, decorator.range(), message);
        }
    }

    pub(super) fn pattern(&mut self, pattern: &'a Pattern) {
        let bound = match pattern {
            Pattern::MatchClass(class) => return self.class_pattern(class),
            Pattern::MatchMapping(mapping) => mapping.rest.as_ref(),
            Pattern::MatchStar(star) => star.name.as_ref(),
            Pattern::MatchAs(capture) => capture.name.as_ref(),
            Pattern::MatchValue(_)
            | Pattern::MatchSingleton(_)
            | Pattern::MatchSequence(_)
            | Pattern::MatchOr(_) => None,
        };
        if let Some(name) = bound {
            self.bind(name.as_str(), name.range());
        }
    }

    fn class_pattern(&mut self, class: &PatternMatchClass) {
        let listed = match class.cls.as_ref() {
            Expr::Name(name) => self.policy.patterns.contains(name.id.as_str()),
            _ => false,
        };
        let few = class.arguments.patterns.len() <= 1 && class.arguments.keywords.is_empty();
        if !(listed && few) {
            let message = "a class pattern reads attributes";
            self.report(Rule::ClassPattern, class.range(), message);
        }
    }

    /// `type` with a name, bases and a body makes a class.
    pub(super) fn class_by_call(&mut self, call: &ExprCall) {
        let is_type = matches!(call.func.as_ref(), Expr::Name(name) if name.id == "type");
        let starred = call.arguments.args.iter().any(Expr::is_starred_expr);
        if is_type && (call.arguments.args.len() > 1 || starred) {
            let message = "`type` with several arguments makes a class";
            self.report(Rule::Metaclass, call.range(), message);
        }
    }
}
