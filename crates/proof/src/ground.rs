//! Where probes are run.

use stockade::report::Captured;
use stockade::{
    Enforcement, Engine, Error, ErrorKind, Guarantee, LimitId, Limits, Outcome, Policy, Record,
    RungSpec, Submission,
};

use crate::expect::Ended;

/// A place that is attacked: a rung, or what stands in for one.
pub trait Ground: Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// What it promises.
    fn guarantees(&self) -> &[Guarantee];

    /// Whether processes and memory are fenced for the whole guest, so that a probe may be armed.
    fn is_fenced(&self) -> bool;

    /// Runs one program to its end.
    ///
    /// # Errors
    /// When the place could not do so; what the program did is in [`Ran`].
    fn run(&self, job: &Job<'_>) -> Result<Ran, Error>;
}

/// One program to run.
#[derive(Debug)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a [u8],
    /// What it may use up.
    pub limits: &'a Limits,
    /// Its input, JSON.
    pub input: Option<&'a str>,
    /// Whether it owes a value.
    pub value: bool,
}

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub ended: End,
    /// Its standard output, as far as it was kept.
    pub stdout: String,
    /// Last line of its standard error.
    pub stderr: String,
    /// Whether output of it was dropped.
    pub dropped: bool,
    /// Bounds that hold whatever a program does, and did not.
    pub broken: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// In an outcome.
    Outcome(Ended),
    /// It was refused before it ran.
    Refused(ErrorKind),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Outcome(ended) => ended.fmt(f),
            Self::Refused(kind) => write!(f, "error {}", kind.slug()),
        }
    }
}

/// A rung of an engine.
#[derive(Debug)]
pub struct OnRung<'a> {
    engine: &'a Engine,
    spec: &'static RungSpec,
}

impl<'a> OnRung<'a> {
    /// The rung called `name`; `None` where `engine` has none.
    #[must_use]
    pub fn named(engine: &'a Engine, name: &str) -> Option<Self> {
        let spec = engine.rung(name)?.spec();
        Some(Self { engine, spec })
    }

    /// What the rung says of itself.
    #[must_use]
    pub fn spec(&self) -> &'static RungSpec {
        self.spec
    }
}

impl Ground for OnRung<'_> {
    fn name(&self) -> &str {
        self.spec.name
    }

    fn guarantees(&self) -> &[Guarantee] {
        self.spec.guarantees
    }

    fn is_fenced(&self) -> bool {
        let facts = self.engine.host().facts();
        [LimitId::Processes, LimitId::Memory].into_iter().all(|id| {
            match (self.spec.enforcement)(id, facts) {
                Enforcement::WholeGuest { .. } => true,
                Enforcement::PerProcess { .. } | Enforcement::Nothing { .. } => false,
            }
        })
    }

    fn run(&self, job: &Job<'_>) -> Result<Ran, Error> {
        let mut submission = Submission::python(job.program);
        if let Some(input) = job.input {
            submission = submission.input(input);
        }
        let mut policy = Policy::default()
            .rung(self.spec.name)
            .limits(job.limits.clone())
            .cold();
        if !job.value {
            policy = policy.no_value();
        }
        match self.engine.run(&submission, &policy) {
            Ok(record) => Ok(ran(&record, job.limits)),
            Err(error) if error.kind() == ErrorKind::InvalidSubmission => Ok(Ran {
                ended: End::Refused(error.kind()),
                stdout: String::new(),
                stderr: error.to_string(),
                dropped: false,
                broken: Vec::new(),
            }),
            Err(error) => Err(error),
        }
    }
}

fn ran(record: &Record, limits: &Limits) -> Ran {
    let stderr = record.stderr.text();
    Ran {
        ended: End::Outcome(Ended::of(&record.outcome)),
        stdout: record.stdout.text(),
        stderr: stderr.lines().last().unwrap_or_default().to_owned(),
        dropped: record.stdout.is_truncated() || record.stderr.is_truncated(),
        broken: broken(record, limits),
    }
}

/// Looks at what must hold of every record.
fn broken(record: &Record, limits: &Limits) -> Vec<String> {
    let mut broken = Vec::new();
    let kept = |captured: &Captured| captured.kept.len() as u64;
    for (id, kept) in [
        (LimitId::Stdout, kept(&record.stdout)),
        (LimitId::Stderr, kept(&record.stderr)),
    ] {
        if kept > limits.get(id) {
            broken.push(format!("{kept} bytes were kept of `{}`", id.name()));
        }
    }
    if let Outcome::Finished { value: Some(value) } = &record.outcome {
        let bytes = value.text().len() as u64;
        if bytes > limits.get(LimitId::Result) {
            broken.push(format!("a value of {bytes} bytes was accepted"));
        }
    }
    let promised = record.evidence.guarantees;
    if promised.contains(&Guarantee::VerifiedTeardown) && record.evidence.teardown.is_empty() {
        broken.push("nothing was looked at after the end".to_owned());
    }
    // A peak is read by the page and charged in batches.
    let room = limits.get(LimitId::Memory) + (1 << 20);
    if let Some(peak) = record.usage.memory_peak_bytes.filter(|peak| *peak > room) {
        broken.push(format!("{peak} bytes of memory were used"));
    }
    broken
}
