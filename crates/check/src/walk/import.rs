//! Imports, and the names that they bind.

use std::collections::HashMap;

use stockade_syntax::ast::visitor::{Visitor, walk_stmt};
use stockade_syntax::ast::{Alias, Expr, Stmt, StmtImport, StmtImportFrom};
use stockade_syntax::text::{Ranged, TextRange};

use super::Walk;
use crate::policy::Role;
use crate::rule::Rule;
use crate::source::excerpt;

/// Modules by the names that imports of `body` bind, wherever they stand: a function may use what
/// is imported below it. `from a import b` may bind a module as well as anything else.
pub(super) fn bound(body: &[Stmt]) -> HashMap<&str, String> {
    let mut found = Bound(HashMap::new());
    found.visit_body(body);
    found.0
}

struct Bound<'a>(HashMap<&'a str, String>);

impl<'a> Visitor<'a> for Bound<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.name.as_str();
                    let first = name.split('.').next().unwrap_or(name);
                    let (bound, module) = match &alias.asname {
                        Some(other) => (other.as_str(), name),
                        None => (first, first),
                    };
                    self.0.insert(bound, module.to_owned());
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    let name = alias.name.as_str();
                    let bound = alias.asname.as_ref().map_or(name, |other| other.as_str());
                    let package = import.module.as_ref().map_or("", |module| module.as_str());
                    let module = format!("{package}.{name}");
                    // What an import of a module binds stays a module.
                    self.0.entry(bound).or_insert(module);
                }
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}

impl<'a> Walk<'a, '_, '_> {
    pub(super) fn import(&mut self, import: &'a StmtImport) {
        for alias in &import.names {
            let name = alias.name.as_str();
            self.module(name, alias.name.range());
            match &alias.asname {
                Some(bound) => self.bind(bound.as_str(), bound.range()),
                None => self.bind(name.split('.').next().unwrap_or(name), alias.range()),
            }
        }
    }

    pub(super) fn import_from(&mut self, import: &'a StmtImportFrom) {
        let module = import.module.as_ref().map_or("", |module| module.as_str());
        let listed = if import.level > 0 {
            let message = "a relative import: there is no package around a program";
            self.report(Rule::UnlistedModule, import.range(), message);
            false
        } else {
            let at = import.module.as_ref().map_or(import.range(), Ranged::range);
            self.module(module, at)
        };
        for alias in &import.names {
            self.imported(module, listed, alias);
        }
    }

    fn imported(&mut self, module: &str, listed: bool, alias: &'a Alias) {
        let name = alias.name.as_str();
        if name == "*" {
            let message = format!("everything of `{}` is imported", excerpt(module));
            return self.report(Rule::StarImport, alias.range(), message);
        }
        let bound = alias.asname.as_ref().unwrap_or(&alias.name);
        self.bind(bound.as_str(), bound.range());
        let at = alias.name.range();
        match self.policy.attributes.get(name) {
            Some(Role::Getter) => {
                let message = format!("`{}` reads attributes by text", excerpt(name));
                self.report(Rule::GetterFunction, at, message);
            }
            Some(Role::Formatting) => {
                let message = format!("`{}` reads attributes by text", excerpt(name));
                self.report(Rule::FormatMethod, at, message);
            }
            Some(Role::Deserialising) => {
                let message = format!("`{}` makes objects from bytes", excerpt(name));
                self.report(Rule::Deserialiser, at, message);
            }
            Some(Role::Internal | Role::Revealing) | None if listed => {
                self.member(module, name, at);
            }
            // The module is told already.
            Some(Role::Internal | Role::Revealing) | None => {}
        }
    }

    /// Whether a module is in the list; tells that it is not.
    fn module(&mut self, name: &str, at: TextRange) -> bool {
        if self.policy.modules.contains_key(name) {
            return true;
        }
        let parts = name.match_indices('.').map(|(end, _)| end);
        let deserialises = parts.chain([name.len()]).any(|end| {
            let part = name.get(..end).unwrap_or_default();
            self.policy.deserialiser_modules.contains(part)
        });
        let shown = excerpt(name);
        if deserialises {
            let message = format!("`{shown}` makes objects from bytes");
            self.report(Rule::Deserialiser, at, message);
        } else {
            let message = format!("`{shown}` is not in the policy's list of modules");
            self.report(Rule::UnlistedModule, at, message);
        }
        false
    }

    /// Tells of a name that is not listed for its module.
    pub(super) fn member(&mut self, module: &str, name: &str, at: TextRange) {
        let full = format!("{module}.{name}");
        if self.policy.deserialiser_members.contains(&full) {
            let message = format!("`{}` makes objects from bytes", excerpt(&full));
            return self.report(Rule::Deserialiser, at, message);
        }
        let Some(names) = self.policy.modules.get(module) else {
            // Of a package whose own import was told; a listed module below it may be reached.
            if self.policy.packages.contains(module) && !self.is_module(&full) {
                let message = format!("`{}` is not listed", excerpt(&full));
                self.report(Rule::UnlistedMember, at, message);
            }
            return;
        };
        if !names.contains(name) && !self.is_module(&full) {
            let message = format!(
                "`{}` is not in the policy's list for `{}`",
                excerpt(name),
                excerpt(module)
            );
            self.report(Rule::UnlistedMember, at, message);
        }
    }
}
