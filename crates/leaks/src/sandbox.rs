//! Sandboxes, as they are usually written.

use stockade::template::PinnedWheel;
use stockade::{Error, ErrorKind};

use crate::package;

/// A way to run somebody else's Python in one's own interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// `exec` with a fresh dictionary: no sandbox, and the control of all others.
    Exec,
    /// A list of strings that must not be in the source.
    Blocklist,
    /// `exec` with `{"__builtins__": {}}`.
    EmptiedBuiltins,
    /// A visitor of the syntax tree, and an import allowlist.
    AstFilter,
    /// `RestrictedPython` with its documented guards, and an import allowlist.
    RestrictedPython,
    /// `asteval` as it comes.
    Asteval,
    /// `simpleeval` as it comes.
    Simpleeval,
}

impl Sandbox {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 7] = [
        Self::Exec,
        Self::Blocklist,
        Self::EmptiedBuiltins,
        Self::AstFilter,
        Self::RestrictedPython,
        Self::Asteval,
        Self::Simpleeval,
    ];

    /// Stable name, as in `--sandbox NAME`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::Blocklist => "blocklist",
            Self::EmptiedBuiltins => "emptied-builtins",
            Self::AstFilter => "ast-filter",
            Self::RestrictedPython => "restrictedpython",
            Self::Asteval => "asteval",
            Self::Simpleeval => "simpleeval",
        }
    }

    /// The sandbox called `name`.
    ///
    /// # Errors
    /// `InvalidPolicy` when there is none, with those that there are.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| {
            let known = Self::ALL.map(|one| format!("`{}`", one.name()));
            Error::new(
                ErrorKind::InvalidPolicy,
                format!("sandbox `{name}` is not known"),
            )
            .hint(format!("known are {}", known.join(", ")))
        })
    }

    /// What it is, in a phrase.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Exec => "`exec` with a namespace of its own",
            Self::Blocklist => "22 strings that must not be in the source, then `exec`",
            Self::EmptiedBuiltins => "`exec` with `{\"__builtins__\": {}}`, or only those named",
            Self::AstFilter => {
                "no double underscore, no reflection, imports from a list; then `exec`"
            }
            Self::RestrictedPython => "its documented guards, and imports from the same list",
            Self::Asteval => "its own interpreter of syntax trees, with its defaults",
            Self::Simpleeval => "single expressions with compound types, with its defaults",
        }
    }

    /// What it is good for, and what it does not claim.
    #[must_use]
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Exec => {
                "Separates names, and nothing else. It is the control of the others: that one of \
                 them stops a technique means something only where it works here."
            }
            Self::Blocklist => {
                "Catches accidents. A language has more spellings than a list has lines."
            }
            Self::EmptiedBuiltins => {
                "Takes names away, not reach: every literal carries its class, and every class the \
                 rest."
            }
            Self::AstFilter => {
                "Useful where authors have a name: it says no to what nobody should write by \
                 mistake. It reads the program once; the language decides later."
            }
            Self::RestrictedPython => {
                "Rewrites a program so that attributes, items, writes and printing go through \
                 guards of the embedder's. Its own documents say that it is not a sandbox system \
                 or a secured environment, and that whoever provides `__import__` moves the \
                 boundary out of it. It is for code that is written through the web by people \
                 with an account, as in Zope, and it is good at that. What is marked as the \
                 import policy's is not a fault of its transformer: another list, another result. \
                 Nothing in it bounds time or memory, nor does it claim to."
            }
            Self::Asteval => {
                "For formulas and small models that users of a scientific program type. It calls \
                 itself safe(ish). No imports, no classes, no attributes with underscores; it \
                 bounds neither time nor memory."
            }
            Self::Simpleeval => {
                "For one expression in a configuration or a spreadsheet: little language, so \
                 little to reach. Most techniques cannot be written in it. What is handed in is \
                 the embedder's, and bugs were found in how it reaches attributes."
            }
        }
    }

    /// The wheel that it needs.
    #[must_use]
    pub fn wheel(self) -> Option<&'static PinnedWheel> {
        match self {
            Self::Exec | Self::Blocklist | Self::EmptiedBuiltins | Self::AstFilter => None,
            Self::RestrictedPython => Some(&package::RESTRICTED_PYTHON),
            Self::Asteval => Some(&package::ASTEVAL),
            Self::Simpleeval => Some(&package::SIMPLEEVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_an_unknown_one_lists_the_known() {
        for one in Sandbox::ALL {
            assert_eq!(Sandbox::named(one.name()).unwrap(), one);
        }
        let error = Sandbox::named("pypy-sandbox").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPolicy);
        for one in Sandbox::ALL {
            assert!(error.hints()[0].contains(one.name()), "{error:?}");
        }
    }
}
