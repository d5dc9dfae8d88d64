//! Linting with teeth for Python whose author has a name.
//!
//! [`check`] reads bytes, never runs them, and says what a [`Policy`] does not allow: imports off a
//! list, attributes that lead to the interpreter's insides, syntax that nobody has thought about.
//! **It is a guardrail for authors you can talk to, not a boundary**: Python decides at run time
//! what names mean, and several files in `escape/` that pass here reach what they should not. Who
//! runs code of somebody unknown needs a rung.
//!
//! ```
//! use stockade_check::{Policy, Profile, check};
//!
//! let policy = Policy::profile(Profile::NotebookPure)?;
//! let report = check("job.py", b"import os\n", &policy);
//! assert_eq!(report.findings[0].rule.code(), "PY310");
//! # Ok::<(), stockade_check::PolicyError>(())
//! ```
//!
//! Read in the order the data flows: `check`, `source`, `node`, `walk`, `finding`, `document`.
#![forbid(unsafe_code)]

mod document;
mod finding;
mod node;
mod page;
mod policy;
mod rule;
mod sarif;
mod severity;
mod source;
mod walk;

pub use document::{json, json_lines};
pub use finding::{FINDINGS_MAX, Finding, Place, Report};
pub use node::Node;
pub use page::{Page, Sample};
pub use policy::{Limits, Policy, PolicyError, Profile};
pub use rule::Rule;
pub use sarif::sarif;
pub use severity::Severity;

use finding::Findings;
use stockade_syntax::{Bounds, Wrong};

/// What every output ends with.
pub const NOTICE: &str = "a guardrail for authors you can talk to, not a boundary";

/// A file that was checked: what it is called, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The name that it was given by.
    pub name: String,
    /// What was found.
    pub report: Report,
}

/// What `policy` objects to in `bytes`. `name` is what suppressions are matched with.
///
/// Bounded by the policy's limits in time, memory and stack: 2 MiB of stack are enough.
#[must_use]
pub fn check(name: &str, bytes: &[u8], policy: &Policy) -> Report {
    let mut findings = Findings::new(name, policy);
    if let Some(text) = source::text(bytes, policy.limits.source_bytes, &mut findings) {
        let bounds = Bounds {
            nesting_max: policy.limits.nesting,
            chain_max: policy.limits.chain,
        };
        match stockade_syntax::module(text, policy.python, bounds) {
            Ok(module) => {
                for (span, message) in &module.newer {
                    let message = source::clipped(message);
                    findings.add(Rule::NewerSyntax, span.clone(), message);
                }
                walk::walk(&module.body, policy, &mut findings);
            }
            Err(wrong) => {
                let rule = match wrong.kind {
                    Wrong::Syntax => Rule::InvalidSyntax,
                    Wrong::TooDeep | Wrong::ChainTooLong => Rule::TooDeep,
                };
                findings.add(rule, wrong.span, source::clipped(&wrong.message));
            }
        }
    }
    findings.finish(bytes)
}
