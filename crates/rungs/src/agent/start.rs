//! How a submission's interpreter is started, on every rung that starts one.

use stockade_core::CLAIM_BYTES_MAX;
use stockade_core::fence::{Resource, Rlimit};
use stockade_core::limits::LimitId;
use stockade_core::policy::ValueMode;
use stockade_core::rung::Enforcement;
use stockade_core::template::Template;
use stockade_core::wire::{Fetch, Start};
use stockade_sys::rlimit;

use crate::Job;

/// Locked memory that each process may have: the kernel's old default, below any host's.
const LOCKED_MEMORY_BYTES: u64 = 64 << 10;

/// Queued signals and POSIX timers of the run.
const PENDING_SIGNALS: u64 = 1024;

/// Where things are in the guest.
pub(crate) struct Layout<'a> {
    /// The submission's directory.
    pub(crate) work: &'a str,
    /// `HOME`.
    pub(crate) home: &'a str,
    /// `TMPDIR`.
    pub(crate) temporary: &'a str,
    /// Where the boot module leaves its account of an exception.
    pub(crate) claim: &'a str,
}

/// CPUs that the guest has a share of: no more than there are.
pub(crate) fn cpus(job: &Job<'_>) -> u32 {
    let share = u32::try_from(job.plan.limits.get(LimitId::Cpus)).unwrap_or(u32::MAX);
    share.min(job.host.cpus).max(1)
}

/// `python3 -I /work/job.py /work/out.json`, or the caller of one of its functions.
pub(crate) fn start(job: &Job<'_>, template: &Template, layout: &Layout<'_>) -> Start {
    let plan = job.plan;
    let result = format!("{}/out.json", layout.work);
    let mut args = vec![template.interpreter.clone(), "-I".to_owned()];
    match &plan.call {
        None => args.extend([format!("{}/job.py", layout.work), result.clone()]),
        Some(name) => args.extend([
            format!("{}/_stockade_call.py", template.site_dir),
            result.clone(),
            name.clone(),
        ]),
    }
    let limit = |id| plan.limits.get(id);
    Start {
        program: template.interpreter.clone(),
        args,
        env: environment(job, template, layout),
        directory: layout.work.to_owned(),
        rlimits: rlimits(job),
        wall_ms: limit(LimitId::Wall),
        grace_ms: limit(LimitId::Grace),
        cpu_ms: (!job.host.cgroup.is_usable()).then(|| limit(LimitId::Cpu)),
        result: match plan.value {
            ValueMode::Required => Some(Fetch {
                path: result,
                bytes_max: limit(LimitId::Result),
            }),
            ValueMode::None => None,
        },
        claim: Some(Fetch {
            path: layout.claim.to_owned(),
            bytes_max: CLAIM_BYTES_MAX as u64,
        }),
        keep: None,
        cpus: None,
    }
}

/// The whole environment: nothing of the host's is in it.
fn environment(job: &Job<'_>, template: &Template, layout: &Layout<'_>) -> Vec<String> {
    let cpus = cpus(job).to_string();
    let Layout {
        home, temporary, ..
    } = layout;
    let mut env = vec![
        format!("HOME={home}"),
        format!("TMPDIR={temporary}"),
        "LANG=C.UTF-8".to_owned(),
        "LC_ALL=C.UTF-8".to_owned(),
        "TZ=UTC".to_owned(),
        "USER=sandbox".to_owned(),
        "LOGNAME=sandbox".to_owned(),
        // How deep `stockade_guest.emit` may go before the supervisor would refuse.
        format!(
            "STOCKADE_RESULT_DEPTH={}",
            job.plan.limits.get(LimitId::ResultDepth)
        ),
        format!("XDG_CACHE_HOME={home}"),
        format!("XDG_CONFIG_HOME={home}"),
        format!("MPLCONFIGDIR={home}"),
        format!("NUMBA_CACHE_DIR={home}"),
    ];
    for name in [
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
    ] {
        env.push(format!("{name}={cpus}"));
    }
    env.extend(
        template
            .env
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    env
}

/// What the kernel holds each process to. Where a cgroup holds the whole guest, these are a
/// second fence behind it.
fn rlimits(job: &Job<'_>) -> Vec<Rlimit> {
    let limit = |id| job.plan.limits.get(id);
    let how = |id| {
        job.plan
            .enforcement
            .iter()
            .find(|(other, _)| *other == id)
            .map(|(_, how)| *how)
    };
    let address_space = match how(LimitId::Memory) {
        Some(Enforcement::PerProcess { .. }) => {
            limit(LimitId::AddressSpace).min(limit(LimitId::Memory))
        }
        Some(Enforcement::WholeGuest { .. } | Enforcement::Nothing { .. }) | None => {
            limit(LimitId::AddressSpace)
        }
    };
    let even = |resource, value| Rlimit {
        resource,
        soft: value,
        hard: value,
    };
    // Round up: RLIMIT_CPU = 0 kills the interpreter before it has started. Hard above soft:
    // SIGXCPU names its cause, SIGKILL does not. A second more where a cgroup counts exactly: the
    // kernel samples for this limit, and would end some runs early.
    let exact = u64::from(job.host.cgroup.is_usable());
    let cpu_seconds = limit(LimitId::Cpu).div_ceil(1_000).max(1) + exact;
    let mut rlimits = vec![
        Rlimit {
            resource: Resource::Cpu,
            soft: cpu_seconds,
            hard: cpu_seconds + 1,
        },
        even(Resource::AddressSpace, address_space),
        even(Resource::FileSize, limit(LimitId::FileSize)),
        even(Resource::OpenFiles, limit(LimitId::OpenFiles)),
        even(Resource::Core, 0),
        even(Resource::LockedMemory, LOCKED_MEMORY_BYTES),
        even(Resource::MessageQueue, 0),
        even(Resource::PendingSignals, pending_signals()),
        // A service or an audio group may have more, and its submissions would inherit it.
        even(Resource::RealTimePriority, 0),
        even(Resource::Nice, 0),
    ];
    if !job.host.cgroup.is_usable() {
        // Init counts too.
        rlimits.push(even(Resource::Processes, limit(LimitId::Processes) + 1));
    }
    rlimits
}

/// Nothing may be raised above what the supervisor has.
fn pending_signals() -> u64 {
    let (_, hard) = rlimit::get(rlimit::Resource::Sigpending);
    hard.unwrap_or(u64::MAX).min(PENDING_SIGNALS)
}
