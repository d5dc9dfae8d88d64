//! Chooses the rung. Pure: the same policy on the same host always gives the same plan.

use crate::error::{Error, ErrorKind};
use crate::guarantee::Guarantee;
use crate::host::{Cgroup, Facts, Proof};
use crate::limits::{Amount, LimitId, Limits, Scope};
use crate::policy::{Grants, Policy, RungChoice, ValueMode};
use crate::rung::{Enforcement, RungSpec};
use crate::submission::Language;

/// What a rung must give to be chosen without being named. Whoever names a rung has read what it
/// gives.
pub const BASELINE: &[Guarantee] = &[
    Guarantee::SeparateAddressSpace,
    Guarantee::EmptyEnvironment,
    Guarantee::NoPrivileges,
    Guarantee::NoHostFiles,
    Guarantee::NoHostProcesses,
    Guarantee::NoNetwork,
    Guarantee::FilteredSyscalls,
    Guarantee::VerifiedTeardown,
];

/// The same for what needs no other address space, because the language itself is the boundary.
pub const TOTAL_BASELINE: &[Guarantee] = &[
    Guarantee::EmptyEnvironment,
    Guarantee::NoPrivileges,
    Guarantee::NoHostFiles,
    Guarantee::NoHostProcesses,
    Guarantee::NoNetwork,
    Guarantee::FilteredSyscalls,
    Guarantee::VerifiedTeardown,
    Guarantee::TotalLanguage,
];

fn baseline(language: Language) -> &'static [Guarantee] {
    match language {
        Language::Python => BASELINE,
        Language::Formula => TOTAL_BASELINE,
    }
}

/// Everything a rung needs to know, and nothing it must decide.
///
/// Holding one proves that the rung, by its own description, gives every guarantee required and
/// enforces every limit on the described host; whether the kernel agrees shows when the fence is
/// applied.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rung's name.
    pub rung: &'static str,
    /// What the rung promises.
    pub guarantees: &'static [Guarantee],
    /// The limits it will enforce.
    pub limits: Limits,
    /// How each is enforced, in table order.
    pub enforcement: Vec<(LimitId, Enforcement)>,
    /// The template to run on.
    pub template: String,
    /// Whether a value is owed.
    pub value: ValueMode,
    /// The function to call with the input, if one is.
    pub call: Option<String>,
    /// What the boundary lets through.
    pub grants: Grants,
    /// What attacking the rung on this host has shown, where somebody has.
    pub proof: Option<Proof>,
    /// Whether the boundary is built when the submission is there, though one be kept warm.
    pub cold: bool,
    /// Rungs that were passed over, with the first reason each.
    pub passed_over: Vec<(&'static str, String)>,
    /// Settings that will not do what they seem to.
    pub warnings: Vec<String>,
}

/// The first rung in `ladder` (cheapest first) that runs `language` and satisfies `policy` on
/// `host`.
///
/// Never weakens the policy to fit the host.
///
/// # Errors
/// `InvalidPolicy` for a rung that is not in the ladder; `Refused` when no rung satisfies the
/// policy, naming the first requirement that each one fails.
pub fn plan(
    language: Language,
    policy: &Policy,
    host: &Facts,
    ladder: &[&'static RungSpec],
) -> Result<Plan, Error> {
    let candidates = candidates(policy, ladder)?;
    let mut passed_over = Vec::new();
    let mut hints = Vec::new();
    for spec in candidates {
        match shortfall(language, policy, host, spec) {
            None => return Ok(settle(policy, host, spec, passed_over)),
            Some(Shortfall { reason, remedies }) => {
                passed_over.push((spec.name, reason));
                hints.extend(remedies);
            }
        }
    }
    let reasons: Vec<_> = passed_over
        .iter()
        .map(|(name, why)| format!("{name}: {why}"))
        .collect();
    let mut error = Error::new(
        ErrorKind::Refused,
        format!("no rung on this host can run this: {}", reasons.join("; ")),
    );
    for hint in hints {
        error = error.hint(hint);
    }
    Err(error)
}

fn candidates(
    policy: &Policy,
    ladder: &[&'static RungSpec],
) -> Result<Vec<&'static RungSpec>, Error> {
    match &policy.rung {
        RungChoice::Auto => Ok(ladder.to_vec()),
        RungChoice::Named(name) => {
            let Some(spec) = ladder.iter().find(|spec| spec.name == name) else {
                let names: Vec<_> = ladder.iter().map(|spec| spec.name).collect();
                return Err(Error::new(
                    ErrorKind::InvalidPolicy,
                    format!("there is no rung `{name}`"),
                )
                .hint(format!("the rungs are {}, and `auto`", names.join(", "))));
            };
            Ok(vec![*spec])
        }
    }
}

fn settle(
    policy: &Policy,
    host: &Facts,
    spec: &'static RungSpec,
    passed_over: Vec<(&'static str, String)>,
) -> Plan {
    let limits = policy.limits.clone();
    Plan {
        rung: spec.name,
        guarantees: spec.guarantees,
        enforcement: LimitId::ALL
            .map(|id| (id, (spec.enforcement)(id, host)))
            .to_vec(),
        template: policy.template.clone(),
        value: policy.value,
        call: policy.call.clone(),
        grants: policy.grants,
        proof: host.proof(spec.name).cloned(),
        cold: policy.cold,
        passed_over,
        warnings: warnings(&limits),
        limits,
    }
}

/// Settings that will not do what they seem to.
fn warnings(limits: &Limits) -> Vec<String> {
    let mut found = Vec::new();
    let reachable = limits
        .get(LimitId::Wall)
        .saturating_mul(limits.get(LimitId::Cpus));
    let cpu = limits.get(LimitId::Cpu);
    if cpu > reachable && cpu != LimitId::Cpu.spec().default {
        found.push(format!(
            "`cpu` is {}, but `wall` ends the run after {}: raise `wall` too",
            limits.amount(LimitId::Cpu),
            limits.amount(LimitId::Wall),
        ));
    }
    if limits.get(LimitId::FileSize) < limits.get(LimitId::Result) {
        found.push(format!(
            "`result` is {}, but `file_size` stops any file at {}",
            limits.amount(LimitId::Result),
            limits.amount(LimitId::FileSize),
        ));
    }
    let disk = limits.get(LimitId::Disk);
    if disk > limits.get(LimitId::Memory) && disk != LimitId::Disk.spec().default {
        found.push(format!(
            "`disk` is {}, but files live in memory and `memory` ends the run at {}",
            limits.amount(LimitId::Disk),
            limits.amount(LimitId::Memory),
        ));
    }
    found
}

struct Shortfall {
    reason: String,
    remedies: Vec<String>,
}

impl Shortfall {
    fn new(reason: String) -> Self {
        Self {
            reason,
            remedies: Vec::new(),
        }
    }
}

fn shortfall(
    language: Language,
    policy: &Policy,
    host: &Facts,
    spec: &RungSpec,
) -> Option<Shortfall> {
    if !spec.languages.contains(&language) {
        return Some(Shortfall::new(format!("does not run {}", language.slug())));
    }
    let lacks = |g: &&Guarantee| !spec.guarantees.contains(g);
    if let Some(guarantee) = policy.required.iter().find(lacks) {
        return Some(Shortfall::new(format!(
            "does not give `{}`",
            guarantee.slug()
        )));
    }
    if policy.rung == RungChoice::Auto
        && let Some(guarantee) = baseline(language).iter().find(lacks)
    {
        return Some(Shortfall::new(format!(
            "does not give `{}`, so it is used only when named",
            guarantee.slug()
        )));
    }
    if let Some(fault) = (spec.missing)(host) {
        return Some(Shortfall {
            reason: fault.cause,
            remedies: fault.remedies,
        });
    }
    if let Some(unfit) = host.proof(spec.name).and_then(unfit) {
        return Some(unfit);
    }
    LimitId::ALL
        .into_iter()
        .find_map(|id| unenforced(id, policy, host, spec))
}

/// A rung that an attack got through on this host is not offered, to those who name it neither.
fn unfit(proof: &Proof) -> Option<Shortfall> {
    let first = proof.through.first()?;
    let more = match proof.through.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(Shortfall {
        reason: format!("probe `{first}`{more} got through on this host, so it is not fit for use"),
        remedies: vec![
            format!(
                "`stockade doctor --prove --rung {}` shows what got through, and tries again",
                proof.rung
            ),
            "another kernel or version of this program is proved anew".to_owned(),
        ],
    })
}

fn unenforced(id: LimitId, policy: &Policy, host: &Facts, spec: &RungSpec) -> Option<Shortfall> {
    let name = id.name();
    match (spec.enforcement)(id, host) {
        Enforcement::WholeGuest { .. } => None,
        Enforcement::PerProcess { by } => {
            let processes = policy.limits.get(LimitId::Processes);
            let several = match id.spec().scope {
                Scope::Guest => processes > 1,
                Scope::Process | Scope::Supervisor => false,
            };
            several.then(|| Shortfall {
                reason: format!(
                    "{by} bounds `{name}` per process, and {processes} are allowed{}",
                    without_cgroup(host)
                ),
                remedies: remedies_for_rlimits(host),
            })
        }
        Enforcement::Nothing { because } => Some(Shortfall {
            reason: format!("cannot enforce `{name}`: {because}{}", without_cgroup(host)),
            remedies: remedies_for_rlimits(host),
        }),
    }
}

/// Why there is no cgroup to do better: the first thing that failed, which the limit only shows.
fn without_cgroup(host: &Facts) -> String {
    match &host.cgroup {
        Cgroup::None(fault) => format!("; {}", fault.cause),
        Cgroup::V2 { .. } | Cgroup::V1 { .. } => String::new(),
    }
}

fn remedies_for_rlimits(host: &Facts) -> Vec<String> {
    let mut remedies = vec![format!(
        "allow one process: `--limit {}={}`",
        LimitId::Processes.name(),
        Amount::count(1)
    )];
    if let Cgroup::None(fault) = &host.cgroup {
        remedies.extend(fault.remedies.iter().cloned());
    }
    remedies
}
