//! Reads the header of a probe: lines `# key: value` at the top of its file.

use std::collections::BTreeMap;
use std::fmt;

use stockade::Limits;

use crate::expect::Expect;
use crate::probe::{Attack, Context, Control, Kind, Need, Probe, SAFE};

/// Keys that every probe has.
const REQUIRED: [&str; 8] = [
    "id",
    "technique",
    "family",
    "attacks",
    "context",
    "expect",
    "must-not",
    "control",
];

/// Keys that a probe may have. `reaches` and `stopped-by` are for people.
const OPTIONAL: [&str; 10] = [
    "why",
    "needs",
    "limits",
    "input",
    "value",
    "min-python",
    "seen-in",
    "armed",
    "reaches",
    "stopped-by",
];

/// Something in a header that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    path: String,
    key: String,
    why: String,
}

impl Fault {
    pub(crate) fn new(path: &str, key: &str, why: &str) -> Self {
        Self {
            path: path.to_owned(),
            key: key.to_owned(),
            why: why.to_owned(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, key, why } = self;
        write!(f, "escape/{path}: header `{key}`: {why}")
    }
}

impl std::error::Error for Fault {}

/// The probe in the file at `path` below `escape/`.
pub(crate) fn probe(path: &str, content: &[u8]) -> Result<Probe, Fault> {
    let header = Header::read(path, content)?;
    header.check_keys()?;
    let kind = header.kind()?;
    let armed = header.armed(content)?;
    Ok(Probe {
        id: header.get("id").to_owned(),
        path: path.to_owned(),
        technique: header.get("technique").to_owned(),
        family: header.get("family").to_owned(),
        kind,
        attacks: header.each("attacks", |name| {
            Attack::named(name).ok_or_else(|| format!("no guarantee or limit is called `{name}`"))
        })?,
        context: header.parsed("context", context)?,
        expect: header.expect()?,
        why: header.optional("why"),
        must_not: header.get("must-not").to_owned(),
        control: header.parsed("control", control)?,
        needs: header.each("needs", |name| {
            let known = Need::ALL.into_iter().find(|need| need.slug() == name);
            known.ok_or_else(|| format!("no need is called `{name}`"))
        })?,
        limits: header.limits()?,
        input: header.optional("input"),
        value: header.value()?,
        min_python: header.version()?,
        seen_in: header.optional("seen-in"),
        armed,
        source: content.to_vec(),
    })
}

struct Header<'a> {
    path: &'a str,
    values: BTreeMap<String, String>,
}

impl<'a> Header<'a> {
    /// The lines up to the first that is no comment. A line that begins with `#` and three spaces
    /// goes on with the value before it.
    fn read(path: &'a str, content: &[u8]) -> Result<Self, Fault> {
        let mut values: BTreeMap<String, String> = BTreeMap::new();
        let mut last = None;
        for line in content.split(|byte| *byte == b'\n') {
            // What follows the header may be in any encoding.
            let Some(text) = std::str::from_utf8(line)
                .ok()
                .and_then(|line| line.strip_prefix('#'))
            else {
                break;
            };
            if let Some(more) = text.strip_prefix("   ")
                && let Some(value) = last.as_ref().and_then(|key: &String| values.get_mut(key))
            {
                value.push(' ');
                value.push_str(more.trim());
                continue;
            }
            let Some((key, value)) = text.trim_start().split_once(':') else {
                break;
            };
            // The first line of prose ends it.
            if key.contains(' ') || !key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
                break;
            }
            let value = value.trim().to_owned();
            if values.insert(key.to_owned(), value).is_some() {
                return Err(Fault::new(path, key, "it is there twice"));
            }
            last = Some(key.to_owned());
        }
        Ok(Self { path, values })
    }

    fn check_keys(&self) -> Result<(), Fault> {
        for key in self.values.keys() {
            if !REQUIRED.contains(&key.as_str()) && !OPTIONAL.contains(&key.as_str()) {
                return Err(self.fault(key, "no such key; see `escape/README.md`"));
            }
        }
        for key in REQUIRED {
            if self.get(key).is_empty() {
                return Err(self.fault(key, "it is missing"));
            }
        }
        Ok(())
    }

    fn fault(&self, key: &str, why: &str) -> Fault {
        Fault::new(self.path, key, why)
    }

    /// Empty where it is missing.
    fn get(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    fn optional(&self, key: &str) -> Option<String> {
        self.values.get(key).cloned()
    }

    fn parsed<T>(&self, key: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, Fault> {
        parse(self.get(key)).map_err(|why| self.fault(key, &why))
    }

    /// Every item of a list, which may be empty.
    fn each<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, Fault> {
        let items = self.get(key).split(',').map(str::trim);
        items
            .filter(|item| !item.is_empty())
            .map(|item| parse(item).map_err(|why| self.fault(key, &why)))
            .collect()
    }

    /// The folder, which the id and the file's number must agree with.
    fn kind(&self) -> Result<Kind, Fault> {
        let known = self.path.split_once('/').and_then(|(folder, file)| {
            let kind = Kind::named(folder)?;
            let number = file.split('_').next()?;
            Some((kind, format!("{folder}/{number}")))
        });
        let Some((kind, id)) = known else {
            return Err(self.fault("id", "the path reads KIND/NUMBER_NAME.py"));
        };
        if self.get("id") == id {
            Ok(kind)
        } else {
            Err(self.fault("id", &format!("the file's name says `{id}`")))
        }
    }

    fn expect(&self) -> Result<Expect, Fault> {
        let expect = self.parsed("expect", Expect::parse)?;
        match &expect {
            Expect::Outcome(ended) if ended.len() > 1 && self.get("why").is_empty() => {
                Err(self.fault("why", "several outcomes are right: say when which"))
            }
            Expect::Outcome(_) | Expect::Verdict | Expect::Refusal(_) | Expect::Specimen => {
                Ok(expect)
            }
        }
    }

    fn limits(&self) -> Result<Vec<String>, Fault> {
        self.each("limits", |one| {
            let tried = Limits::default().parse(one);
            tried
                .map(|_| one.to_owned())
                .map_err(|error| error.to_string())
        })
    }

    fn value(&self) -> Result<bool, Fault> {
        match self.get("value") {
            "" => Ok(true),
            "none" => Ok(false),
            _ => Err(self.fault("value", "it can only be `none`")),
        }
    }

    fn version(&self) -> Result<Option<(u32, u32)>, Fault> {
        let Some(text) = self.values.get("min-python") else {
            return Ok(None);
        };
        let parsed = text
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        match parsed {
            Some(version) => Ok(Some(version)),
            None => Err(self.fault("min-python", "it reads `3.12`")),
        }
    }

    /// Whether it is armed by a line of its own, which the header must announce.
    fn armed(&self, content: &[u8]) -> Result<bool, Fault> {
        let text = String::from_utf8_lossy(content);
        let line = text.lines().any(|line| line.trim_end() == SAFE);
        let told = self.get("armed").starts_with("no");
        match (told, line) {
            (true, true) => Ok(true),
            (false, false) => Ok(false),
            (true, false) => Err(self.fault("armed", &format!("no line reads `{SAFE}`"))),
            (false, true) => Err(self.fault("armed", &format!("a line reads `{SAFE}`"))),
        }
    }
}

fn context(text: &str) -> Result<Context, String> {
    let list = |text: &str| text.split(',').map(|name| name.trim().to_owned()).collect();
    match text {
        "bare" => Ok(Context::Bare),
        "helper" => Ok(Context::Helper),
        "file" => Ok(Context::File),
        "job" => Ok(Context::Job),
        _ => {
            if let Some(name) = text.strip_prefix("object:") {
                Ok(Context::Object(name.to_owned()))
            } else if let Some(names) = text.strip_prefix("builtins:") {
                Ok(Context::Builtins(list(names)))
            } else if let Some(names) = text.strip_prefix("import ") {
                Ok(Context::Import(list(names)))
            } else {
                Err(format!("there is no context `{text}`"))
            }
        }
    }
}

fn control(text: &str) -> Result<Control, String> {
    match (text, text.split_once(':')) {
        ("outside", _) => Ok(Control::Outside),
        ("process", _) => Ok(Control::Process),
        (_, Some(("none", reason))) if !reason.trim().is_empty() => {
            Ok(Control::None(reason.trim().to_owned()))
        }
        _ => Err("it is `outside`, `process` or `none: REASON`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
# id: leak/007
# technique: the name of the host,
#   in two lines
# family: identity
# attacks: no-host-files, memory
# context: job
# expect: found false
# must-not: the host's name
# control: none: there is no harmless way
# armed: no -- armed in a boundary alone
# Prose: ends the header
ARMED = False
print(ARMED)
";

    fn read(text: &str) -> Result<Probe, Fault> {
        probe("leak/007_hostname.py", text.as_bytes())
    }

    #[test]
    fn a_header_is_read_up_to_the_first_other_line() {
        let probe = read(GOOD).unwrap();
        assert_eq!(probe.technique, "the name of the host, in two lines");
        assert_eq!(probe.attacks.len(), 2);
        assert_eq!(
            probe.control,
            Control::None("there is no harmless way".to_owned())
        );
        assert!(probe.armed);
        let live = String::from_utf8(probe.live()).unwrap();
        assert!(live.contains("\nARMED = True\nprint(ARMED)\n"), "{live}");
        assert!(!String::from_utf8(probe.source).unwrap().contains("True"));
    }

    #[test]
    fn a_header_that_is_not_understood_is_refused_by_its_key() {
        for (from, to, key) in [
            ("id: leak/007", "id: leak/008", "id"),
            ("memory", "memories", "attacks"),
            ("context: job", "context: jobs", "context"),
            ("found false", "nothing", "expect"),
            ("found false", "outcome finished | exited:1", "why"),
            ("# must-not: the host's name\n", "", "must-not"),
            (": there is no harmless way", "", "control"),
            ("armed: no", "armed: yes", "armed"),
            ("ARMED = False\n", "", "armed"),
            (
                "# family: identity",
                "# family: identity\n# family: two",
                "family",
            ),
            (
                "# family: identity",
                "# family: identity\n# fancy: yes",
                "fancy",
            ),
            (
                "# family: identity",
                "# family: identity\n# needs: luck",
                "needs",
            ),
            (
                "# family: identity",
                "# family: identity\n# limits: time=1s",
                "limits",
            ),
            (
                "# family: identity",
                "# family: identity\n# value: some",
                "value",
            ),
            (
                "# family: identity",
                "# family: identity\n# min-python: 3",
                "min-python",
            ),
        ] {
            let changed = GOOD.replacen(from, to, 1);
            assert_ne!(changed, GOOD, "{from}");
            match read(&changed) {
                Err(fault) => assert_eq!(fault.key, key, "{fault}"),
                Ok(_) => panic!("{from} -> {to} is accepted"),
            }
        }
    }
}
