//! A technique on a rung: nothing of Python's stands in its way there.

use stockade::{
    Engine, Error, ErrorKind, Language, Limits, Outcome, Policy, Record, RungSpec, Submission,
};

use crate::canary::Canary;
use crate::request::{Answer, DRIVER, Judged, Request};
use crate::technique::Technique;
use crate::verdict::{Cell, Verdict};

/// A rung that can be used on this host, and how.
#[derive(Clone, Debug)]
pub(crate) struct Usable {
    spec: &'static RungSpec,
    policy: Policy,
}

impl Usable {
    /// Runs an empty program on the rung, with the default limits or else with one process.
    ///
    /// # Errors
    /// `Refused` or `Host` when this host has not what it needs.
    pub(crate) fn find(engine: &Engine, spec: &'static RungSpec) -> Result<Self, Error> {
        let policy = |limits| Policy::default().rung(spec.name).limits(limits);
        let trial = match language(spec) {
            Language::Python => Submission::python("pass"),
            Language::Formula => Submission::formula("0"),
        };
        let usual = policy(Limits::default());
        let policy = match engine.plan(&trial, &usual) {
            Ok(_) => usual,
            Err(error) if error.kind() == ErrorKind::Refused => {
                let one = policy(Limits::default().parse("processes=1")?);
                engine.plan(&trial, &one).map_err(|_| error)?;
                one
            }
            Err(error) => return Err(error),
        };
        let record = engine.run(&trial, &policy.clone().no_value())?;
        if record.outcome.exit_code() == 0 {
            return Ok(Self { spec, policy });
        }
        let verdict = record.outcome.verdict();
        let text = format!("an empty program did not finish: {verdict}");
        Err(Error::new(ErrorKind::Host, text).hint("`stockade doctor` says more"))
    }

    /// Runs the technique as a submission. `canary` is the trusted process's; it is handed to
    /// nobody.
    pub(crate) fn cell(&self, engine: &Engine, technique: &Technique, canary: &Canary) -> Cell {
        let tried = match language(self.spec) {
            Language::Python => submission(technique, None),
            Language::Formula => Ok(Submission::formula(expression(technique))),
        };
        self.run(engine, tried, canary)
    }

    fn run(&self, engine: &Engine, tried: Result<Submission, Error>, canary: &Canary) -> Cell {
        match tried.and_then(|submission| engine.run(&submission, &self.policy)) {
            Ok(record) => judged(&record, canary),
            Err(error) => Cell::new(Verdict::Failed, error.to_string()),
        }
    }
}

/// The driver, with the technique as its input.
fn submission(technique: &Technique, secret: Option<&str>) -> Result<Submission, Error> {
    let request = Request::in_guest(technique, secret);
    let input = serde_json::to_vec(&request)
        .map_err(|error| Error::new(ErrorKind::Bug, "cannot write a request").because(error))?;
    Ok(Submission::python(DRIVER).input(input))
}

fn language(spec: &RungSpec) -> Language {
    match spec.languages {
        [Language::Formula] => Language::Formula,
        _ => Language::Python,
    }
}

/// The expression of a technique that is one, else the program as it is.
fn expression(technique: &Technique) -> String {
    let program = technique.program();
    match program.strip_prefix("leak = ") {
        Some(expression) if !expression.contains('\n') => expression.to_owned(),
        Some(_) | None => program,
    }
}

/// What came of it, decided by what came back.
fn judged(record: &Record, canary: &Canary) -> Cell {
    if came_back(record, canary) {
        let why = "the secret of the trusted process came back";
        return Cell::new(Verdict::Reached, why);
    }
    let why = match &record.outcome {
        Outcome::Finished { value: Some(value) } => match serde_json::from_str(value.text()) {
            Ok(answer) => return claimed(answer),
            Err(_) => "it is an expression of the language, and its value is data".to_owned(),
        },
        Outcome::Raised {
            exception, message, ..
        } if exception.contains('-') => {
            let first = message.lines().next().unwrap_or_default();
            format!("the language has no word for it: `{exception}` at {first}")
        }
        Outcome::Finished { value: None }
        | Outcome::Raised { .. }
        | Outcome::Exited { .. }
        | Outcome::Crashed { .. }
        | Outcome::LimitExceeded { .. }
        | Outcome::Denied { .. }
        | Outcome::ResultRejected(_)
        | Outcome::ProtocolViolated { .. } => record.outcome.verdict(),
    };
    Cell::new(Verdict::Stopped, why)
}

/// What the guest says of itself: worth telling, and no more.
fn claimed(answer: Answer) -> Cell {
    match answer.verdict {
        Judged::Inapplicable => Cell::new(Verdict::Inapplicable, answer.why),
        Judged::Stopped => Cell::new(Verdict::Stopped, format!("in the guest: {}", answer.why)),
        // The driver in the guest follows references from what was reached, as it does outside.
        Judged::Reached
            if answer.kind.as_deref() == Some("secret") || answer.secret_steps.is_some() =>
        {
            Cell {
                secret_steps: answer.secret_steps,
                ..Cell::new(Verdict::Reached, answer.why)
            }
        }
        Judged::Reached => Cell::new(
            Verdict::Stopped,
            format!(
                "in the guest, which is gone: {}; nothing of the trusted process came back",
                answer.why
            ),
        ),
    }
}

/// Whether anything that a run hands over has the canary.
fn came_back(record: &Record, canary: &Canary) -> bool {
    // The record has the value, the exception and both streams.
    canary.is_in(&record.to_json())
        || canary.is_in(&record.stdout.text())
        || canary.is_in(&record.stderr.text())
        || record
            .outcome
            .value()
            .is_some_and(|value| canary.is_in(value.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stockade::{Host, LADDER};

    fn engine() -> Engine {
        Engine::new(Host::probe().unwrap()).unwrap()
    }

    /// The detector's own control: a secret that is in the guest is found there.
    #[test]
    fn a_secret_that_is_handed_to_the_guest_comes_back_and_is_found() {
        let (engine, canary) = (engine(), Canary::new().unwrap());
        let jail = LADDER.iter().find(|rung| rung.spec().name == "jail");
        let jail = Usable::find(&engine, jail.unwrap().spec()).unwrap();
        // The first shows it as text; from what the second reaches it is some references away.
        for number in ["029", "009"] {
            let technique = Technique::named(&[number.to_owned()]).unwrap().remove(0);
            let given = submission(&technique, Some(canary.word()));
            let cell = jail.run(&engine, given, &canary);
            assert_eq!(cell.verdict, Verdict::Reached, "{}", cell.why);
            assert_eq!(cell.secret_steps.is_some(), number == "009");
            let cell = jail.cell(&engine, &technique, &canary);
            assert_eq!(cell.verdict, Verdict::Stopped, "{}", cell.why);
        }
    }

    #[test]
    fn a_word_that_is_printed_comes_back() {
        let (engine, canary) = (engine(), Canary::new().unwrap());
        let jail = LADDER.iter().find(|rung| rung.spec().name == "jail");
        let jail = Usable::find(&engine, jail.unwrap().spec()).unwrap();
        for program in [
            "print(w)",
            "import sys; sys.stderr.write(w)",
            "raise ValueError(w)",
        ] {
            let program = format!("w = '{}'\n{program}", canary.word());
            let cell = jail.run(&engine, Ok(Submission::python(program)), &canary);
            assert_eq!(cell.verdict, Verdict::Reached, "{}", cell.why);
        }
    }
}
