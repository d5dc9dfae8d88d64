//! The report card of one place.

use std::time::Duration;

use serde_json::{Value, json};
use stockade::facts::Proof;
use stockade::{Guarantee, LimitId};

use crate::control::Controlled;
use crate::probe::{Attack, Probe};
use crate::verdict::Verdict;

/// What came of one probe.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The probe.
    pub probe: &'a Probe,
    /// Whether the place promises all that it attacks.
    pub promised: bool,
    /// Whether the attack was shown to be real.
    pub control: Controlled,
    /// What came of it.
    pub verdict: Verdict,
    /// How long it took, its control included.
    pub took: Duration,
    /// Whether it ran out of time that it was not to use up, and is to be run again alone.
    pub(crate) out_of_time: bool,
}

/// What came of the corpus in one place.
#[derive(Clone, Debug)]
pub struct Card<'a> {
    /// The place.
    pub rung: String,
    /// What it promises.
    pub promised: Vec<Guarantee>,
    /// One for each probe, in the order of their files.
    pub findings: Vec<Finding<'a>>,
    /// How long it took.
    pub took: Duration,
}

/// What came of the attacks on one guarantee or limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What was attacked.
    pub attack: Attack,
    /// Whether the place promises it; limits are always.
    pub promised: bool,
    /// Probes that ran.
    pub run: usize,
    /// Of these, those that failed as they must.
    pub held: usize,
    /// Those that got through.
    pub through: usize,
    /// Those of which nothing can be said.
    pub failed: usize,
    /// Probes that did not run.
    pub skipped: usize,
}

impl<'a> Card<'a> {
    /// Probes that failed as they must.
    pub fn held(&self) -> impl Iterator<Item = &Finding<'a>> {
        self.findings.iter().filter(|f| f.verdict == Verdict::Held)
    }

    /// Probes that got through, each with how.
    pub fn through(&self) -> impl Iterator<Item = (&Finding<'a>, &str)> {
        self.findings.iter().filter_map(|f| match &f.verdict {
            Verdict::Through(how) => Some((f, how.as_str())),
            Verdict::Held | Verdict::Skipped(_) | Verdict::Failed(_) => None,
        })
    }

    /// Probes that got through what is promised.
    pub fn broken(&self) -> impl Iterator<Item = (&Finding<'a>, &str)> {
        self.through().filter(|(finding, _)| finding.promised)
    }

    /// Probes that were not run, each with the reason.
    pub fn skipped(&self) -> impl Iterator<Item = (&Finding<'a>, &str)> {
        self.findings.iter().filter_map(|f| match &f.verdict {
            Verdict::Skipped(why) => Some((f, why.as_str())),
            Verdict::Held | Verdict::Through(_) | Verdict::Failed(_) => None,
        })
    }

    /// Probes of which nothing can be said, each with the reason.
    pub fn failed(&self) -> impl Iterator<Item = (&Finding<'a>, &str)> {
        self.findings.iter().filter_map(|f| match &f.verdict {
            Verdict::Failed(why) => Some((f, why.as_str())),
            Verdict::Held | Verdict::Through(_) | Verdict::Skipped(_) => None,
        })
    }

    /// Probes that ran although it was not shown here that the attack is real, with the reason.
    pub fn uncontrolled(&self) -> impl Iterator<Item = (&Finding<'a>, &str)> {
        self.findings.iter().filter_map(|f| match &f.control {
            Controlled::Untried(why) if !matches!(f.verdict, Verdict::Skipped(_)) => {
                Some((f, why.as_str()))
            }
            Controlled::Untried(_)
            | Controlled::Shown
            | Controlled::Absent(_)
            | Controlled::Failed(_) => None,
        })
    }

    /// Whether nothing got through what is promised.
    #[must_use]
    pub fn is_fit(&self) -> bool {
        self.broken().next().is_none()
    }

    /// Whether it shows anything: probes held, and of none is nothing known.
    #[must_use]
    pub fn is_conclusive(&self) -> bool {
        self.held().next().is_some() && self.failed().next().is_none()
    }

    /// What the planner is to know of it.
    #[must_use]
    pub fn proof(&self, at_ms: u64) -> Proof {
        let ran = self.findings.len() - self.skipped().count();
        Proof {
            rung: self.rung.clone(),
            at_ms,
            probes: u32::try_from(ran).unwrap_or(u32::MAX),
            through: self.broken().map(|(f, _)| f.probe.id.clone()).collect(),
        }
    }

    /// One row for each guarantee, then one for each limit.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let guarantees = Guarantee::ALL.iter().copied().map(Attack::Guarantee);
        let limits = LimitId::ALL.into_iter().map(Attack::Limit);
        guarantees.chain(limits).map(|a| self.row(a)).collect()
    }

    fn row(&self, attack: Attack) -> Row {
        let mut row = Row {
            attack,
            promised: match attack {
                Attack::Guarantee(guarantee) => self.promised.contains(&guarantee),
                Attack::Limit(_) => true,
            },
            run: 0,
            held: 0,
            through: 0,
            failed: 0,
            skipped: 0,
        };
        let of_these = self.findings.iter();
        for finding in of_these.filter(|f| f.probe.attacks.contains(&attack)) {
            let count = match &finding.verdict {
                Verdict::Held => &mut row.held,
                Verdict::Through(_) => &mut row.through,
                Verdict::Failed(_) => &mut row.failed,
                Verdict::Skipped(_) => &mut row.skipped,
            };
            *count += 1;
        }
        row.run = row.held + row.through + row.failed;
        row
    }

    /// The card as JSON.
    #[must_use]
    pub fn document(&self) -> Value {
        let promised: Vec<_> = self.promised.iter().map(|g| g.slug()).collect();
        json!({
            "rung": self.rung,
            "fit": self.is_fit(),
            "conclusive": self.is_conclusive(),
            "promised": promised,
            "probes": self.findings.len(),
            "held": self.held().count(),
            "through": self.through().map(through).collect::<Vec<_>>(),
            "skipped": self.skipped().map(reason).collect::<Vec<_>>(),
            "failed": self.failed().map(reason).collect::<Vec<_>>(),
            "uncontrolled": self.uncontrolled().map(reason).collect::<Vec<_>>(),
            "attacks": self.rows().iter().map(row_document).collect::<Vec<_>>(),
            "took_ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        })
    }
}

fn reason((finding, why): (&Finding<'_>, &str)) -> Value {
    let probe = finding.probe;
    json!({ "id": probe.id, "technique": probe.technique, "reason": why })
}

fn through((finding, how): (&Finding<'_>, &str)) -> Value {
    let attacks: Vec<_> = finding.probe.attacks.iter().map(|a| a.name()).collect();
    json!({
        "id": finding.probe.id,
        "technique": finding.probe.technique,
        "attacks": attacks,
        "promised": finding.promised,
        "how": how,
    })
}

fn row_document(row: &Row) -> Value {
    let kind = match row.attack {
        Attack::Guarantee(_) => "guarantee",
        Attack::Limit(_) => "limit",
    };
    json!({
        "name": row.attack.name(),
        "kind": kind,
        "promised": row.promised,
        "run": row.run,
        "held": row.held,
        "through": row.through,
        "failed": row.failed,
        "skipped": row.skipped,
    })
}
