//! Runs the corpus against a place: each probe after its control, several at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;
use stockade::facts::{Facts, Privilege};
use stockade::template::{self, Search};
use stockade::{Engine, Error, ErrorKind, Guarantee, LimitId, Limits};
use stockade_core::record::sha256_hex;
use stockade_sys::clock;

use crate::card::{Card, Finding};
use crate::control::{Controlled, Outside};
use crate::corpus::Corpus;
use crate::expect::{Ended, Expect};
use crate::ground::{End, Ground, Job, OnRung, Ran};
use crate::probe::{Attack, Control, Need, Probe};
use crate::specimen::{self, Within};
use crate::verdict::{Verdict, verdict};

/// What probes may use up, where their headers say nothing else; see `escape/README.md`.
const LIMITS: [&str; 8] = [
    "wall=10s",
    "grace=500ms",
    "cpu=1s",
    "memory=128MiB",
    "processes=16",
    "disk=16MiB",
    "file_size=8MiB",
    "open_files=64",
];

/// Where rlimits alone bound each process: the planner refuses more.
const ONE: &str = "processes=1";

/// What Python says where no process or thread can be had.
const ALONE: [&str; 3] = [
    "BlockingIOError",
    "can't start new thread",
    "Resource temporarily unavailable",
];

/// For a probe that is to run into it.
const WALL: &str = "wall=2s";

/// For a probe that ran into it and was not to: the machine may have had other things to do.
const WALL_AGAIN: &str = "wall=30s";

/// Probes at once, for each processor: most of them wait most of the time.
const AT_ONCE: usize = 3;

/// The `input` of a probe that must know the host.
const OF_HOST: &str = "host";

/// The rung that controls are run on.
const PROCESS: &str = "process";

/// Attacks the places of one host.
#[derive(Debug)]
pub struct Prover<'a> {
    corpus: &'a Corpus,
    engine: &'a Engine,
    interpreter: PathBuf,
    version: (u32, u32),
    secret: String,
    /// What a probe must know of the host, JSON.
    of_host: String,
    /// What came of the controls, by the ids of their probes.
    controls: Mutex<BTreeMap<String, Controlled>>,
}

impl<'a> Prover<'a> {
    /// One for `corpus` on the host of `engine`, which refuses no rung for what got through it
    /// before.
    ///
    /// # Errors
    /// Those of preparing the template `python`.
    pub fn new(engine: &'a Engine, corpus: &'a Corpus) -> Result<Self, Error> {
        let template = template::prepare("python", engine.paths().cache(), &Search::from_env())?;
        let (major, minor, _) = template.version;
        let now = format!("{:?} {}", clock::wall(), std::process::id());
        Ok(Self {
            corpus,
            engine,
            interpreter: PathBuf::from(&template.interpreter),
            version: (major, minor),
            // Nobody need guess it: it must be nowhere else.
            secret: sha256_hex(now.as_bytes()),
            of_host: of_host(),
            controls: Mutex::default(),
        })
    }

    /// Runs the probes that `wanted` picks against `ground`. `told` hears how many are done, of how
    /// many, and what the last one was.
    pub fn prove(
        &self,
        ground: &dyn Ground,
        wanted: &dyn Fn(&Probe) -> bool,
        told: &(dyn Fn(usize, usize, &str) + Sync),
    ) -> Card<'a> {
        let started = clock::monotonic();
        let mut probes: Vec<_> = self.corpus.probes().iter().filter(|p| wanted(p)).collect();
        // Those that take longest first, so that none is left alone at the end.
        probes.sort_by_key(|probe| !takes_long(probe));
        let findings = Mutex::new(Vec::with_capacity(probes.len()));
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(probe) = probes.get(next.fetch_add(1, Ordering::Relaxed)) {
                let finding = self.find(ground, probe, false);
                let mut findings = findings.lock().unwrap_or_else(PoisonError::into_inner);
                findings.push(finding);
                told(findings.len(), probes.len(), &probe.id);
            }
        };
        let cpus = usize::try_from(self.engine.host().facts().cpus).unwrap_or(1);
        thread::scope(|scope| {
            for _ in 0..cpus.saturating_mul(AT_ONCE).max(1) {
                scope.spawn(work);
            }
        });
        let mut findings = findings
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        for finding in &mut findings {
            if finding.out_of_time {
                *finding = self.find(ground, finding.probe, true);
            }
        }
        findings.sort_by(|one, other| one.probe.path.cmp(&other.probe.path));
        Card {
            rung: ground.name().to_owned(),
            promised: ground.guarantees().to_vec(),
            findings,
            took: clock::monotonic().saturating_sub(started),
        }
    }

    fn find(&self, ground: &dyn Ground, probe: &'a Probe, again: bool) -> Finding<'a> {
        let started = clock::monotonic();
        let mut finding = self.found(ground, probe, again);
        finding.took = clock::monotonic().saturating_sub(started);
        finding
    }

    fn found(&self, ground: &dyn Ground, probe: &'a Probe, again: bool) -> Finding<'a> {
        let mut finding = Finding {
            probe,
            promised: probe.is_owed(ground.guarantees()),
            control: Controlled::Untried("the probe was not run".to_owned()),
            verdict: Verdict::Skipped(String::new()),
            took: Duration::ZERO,
            out_of_time: false,
        };
        if let Some(reason) = self.skip(ground, probe) {
            finding.verdict = Verdict::Skipped(reason);
            return finding;
        }
        finding.control = self.control(probe);
        match &finding.control {
            Controlled::Shown | Controlled::Untried(_) => {}
            Controlled::Absent(what) => {
                finding.verdict = Verdict::Skipped(format!("it is not on this host: {what}"));
                return finding;
            }
            Controlled::Failed(how) => {
                finding.verdict = Verdict::Failed(format!("its control failed: {how}"));
                return finding;
            }
        }
        match self.run(ground, probe, again) {
            Ok(ran) => {
                finding.verdict = verdict(probe, &ran);
                if !ground.is_fenced() && finding.verdict != Verdict::Held && wants_others(&ran) {
                    let text = "it needs several processes, and no fence holds them together here";
                    finding.verdict = Verdict::Skipped(text.to_owned());
                }
                finding.out_of_time = !again && finding.verdict != Verdict::Held && in_wall(&ran);
            }
            Err(error) => finding.verdict = unrun(&error),
        }
        finding
    }

    /// Why `probe` says nothing here, if it does not.
    fn skip(&self, ground: &dyn Ground, probe: &Probe) -> Option<String> {
        if let Some(wanted) = probe.min_python.filter(|wanted| *wanted > self.version) {
            let (have, want) = (self.version, wanted);
            return Some(format!(
                "it needs Python {}.{}, and the template has {}.{}",
                want.0, want.1, have.0, have.1
            ));
        }
        let facts = self.engine.host().facts();
        if let Some(need) = probe.needs.iter().find(|need| !is_met(**need, facts)) {
            return Some(format!("this host has no `{}`", need.slug()));
        }
        if probe.armed && !ground.is_fenced() {
            return Some("it is armed, and no fence over all processes or memory holds".to_owned());
        }
        let by_nature = [Guarantee::SeparateKernel, Guarantee::TotalLanguage];
        let lacking = by_nature.into_iter().find(|guarantee| {
            probe.attacks.contains(&Attack::Guarantee(*guarantee))
                && !ground.guarantees().contains(guarantee)
        });
        lacking.map(|guarantee| format!("`{}` is not promised here", guarantee.slug()))
    }

    /// The probe where nothing holds it, once for all places.
    fn control(&self, probe: &Probe) -> Controlled {
        let known = |controls: &BTreeMap<String, Controlled>| controls.get(&probe.id).cloned();
        let lock = || self.controls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(controlled) = known(&lock()) {
            return controlled;
        }
        let controlled = match &probe.control {
            Control::None(reason) => Controlled::Untried(reason.clone()),
            Control::Outside => Outside {
                interpreter: &self.interpreter,
                secret: &self.secret,
            }
            .control(probe, self.input(probe)),
            Control::Process => self.on_process(probe),
        };
        lock().insert(probe.id.clone(), controlled.clone());
        controlled
    }

    fn on_process(&self, probe: &Probe) -> Controlled {
        let Some(rung) = OnRung::named(self.engine, PROCESS) else {
            return Controlled::Untried(format!("there is no rung `{PROCESS}`"));
        };
        if let Some(fault) = (rung.spec().missing)(self.engine.host().facts()) {
            return Controlled::Untried(format!("rung `{PROCESS}`: {}", fault.cause));
        }
        if probe.armed && !rung.is_fenced() {
            return Controlled::Untried(format!("rung `{PROCESS}` does not fence it here"));
        }
        match self.run(&rung, probe, false) {
            Ok(ran) => match verdict(probe, &ran) {
                Verdict::Through(_) => Controlled::Shown,
                Verdict::Held => Controlled::Failed(format!("rung `{PROCESS}` held it as well")),
                Verdict::Skipped(how) | Verdict::Failed(how) => {
                    Controlled::Failed(format!("on rung `{PROCESS}`: {how}"))
                }
            },
            Err(error) => Controlled::Failed(format!("on rung `{PROCESS}`: {error}")),
        }
    }

    /// What `probe` is handed in: what it says, or what it must know of the host.
    fn input<'b>(&'b self, probe: &'b Probe) -> Option<&'b str> {
        match probe.input.as_deref() {
            Some(OF_HOST) => Some(&self.of_host),
            other => other,
        }
    }

    fn run(&self, ground: &dyn Ground, probe: &Probe, again: bool) -> Result<Ran, Error> {
        let mut defaults = LIMITS
            .into_iter()
            .try_fold(Limits::default(), Limits::parse)?;
        if ends_by_wall(probe) {
            defaults = defaults.parse(WALL)?;
        } else if again {
            defaults = defaults.parse(WALL_AGAIN)?;
        }
        if !ground.is_fenced() {
            defaults = defaults.parse(ONE)?;
        }
        let limits = probe.limits(defaults)?;
        let (program, value) = match probe.expect {
            Expect::Specimen => {
                let program = specimen::program(probe, &self.secret, Within::Fence);
                (program, false)
            }
            Expect::Verdict => (probe.live(), false),
            Expect::Outcome(_) | Expect::Refusal(_) => (probe.live(), probe.value),
        };
        ground.run(&Job {
            program: &program,
            limits: &limits,
            input: self.input(probe),
            value,
        })
    }
}

/// What an error of ours says of the fence: where it is not about the host's lacks, the probe
/// brought it about.
fn unrun(error: &Error) -> Verdict {
    let text = format!("the run failed: {error}");
    match error.kind() {
        ErrorKind::Refused if error.failed_step().is_none() => Verdict::Skipped(error.to_string()),
        ErrorKind::Host | ErrorKind::Bug => Verdict::Through(text),
        ErrorKind::Refused
        | ErrorKind::InvalidSubmission
        | ErrorKind::InvalidPolicy
        | ErrorKind::Busy
        | ErrorKind::Cancelled => Verdict::Failed(text),
    }
}

fn ends_by_wall(probe: &Probe) -> bool {
    ends_by(probe, LimitId::Wall)
}

fn takes_long(probe: &Probe) -> bool {
    probe.armed || ends_by_wall(probe) || ends_by(probe, LimitId::Cpu)
}

fn ends_by(probe: &Probe, limit: LimitId) -> bool {
    match &probe.expect {
        Expect::Outcome(wanted) => wanted
            .iter()
            .any(|one| one.detail.as_deref() == Some(limit.name())),
        Expect::Verdict | Expect::Refusal(_) | Expect::Specimen => false,
    }
}

fn in_wall(ran: &Ran) -> bool {
    ran.ended
        == End::Outcome(Ended {
            slug: "limit_exceeded",
            detail: Some(LimitId::Wall.name().to_owned()),
        })
}

/// Whether it ended for want of another process.
fn wants_others(ran: &Ran) -> bool {
    ALONE.iter().any(|text| ran.stderr.contains(text)) || ran.ended.to_string().contains(ALONE[0])
}

fn is_met(need: Need, facts: &Facts) -> bool {
    match need {
        Need::Root => facts.privilege == Privilege::Root,
        Need::User => facts.privilege == Privilege::User,
        Need::Network => has_route(),
        Need::Cgroup => facts.cgroup.is_usable(),
        Need::Landlock => facts.landlock_abi > 0,
    }
}

/// What tells the host's kernel from others.
fn of_host() -> String {
    let release = stockade_sys::process::kernel_release();
    let build = fs::read_to_string("/proc/sys/kernel/version").unwrap_or_default();
    json!({ "kernel": format!("{release} {}", build.trim()) }).to_string()
}

/// Whether there is a way out: a default route.
fn has_route() -> bool {
    let routes = fs::read_to_string("/proc/net/route").unwrap_or_default();
    let mut lines = routes.lines().skip(1);
    lines.any(|line| line.split_whitespace().nth(1) == Some("00000000"))
}
