//! Attributes, and what is reached through modules.

use stockade_syntax::ast::{Expr, ExprAttribute, ExprContext, ExprSubscript};
use stockade_syntax::text::Ranged;

use super::{Walk, binding, plain};
use crate::policy::{MODULE_PARTS_MAX, Role};
use crate::rule::Rule;
use crate::source::excerpt;

impl<'a> Walk<'a, '_, '_> {
    pub(super) fn attribute(&mut self, attribute: &'a ExprAttribute) {
        let name = attribute.attr.as_str();
        let at = attribute.attr.range();
        let role = self.policy.attributes.get(name).copied();
        if let Some(role) = role {
            self.told(role, attribute);
        }
        if name.starts_with('_') && !self.may_be_private(attribute) {
            let message = format!("the attribute `{}`", excerpt(name));
            self.report(Rule::PrivateAttribute, at, message);
        }
        let Some(module) = self.module_of(&attribute.value) else {
            return;
        };
        match attribute.ctx {
            ExprContext::Store | ExprContext::Del => {
                let message = format!("`{}.{}` is changed", excerpt(&module), excerpt(name));
                self.report(Rule::ModuleWrite, attribute.range(), message);
            }
            ExprContext::Load | ExprContext::Invalid => {
                if role.is_none() && !name.starts_with('_') {
                    self.member(&module, name, at);
                }
            }
        }
    }

    fn told(&mut self, role: Role, attribute: &'a ExprAttribute) {
        let name = excerpt(attribute.attr.as_str());
        let (found, text) = match role {
            Role::Internal => (
                Rule::InternalAttribute,
                format!("`{name}` is of the interpreter's insides"),
            ),
            Role::Revealing => (
                Rule::RevealingAttribute,
                format!("`{name}` hands out what is behind the value"),
            ),
            Role::Formatting => match attribute.value.as_ref() {
                Expr::StringLiteral(text) if plain::is_template(text.value.to_str()) => return,
                _ => (
                    Rule::FormatMethod,
                    format!("`{name}` reads attributes by text"),
                ),
            },
            Role::Getter => (
                Rule::GetterFunction,
                format!("`{name}` reads attributes by text"),
            ),
            Role::Deserialising => (
                Rule::Deserialiser,
                format!("`{name}` makes objects from bytes"),
            ),
        };
        self.report(found, attribute.attr.range(), text);
    }

    fn may_be_private(&self, attribute: &ExprAttribute) -> bool {
        let name = attribute.attr.as_str();
        if self.policy.attributes_allowed.contains(name) {
            return true;
        }
        match attribute.value.as_ref() {
            Expr::Name(owner) => {
                !binding::is_dunder(name) && self.policy.private_of.contains(owner.id.as_str())
            }
            // `super().__init__()` is how a class begins.
            Expr::Call(call) if name == "__init__" => {
                matches!(call.func.as_ref(), Expr::Name(callee) if callee.id == "super")
            }
            _ => false,
        }
    }

    pub(super) fn subscript(&mut self, subscript: &'a ExprSubscript) {
        let Expr::Attribute(attribute) = subscript.value.as_ref() else {
            return;
        };
        if subscript.ctx == ExprContext::Load {
            return;
        }
        if let Some(module) = self.module_of(&attribute.value) {
            let name = excerpt(attribute.attr.as_str());
            let message = format!("an item of `{}.{name}` is changed", excerpt(&module));
            self.report(Rule::ModuleWrite, subscript.range(), message);
        }
    }

    /// The module that an expression is, as far as names and dots tell.
    fn module_of(&self, expr: &Expr) -> Option<String> {
        let mut parts = Vec::new();
        let mut rest = expr;
        while let Expr::Attribute(attribute) = rest {
            if parts.len() == MODULE_PARTS_MAX {
                return None;
            }
            parts.push(attribute.attr.as_str());
            rest = &attribute.value;
        }
        let Expr::Name(name) = rest else {
            return None;
        };
        let mut module = self.modules.get(name.id.as_str())?.clone();
        for part in parts.iter().rev() {
            module = format!("{module}.{part}");
            if !self.is_module(&module) {
                return None;
            }
        }
        Some(module)
    }

    pub(super) fn is_module(&self, name: &str) -> bool {
        self.policy.modules.contains_key(name) || self.policy.packages.contains(name)
    }
}
