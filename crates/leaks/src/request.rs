//! What the driver is asked, and what it answers.

use serde::{Deserialize, Serialize};

use crate::sandbox::Sandbox;
use crate::technique::Technique;
use crate::verdict::{Cell, Through, Verdict};

/// The driver: one program in four files.
pub(crate) const DRIVER: &str = concat!(
    include_str!("driver/host.py"),
    "\n\n",
    include_str!("driver/sandbox.py"),
    "\n\n",
    include_str!("driver/detector.py"),
    "\n\n",
    include_str!("driver/main.py"),
);

/// One request, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Request<'a> {
    #[serde(rename = "do")]
    action: &'static str,
    id: &'a str,
    source: &'a str,
    context: &'a str,
    min_python: Option<(u32, u32)>,
    sandbox: &'static str,
    /// The host's secret; none where there is nothing to steal.
    secret: Option<&'a str>,
    /// Directory of the sandbox's package.
    packages: Option<&'a str>,
    /// Whether the driver is in a guest, and answers as a guest does.
    guest: bool,
    /// Whether the driver limits itself.
    bounded: bool,
}

/// What became of a technique, as the driver says.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    pub(crate) verdict: Judged,
    pub(crate) why: String,
    pub(crate) kind: Option<String>,
    pub(crate) secret_steps: Option<u64>,
}

/// The driver's word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Judged {
    Reached,
    Stopped,
    Inapplicable,
}

impl<'a> Request<'a> {
    /// A technique in a sandbox of this host.
    pub(crate) fn in_sandbox(
        technique: &'a Technique,
        sandbox: Sandbox,
        secret: &'a str,
        packages: Option<&'a str>,
    ) -> Self {
        Self {
            packages,
            bounded: true,
            ..Self::of(technique, sandbox, Some(secret))
        }
    }

    /// A technique in the guest of a rung, with no fence of Python's.
    pub(crate) fn in_guest(technique: &'a Technique, secret: Option<&'a str>) -> Self {
        Self {
            guest: true,
            ..Self::of(technique, Sandbox::Exec, secret)
        }
    }

    /// The figures.
    pub(crate) fn figures(secret: &'a str) -> Self {
        Self {
            action: "figures",
            id: "",
            source: "",
            context: "bare",
            min_python: None,
            sandbox: Sandbox::Exec.name(),
            secret: Some(secret),
            packages: None,
            guest: false,
            bounded: true,
        }
    }

    fn of(technique: &'a Technique, sandbox: Sandbox, secret: Option<&'a str>) -> Self {
        Self {
            action: "cell",
            id: &technique.id,
            source: &technique.source,
            context: &technique.context,
            min_python: technique.min_python,
            sandbox: sandbox.name(),
            secret,
            packages: None,
            guest: false,
            bounded: false,
        }
    }
}

impl Answer {
    /// The cell of a sandbox.
    pub(crate) fn cell(self, technique: &Technique, sandbox: Sandbox) -> Cell {
        let verdict = match self.verdict {
            Judged::Reached => Verdict::Reached,
            Judged::Stopped => Verdict::Stopped,
            Judged::Inapplicable => Verdict::Inapplicable,
        };
        let through = (verdict == Verdict::Reached).then(|| through(technique, sandbox));
        Cell {
            through,
            secret_steps: self.secret_steps,
            ..Cell::new(verdict, self.why)
        }
    }
}

/// Techniques that spend what nothing bounds.
const SPENDING: [&str; 2] = ["escape/028", "escape/115"];
/// Techniques that only do what was handed in for it.
const CALLING: [&str; 1] = ["escape/114"];

fn through(technique: &Technique, sandbox: Sandbox) -> Through {
    let id = technique.id.as_str();
    let lists = match sandbox {
        Sandbox::Exec | Sandbox::Blocklist | Sandbox::Asteval | Sandbox::Simpleeval => false,
        Sandbox::EmptiedBuiltins | Sandbox::AstFilter | Sandbox::RestrictedPython => true,
    };
    if SPENDING.contains(&id) {
        Through::Resources
    } else if CALLING.contains(&id) {
        Through::HandedIn
    } else if technique.imports && lists {
        Through::ImportPolicy
    } else {
        Through::Sandbox
    }
}
