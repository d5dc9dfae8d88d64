//! What must come of a probe, and what came of it, in words that can be compared.

use std::fmt;

use stockade::{ErrorKind, LimitId, Outcome, Rule};
use stockade_core::outcome::signal_name;

/// What must come of a probe behind the fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// It says of itself, on one line of JSON, that it was `DENIED`, or `found` nothing.
    Verdict,
    /// The run ends in one of these.
    Outcome(Vec<Ended>),
    /// The submission is refused before anything runs.
    Refusal(ErrorKind),
    /// A demonstration within one interpreter, which sets `leak`: behind the fence nothing that it
    /// reaches is of the trusted process.
    Specimen,
}

impl Expect {
    /// Reads the header's `expect:`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (word, rest.trim()) {
            ("verdict", "denied") | ("found", "false") => Ok(Self::Verdict),
            ("specimen", "") => Ok(Self::Specimen),
            ("outcome", rest) => alternatives(rest),
            ("error", kind) => ErrorKind::ALL
                .into_iter()
                .find(|known| known.slug() == kind)
                .map(Self::Refusal)
                .ok_or_else(|| format!("there is no error `{kind}`")),
            _ => Err(format!(
                "`{text}` is none of `verdict denied`, `found false`, `specimen`, \
                 `outcome NAME[:DETAIL]`, `error KIND`"
            )),
        }
    }
}

fn alternatives(text: &str) -> Result<Expect, String> {
    // A value may hold a bar: with one there are no alternatives.
    if text.starts_with("finished:") {
        return Ended::parse(text).map(|ended| Expect::Outcome(vec![ended]));
    }
    let parsed: Result<Vec<_>, _> = text
        .split('|')
        .map(|one| Ended::parse(one.trim()))
        .collect();
    parsed.map(Expect::Outcome)
}

/// How a run ended: the outcome, and what of it can be told beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The outcome's name.
    pub slug: &'static str,
    /// Of a limit its name, of an exit its code, of a crash the signal's name, of an exception its
    /// type, of a rejection the rule, of a finish the value as JSON.
    pub detail: Option<String>,
}

impl Ended {
    /// How `outcome` ended.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        let detail = match outcome {
            Outcome::Finished { value } => value.as_ref().map(|value| value.text().to_owned()),
            Outcome::Raised { exception, .. } => Some(exception.clone()),
            Outcome::Exited { code } => Some(code.to_string()),
            Outcome::Crashed { signal } => Some(signal_name(*signal).to_owned()),
            Outcome::LimitExceeded { limit, .. } => Some(limit.name().to_owned()),
            Outcome::ResultRejected(rejection) => Some(rejection.rule.slug().to_owned()),
            Outcome::Denied { .. } | Outcome::ProtocolViolated { .. } => None,
        };
        Self {
            slug: outcome.slug(),
            detail,
        }
    }

    /// Whether `found` is this, in all that this says.
    #[must_use]
    pub fn admits(&self, found: &Self) -> bool {
        self.slug == found.slug
            && match (&self.detail, &found.detail) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(wanted), Some(found)) if self.slug == "finished" => same_json(wanted, found),
                (Some(wanted), Some(found)) => wanted == found,
            }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let (name, detail) = match text.split_once(':') {
            Some((name, detail)) => (name, Some(detail.trim().to_owned())),
            None => (text, None),
        };
        let Some(slug) = Outcome::SLUGS.into_iter().find(|slug| *slug == name) else {
            return Err(format!(
                "there is no outcome `{name}`; there are {}",
                Outcome::SLUGS.join(", ")
            ));
        };
        if let Some(detail) = &detail {
            check(slug, detail)?;
        }
        Ok(Self { slug, detail })
    }
}

/// A detail that no run can have would make the probe fail for ever, or say nothing.
fn check(slug: &str, detail: &str) -> Result<(), String> {
    let known = match slug {
        "limit_exceeded" => LimitId::named(detail).is_some(),
        "exited" => detail.parse::<u8>().is_ok_and(|code| code > 0),
        "crashed" => (1..=31).any(|signal| signal_name(signal) == detail),
        "result_rejected" => Rule::ALL.into_iter().any(|rule| rule.slug() == detail),
        "raised" => !detail.is_empty(),
        "finished" => serde_json::from_str::<serde_json::Value>(detail).is_ok(),
        _ => false,
    };
    if known {
        Ok(())
    } else {
        Err(format!("`{slug}` cannot end in `{detail}`"))
    }
}

fn same_json(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    read(one).is_some_and(|one| read(other) == Some(one))
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{}:{detail}", self.slug),
            None => f.write_str(self.slug),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_run_can_end_in_can_be_expected() {
        for good in [
            "verdict denied",
            "found false",
            "specimen",
            "outcome limit_exceeded:cpu",
            "outcome finished",
            "outcome finished:{\"a\": [1, \"|\"]}",
            "outcome crashed:SIGSEGV | exited:3",
            "outcome result_rejected:duplicate-key",
            "error invalid_submission",
        ] {
            assert!(Expect::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "time",
            "verdict reached",
            "outcome",
            "outcome timeout",
            "outcome limit_exceeded:time",
            "outcome crashed:SIGWHAT",
            "outcome exited:0",
            "outcome finished:{",
            "outcome denied:seccomp",
            "error wrong",
        ] {
            assert!(Expect::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_detail_that_is_expected_must_be_there() {
        let cpu = Ended::parse("limit_exceeded:cpu").unwrap();
        let any = Ended::parse("limit_exceeded").unwrap();
        let wall = Ended::parse("limit_exceeded:wall").unwrap();
        assert!(cpu.admits(&cpu) && any.admits(&cpu));
        assert!(!cpu.admits(&wall) && !cpu.admits(&any));
        let value = Ended::parse("finished:{\"a\": 1}").unwrap();
        assert!(value.admits(&Ended::parse("finished:{\"a\":1}").unwrap()));
        assert!(!value.admits(&Ended::parse("finished").unwrap()));
    }
}
