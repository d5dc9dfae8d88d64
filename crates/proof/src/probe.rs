//! One hostile program, and what is known of it.

use stockade::{Guarantee, LimitId, Limits};

use crate::expect::Expect;

/// The line that an armed probe begins its program with, until it is armed.
pub(crate) const SAFE: &str = "ARMED = False";

/// A hostile program with the outcome that it must have.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Stable name, kind and number: `escape/064`.
    pub id: String,
    /// Its file below `escape/`: `escape/064_read_host_files.py`.
    pub path: String,
    /// What it does, in a phrase.
    pub technique: String,
    /// What kind of thing it plays with: `frames`, `filesystem`, `cpu`.
    pub family: String,
    /// Its folder.
    pub kind: Kind,
    /// What it attacks. A rung owes it a failure when it gives all of these.
    pub attacks: Vec<Attack>,
    /// What it needs around it.
    pub context: Context,
    /// What must come of it behind the fence.
    pub expect: Expect,
    /// Why there is more than one outcome that is right, or other remarks on `expect`.
    pub why: Option<String>,
    /// What must never happen, in words.
    pub must_not: String,
    /// Where it is shown first that the attack is real.
    pub control: Control,
    /// What the host must have, or there is nothing to attack.
    pub needs: Vec<Need>,
    /// Limits that differ from those that probes run under.
    pub limits: Vec<String>,
    /// The input that it is given, JSON.
    pub input: Option<String>,
    /// Whether a value is owed.
    pub value: bool,
    /// Oldest interpreter that can run it.
    pub min_python: Option<(u32, u32)>,
    /// Where it was seen: a CVE, a report.
    pub seen_in: Option<String>,
    /// Whether it does harm unless held, and is safe until it is armed.
    pub armed: bool,
    /// The file, header included, not armed.
    pub source: Vec<u8>,
}

impl Probe {
    /// The program with its charge live where it has one: for a boundary with process and memory
    /// fences alone.
    #[must_use]
    pub fn live(&self) -> Vec<u8> {
        if !self.armed {
            return self.source.clone();
        }
        let text = String::from_utf8_lossy(&self.source);
        let mut live = String::with_capacity(text.len());
        let mut safe = true;
        for line in text.split_inclusive('\n') {
            if safe && line.trim_end() == SAFE {
                live.push_str("ARMED = True\n");
                safe = false;
            } else {
                live.push_str(line);
            }
        }
        live.into_bytes()
    }

    /// Whether a rung that gives `guarantees` owes it a failure: limits are owed by all.
    #[must_use]
    pub fn is_owed(&self, guarantees: &[Guarantee]) -> bool {
        self.attacks.iter().all(|attack| match attack {
            Attack::Guarantee(guarantee) => guarantees.contains(guarantee),
            Attack::Limit(_) => true,
        })
    }

    /// `defaults` with this probe's own limits.
    ///
    /// # Errors
    /// As [`Limits::parse`]; those of the embedded corpus were tried when it was read.
    pub fn limits(&self, defaults: Limits) -> Result<Limits, stockade::Error> {
        self.limits
            .iter()
            .try_fold(defaults, |all, one| all.parse(one))
    }
}

/// What a probe is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Out of the interpreter, or through the boundary.
    Escape,
    /// Using up what there is.
    Exhaust,
    /// Finding out what it must not know.
    Leak,
}

impl Kind {
    /// Its folder below `escape/`.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Escape => "escape",
            Self::Exhaust => "exhaust",
            Self::Leak => "leak",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Escape, Self::Exhaust, Self::Leak]
            .into_iter()
            .find(|kind| kind.slug() == name)
    }
}

/// What a probe attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attack {
    /// A promise.
    Guarantee(Guarantee),
    /// A limit.
    Limit(LimitId),
}

impl Attack {
    /// Its name, as in the header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Guarantee(guarantee) => guarantee.slug(),
            Self::Limit(limit) => limit.name(),
        }
    }

    /// What is called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let guarantee = Guarantee::ALL.iter().find(|g| g.slug() == name);
        guarantee
            .map(|g| Self::Guarantee(*g))
            .or_else(|| LimitId::named(name).map(Self::Limit))
    }
}

/// What a probe needs around it. All but `Job` are for demonstrations within one interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Context {
    /// No name at all.
    Bare,
    /// A host function `fetch_row`.
    Helper,
    /// A host object: `api`, `part`.
    Object(String),
    /// Only these builtins.
    Builtins(Vec<String>),
    /// These modules may be imported.
    Import(Vec<String>),
    /// It must be read as a file.
    File,
    /// It is run as a program.
    Job,
}

/// Where it is shown first that the attack is real.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// In a plain child process of the host: it must get through.
    Outside,
    /// On the `process` rung: it must get through.
    Process,
    /// Nowhere, with the reason.
    None(String),
}

/// What the host must have for a probe to mean anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// That we run as root.
    Root,
    /// That we do not.
    User,
    /// A network with a way out.
    Network,
    /// A cgroup.
    Cgroup,
    /// Landlock.
    Landlock,
}

impl Need {
    /// Every need.
    pub const ALL: [Self; 5] = [
        Self::Root,
        Self::User,
        Self::Network,
        Self::Cgroup,
        Self::Landlock,
    ];

    /// Its name, as in the header.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::User => "user",
            Self::Network => "network",
            Self::Cgroup => "cgroup",
            Self::Landlock => "landlock",
        }
    }
}
