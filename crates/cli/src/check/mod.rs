//! `stockade check`: what a policy objects to in Python whose author has a name. Nothing is run.

mod shown;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use stockade::{Error, ErrorKind};
use stockade_check::{Checked, NOTICE, Policy, Profile, Rule, Severity};

use crate::flag::Format;
use crate::intake::{Intake, Pipes};
use crate::trouble::{self, Failure};
use crate::{json, terminal};

/// Exit code for arguments, a policy or a file that cannot be used.
const UNUSABLE: u8 = 2;
/// Exit code when something is found that is as bad as `--fail-on` says, or worse.
const FOUND: u8 = 1;
/// No policy may allow more.
const SOURCE_BYTES_MAX: u64 = 16 << 20;
const POLICY_BYTES_MAX: u64 = 1 << 20;

#[derive(Debug, Args)]
pub(crate) struct Request {
    /// The Python files; `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["explain", "show_policy"])]
    pub(crate) files: Vec<OsString>,

    /// What may be written, as TOML; it says itself which profile it extends
    #[arg(long, value_name = "P.toml")]
    pub(crate) policy: Option<PathBuf>,

    /// A policy that comes with this build
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "policy",
        default_value = Profile::NotebookPure.name(),
        value_parser = Profile::ALL.map(Profile::name),
    )]
    pub(crate) profile: String,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    pub(crate) output_format: Output,

    /// Least severity that fails the check; the policy's `fail-on` where it is not given
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<FailOn>,

    /// Print the page of a rule, as in `PY201`, or the list of `all`, and stop
    #[arg(long, value_name = "RULE", conflicts_with_all = ["files", "show_policy"])]
    pub(crate) explain: Option<String>,

    /// Print the policy, every allowed name in it, and stop
    #[arg(long, conflicts_with = "files")]
    pub(crate) show_policy: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// With the line of the source
    #[default]
    Full,
    /// A line a finding
    Concise,
    /// One JSON document
    Json,
    /// A JSON document a finding, and a last one
    JsonLines,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// Commands that GitHub shows beside the lines of a change
    Github,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Note,
    Warning,
    Error,
}

impl FailOn {
    fn severity(self) -> Severity {
        match self {
            Self::Note => Severity::Note,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
        }
    }
}

impl Request {
    /// The form in which errors are told as well.
    pub(crate) fn format(&self) -> Format {
        match self.output_format {
            Output::Json | Output::JsonLines => Format::Json,
            Output::Full | Output::Concise | Output::Sarif | Output::Github => Format::Human,
        }
    }
}

/// Checks the files, prints what was found, gives the exit code.
pub(crate) fn check(request: &Request) -> Result<u8, Failure> {
    match checked(request) {
        Err(Failure::Error(error)) if is_usage(error.kind()) => {
            trouble::report(&error, request.format());
            Ok(UNUSABLE)
        }
        ended => ended,
    }
}

/// The exit code of arguments that could not be read: linters have another one than the rest of
/// this command.
pub(crate) fn exit_code(code: u8) -> u8 {
    let of_check = std::env::args_os()
        .nth(1)
        .is_some_and(|name| name == "check");
    if of_check && code == ErrorKind::InvalidPolicy.exit_code() {
        UNUSABLE
    } else {
        code
    }
}

fn is_usage(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidPolicy | ErrorKind::InvalidSubmission
    )
}

fn checked(request: &Request) -> Result<u8, Failure> {
    if let Some(rule) = &request.explain {
        terminal::print(&explained(rule)?)?;
        return Ok(0);
    }
    let policy = match &request.policy {
        Some(path) => policy(path)?,
        // The arguments were read against the names.
        None => profile(Profile::named(&request.profile).unwrap_or(Profile::NotebookPure))?,
    };
    if request.show_policy {
        terminal::print(&format!("{}\n# {NOTICE}\n", policy.show()))?;
        return Ok(0);
    }
    let fail_on = request.fail_on.map_or(policy.fail_on(), FailOn::severity);
    let mut files = Vec::with_capacity(request.files.len());
    let mut failed = false;
    let mut text = String::new();
    for name in &request.files {
        let source = source(name)?;
        let name = name.to_string_lossy().into_owned();
        let report = stockade_check::check(&name, &source, &policy);
        failed |= report.fails(fail_on);
        let one = Checked { name, report };
        match request.output_format {
            Output::Full => shown::full(&one, &source, &mut text),
            Output::Concise => shown::concise(&one, &mut text),
            Output::Github => shown::github(&one, &mut text),
            Output::Json | Output::JsonLines | Output::Sarif => {}
        }
        files.push(one);
    }
    match request.output_format {
        Output::Full | Output::Concise | Output::Github => {
            text.push_str(&shown::summary(&files));
            terminal::print(&text)?;
        }
        Output::Json => terminal::print_json(&stockade_check::json(&files))?,
        Output::Sarif => terminal::print_json(&stockade_check::sarif(&files))?,
        Output::JsonLines => {
            for line in stockade_check::json_lines(&files) {
                text.extend([json::printable(&line.to_string()), "\n".to_owned()]);
            }
            terminal::print(&text)?;
        }
    }
    Ok(if failed { FOUND } else { 0 })
}

fn source(name: &OsStr) -> Result<Vec<u8>, Error> {
    let intake = Intake {
        what: "program",
        limit: None,
        bytes_max: SOURCE_BYTES_MAX,
        pipes: Pipes::Taken,
        kind: ErrorKind::InvalidSubmission,
    };
    intake.read_named(name)
}

fn profile(profile: Profile) -> Result<Policy, Error> {
    Policy::profile(profile).map_err(|error| {
        let name = profile.name();
        Error::new(
            ErrorKind::Bug,
            format!("the profile `{name}` of this build: {error}"),
        )
    })
}

fn policy(path: &Path) -> Result<Policy, Error> {
    let intake = Intake {
        what: "policy",
        limit: None,
        bytes_max: POLICY_BYTES_MAX,
        pipes: Pipes::Taken,
        kind: ErrorKind::InvalidPolicy,
    };
    let invalid = |why: String| {
        let shown = path.display();
        Error::new(ErrorKind::InvalidPolicy, format!("policy `{shown}`: {why}"))
            .hint("`stockade check --show-policy` prints a whole one")
    };
    let text = String::from_utf8(intake.read(path)?).map_err(|error| invalid(error.to_string()))?;
    Policy::parse(&text).map_err(|error| invalid(error.to_string()))
}

fn explained(name: &str) -> Result<String, Error> {
    if name == "all" {
        return Ok(shown::rules());
    }
    let rule = Rule::named(name).ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidPolicy,
            format!("there is no rule `{name}`"),
        )
        .hint("`stockade check --explain all` lists them")
    })?;
    Ok(shown::page(rule))
}

/// Refuses to run what the policy at `path` objects to, or what an interpreter of this version
/// cannot read: the program, and each file that a program could import. The bytes that are looked
/// at are those that will run.
///
/// # Errors
/// `InvalidPolicy` for the policy, `InvalidSubmission` for what was found.
pub(crate) fn require<'a>(
    path: &Path,
    (major, minor): (u8, u8),
    sources: impl Iterator<Item = (String, &'a [u8])>,
) -> Result<(), Error> {
    let policy = policy(path)?.for_interpreter(major, minor);
    for (name, source) in sources {
        let report = stockade_check::check(&name, source, &policy);
        if !report.fails(policy.fail_on()) {
            continue;
        }
        let fails = |severity, suppressed: bool| severity >= policy.fail_on() && !suppressed;
        let mut failing = report
            .findings
            .iter()
            .filter(|one| fails(one.severity, one.suppressed.is_some()));
        let first = failing.next().map(|one| {
            let place = one.start;
            format!("line {}: {} ({})", place.line, one.message, one.rule)
        });
        let others = failing.count() + report.more;
        let more = if others > 0 {
            format!(", and {others} more")
        } else {
            String::new()
        };
        let shown = path.display();
        return Err(Error::new(
            ErrorKind::InvalidSubmission,
            format!(
                "`{name}` does not pass `{shown}`: {}{more}",
                first.unwrap_or_default()
            ),
        )
        .hint(format!(
            "`stockade check {name} --policy {shown}` shows all of it"
        ))
        .hint(format!("the check is {NOTICE}")));
    }
    Ok(())
}
