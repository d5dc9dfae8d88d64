//! One rung, tried with a program of one word.

use stockade::facts::Fault;
use stockade::report::Fence;
use stockade::{
    Engine, Error, ErrorKind, Language, LimitId, Limits, Outcome, Policy, RungSpec, Submission,
};

/// What came of the trial of one rung.
pub(super) struct Trial {
    pub(super) spec: &'static RungSpec,
    pub(super) usable: Result<Usable, Fault>,
}

/// A rung that ran a program to its end and was gone after it.
pub(super) struct Usable {
    /// The fences in force, as they were checked in the trial.
    pub(super) fences: Vec<Fence>,
    /// Microseconds from the start of the program to its end.
    pub(super) wall_us: u64,
    /// What the rung needs here that it does not need elsewhere.
    pub(super) only: Option<Fault>,
}

/// Tries a rung with the default limits, then with one process, for which rlimits suffice.
pub(super) fn run(engine: &Engine, spec: &'static RungSpec) -> Trial {
    let usable = match (spec.missing)(engine.host().facts()) {
        Some(fault) => Err(fault),
        None => run_with(engine, spec, Limits::default()).or_else(|error| {
            let fault = fault(&error);
            // A plan that is refused for its limits has tried no step.
            if error.kind() != ErrorKind::Refused || error.failed_step().is_some() {
                return Err(fault);
            }
            let one = Limits::default()
                .parse("processes=1")
                .and_then(|limits| run_with(engine, spec, limits));
            match one {
                Ok(usable) => Ok(Usable {
                    only: Some(fault),
                    ..usable
                }),
                Err(other) => Err(self::fault(&other)),
            }
        }),
    };
    Trial { spec, usable }
}

/// A program of one word in the rung's language.
fn word(spec: &RungSpec) -> Submission {
    if spec.languages.contains(&Language::Python) {
        Submission::python("pass")
    } else {
        Submission::formula("0")
    }
}

fn run_with(engine: &Engine, spec: &RungSpec, limits: Limits) -> Result<Usable, Error> {
    let policy = Policy::default().rung(spec.name).limits(limits).no_value();
    let record = engine.run(&word(spec), &policy)?;
    match &record.outcome {
        Outcome::Finished { .. } => Ok(Usable {
            fences: record.evidence.fences,
            wall_us: record.usage.wall_us,
            only: None,
        }),
        Outcome::LimitExceeded { limit, .. } => Err(unexpected(&record)
            .hint(format!(
                "`{}` of {} does not even hold an empty program here: the machine is overloaded",
                limit.name(),
                record.evidence.limits.amount(*limit)
            ))
            .hint("try again when less is going on")),
        Outcome::Raised { .. }
        | Outcome::Exited { .. }
        | Outcome::Crashed { .. }
        | Outcome::Denied { .. }
        | Outcome::ResultRejected(_)
        | Outcome::ProtocolViolated { .. } => Err(unexpected(&record)
            .hint("try another interpreter: `STOCKADE_PYTHON=PATH`")
            .hint("report it, with what `stockade run - --no-value -v </dev/null` prints")),
    }
}

/// An empty program did not end as one does.
fn unexpected(record: &stockade::Record) -> Error {
    let said = record.stderr.text();
    let last = said.lines().last().unwrap_or_default();
    let verdict = record.outcome.verdict();
    Error::new(
        ErrorKind::Host,
        format!("an empty program did not finish: {verdict} {last}"),
    )
    .at_step("program", 0)
}

fn fault(error: &Error) -> Fault {
    let (step, errno) = error.failed_step().unwrap_or(match error.kind() {
        // What cannot be enforced here is a limit over the whole guest.
        ErrorKind::Refused => ("plan", 0),
        ErrorKind::InvalidSubmission
        | ErrorKind::InvalidPolicy
        | ErrorKind::Busy
        | ErrorKind::Cancelled
        | ErrorKind::Host
        | ErrorKind::Bug => ("run", 0),
    });
    Fault {
        step: step.to_owned(),
        errno,
        cause: error.to_string(),
        remedies: error.hints().to_vec(),
    }
}

/// The limit that a rung may be usable under alone.
pub(super) fn condition() -> String {
    format!("--limit {}=1", LimitId::Processes.name())
}
