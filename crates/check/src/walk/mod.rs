//! Goes through the tree once and asks every rule.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks at few of many kinds of syntax; `node` lists every one"
)]

mod attribute;
mod binding;
mod constant;
mod endless;
mod import;
mod plain;

use std::collections::{HashMap, HashSet};

use stockade_syntax::ast::visitor::{
    Visitor, walk_annotation, walk_decorator, walk_except_handler, walk_expr,
    walk_interpolated_string_element, walk_parameter, walk_pattern, walk_stmt, walk_type_param,
};
use stockade_syntax::ast::{
    Decorator, ExceptHandler, Expr, InterpolatedStringElement, Parameter, Pattern, Stmt,
    StmtClassDef, StmtFunctionDef, TypeParam,
};
use stockade_syntax::range;
use stockade_syntax::text::{Ranged, TextRange};

use crate::finding::Findings;
use crate::node::Node;
use crate::policy::Policy;
use crate::rule::Rule;

/// What a name is bound in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Code,
    Class,
    /// A class that is an exception, by the names of its bases.
    Exception,
}

struct Walk<'a, 'f, 'p> {
    policy: &'a Policy,
    findings: &'f mut Findings<'p>,
    /// Modules by the names that imports bind, anywhere in the file.
    modules: HashMap<&'a str, String>,
    scopes: Vec<Scope>,
    /// Classes of this file that are exceptions.
    exceptions: HashSet<&'a str>,
}

/// Asks every rule about `body`.
pub(crate) fn walk<'a>(body: &'a [Stmt], policy: &'a Policy, findings: &mut Findings<'_>) {
    let mut walk = Walk {
        policy,
        findings,
        modules: import::bound(body),
        scopes: vec![Scope::Code],
        exceptions: HashSet::new(),
    };
    walk.visit_body(body);
}

/// `a.b.c` of an expression that is names and dots, and not longer than any listed name.
fn dotted(expr: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = expr;
    loop {
        match rest {
            Expr::Attribute(attribute) if parts.len() < crate::policy::MODULE_PARTS_MAX => {
                parts.push(attribute.attr.as_str());
                rest = &attribute.value;
            }
            Expr::Name(name) => {
                parts.push(name.id.as_str());
                parts.reverse();
                return Some(parts.join("."));
            }
            _ => return None,
        }
    }
}

/// The last name of `a.b.c`, or the only one.
fn last_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

impl<'a> Walk<'a, '_, '_> {
    fn report(&mut self, rule: Rule, at: TextRange, message: impl Into<String>) {
        self.findings.add(rule, range(at), message);
    }

    fn node(&mut self, node: Node, at: TextRange) {
        if !self.policy.allows(node) {
            let message = format!("`{}` is not in the policy's list of syntax", node.name());
            self.report(Rule::UnlistedNode, at, message);
        }
    }

    /// Statements below, in a scope of their own.
    fn within(&mut self, scope: Scope, below: impl FnOnce(&mut Self)) {
        self.scopes.push(scope);
        below(self);
        self.scopes.pop();
    }

    fn function(&mut self, def: &'a StmtFunctionDef) {
        self.bind(def.name.as_str(), def.name.range());
        for decorator in &def.decorator_list {
            self.visit_decorator(decorator);
        }
        self.within(Scope::Code, |walk| {
            if let Some(params) = &def.type_params {
                walk.visit_type_params(params);
            }
            walk.visit_parameters(&def.parameters);
            if let Some(returns) = &def.returns {
                walk.visit_annotation(returns);
            }
            walk.visit_body(&def.body);
        });
    }

    fn class(&mut self, def: &'a StmtClassDef) {
        self.bind(def.name.as_str(), def.name.range());
        for decorator in &def.decorator_list {
            self.visit_decorator(decorator);
        }
        if let Some(params) = &def.type_params {
            self.visit_type_params(params);
        }
        let mut scope = Scope::Class;
        if let Some(arguments) = &def.arguments {
            self.visit_arguments(arguments);
            for keyword in &arguments.keywords {
                if keyword.arg.as_ref().is_none_or(|arg| arg == "metaclass") {
                    self.report(Rule::Metaclass, keyword.range(), "a metaclass is given");
                }
            }
            for base in &arguments.args {
                let name = last_name(base).unwrap_or_default();
                if name == "type" {
                    self.report(Rule::Metaclass, base.range(), "a subclass of `type`");
                }
                if self.exceptions.contains(name) || binding::is_exception(name) {
                    scope = Scope::Exception;
                }
            }
        }
        if scope == Scope::Exception {
            self.exceptions.insert(def.name.as_str());
        }
        self.within(scope, |walk| walk.visit_body(&def.body));
    }
}

impl<'a> Visitor<'a> for Walk<'a, '_, '_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.node(Node::of_stmt(stmt), stmt.range());
        match stmt {
            Stmt::FunctionDef(def) => return self.function(def),
            Stmt::ClassDef(def) => return self.class(def),
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Global(global) => self.bind_all(&global.names),
            Stmt::Nonlocal(nonlocal) => self.bind_all(&nonlocal.names),
            Stmt::While(loop_) => self.endless_while(loop_),
            Stmt::For(loop_) => self.endless_for(loop_),
            Stmt::TypeAlias(alias) => self.annotation(&alias.value),
            Stmt::Try(try_) if try_.is_star => {
                let at = try_.handlers.first().map_or(stmt.range(), Ranged::range);
                self.report(Rule::ExceptStar, at, "`except*` takes a group apart");
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.node(Node::of_expr(expr), expr.range());
        match expr {
            Expr::Name(name) => self.name(name),
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::Call(call) => self.call(call),
            Expr::NumberLiteral(number) => self.number(number),
            Expr::BinOp(binary) => self.arithmetic(binary),
            Expr::TString(text) => {
                let message = "a template string hands out its values";
                self.report(Rule::TemplateString, text.range(), message);
            }
            Expr::Lambda(_) => {
                self.within(Scope::Code, |walk| walk_expr(walk, expr));
                return;
            }
            Expr::ListComp(comp) => self.clauses(&comp.generators),
            Expr::SetComp(comp) => self.clauses(&comp.generators),
            Expr::DictComp(comp) => self.clauses(&comp.generators),
            Expr::Generator(comp) => self.clauses(&comp.generators),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn visit_annotation(&mut self, expr: &'a Expr) {
        self.annotation(expr);
        walk_annotation(self, expr);
    }

    fn visit_decorator(&mut self, decorator: &'a Decorator) {
        self.decorator(decorator);
        walk_decorator(self, decorator);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bind(parameter.name.as_str(), parameter.name.range());
        walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(parts) = handler;
        if let Some(name) = &parts.name {
            self.bind(name.as_str(), name.range());
        }
        let caught: &[Expr] = match parts.type_.as_deref() {
            None => {
                self.report(
                    Rule::BareExcept,
                    parts.range(),
                    "`except:` takes everything",
                );
                &[]
            }
            Some(Expr::Tuple(tuple)) => &tuple.elts,
            Some(one) => std::slice::from_ref(one),
        };
        for one in caught {
            if last_name(one) == Some("BaseException") {
                let message = "`except BaseException` takes everything";
                self.report(Rule::BareExcept, one.range(), message);
            }
        }
        walk_except_handler(self, handler);
    }

    fn visit_type_param(&mut self, param: &'a TypeParam) {
        self.node(Node::of_type_param(param), param.range());
        let (name, lazy) = match param {
            TypeParam::TypeVar(one) => (&one.name, [&one.bound, &one.default]),
            TypeParam::TypeVarTuple(one) => (&one.name, [&one.default, &None]),
            TypeParam::ParamSpec(one) => (&one.name, [&one.default, &None]),
        };
        self.bind(name.as_str(), name.range());
        for expr in lazy.into_iter().flatten() {
            self.annotation(expr);
        }
        walk_type_param(self, param);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        self.node(Node::of_pattern(pattern), pattern.range());
        self.pattern(pattern);
        walk_pattern(self, pattern);
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        self.padding(element);
        walk_interpolated_string_element(self, element);
    }
}
