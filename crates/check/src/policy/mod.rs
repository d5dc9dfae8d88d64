//! What may be written: data, read from TOML or taken from a profile.

mod file;

use std::collections::{HashMap, HashSet};
use std::fmt;

use stockade_syntax::ast::PythonVersion;

use crate::node::Node;
use crate::rule::Rule;
use crate::severity::Severity;
use file::{File, NOTHING, Names};

/// A source of more than this is not checked, whatever the policy says.
const SOURCE_BYTES_MAX: usize = 16 << 20;
/// Deeper, and a stack of 2 MiB is in doubt.
const NESTING_MAX: usize = 200;
/// Longer, and a stack of 2 MiB is in doubt.
const CHAIN_MAX: usize = 1_000;
/// Components of a module's name.
pub(crate) const MODULE_PARTS_MAX: usize = 8;

/// A policy that comes with this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A notebook's cells and scripts that compute: no files, no processes, no network.
    NotebookPure,
    /// Scripts of one's own people: files and paths besides, still no processes and no reflection.
    Automation,
    /// A few lines of arithmetic: no definitions, no loops, no attributes but listed ones.
    FormulaLike,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NotebookPure, Self::Automation, Self::FormulaLike];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotebookPure => "notebook-pure",
            Self::Automation => "automation",
            Self::FormulaLike => "formula-like",
        }
    }

    /// The profile of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    const fn text(self) -> &'static str {
        match self {
            Self::NotebookPure => include_str!("../../profile/notebook-pure.toml"),
            Self::Automation => include_str!("../../profile/automation.toml"),
            Self::FormulaLike => include_str!("../../profile/formula-like.toml"),
        }
    }
}

/// Why a text is no policy: what is wrong, where, what to write.
#[derive(Debug)]
pub struct PolicyError(String);

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PolicyError {}

/// The numbers of a policy. All finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file.
    pub source_bytes: usize,
    /// Levels of brackets, blocks and the like, one in another.
    pub nesting: usize,
    /// Operators, calls and dots in one chain.
    pub chain: usize,
    /// Bits of an integer constant.
    pub constant_bits: u32,
    /// Parts of a list or text that a constant repeats.
    pub repeat: u64,
}

/// What an attribute's name says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Internal,
    Revealing,
    Formatting,
    Getter,
    Deserialising,
}

#[derive(Clone, Debug)]
pub(crate) struct Suppression {
    rule: Rule,
    file: String,
    line: Option<usize>,
    reason: String,
}

/// What may be written.
///
/// Holding one proves that every key was known, every rule and kind of syntax exists, and every
/// suppression has a reason.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) limits: Limits,
    pub(crate) python: PythonVersion,
    pub(crate) modules: HashMap<String, HashSet<String>>,
    /// `a` and `a.b` of a listed `a.b.c`.
    pub(crate) packages: HashSet<String>,
    pub(crate) decorators: HashSet<String>,
    pub(crate) attributes: HashMap<String, Role>,
    pub(crate) attributes_allowed: HashSet<String>,
    pub(crate) private_of: HashSet<String>,
    pub(crate) names_allowed: HashSet<String>,
    pub(crate) reflective: HashSet<String>,
    pub(crate) protected: HashSet<String>,
    pub(crate) methods: HashSet<String>,
    pub(crate) patterns: HashSet<String>,
    pub(crate) deserialiser_modules: HashSet<String>,
    pub(crate) deserialiser_members: HashSet<String>,
    nodes: HashSet<Node>,
    fail_on: Severity,
    severities: HashMap<Rule, Severity>,
    suppressions: Vec<Suppression>,
    file: File,
}

impl Policy {
    /// The policy of `profile`.
    ///
    /// # Errors
    /// None that a build should have: a test reads every profile.
    pub fn profile(profile: Profile) -> Result<Self, PolicyError> {
        Self::parse(profile.text())
    }

    /// The policy that `text` describes. `extends = "notebook-pure"` names what it stands on, which
    /// is also what stands under a file that names nothing.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let mut file = read(text)?;
        // Profiles stand on one another, never in a circle: a test reads each.
        while let Some(profile) = under(&file)? {
            let mut base = read(profile.text())?;
            let extends = base.extends.take();
            file = file.over(base);
            file.extends = extends;
        }
        compile(file)
    }

    /// The same for an interpreter of version `major.minor`: syntax that is newer is refused, also
    /// where the policy names a newer one.
    #[must_use]
    pub fn for_interpreter(mut self, major: u8, minor: u8) -> Self {
        self.python = self.python.min(PythonVersion { major, minor });
        self
    }

    /// What fails a check where nobody says otherwise.
    #[must_use]
    pub fn fail_on(&self) -> Severity {
        self.fail_on
    }

    /// The numbers.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// All of it as a file, every allowed name included.
    #[must_use]
    pub fn show(&self) -> String {
        self.file.show()
    }

    /// How bad a finding of `rule` is.
    #[must_use]
    pub fn severity(&self, rule: Rule) -> Severity {
        let given = self.severities.get(&rule).copied();
        given.unwrap_or_else(|| rule.severity())
    }

    pub(crate) fn allows(&self, node: Node) -> bool {
        self.nodes.contains(&node)
    }

    /// Why a finding passes, where it does.
    pub(crate) fn suppressed(&self, rule: Rule, name: &str, line: usize) -> Option<&str> {
        let of_this = |one: &&Suppression| {
            one.rule == rule && one.line.is_none_or(|at| at == line) && matches(&one.file, name)
        };
        let found = self.suppressions.iter().find(of_this)?;
        Some(&found.reason)
    }
}

fn read(text: &str) -> Result<File, PolicyError> {
    toml::from_str(text).map_err(|error| PolicyError(error.to_string().trim_end().to_owned()))
}

/// What `file` stands on; nothing where it says everything itself.
fn under(file: &File) -> Result<Option<Profile>, PolicyError> {
    let name = file.extends.as_deref();
    let name = name.unwrap_or(Profile::NotebookPure.name());
    if name == NOTHING {
        return Ok(None);
    }
    match Profile::named(name) {
        Some(profile) => Ok(Some(profile)),
        None => Err(PolicyError(format!(
            "`extends`: there is no profile `{name}`; there are {}, and `{NOTHING}`",
            list(Profile::ALL.iter().map(|profile| profile.name()))
        ))),
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Whether `name` is as `pattern` says, in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            let Some(at) = rest.find(middle) else {
                return false;
            };
            rest = rest.get(at + middle.len()..).unwrap_or_default();
        }
    }
    last.map_or(rest.is_empty(), |end: &str| rest.ends_with(end))
}

fn compile(file: File) -> Result<Policy, PolicyError> {
    let set =
        |names: &Option<Names>| -> HashSet<String> { names.iter().flatten().cloned().collect() };
    let mut modules = HashMap::new();
    let mut packages = HashSet::new();
    for (name, module) in &file.modules {
        let parts: Vec<&str> = name.split('.').collect();
        if parts.len() > MODULE_PARTS_MAX || parts.iter().any(|part| part.is_empty()) {
            return Err(PolicyError(format!(
                "`modules`: `{name}` is no module's name"
            )));
        }
        for end in 1..parts.len() {
            packages.insert(parts[..end].join("."));
        }
        modules.insert(name.clone(), set(&module.names));
    }
    Ok(Policy {
        limits: limits(&file)?,
        python: version(file.python.as_deref().unwrap_or_default())?,
        modules,
        packages,
        decorators: set(&file.decorators),
        attributes: roles(&file)?,
        attributes_allowed: set(&file.attributes.allowed),
        private_of: set(&file.attributes.private_of),
        names_allowed: set(&file.names.allowed),
        reflective: set(&file.names.reflective),
        protected: set(&file.names.protected),
        methods: set(&file.classes.methods),
        patterns: set(&file.classes.patterns),
        deserialiser_modules: set(&file.deserialisers.modules),
        deserialiser_members: set(&file.deserialisers.members),
        nodes: nodes(&file)?,
        fail_on: file.fail_on.unwrap_or(Severity::Error),
        severities: severities(&file)?,
        suppressions: suppressions(&file)?,
        file,
    })
}

fn limits(file: &File) -> Result<Limits, PolicyError> {
    fn within<T: PartialOrd + fmt::Display + Copy>(
        key: &str,
        value: Option<T>,
        least: T,
        most: T,
    ) -> Result<T, PolicyError> {
        match value {
            Some(value) if value >= least && value <= most => Ok(value),
            Some(value) => Err(PolicyError(format!(
                "`limits.{key}` must be from {least} to {most}, not {value}"
            ))),
            None => Err(PolicyError(format!("`limits.{key}` is missing"))),
        }
    }
    let given = &file.limits;
    Ok(Limits {
        source_bytes: within("source-bytes", given.source_bytes, 1, SOURCE_BYTES_MAX)?,
        nesting: within("nesting", given.nesting, 1, NESTING_MAX)?,
        chain: within("chain", given.chain, 1, CHAIN_MAX)?,
        constant_bits: within("constant-bits", given.constant_bits, 8, 1 << 24)?,
        repeat: within("repeat", given.repeat, 1, 1 << 40)?,
    })
}

fn version(text: &str) -> Result<PythonVersion, PolicyError> {
    let parsed: Option<PythonVersion> = text.parse().ok();
    let known = parsed.filter(|version| PythonVersion::iter().any(|one| one == *version));
    known.ok_or_else(|| {
        let newest = PythonVersion::latest_preview();
        PolicyError(format!(
            "`python` must be a version from 3.7 to {newest}, as in `python = \"3.11\"`, not \
             `{text}`"
        ))
    })
}

fn roles(file: &File) -> Result<HashMap<String, Role>, PolicyError> {
    let given = &file.attributes;
    let mut roles = HashMap::new();
    for (names, role) in [
        (&given.internal, Role::Internal),
        (&given.revealing, Role::Revealing),
        (&given.formatting, Role::Formatting),
        (&given.getters, Role::Getter),
        (&given.deserialising, Role::Deserialising),
    ] {
        for name in names.iter().flatten() {
            if roles.insert(name.clone(), role).is_some() {
                return Err(PolicyError(format!(
                    "`attributes`: `{name}` is in two lists; leave it in one"
                )));
            }
        }
    }
    Ok(roles)
}

fn nodes(file: &File) -> Result<HashSet<Node>, PolicyError> {
    let found = file.nodes.iter().flatten().map(|name| {
        file::node(name).ok_or_else(|| {
            let known = list(Node::ALL.iter().map(|node| node.name()));
            PolicyError(format!(
                "`nodes`: there is no syntax `{name}`; there are {known}"
            ))
        })
    });
    found.collect()
}

fn rule(key: &str, name: &str) -> Result<Rule, PolicyError> {
    Rule::named(name).ok_or_else(|| {
        PolicyError(format!(
            "`{key}`: there is no rule `{name}`; `stockade check --explain all` lists them"
        ))
    })
}

fn severities(file: &File) -> Result<HashMap<Rule, Severity>, PolicyError> {
    let each = file
        .severity
        .iter()
        .map(|(name, severity)| Ok((rule("severity", name)?, *severity)));
    each.collect()
}

fn suppressions(file: &File) -> Result<Vec<Suppression>, PolicyError> {
    let each = file.suppress.iter().map(|one| {
        let rule = rule("suppress", &one.rule)?;
        if rule.stops_reading() {
            return Err(PolicyError(format!(
                "`suppress`: {rule} cannot be suppressed: nothing is known of what comes behind it"
            )));
        }
        if one.reason.trim().is_empty() || one.file.is_empty() {
            return Err(PolicyError(format!(
                "`suppress`: {rule} needs a `file` and a `reason`"
            )));
        }
        Ok(Suppression {
            rule,
            file: one.file.clone(),
            line: one.line,
            reason: one.reason.clone(),
        })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_a_policy_and_shows_itself_whole() {
        for profile in Profile::ALL {
            let policy = Policy::profile(profile).unwrap();
            let again = Policy::parse(&policy.show()).unwrap();
            assert_eq!(policy.file, again.file, "{}", profile.name());
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("a.py", "a.py"),
            ("*", ""),
            ("jobs/*.py", "jobs/a/b.py"),
            ("*/a*.py", "x/ab.py"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a.py", "b/a.py"), ("a*b", "ac"), ("a*a", "a"), ("", "x")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_list_replaces_and_three_dots_inherit() {
        let profile = Policy::profile(Profile::NotebookPure).unwrap();
        let added = Policy::parse("decorators = ['...', 'app.task']").unwrap();
        assert!(added.decorators.contains("app.task"));
        assert_eq!(added.decorators.len(), profile.decorators.len() + 1);
        let replaced = Policy::parse("decorators = ['app.task']").unwrap();
        assert_eq!(replaced.decorators.len(), 1);
        let module = "[modules.json]\nnames = ['...', 'tool']\n[modules.shop]\nnames = ['price']";
        let module = Policy::parse(module).unwrap();
        assert!(
            module.modules["json"].contains("dumps") && module.modules["json"].contains("tool")
        );
        assert!(module.modules["shop"].contains("price"));
        let dropped = Policy::parse("drop-modules = ['json']").unwrap();
        assert!(!dropped.modules.contains_key("json"));
    }

    #[test]
    fn what_is_wrong_is_refused_and_named() {
        for (text, named) in [
            ("decorator = []", "decorator"),
            ("extends = 'mine'", "notebook-pure"),
            ("nodes = ['Goto']", "Goto"),
            ("python = '2.7'", "3.7"),
            ("[limits]\nnesting = 100000", "from 1 to 200"),
            ("[limits]\nchain = 0", "from 1 to 1000"),
            ("[severity]\nPY999 = 'note'", "PY999"),
            ("[severity]\nPY201 = 'off'", "off"),
            (
                "[[suppress]]\nrule = 'PY201'\nfile = '*'\nreason = ' '",
                "reason",
            ),
            ("[[suppress]]\nrule = 'PY201'\nfile = '*'", "reason"),
            (
                "[[suppress]]\nrule = 'PY101'\nfile = '*'\nreason = 'x'",
                "PY101",
            ),
            ("[attributes]\ngetters = ['obj']", "two lists"),
            ("[modules.'a..b']\nnames = []", "a..b"),
        ] {
            let error = Policy::parse(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
