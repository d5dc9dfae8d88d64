//! The formula rung: nothing is started. The language is what bounds a submission, and the
//! evaluator has no `unsafe` code, no I/O and no clock.

mod spec;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::fence::Step;
use stockade_core::host::Privilege;
use stockade_core::limits::LimitId;
use stockade_core::plan::Plan;
use stockade_core::policy::ValueMode;
use stockade_core::record::sha256_hex;
use stockade_core::report::{
    Captured, Checked, Ending, Fence, FenceState, Fetched, Fired, Phase, Report, Usage,
};
use stockade_core::rung::RungSpec;
use stockade_core::template::{Origin, Template};
use stockade_core::untrusted::Untrusted;
use stockade_formula::{
    Budget, Code, Evaluated, Formula, FormulaError, LANGUAGE_VERSION, Signature,
};
use stockade_sys::clock;

use crate::{Job, Rung, Watch};

/// In the place of a process's number: there is no process.
const NO_PID: i32 = 0;

pub(crate) struct FormulaRung;

impl Rung for FormulaRung {
    fn spec(&self) -> &'static RungSpec {
        &spec::SPEC
    }

    fn namespaces(&self, _: Privilege) -> Vec<&'static str> {
        Vec::new()
    }

    fn fence(&self, _: &Job<'_>) -> Result<Vec<Step>, Error> {
        Ok(Vec::new())
    }

    fn template(&self) -> Option<Template> {
        Some(language())
    }

    fn run(&self, job: &Job<'_>, _: &mut dyn Watch) -> Result<Report, Error> {
        check(job)?;
        let start = clock::monotonic();
        let evaluated = evaluate(job);
        let us = u64::try_from(clock::monotonic().saturating_sub(start).as_micros());
        let us = us.unwrap_or(u64::MAX);
        Ok(report(job.plan, evaluated, us))
    }
}

/// What a formula finds around it: the language, by its version.
fn language() -> Template {
    Template {
        name: "formula".to_owned(),
        origin: Origin::Host,
        digest: sha256_hex(format!("stockade formula {LANGUAGE_VERSION}").as_bytes()),
        version: (LANGUAGE_VERSION, 0, 0),
        interpreter: String::new(),
        site_dir: String::new(),
        root: std::path::PathBuf::new(),
        binds: Vec::new(),
        symlinks: Vec::new(),
        env: Vec::new(),
        preload: Vec::new(),
        home: Vec::new(),
    }
}

/// Refuses what would be ignored.
fn check(job: &Job<'_>) -> Result<(), Error> {
    if !job.submission.files().is_empty() {
        return Err(
            Error::new(ErrorKind::InvalidSubmission, "a formula reads no files")
                .hint("give the data as the input"),
        );
    }
    if job.plan.call.is_some() {
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            "a formula has no functions that could be called",
        )
        .hint("leave out `--call`"));
    }
    Ok(())
}

fn evaluate(job: &Job<'_>) -> Result<Evaluated, FormulaError> {
    let formula = Formula::compile_bytes(job.submission.source(), &Signature::open())?;
    let inputs = formula.inputs_from_json(job.submission.input_bytes().unwrap_or(b"{}"))?;
    let budget = Budget {
        cost_max: job.plan.limits.get(LimitId::Cost),
        built_bytes_max: job.plan.limits.get(LimitId::Built),
        result_bytes_max: job.plan.limits.get(LimitId::Result),
    };
    formula.eval(&inputs, budget)
}

/// The limit that a formula ran into, if that is what ended it.
fn fired(error: &FormulaError) -> Option<Fired> {
    let limits = [
        (Code::Cost, LimitId::Cost),
        (Code::Built, LimitId::Built),
        (Code::ResultSize, LimitId::Result),
    ];
    let found = limits.into_iter().find(|(code, _)| *code == error.code());
    found.map(|(_, limit)| Fired::Budget(limit))
}

fn report(plan: &Plan, evaluated: Result<Evaluated, FormulaError>, us: u64) -> Report {
    let (built, detail) = match &evaluated {
        Ok(done) => (done.built, format!("{} cost units", done.cost)),
        Err(error) => (0, format!("{} cost units", error.cost())),
    };
    let fired = evaluated.as_ref().err().and_then(fired);
    let (ending, result, claim) = match evaluated {
        Ok(done) => {
            let result = match plan.value {
                ValueMode::None => Fetched::NotAsked,
                ValueMode::Required => {
                    Fetched::Bytes(Untrusted::new(done.value.to_json().into_bytes()))
                }
            };
            (Ending::Code(0), result, None)
        }
        Err(error) => (Ending::Code(1), Fetched::NotAsked, Some(claim(&error))),
    };
    Report {
        ending,
        fired,
        oom_kills: 0,
        stdout: Captured::default(),
        stderr: Captured::default(),
        result,
        main_pid: NO_PID,
        claim,
        usage: Usage {
            wall_us: us,
            // One thread that waits for nothing.
            cpu_us: us,
            memory_peak_bytes: Some(built),
            disk_bytes: Some(0),
            ..Usage::default()
        },
        fences: vec![Fence {
            name: "language".to_owned(),
            detail: format!("formula {LANGUAGE_VERSION}, {detail}"),
            state: FenceState::Applied,
        }],
        phases: vec![Phase {
            name: "evaluate",
            us,
        }],
        ahead: Vec::new(),
        warmth: None,
        teardown: vec![Checked {
            what: "values",
            found: "none left".to_owned(),
        }],
    }
}

/// The fault in the form of an exception's account.
fn claim(error: &FormulaError) -> Untrusted<Vec<u8>> {
    let text = |text: &str| stockade_formula::Value::str(text).to_json();
    let place = format!("{}:{}", error.line(), error.column());
    let hint = error.hint().unwrap_or_default();
    let account = format!(
        "{{\"pid\":{NO_PID},\"type\":{},\"message\":{},\"traceback\":{}}}",
        text(error.code().slug()),
        text(&format!("{place}: {}", error.message())),
        text(hint),
    );
    Untrusted::new(account.into_bytes())
}
