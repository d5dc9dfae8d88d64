//! A policy as it is written: TOML, each key optional, over the profile that it extends.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;

use crate::node::Node;
use crate::severity::Severity;

/// In a list: what the profile has.
const INHERITED: &str = "...";
/// What a policy extends that stands on no profile.
pub(super) const NOTHING: &str = "nothing";

/// A list of names. Without `...` it replaces that of the profile.
pub(super) type Names = BTreeSet<String>;

macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($key:ident : $kind:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub(super) struct $name {
            $(pub(super) $key: Option<$kind>),+
        }

        impl $name {
            /// What is given here, else what `under` has.
            fn over(self, under: Self) -> Self {
                Self { $($key: Lay::lay(self.$key, under.$key)),+ }
            }

            fn show(&self, out: &mut String) {
                $(if let Some(value) = &self.$key {
                    value.show(&stringify!($key).replace('_', "-"), &mut *out);
                };)+
            }
        }
    };
}

table!(
    /// The numbers.
    Limits {
        source_bytes: usize,
        nesting: usize,
        chain: usize,
        constant_bits: u32,
        repeat: u64,
    }
);

table!(
    /// Attributes by what is wrong with them.
    Attributes {
        allowed: Names,
        private_of: Names,
        internal: Names,
        revealing: Names,
        formatting: Names,
        getters: Names,
        deserialising: Names,
    }
);

table!(
    /// Names by what is wrong with them.
    Variables {
        allowed: Names,
        reflective: Names,
        protected: Names,
    }
);

table!(
    /// What a class may have.
    Classes {
        methods: Names,
        patterns: Names,
    }
);

table!(
    /// What makes objects from bytes.
    Deserialisers {
        modules: Names,
        members: Names,
    }
);

table!(
    /// One module: the names that may be imported from it or reached through it.
    Module {
        names: Names,
    }
);

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) extends: Option<String>,
    pub(super) python: Option<String>,
    pub(super) fail_on: Option<Severity>,
    pub(super) nodes: Option<Names>,
    pub(super) decorators: Option<Names>,
    #[serde(default)]
    pub(super) drop_modules: Names,
    #[serde(default)]
    pub(super) limits: Limits,
    #[serde(default)]
    pub(super) attributes: Attributes,
    #[serde(default)]
    pub(super) names: Variables,
    #[serde(default)]
    pub(super) classes: Classes,
    #[serde(default)]
    pub(super) deserialisers: Deserialisers,
    #[serde(default)]
    pub(super) severity: BTreeMap<String, Severity>,
    #[serde(default)]
    pub(super) modules: BTreeMap<String, Module>,
    #[serde(default)]
    pub(super) suppress: Vec<Suppress>,
}

/// A finding that somebody has looked at.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suppress {
    pub(super) rule: String,
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) reason: String,
}

impl File {
    /// This file over the profile `under`, whose parts are all there.
    pub(super) fn over(self, under: Self) -> Self {
        let mut modules = under.modules;
        modules.retain(|name, _| !self.drop_modules.contains(name));
        for (name, module) in self.modules {
            let before = modules.remove(&name).unwrap_or_default();
            modules.insert(name, module.over(before));
        }
        let mut severity = under.severity;
        severity.extend(self.severity);
        Self {
            extends: None,
            python: self.python.or(under.python),
            fail_on: self.fail_on.or(under.fail_on),
            nodes: Lay::lay(self.nodes, under.nodes),
            decorators: Lay::lay(self.decorators, under.decorators),
            drop_modules: Names::new(),
            limits: self.limits.over(under.limits),
            attributes: self.attributes.over(under.attributes),
            names: self.names.over(under.names),
            classes: self.classes.over(under.classes),
            deserialisers: self.deserialisers.over(under.deserialisers),
            severity,
            modules,
            suppress: self.suppress,
        }
    }

    /// As a file that says all of it.
    pub(super) fn show(&self) -> String {
        let mut out = String::new();
        let mut head = String::new();
        NOTHING.to_owned().show("extends", &mut head);
        if let Some(python) = &self.python {
            python.show("python", &mut head);
        }
        if let Some(severity) = &self.fail_on {
            severity.slug().to_owned().show("fail-on", &mut head);
        }
        for (key, names) in [("nodes", &self.nodes), ("decorators", &self.decorators)] {
            if let Some(names) = names {
                names.show(key, &mut head);
            }
        }
        out.push_str(&head);
        let mut table = |name: &str, show: &dyn Fn(&mut String)| {
            let mut body = String::new();
            show(&mut body);
            if !body.is_empty() {
                out.extend([format!("\n[{name}]\n{body}")]);
            }
        };
        table("limits", &|out| self.limits.show(out));
        table("attributes", &|out| self.attributes.show(out));
        table("names", &|out| self.names.show(out));
        table("classes", &|out| self.classes.show(out));
        table("deserialisers", &|out| self.deserialisers.show(out));
        table("severity", &|out| {
            for (rule, severity) in &self.severity {
                severity.slug().to_owned().show(rule, out);
            }
        });
        for (name, module) in &self.modules {
            table(&format!("modules.{}", quoted(name)), &|out| {
                module.show(out);
            });
        }
        for one in &self.suppress {
            out.push_str("\n[[suppress]]\n");
            one.rule.show("rule", &mut out);
            one.file.show("file", &mut out);
            if let Some(line) = one.line {
                line.show("line", &mut out);
            }
            one.reason.show("reason", &mut out);
        }
        out
    }
}

/// A value that is laid over that of the profile, and shown.
trait Lay: Sized {
    fn lay(given: Option<Self>, under: Option<Self>) -> Option<Self> {
        given.or(under)
    }

    fn show(&self, key: &str, out: &mut String);
}

impl Lay for Names {
    fn lay(given: Option<Self>, under: Option<Self>) -> Option<Self> {
        let Some(mut names) = given else {
            return under;
        };
        if names.remove(INHERITED) {
            names.extend(under.unwrap_or_default());
        }
        Some(names)
    }

    fn show(&self, key: &str, out: &mut String) {
        out.extend([format!("{key} = [")]);
        let mut column = usize::MAX;
        for name in self {
            let name = quoted(name);
            if column > 92 - name.len().min(92) {
                out.push_str("\n   ");
                column = 3;
            }
            out.extend([format!(" {name},")]);
            column += name.len() + 2;
        }
        out.push_str(if self.is_empty() { "]\n" } else { "\n]\n" });
    }
}

impl Lay for String {
    fn show(&self, key: &str, out: &mut String) {
        out.extend([format!("{key} = {}\n", quoted(self))]);
    }
}

macro_rules! shown_as_number {
    ($($kind:ty)+) => {$(
        impl Lay for $kind {
            fn show(&self, key: &str, out: &mut String) {
                out.extend([format!("{key} = {self}\n")]);
            }
        }
    )+};
}

shown_as_number!(usize u32 u64);

/// As a TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        // Writing to a string cannot fail.
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            c if c.is_control() || crate::source::is_bidi(c) => {
                write!(out, "\\U{:08x}", u32::from(c))
            }
            c => out.write_char(c),
        };
    }
    out.push('"');
    out
}

/// Every kind of syntax by name.
pub(super) fn node(name: &str) -> Option<Node> {
    Node::ALL.iter().find(|node| node.name() == name).copied()
}
