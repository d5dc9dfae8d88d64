//! The lock of a template: each wheel by version and digest.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use stockade_core::error::{Error, ErrorKind};

use super::failed;
use super::spec::Spec;

const FORMAT: u32 = 1;
const HEAD: &str = "# Written by `stockade template lock`; do not edit.\n";

/// What `template lock` found. Whoever holds one holds no wheel yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pins {
    format: u32,
    /// Version of the interpreter, `3.11`.
    pub(super) python: String,
    /// As `sysconfig.get_platform()` says: `linux-x86_64`.
    pub(super) platform: String,
    /// What it was resolved from.
    pub(super) packages: Vec<String>,
    #[serde(default, rename = "wheel")]
    pub(super) wheels: Vec<Wheel>,
}

/// One wheel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wheel {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) file: String,
    pub(super) sha256: String,
}

impl Pins {
    pub(super) fn new(
        python: String,
        platform: String,
        packages: Vec<String>,
        mut wheels: Vec<Wheel>,
    ) -> Self {
        wheels.sort_by(|one, other| one.name.cmp(&other.name));
        Self {
            format: FORMAT,
            python,
            platform,
            packages,
            wheels,
        }
    }

    /// The lock of `spec`.
    pub(super) fn of(spec: &Spec) -> Result<Self, Error> {
        let path = &spec.lock;
        let text = match spec
            .builtin
            .map_or_else(|| fs::read_to_string(path), |t| Ok(t.to_owned()))
        {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let text = format!("template `{}` has packages and no lock", spec.name);
                return Err(Error::new(ErrorKind::InvalidPolicy, text)
                    .hint("write one with `stockade template lock FILE.toml`"));
            }
            Err(error) => return Err(failed("read", path, &error)),
        };
        let pins = Self::parse(path, &text)?;
        if pins.packages != spec.packages {
            let text = format!(
                "`{}` is the lock of other packages than template `{}` asks for",
                path.display(),
                spec.name
            );
            return Err(Error::new(ErrorKind::InvalidPolicy, text)
                .hint("write it again with `stockade template lock FILE.toml`"));
        }
        Ok(pins)
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let wrong = |line: usize, why: &str| {
            let text = format!("`{}`, line {line}: {why}", path.display());
            Error::new(ErrorKind::InvalidPolicy, text)
                .hint("write it again with `stockade template lock FILE.toml`")
        };
        let found: Self = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
            wrong(line, error.message().trim_end())
        })?;
        if found.format != FORMAT {
            return Err(wrong(
                1,
                &format!("its format is {}, not {FORMAT}", found.format),
            ));
        }
        for wheel in &found.wheels {
            if let Some(why) = wheel.fault() {
                let line = text.lines().position(|line| line.contains(&wheel.name));
                return Err(wrong(line.unwrap_or(0) + 1, &why));
            }
        }
        Ok(found)
    }

    /// The same as text.
    pub(super) fn text(&self) -> String {
        let list = |items: &[String]| {
            let items: Vec<_> = items.iter().map(|item| quoted(item)).collect();
            items.join(", ")
        };
        let mut text = format!(
            "{HEAD}format = {}\npython = {}\nplatform = {}\npackages = [{}]\n",
            self.format,
            quoted(&self.python),
            quoted(&self.platform),
            list(&self.packages)
        );
        for wheel in &self.wheels {
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "\n[[wheel]]\nname = {}\nversion = {}\nfile = {}\nsha256 = {}\n",
                quoted(&wheel.name),
                quoted(&wheel.version),
                quoted(&wheel.file),
                quoted(&wheel.sha256)
            );
        }
        text
    }
}

impl Wheel {
    /// What keeps it from being given to pip, or from being the name of a file.
    pub(super) fn fault(&self) -> Option<String> {
        let plain = |text: &str, more: &str| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || more.contains(c))
        };
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let wheel = Path::new(&self.file)
            .extension()
            .is_some_and(|end| end == "whl");
        if !plain(&self.name, "-_.") {
            Some(format!("{:?} is not the name of a package", self.name))
        } else if !plain(&self.version, ".+!_-") {
            Some(format!("{:?} is not a version", self.version))
        } else if !plain(&self.file, "-_.+") || !wheel {
            Some(format!("{:?} is not the name of a wheel", self.file))
        } else if self.sha256.len() != 64 || !self.sha256.chars().all(hex) {
            Some(format!("{:?} is not a SHA-256 in hex", self.sha256))
        } else {
            None
        }
    }
}

/// Text that passed a check for plain characters, as TOML writes it.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel() -> Wheel {
        Wheel {
            name: "numpy".to_owned(),
            version: "2.2.6".to_owned(),
            file: "numpy-2.2.6-cp311-cp311-manylinux_2_17_x86_64.whl".to_owned(),
            sha256: "0a".repeat(32),
        }
    }

    fn pins(wheel: Wheel) -> Pins {
        let packages = vec!["numpy".to_owned()];
        Pins::new(
            "3.11".to_owned(),
            "linux-x86_64".to_owned(),
            packages,
            vec![wheel],
        )
    }

    #[test]
    fn a_lock_reads_as_it_was_written() {
        let pins = pins(wheel());
        assert_eq!(Pins::parse(Path::new("l"), &pins.text()).unwrap(), pins);
    }

    #[test]
    fn a_lock_that_says_what_pip_would_take_for_more_is_refused() {
        for change in [
            |wheel: &mut Wheel| wheel.name = "--index-url=http://evil".to_owned(),
            |wheel: &mut Wheel| wheel.version = "1 --pre".to_owned(),
            |wheel: &mut Wheel| wheel.file = "../../evil.whl".to_owned(),
            |wheel: &mut Wheel| wheel.file = "evil-1.tar.gz".to_owned(),
            |wheel: &mut Wheel| wheel.sha256 = "0a".to_owned(),
            |wheel: &mut Wheel| wheel.sha256 = "0A".repeat(32),
        ] {
            let mut bad = wheel();
            change(&mut bad);
            let error = Pins::parse(Path::new("l"), &pins(bad).text()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidPolicy, "{error}");
            assert!(error.to_string().starts_with("`l`, line "), "{error}");
        }
        let more = format!("{}\nurl = \"http://evil\"", pins(wheel()).text());
        let error = Pins::parse(Path::new("l"), &more).unwrap_err();
        assert!(error.to_string().contains("unknown field `url`"), "{error}");
    }
}
