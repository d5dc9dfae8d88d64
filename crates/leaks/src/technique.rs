//! The in-process techniques of the corpus.

use stockade::{Error, ErrorKind};
use stockade_proof::{Context, Corpus, Expect, Probe};

/// A way out of a restriction inside the interpreter: a program that sets `leak`.
#[derive(Clone, Debug)]
pub struct Technique {
    /// Stable name: `escape/001`.
    pub id: String,
    /// What it does, in a phrase.
    pub title: String,
    /// What kind of thing it plays with.
    pub family: String,
    /// Where it was seen: a CVE, a report.
    pub seen_in: Option<String>,
    /// What is handed in, as the driver reads it.
    pub(crate) context: String,
    /// Whether a module is imported.
    pub(crate) imports: bool,
    pub(crate) min_python: Option<(u32, u32)>,
    /// The program, header included.
    pub(crate) source: String,
}

impl Technique {
    /// All of them, in the order of the corpus.
    ///
    /// # Errors
    /// `Bug` when the embedded corpus is not what it should be.
    pub fn all() -> Result<Vec<Self>, Error> {
        let corpus = Corpus::embedded().map_err(|fault| {
            Error::new(
                ErrorKind::Bug,
                format!("cannot read the embedded corpus: {fault}"),
            )
        })?;
        let all: Vec<_> = corpus.probes().iter().filter_map(Self::of).collect();
        if all.is_empty() {
            let text = "the embedded corpus has no technique that works inside an interpreter";
            return Err(Error::new(ErrorKind::Bug, text));
        }
        Ok(all)
    }

    /// Those that are called `names`, by id or by number; all for no name.
    ///
    /// # Errors
    /// `InvalidPolicy` for one that is not known, with those that are.
    pub fn named(names: &[String]) -> Result<Vec<Self>, Error> {
        let all = Self::all()?;
        if names.is_empty() {
            return Ok(all);
        }
        for name in names {
            if !all.iter().any(|technique| technique.is_called(name)) {
                let known: Vec<_> = all.iter().map(Self::number).collect();
                return Err(Error::new(
                    ErrorKind::InvalidPolicy,
                    format!("technique `{name}` is not known"),
                )
                .hint(format!("known are {}", known.join(", "))));
            }
        }
        let wanted = |technique: &Self| names.iter().any(|name| technique.is_called(name));
        Ok(all.into_iter().filter(wanted).collect())
    }

    /// The number in the id: `001`.
    #[must_use]
    pub fn number(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// The program without its header, as it may be shown; of one that is read as a file, all: a
    /// comment may mean something there.
    #[must_use]
    pub fn program(&self) -> String {
        if self.context == "file" {
            return self.source.trim().to_owned();
        }
        let lines = self.source.lines();
        let body: Vec<_> = lines.skip_while(|line| is_header(line)).collect();
        body.join("\n").trim().to_owned()
    }

    fn is_called(&self, name: &str) -> bool {
        name == self.id || name == self.number()
    }

    fn of(probe: &Probe) -> Option<Self> {
        if probe.expect != Expect::Specimen {
            return None;
        }
        let context = match &probe.context {
            Context::Job => return None,
            Context::Bare => "bare".to_owned(),
            Context::Helper => "helper".to_owned(),
            Context::Object(name) => format!("object:{name}"),
            Context::Builtins(names) => format!("builtins:{}", names.join(",")),
            Context::Import(names) => format!("import {}", names.join(",")),
            Context::File => "file".to_owned(),
        };
        Some(Self {
            id: probe.id.clone(),
            title: probe.technique.clone(),
            family: probe.family.clone(),
            seen_in: probe.seen_in.clone(),
            context,
            imports: matches!(probe.context, Context::Import(_)),
            min_python: probe.min_python,
            source: String::from_utf8(probe.source.clone()).ok()?,
        })
    }
}

fn is_header(line: &str) -> bool {
    line.starts_with("#   ")
        || line
            .strip_prefix("# ")
            .and_then(|rest| rest.split_once(": "))
            .is_some_and(|(key, _)| key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technique_sets_leak_and_has_a_program_without_its_header() {
        let all = Technique::all().unwrap();
        assert!(all.len() >= 58, "{}", all.len());
        for technique in &all {
            let program = technique.program();
            assert!(program.contains("leak"), "{}", technique.id);
            let whole = technique.context == "file";
            assert_eq!(
                program.contains("# id:"),
                whole,
                "{}: {program}",
                technique.id
            );
        }
    }

    #[test]
    fn a_technique_is_called_by_its_id_or_its_number() {
        let named = Technique::named(&["001".to_owned(), "escape/005".to_owned()]).unwrap();
        let ids: Vec<_> = named.iter().map(|t| t.id.as_str()).collect();
        assert_eq!(ids, ["escape/001", "escape/005"]);
        let error = Technique::named(&["999".to_owned()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPolicy);
        assert!(error.hints()[0].contains("001"), "{error:?}");
    }
}
