//! The bytes a caller hands us, and nothing we have concluded from them.

use crate::error::{Error, ErrorKind};
use crate::limits::{Amount, LimitId, Limits};

/// The language a submission is written in, as its caller declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python, with its standard library.
    Python,
    /// The expression language: no attributes, no imports, bounded iteration.
    Formula,
}

impl Language {
    /// Stable name in records.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Formula => "formula",
        }
    }

    /// What a version of the language or of its interpreter is called in records, and its text.
    #[must_use]
    pub fn version(self, (major, minor, patch): (u32, u32, u32)) -> (&'static str, String) {
        match self {
            Self::Python => ("python", format!("{major}.{minor}.{patch}")),
            Self::Formula => ("language_version", major.to_string()),
        }
    }
}

/// Source, input and files, with safe names and otherwise unread.
///
/// Holding one proves only that every file name stays below `/work` and that no two clash. The
/// source has not been parsed, and must not be parsed on the trusted side; sizes are checked
/// against the policy by [`Submission::fits`].
#[derive(Clone, Debug)]
pub struct Submission {
    language: Language,
    source: Vec<u8>,
    input: Option<Vec<u8>>,
    files: Vec<InputFile>,
}

/// A file that the submission finds below `/work`.
#[derive(Clone, Debug)]
pub struct InputFile {
    path: String,
    content: Vec<u8>,
}

impl InputFile {
    /// Path relative to `/work`, without `.` or `..`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The bytes, for copying into a guest.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.content
    }
}

/// Names below `/work` that the run itself uses.
const RESERVED: [&str; 3] = ["job.py", "input.json", "out.json"];

/// Longest path component the kernel accepts (`NAME_MAX`).
const NAME_BYTES_MAX: usize = 255;

/// Longest destination accepted; the kernel's `PATH_MAX` less room for `/work`.
const PATH_BYTES_MAX: usize = 4_000;

impl Submission {
    /// Python `source`, as bytes in whatever encoding it declares.
    #[must_use]
    pub fn python(source: impl Into<Vec<u8>>) -> Self {
        Self {
            language: Language::Python,
            source: source.into(),
            input: None,
            files: Vec::new(),
        }
    }

    /// A formula, as UTF-8.
    #[must_use]
    pub fn formula(source: impl Into<Vec<u8>>) -> Self {
        Self {
            language: Language::Formula,
            ..Self::python(source)
        }
    }

    /// The same submission with `input` as `/work/input.json`.
    ///
    /// The bytes are handed on as they are; that they are JSON is for the caller to know
    /// (`stockade run` checks them by the rules for results).
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// The same submission with `content` at `/work/<destination>`.
    ///
    /// # Errors
    /// `InvalidSubmission` when the destination is not a plain relative path (`/work/` in front
    /// is dropped), is one of the run's own names, or clashes with another file. The
    /// submission is then gone: nothing is half added.
    ///
    /// ```
    /// use stockade_core::submission::Submission;
    /// let job = Submission::python("...").file("data/sales.csv", "a,b\n")?;
    /// assert_eq!(job.files()[0].path(), "data/sales.csv");
    /// assert!(Submission::python("...").file("../evil", "").is_err());
    /// # Ok::<(), stockade_core::error::Error>(())
    /// ```
    pub fn file(mut self, destination: &str, content: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let path = destination.strip_prefix("/work/").unwrap_or(destination);
        if let Err(why) = check_path(path) {
            return Err(Error::new(
                ErrorKind::InvalidSubmission,
                format!("file destination {destination:?} {why}"),
            )
            .hint("give a relative path below `/work`, such as `data/sales.csv`"));
        }
        if let Some(other) = self.files.iter().find(|file| clash(file.path(), path)) {
            return Err(Error::new(
                ErrorKind::InvalidSubmission,
                format!(
                    "file destination {destination:?} clashes with {:?}",
                    other.path()
                ),
            ));
        }
        self.files.push(InputFile {
            path: path.to_owned(),
            content: content.into(),
        });
        Ok(self)
    }

    /// Checks the sizes against `limits`: `source` for the source, `files` for input and files
    /// together.
    ///
    /// # Errors
    /// `InvalidSubmission`, naming the size, the limit and its value.
    pub fn fits(&self, limits: &Limits) -> Result<(), Error> {
        let files: usize = self.files.iter().map(|file| file.content.len()).sum();
        let input = self.input.as_ref().map_or(0, Vec::len);
        for (what, size, id) in [
            ("source", self.source.len(), LimitId::Source),
            ("input and files", files + input, LimitId::Files),
        ] {
            if size as u64 > limits.get(id) {
                return Err(Error::new(
                    ErrorKind::InvalidSubmission,
                    format!(
                        "{what}: {size} bytes, and `{}` allows {}",
                        id.name(),
                        limits.amount(id)
                    ),
                )
                .hint(format!(
                    "raise it: `--limit {}={}`",
                    id.name(),
                    next_size(size as u64)
                )));
            }
        }
        Ok(())
    }

    /// The declared language.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The source, for copying into a guest.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// The input value's bytes, if there is one.
    #[must_use]
    pub fn input_bytes(&self) -> Option<&[u8]> {
        self.input.as_deref()
    }

    /// The files, in the order given.
    #[must_use]
    pub fn files(&self) -> &[InputFile] {
        &self.files
    }
}

/// The next size that can be written with a unit and is at least `bytes`.
fn next_size(bytes: u64) -> Amount {
    Amount::bytes(bytes.div_ceil(1 << 20) << 20)
}

fn clash(one: &str, other: &str) -> bool {
    let below = |deep: &str, shallow: &str| {
        deep.strip_prefix(shallow)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    one == other || below(one, other) || below(other, one)
}

/// Accepts plain relative paths only. Encoded separators are refused although nothing here
/// decodes them: whoever wrote `..%2fb` meant something else than a file of that name.
fn check_path(path: &str) -> Result<(), String> {
    if path.is_empty() {
        return Err("is empty".to_owned());
    }
    if path.len() > PATH_BYTES_MAX {
        return Err(format!("is longer than {PATH_BYTES_MAX} bytes"));
    }
    if path.starts_with('/') {
        return Err("is absolute and not below `/work`".to_owned());
    }
    if let Some(bad) = path.chars().find(|c| c.is_control() || *c == '\\') {
        return Err(format!("contains {bad:?}"));
    }
    let lower = path.to_ascii_lowercase();
    if let Some(bad) = ["%2f", "%5c", "%2e", "%00"]
        .into_iter()
        .find(|code| lower.contains(code))
    {
        return Err(format!("contains `{bad}`, an encoded separator"));
    }
    for part in path.split('/') {
        match part {
            "" => return Err("has an empty component".to_owned()),
            "." | ".." => return Err(format!("has the component `{part}`")),
            _ if part.len() > NAME_BYTES_MAX => {
                return Err(format!(
                    "has a component longer than {NAME_BYTES_MAX} bytes"
                ));
            }
            _ => {}
        }
    }
    let top = path.split('/').next().unwrap_or(path);
    if RESERVED.contains(&top) {
        return Err(format!("is `{top}`, a name that the run itself uses"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_24_files_upload_path_escape() {
        let long = "a".repeat(300);
        let names = [
            "../evil",
            "/etc/cron.d/x",
            "a/../../b",
            "..%2fb",
            "a\\..\\b",
            "x\0y",
            "",
            &long,
            "/work/../x",
            "a//b",
            "./a",
            "job.py",
            "out.json/x",
            "a\nb",
        ];
        for name in names {
            let good = Submission::python("").file("ok/sub/f.txt", "x").unwrap();
            let refused = good.file(name, "x").unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidSubmission);
            assert!(
                refused.to_string().contains(&format!("{name:?}")),
                "{refused}"
            );
        }
    }

    #[test]
    fn odd_but_safe_names_are_kept() {
        for name in [
            "ok/sub/f.txt",
            "données-日本.txt",
            "-rf",
            "a b",
            "..a",
            "a..",
            "~",
            "$HOME",
            "*",
        ] {
            let job = Submission::python("").file(name, "x").unwrap();
            assert_eq!(job.files()[0].path(), name);
        }
    }

    #[test]
    fn files_that_clash_are_refused() {
        for (one, other) in [("a", "a"), ("a", "a/b"), ("a/b", "a"), ("a", "/work/a")] {
            assert!(
                Submission::python("")
                    .file(one, "")
                    .unwrap()
                    .file(other, "")
                    .is_err()
            );
        }
        assert!(
            Submission::python("")
                .file("a", "")
                .unwrap()
                .file("ab", "")
                .is_ok()
        );
    }

    #[test]
    fn a_source_over_its_limit_is_refused_with_both_sizes() {
        let job = Submission::python(vec![b'#'; (1 << 20) + 1]);
        let refused = job.fits(&Limits::default()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "source: 1048577 bytes, and `source` allows 1MiB"
        );
        assert_eq!(refused.hint_text(), Some("raise it: `--limit source=2MiB`"));
    }
}
