//! From what was typed to what is asked for: reads what the arguments name.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use stockade::{Error, ErrorKind, LimitId, Rules, Submission, value};

use crate::asked::{Asked, Terms};
use crate::flag::{Format, Request};
use crate::intake::{Intake, Pipes};

/// What `request` asks for. What takes no reading is looked at first.
///
/// # Errors
/// `InvalidPolicy` or `InvalidSubmission`, naming the argument or the file.
pub(crate) fn read(request: &Request) -> Result<Asked, Error> {
    let terms = terms(request)?;
    // What is wrong with it is told before anything is read; the schema is not part of it yet.
    let limits = terms.policy(None)?.limits_ref().clone();
    if request.job == "-" && request.input.as_deref().is_some_and(|input| input == "-") {
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            "standard input cannot be both the program and its input",
        )
        .hint("give one of them as a file"));
    }
    let schema = request.schema.as_deref().map(schema).transpose()?;
    let source = Intake {
        what: "program",
        limit: Some(LimitId::Source),
        bytes_max: limits.get(LimitId::Source),
        pipes: Pipes::Taken,
        kind: ErrorKind::InvalidSubmission,
    };
    let mut asked = Asked {
        terms,
        schema,
        source: source.read_named(&request.job)?,
        input: None,
        files: Vec::new(),
    };
    let mut left = limits.get(LimitId::Files);
    if let Some(name) = &request.input {
        let input = input(name, left)?;
        left -= input.len() as u64;
        asked.input = Some(input);
    }
    for argument in &request.files {
        let (source, destination) = split(argument)?;
        let intake = Intake {
            what: "file",
            limit: Some(LimitId::Files),
            bytes_max: left,
            pipes: Pipes::Refused,
            kind: ErrorKind::InvalidSubmission,
        };
        let content = intake.read(Path::new(source))?;
        left -= content.len() as u64;
        asked.files.push((destination, content));
    }
    if let Some(policy) = &request.check {
        checked(policy, request, &asked)?;
    }
    Ok(asked)
}

/// Checks the very bytes that will run.
fn checked(policy: &Path, request: &Request, asked: &Asked) -> Result<(), Error> {
    if asked.terms.formula {
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            "`--check` is for Python, and a formula needs none",
        )
        .hint("drop `--check`"));
    }
    let ends = |name: &str, ends: &[&str]| {
        let end = Path::new(name).extension().and_then(OsStr::to_str);
        end.is_some_and(|end| ends.contains(&end))
    };
    let mut names = asked.files.iter().map(|(name, _)| name);
    if let Some(name) = names.find(|name| ends(name, &["so", "pyc"])) {
        return Err(Error::new(
            ErrorKind::InvalidSubmission,
            format!("`{name}` is a module that is no text, which `--check` cannot read"),
        )
        .hint("hand in its source, or drop `--check`"));
    }
    let job = request.job.to_string_lossy().into_owned();
    let program = std::iter::once((job, asked.source.as_slice()));
    let modules = asked
        .files
        .iter()
        .filter(|(name, _)| ends(name, &["py"]))
        .map(|(name, content)| (name.clone(), content.as_slice()));
    crate::check::require(policy, interpreter(&asked.terms)?, program.chain(modules))
}

/// Version of the interpreter that will run it, which the template decides.
fn interpreter(terms: &Terms) -> Result<(u8, u8), Error> {
    let engine = crate::run::engine()?;
    let (plan, _) = engine.plan(&Submission::python(""), &terms.policy(None)?)?;
    let (major, minor, _) = engine.template(&plan)?.version;
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    Ok((part(major), part(minor)))
}

/// What was typed, but for what has to be read.
fn terms(request: &Request) -> Result<Terms, Error> {
    if request.no_value && (request.schema.is_some() || request.call.is_some()) {
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            "`--no-value` leaves nothing for `--schema` to check or `--call` to return",
        )
        .hint("drop `--no-value`, or the other"));
    }
    if request.no_value && request.out.is_some() && request.format == Format::Human {
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            "`--no-value` leaves nothing for `--out` to take",
        )
        .hint("send standard output there, or add `--format json` for the record"));
    }
    Ok(Terms {
        limits: request.limits.clone(),
        rung: request.rung.clone(),
        required: request.required.clone(),
        grants: request.grants.clone(),
        template: request.template.clone(),
        schema_name: request
            .schema
            .as_deref()
            .map(|path| path.display().to_string()),
        call: request.call.clone(),
        no_value: request.no_value,
        audit_content: request.audit_content,
        cold: request.cold,
        formula: Path::new(&request.job)
            .extension()
            .is_some_and(|end| end == "formula"),
    })
}

fn schema(path: &Path) -> Result<Vec<u8>, Error> {
    let intake = Intake {
        what: "schema",
        limit: None,
        bytes_max: value::SCHEMA_BYTES_MAX as u64,
        pipes: Pipes::Taken,
        kind: ErrorKind::InvalidPolicy,
    };
    intake.read(path)
}

/// Input is checked by the rules for results, so that a program never sees JSON that readers
/// disagree about.
fn input(name: &OsStr, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let intake = Intake {
        what: "input",
        limit: Some(LimitId::Files),
        bytes_max,
        pipes: Pipes::Taken,
        kind: ErrorKind::InvalidSubmission,
    };
    let bytes = intake.read_named(name)?;
    let rules = Rules {
        bytes_max: bytes.len(),
        depth_max: value::DEPTH_MAX,
    };
    if let Err(rejection) = value::read(&bytes, &rules) {
        let line = rejection.offset.map_or_else(String::new, |offset| {
            let before = bytes.iter().take(offset).filter(|byte| **byte == b'\n');
            format!(", line {}", before.count() + 1)
        });
        return Err(Error::new(
            ErrorKind::InvalidSubmission,
            format!("input `{}`{line}: {rejection}", name.display()),
        )
        .hint("the input must be one JSON value; `docs/values.md` has the rules"));
    }
    Ok(bytes)
}

/// Splits `SRC[:DEST]` at the last colon, unless a file of the whole name exists.
fn split(argument: &OsString) -> Result<(&OsStr, String), Error> {
    let bytes = argument.as_bytes();
    let colon = bytes.iter().rposition(|byte| *byte == b':');
    let whole = Path::new(argument);
    let (source, destination) = match colon {
        Some(colon) if whole.symlink_metadata().is_err() => (
            OsStr::from_bytes(&bytes[..colon]),
            Some(OsStr::from_bytes(&bytes[colon + 1..])),
        ),
        Some(_) | None => (argument.as_os_str(), whole.file_name()),
    };
    let name = destination.and_then(OsStr::to_str).ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidSubmission,
            format!(
                "file `{}` has no name that can be used below `/work`",
                argument.display()
            ),
        )
        .hint("give it one in UTF-8: `--file SRC:DEST`")
    })?;
    Ok((source, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(argument: &str) -> (String, String) {
        let argument = OsString::from(argument);
        let (source, destination) = split(&argument).unwrap();
        (source.display().to_string(), destination)
    }

    #[test]
    fn the_last_colon_separates_source_and_destination() {
        assert_eq!(parts("a/b.csv"), ("a/b.csv".into(), "b.csv".into()));
        assert_eq!(parts("a/b.csv:c/d"), ("a/b.csv".into(), "c/d".into()));
        assert_eq!(parts("a:b:c"), ("a:b".into(), "c".into()));
        assert_eq!(parts("a:"), ("a".into(), String::new()));
    }

    #[test]
    fn a_file_whose_name_has_a_colon_is_taken_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("12:30.csv");
        std::fs::write(&path, "").unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(parts(path), (path.into(), "12:30.csv".into()));
        let both = format!("{path}:x");
        assert_eq!(parts(&both), (path.into(), "x".into()));
    }

    #[test]
    fn a_name_that_is_not_utf8_needs_a_destination() {
        let odd = OsString::from(OsStr::from_bytes(b"caf\xe9.csv"));
        let refused = split(&odd).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidSubmission);
        let mut with = odd.clone();
        with.push(":cafe.csv");
        assert_eq!(split(&with).unwrap(), (odd.as_os_str(), "cafe.csv".into()));
    }
}
