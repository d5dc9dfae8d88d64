//! One record per run, whatever happened.

mod digest;
mod json;

pub use digest::{Digest, sha256_hex};
pub use json::rfc3339;

use crate::error::ErrorKind;
use crate::guarantee::Guarantee;
use crate::host::Proof;
use crate::limits::{LimitId, Limits};
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::policy::{Policy, Retain};
use crate::report::{Captured, Checked, Fence, Phase, Report, Usage, Warmth};
use crate::rung::Enforcement;
use crate::submission::Submission;
use crate::template::Template;

/// Version of the record's form, in records and audit lines.
pub const RECORD_VERSION: u32 = 1;

/// What is kept after the guest is gone.
#[derive(Debug)]
pub struct Record {
    /// Unique on this host.
    pub run: String,
    /// When the run started, by the wall clock, ms since 1970 in UTC.
    pub started_ms: u64,
    /// What came in.
    pub submission: Received,
    /// Digest of the schema, SHA-256 in hex.
    pub schema: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// What was used.
    pub usage: Usage,
    /// What was in force, and how that is known.
    pub evidence: Evidence,
    /// What it cost.
    pub cost: Cost,
    /// Settings that did not do what they seem to.
    pub warnings: Vec<String>,
    retain: Retain,
}

/// What came in, by digest and size.
#[derive(Clone, Debug)]
pub struct Received {
    /// `python`, `formula`.
    pub language: &'static str,
    /// The source.
    pub source: Digest,
    /// The source itself, where the policy keeps it.
    pub source_text: Option<String>,
    /// The input value.
    pub input: Option<Digest>,
    /// The files, by path.
    pub files: Vec<(String, Digest)>,
}

/// What was in force, and how that is known.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The rung that ran it.
    pub rung: &'static str,
    /// What that rung promises.
    pub guarantees: &'static [Guarantee],
    /// What the policy required.
    pub required: Vec<Guarantee>,
    /// Name, digest and interpreter version of the template.
    pub template: (String, String, (u32, u32, u32)),
    /// The limits.
    pub limits: Limits,
    /// How each was enforced.
    pub enforcement: Vec<(LimitId, Enforcement)>,
    /// Each fence, with how it was applied and checked in this run.
    pub fences: Vec<Fence>,
    /// What was looked at after the end.
    pub teardown: Vec<Checked>,
    /// Where the time went.
    pub phases: Vec<Phase>,
    /// Where it went before the submission came, of a warm start.
    pub ahead: Vec<Phase>,
    /// Of a warm start, whose.
    pub warmth: Option<Warmth>,
    /// What attacking the rung on this host has shown; `None` where nobody has tried.
    pub proof: Option<Proof>,
}

/// What a run cost, by the prices in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Billionths of a US dollar.
    pub nano_usd: u64,
}

/// What an hour costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// An hour of one CPU, in millionths of a US dollar.
    pub cpu_hour_micro_usd: u64,
    /// An hour of one GiB, in millionths of a US dollar.
    pub gib_hour_micro_usd: u64,
}

impl Default for Prices {
    /// 0.054 USD and 0.0162 USD (the design's cost model).
    fn default() -> Self {
        Self {
            cpu_hour_micro_usd: 54_000,
            gib_hour_micro_usd: 16_200,
        }
    }
}

impl Prices {
    /// CPU seconds that were burned and the peak of memory held for the run's wall time.
    #[must_use]
    pub fn of(self, usage: &Usage) -> Cost {
        const HOUR_US: u128 = 3_600_000_000;
        let cpu = u128::from(usage.cpu_us) * u128::from(self.cpu_hour_micro_usd) * 1_000 / HOUR_US;
        let memory = u128::from(usage.memory_peak_bytes.unwrap_or(0)) * u128::from(usage.wall_us)
            / (1 << 30)
            * u128::from(self.gib_hour_micro_usd)
            * 1_000
            / HOUR_US;
        Cost {
            nano_usd: u64::try_from(cpu + memory).unwrap_or(u64::MAX),
        }
    }
}

/// When a run started and what it is called.
#[derive(Clone, Debug)]
pub struct Start {
    /// Unique on this host.
    pub run: String,
    /// ms since 1970 in UTC.
    pub started_ms: u64,
}

impl Record {
    /// Puts together what was asked, planned, measured and decided.
    #[must_use]
    pub fn new(
        start: Start,
        submission: &Submission,
        policy: &Policy,
        plan: &Plan,
        template: &Template,
        report: Report,
        outcome: Outcome,
    ) -> Self {
        Self {
            run: start.run,
            started_ms: start.started_ms,
            submission: Received::of(submission, policy.retain),
            schema: policy
                .schema_ref()
                .map(|schema| digest::hex(&schema.digest())),
            outcome,
            stdout: report.stdout,
            stderr: report.stderr,
            cost: Prices::default().of(&report.usage),
            usage: report.usage,
            evidence: Evidence {
                rung: plan.rung,
                guarantees: plan.guarantees,
                required: policy.required.clone(),
                template: (
                    template.name.clone(),
                    template.digest.clone(),
                    template.version,
                ),
                limits: plan.limits.clone(),
                enforcement: plan.enforcement.clone(),
                fences: report.fences,
                teardown: report.teardown,
                phases: report.phases,
                ahead: report.ahead,
                warmth: report.warmth,
                proof: plan.proof.clone(),
            },
            warnings: plan.warnings.clone(),
            retain: policy.retain,
        }
    }

    /// The whole record as JSON, value and output included; what `--format json` prints.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::whole(self).to_string()
    }

    /// The record as it goes to the audit file: content by digest and size, unless the policy
    /// keeps it.
    #[must_use]
    pub fn to_audit(&self) -> serde_json::Value {
        json::audited(self)
    }
}

impl Received {
    fn of(submission: &Submission, retain: Retain) -> Self {
        Self {
            language: submission.language().slug(),
            source: Digest::of(submission.source()),
            source_text: match retain {
                Retain::Digest => None,
                Retain::Content => Some(String::from_utf8_lossy(submission.source()).into_owned()),
            },
            input: submission.input_bytes().map(Digest::of),
            files: submission
                .files()
                .iter()
                .map(|file| (file.path().to_owned(), Digest::of(file.content())))
                .collect(),
        }
    }
}

/// The record of a run that gave no outcome, for the audit file.
#[must_use]
pub fn failed(
    start: &Start,
    submission: &Submission,
    kind: ErrorKind,
    message: &str,
) -> serde_json::Value {
    json::failed(
        start,
        &Received::of(submission, Retain::Digest),
        kind,
        message,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_cpu_and_a_gib_hour_cost_their_price() {
        let hour = Usage {
            wall_us: 3_600_000_000,
            cpu_us: 3_600_000_000,
            memory_peak_bytes: Some(1 << 30),
            ..Usage::default()
        };
        assert_eq!(
            Prices::default().of(&hour).nano_usd,
            54_000_000 + 16_200_000
        );
    }
}
