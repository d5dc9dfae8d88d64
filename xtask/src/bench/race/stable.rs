//! The engine under measurement, with its children waiting.

use std::path::Path;
use std::time::{Duration, Instant};

use stockade::template::Silent;
use stockade::{Engine, Host, Outcome, Policy, Record, Submission};

use super::job::Job;

/// An engine that keeps children for one job.
#[derive(Debug)]
pub(crate) struct Stable {
    engine: Engine,
    submission: Submission,
    policy: Policy,
}

/// What follows an answer: the destruction of what is left, and the making of another child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct After {
    pub(crate) burial: Duration,
    pub(crate) refill: Duration,
}

impl Stable {
    /// Keeps `depth` children for `job`.
    pub(crate) fn new(job: &Job, depth: usize) -> Result<Self, String> {
        let engine = engine()?;
        let policy = job.policy.clone();
        engine.warm(&policy, depth).map_err(plain)?;
        Ok(Self {
            engine,
            submission: job.submission(),
            policy,
        })
    }

    /// One warm run, whose value is what it must be.
    pub(crate) fn once(&self) -> Result<(Duration, Record), String> {
        let begun = Instant::now();
        let record = self.engine.run(&self.submission, &self.policy);
        let took = begun.elapsed();
        let record = finished(record.map_err(plain)?)?;
        match record.evidence.warmth {
            Some(_) => Ok((took, record)),
            None => Err(format!("run {} was not warm", record.run)),
        }
    }

    /// The number that another submission gives as its value.
    pub(crate) fn number(&self, submission: &Submission) -> Result<u64, String> {
        let policy = Policy::default()
            .rung("jail")
            .template(self.policy.template_name());
        self.rest()?;
        let record = self.engine.run(submission, &policy).map_err(plain)?;
        let record = finished(record)?;
        let value = record
            .outcome
            .value()
            .and_then(|value| value.tree().as_u64());
        value.ok_or_else(|| format!("run {} gave no number", record.run))
    }

    /// Waits until nothing of a run is left and all children wait again.
    pub(crate) fn rest(&self) -> Result<After, String> {
        let begun = Instant::now();
        let left = self.engine.settle();
        let burial = begun.elapsed();
        if !left.is_empty() {
            return Err(format!("could not be removed: {}", left.join("; ")));
        }
        self.engine.replenish().map_err(plain)?;
        Ok(After {
            burial,
            refill: begun.elapsed().saturating_sub(burial),
        })
    }
}

fn engine() -> Result<Engine, String> {
    Engine::new(Host::probe().map_err(plain)?).map_err(plain)
}

/// Builds a template that comes with Stockade, or finds it built.
pub(crate) fn build(name: &str) -> Result<(), String> {
    let built = engine()?.build_template(Path::new(name), None, &mut Silent);
    built.map(drop).map_err(plain)
}

/// Where on the host the packages of a template are.
pub(crate) fn packages(job: &Job) -> Result<std::path::PathBuf, String> {
    let engine = engine()?;
    let (plan, _) = engine.plan(&job.submission(), &job.policy).map_err(plain)?;
    let template = engine.template(&plan).map_err(plain)?;
    let inside = Path::new(&template.site_dir);
    let bound = template
        .binds
        .iter()
        .filter_map(|bind| Some((bind, inside.strip_prefix(&bind.target).ok()?)))
        .map(|(bind, rest)| bind.source.join(rest));
    let copied = inside
        .strip_prefix("/")
        .map(|rest| template.root.join(rest));
    bound
        .chain(copied)
        .find(|place| place.join("pandas").is_dir())
        .ok_or_else(|| format!("no `pandas` in `{}`", template.site_dir))
}

fn finished(record: Record) -> Result<Record, String> {
    if let Outcome::Finished { .. } = record.outcome {
        return Ok(record);
    }
    Err(format!(
        "run {}: {}: {}",
        record.run,
        record.outcome.verdict(),
        record.stderr.text()
    ))
}

/// An error with its hints.
#[allow(
    clippy::needless_pass_by_value,
    reason = "`map_err` hands the error over"
)]
pub(crate) fn plain(error: stockade::Error) -> String {
    let mut text = error.to_string();
    for hint in error.hints() {
        text.push_str("; ");
        text.push_str(hint);
    }
    text
}
