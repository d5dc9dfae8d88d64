//! The file that describes a template.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use stockade_core::error::{Error, ErrorKind};
use stockade_core::limits::Limits;
use toml::Spanned;

use super::content::TAKEN;
use super::failed;
use super::room::{self, Room};

/// A description longer than this is no description.
const FILE_BYTES_MAX: u64 = 1 << 20;
const NAME_CHARS_MAX: usize = 63;
/// What every run sets by itself: a template's value would be in doubt.
const OURS: [&str; 13] = [
    "HOME",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "TZ",
    "USER",
    "LOGNAME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "MPLCONFIGDIR",
    "NUMBA_CACHE_DIR",
    "PYTHONHASHSEED",
    "PYTHONSTARTUP",
];

/// A template as its file describes it.
///
/// Holding one proves that every key is known and every value of the right form; not that the
/// files and packages exist.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) base: Base,
    /// The interpreter, absolute in the base.
    pub(super) python: Option<String>,
    /// As they are asked for: `numpy`, `pandas>=2`.
    pub(super) packages: Vec<String>,
    /// Where versions and hashes are pinned.
    pub(super) lock: PathBuf,
    pub(super) preload: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    /// Path in the guest, and file or directory of the host.
    pub(super) files: Vec<(String, PathBuf)>,
    pub(super) room: Room,
    pub(super) limits: Vec<(String, String)>,
    /// The file itself.
    pub(super) text: String,
    /// The lock of a template that comes with this build.
    pub(super) builtin: Option<&'static str>,
}

/// What a template is made from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Base {
    /// The host's Python, as it is found for `python`.
    Host,
    /// Another Python of the host.
    Interpreter(PathBuf),
    /// A directory that holds a root file system.
    Directory(PathBuf),
    /// A tar archive of a root file system.
    Tar(PathBuf),
    /// An image archive, as `docker save` and `skopeo copy` write it.
    Image(PathBuf),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Option<Spanned<String>>,
    #[serde(default)]
    description: String,
    base: Spanned<Base>,
    python: Option<Spanned<String>>,
    #[serde(default)]
    packages: Vec<Spanned<String>>,
    lock: Option<PathBuf>,
    #[serde(default)]
    preload: Vec<Spanned<String>>,
    #[serde(default)]
    env: BTreeMap<Spanned<String>, String>,
    #[serde(default)]
    files: BTreeMap<Spanned<String>, PathBuf>,
    #[serde(default)]
    size: Size,
    #[serde(default)]
    limits: BTreeMap<Spanned<String>, String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    bytes: Option<Spanned<String>>,
    entries: Option<u64>,
}

impl Spec {
    /// The template that the file at `path` describes.
    ///
    /// # Errors
    /// `InvalidPolicy`, with key and line, when it is no such description; `Host` when it cannot
    /// be read.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let found = path
            .metadata()
            .map_err(|error| failed("read", path, &error))?;
        if found.len() > FILE_BYTES_MAX {
            let text = format!(
                "`{}` is no template's description: it is huge",
                path.display()
            );
            return Err(Error::new(ErrorKind::InvalidPolicy, text));
        }
        let text = fs::read_to_string(path).map_err(|error| failed("read", path, &error))?;
        Self::parse(path, &text)
    }

    /// [`Spec::read`] of text that stands in `path`; other files are looked for beside it.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let from = From { path, text };
        let file: File = toml::from_str(text).map_err(|error| from.syntax(&error))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = match &file.name {
            Some(name) => from.check(name, "name", plain_name)?,
            None => plain_name(&stem).map_err(|why| {
                from.fault(
                    &(0..0),
                    &format!("the file's name is not a template's: {why}"),
                )
                .hint("add `name = \"…\"`")
            })?,
        };
        let beside = path.parent().unwrap_or(Path::new("."));
        let mut limits = Vec::new();
        for (name, value) in &file.limits {
            let text = format!("{}={value}", name.get_ref());
            let parsed = Limits::default().parse(&text);
            parsed.map_err(|error| from.fault(&name.span(), &error.to_string()))?;
            limits.push((name.get_ref().clone(), value.clone()));
        }
        Ok(Self {
            description: file.description,
            base: from.base(&file.base, beside)?,
            python: from.python(&file.base, file.python.as_ref())?,
            packages: from.all(&file.packages, "packages", requirement)?,
            lock: beside.join(file.lock.unwrap_or_else(|| format!("{name}.lock").into())),
            preload: from.all(&file.preload, "preload", module)?,
            env: from.env(&file.env)?,
            files: from.files(&file.files, beside)?,
            room: from.room(&file.size)?,
            limits,
            text: text.to_owned(),
            builtin: None,
            name,
        })
    }
}

/// Where a value stands, for messages.
struct From<'a> {
    path: &'a Path,
    text: &'a str,
}

impl From<'_> {
    fn fault(&self, at: &Range<usize>, why: &str) -> Error {
        let before = self.text.get(..at.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let text = format!("`{}`, line {line}: {why}", self.path.display());
        Error::new(ErrorKind::InvalidPolicy, text)
    }

    fn syntax(&self, error: &toml::de::Error) -> Error {
        let at = error.span().unwrap_or(0..0);
        self.fault(&at, error.message().trim_end())
            .hint("`docs/templates.md` lists the keys")
    }

    fn check<T>(
        &self,
        value: &Spanned<String>,
        key: &str,
        check: fn(&str) -> Result<T, String>,
    ) -> Result<T, Error> {
        check(value.get_ref()).map_err(|why| self.fault(&value.span(), &format!("`{key}`: {why}")))
    }

    fn all<T>(
        &self,
        values: &[Spanned<String>],
        key: &str,
        check: fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, Error> {
        values
            .iter()
            .map(|value| self.check(value, key, check))
            .collect()
    }

    fn base(&self, base: &Spanned<Base>, beside: &Path) -> Result<Base, Error> {
        Ok(match base.get_ref() {
            Base::Host => Base::Host,
            Base::Interpreter(path) if path.is_absolute() => Base::Interpreter(path.clone()),
            Base::Interpreter(path) => {
                let why = format!("`base`: `{}` is not an absolute path", path.display());
                return Err(self.fault(&base.span(), &why));
            }
            Base::Directory(path) => Base::Directory(beside.join(path)),
            Base::Tar(path) => Base::Tar(beside.join(path)),
            Base::Image(path) => Base::Image(beside.join(path)),
        })
    }

    fn python(
        &self,
        base: &Spanned<Base>,
        python: Option<&Spanned<String>>,
    ) -> Result<Option<String>, Error> {
        let Some(python) = python else {
            return Ok(None);
        };
        match base.get_ref() {
            Base::Directory(_) | Base::Tar(_) | Base::Image(_) => {
                self.check(python, "python", guest_path).map(Some)
            }
            Base::Host | Base::Interpreter(_) => Err(self
                .fault(&python.span(), "`python` names an interpreter in an image")
                .hint("name one of the host with `base = { interpreter = \"/path\" }`")),
        }
    }

    fn env(&self, env: &BTreeMap<Spanned<String>, String>) -> Result<Vec<(String, String)>, Error> {
        let mut found = Vec::new();
        for (name, value) in env {
            let text = self.check(name, "env", variable)?;
            if value.contains('\0') {
                return Err(self.fault(&name.span(), "`env`: a value may not hold a zero byte"));
            }
            found.push((text, value.clone()));
        }
        Ok(found)
    }

    fn files(
        &self,
        files: &BTreeMap<Spanned<String>, PathBuf>,
        beside: &Path,
    ) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut found = Vec::new();
        for (path, source) in files {
            found.push((self.check(path, "files", guest_path)?, beside.join(source)));
        }
        Ok(found)
    }

    fn room(&self, size: &Size) -> Result<Room, Error> {
        let bytes = match &size.bytes {
            Some(text) => self.check(text, "bytes", bytes)?,
            None => room::BYTES,
        };
        Ok(Room::new(bytes, size.entries.unwrap_or(room::ENTRIES)))
    }
}

/// A name that is a file's name, an argument and a part of a URL as it is.
pub(super) fn plain_name(name: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let good = name.starts_with(plain)
        && name.len() <= NAME_CHARS_MAX
        && name.chars().all(|c| plain(c) || "-_.".contains(c));
    if good {
        return Ok(name.to_owned());
    }
    Err(format!(
        "{name:?} must be of small letters, digits, `-`, `_` and `.`, at most {NAME_CHARS_MAX}, \
         and begin with a letter or digit"
    ))
}

/// A package and what versions of it will do: no option, path or URL, which pip would take too.
fn requirement(text: &str) -> Result<String, String> {
    let good = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.[],<>=!~* ".contains(c));
    if good {
        return Ok(text.to_owned());
    }
    Err(format!(
        "{text:?} is no package; write it as in `numpy` or `pandas>=2,<4`"
    ))
}

fn bytes(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];
    let parsed = units.iter().find_map(|(unit, shift)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(1 << shift)
    });
    parsed.ok_or_else(|| format!("{text:?} is no size; write it as in `2GiB` or `500MiB`"))
}

fn module(name: &str) -> Result<String, String> {
    let good = !name.is_empty()
        && name.split('.').all(|part| {
            part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
    if good {
        return Ok(name.to_owned());
    }
    Err(format!("{name:?} is not the name of a module"))
}

fn variable(name: &str) -> Result<String, String> {
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !good {
        return Err(format!("{name:?} is not the name of a variable"));
    }
    if OURS.contains(&name) || name.starts_with("STOCKADE_") {
        return Err(format!("every run sets `{name}` by itself"));
    }
    Ok(name.to_owned())
}

fn guest_path(path: &str) -> Result<String, String> {
    let parsed = Path::new(path);
    let plain = parsed
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let first = parsed.components().nth(1);
    if !parsed.is_absolute() || !plain || first.is_none() || path.contains('\0') {
        return Err(format!("{path:?} is not an absolute path without `..`"));
    }
    match first {
        Some(Component::Normal(top)) if TAKEN.iter().any(|name| top == *name) => Err(format!(
            "{path:?} would be covered by what each run has there"
        )),
        _ => Ok(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Spec, Error> {
        Spec::parse(Path::new("/somewhere/reports.toml"), text)
    }

    #[test]
    fn a_description_is_read_with_paths_beside_it() {
        let spec = parse(
            "base = \"host\"\npackages = [\"numpy==2.2.6\", \"pandas[excel] >=2,<4\"]\n\
             preload = [\"numpy\"]\nenv = { MODE = \"fast\" }\n\
             files = { \"/opt/m.json\" = \"m.json\" }\n\
             limits = { memory = \"1GiB\" }\nsize = { bytes = \"1GiB\", entries = 10 }\n",
        )
        .unwrap();
        assert_eq!((spec.name.as_str(), &spec.base), ("reports", &Base::Host));
        assert_eq!(spec.lock, Path::new("/somewhere/reports.lock"));
        assert_eq!(spec.files[0].1, Path::new("/somewhere/m.json"));
        assert_eq!(spec.limits, [("memory".to_owned(), "1GiB".to_owned())]);
        let image = parse("base = { image = \"i.tar\" }\npython = \"/usr/bin/python3\"").unwrap();
        assert_eq!(image.base, Base::Image("/somewhere/i.tar".into()));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_key_and_line() {
        for (text, line, words) in [
            ("base = \"host\"\npakages = []", 2, "`pakages`"),
            ("base = \"host\"\n\nsize = { byte = 1 }", 3, "`byte`"),
            ("base = \"hots\"", 1, "hots"),
            ("base = { interpreter = \"python3\" }", 1, "absolute"),
            (
                "base = \"host\"\npackages = [\"a\",\n \"-r x\"]",
                3,
                "`packages`",
            ),
            (
                "base = \"host\"\npackages = [\"a @ file:///x\"]",
                2,
                "`packages`",
            ),
            ("base = \"host\"\npackages = \"numpy\"", 2, "sequence"),
            ("base = \"host\"\npreload = [\"os; x\"]", 2, "`preload`"),
            ("base = \"host\"\n[env]\nHOME = \"/\"", 3, "`HOME`"),
            ("base = \"host\"\n[env]\n\"A B\" = \"/\"", 3, "`env`"),
            ("base = \"host\"\n[files]\n\"/tmp/x\" = \"x\"", 3, "covered"),
            ("base = \"host\"\n[files]\n\"/opt/../x\" = \"x\"", 3, "`..`"),
            ("base = \"host\"\n[limits]\nmemory = \"1\"", 3, "unit"),
            (
                "base = \"host\"\n[limits]\nmem = \"1GiB\"",
                3,
                "no limit `mem`",
            ),
            ("base = \"host\"\n[size]\nbytes = \"much\"", 3, "`bytes`"),
            (
                "base = \"host\"\npython = \"/usr/bin/python3\"",
                2,
                "`python`",
            ),
            ("name = \"Reports\"\nbase = \"host\"", 1, "`name`"),
            ("name = \"a\"", 1, "`base`"),
        ] {
            let error = parse(text).unwrap_err();
            let said = error.to_string();
            assert_eq!(error.kind(), ErrorKind::InvalidPolicy, "{said}");
            let place = format!("`/somewhere/reports.toml`, line {line}: ");
            assert!(
                said.starts_with(&place) && said.contains(words),
                "{text:?}: {said}"
            );
        }
    }
}
