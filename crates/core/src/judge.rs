//! Decides the outcome from measured facts. Pure: the same facts always give the same verdict.

use crate::guarantee::Guarantee;
use crate::limits::LimitId;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::policy::ValueMode;
use crate::report::{Ending, Fetched, Fired, Report};
use crate::untrusted::Untrusted;
use crate::value::{self, Rejection, Rule, Rules, Schema, Value};
use crate::wire::{FetchOutcome, FileKind};

/// Linux signal numbers that a fence sends.
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;
const SIGSYS: i32 = 31;

/// Largest account of an exception that is read, bytes.
pub const CLAIM_BYTES_MAX: usize = 64 << 10;

/// The outcome of a run, or `None` when nothing measured explains the end of the guest: then the
/// host is in trouble, not the submission.
///
/// A limit that the kernel says has fired comes before what the exit status looks like: a program
/// that was killed may have been about to say anything.
pub fn judge(plan: &Plan, schema: Option<&Schema>, report: &mut Report) -> Option<Outcome> {
    if let Ending::Violated(why) = &report.ending {
        return Some(Outcome::ProtocolViolated { why: why.clone() });
    }
    if let Some(exceeded) = limit(plan, report) {
        return Some(exceeded);
    }
    match report.ending {
        Ending::Code(0) => Some(value(plan, schema, report)),
        Ending::Code(code) => Some(
            (code == 1)
                .then(|| {
                    report
                        .claim
                        .take()
                        .and_then(|claim| raised(claim, report.main_pid))
                })
                .flatten()
                .unwrap_or(Outcome::Exited { code }),
        ),
        Ending::Signal(SIGSYS) => Some(Outcome::Denied {
            what: "a system call off the allow list".to_owned(),
            by: "seccomp, SECCOMP_RET_KILL_PROCESS".to_owned(),
        }),
        Ending::Signal(signal) => Some(Outcome::Crashed { signal }),
        // Where the submission shares its init's PID namespace it can kill it; elsewhere it cannot.
        Ending::Lost if !plan.guarantees.contains(&Guarantee::NoHostProcesses) => {
            Some(Outcome::ProtocolViolated {
                why: "the guest's init was killed, which a submission can do on this rung"
                    .to_owned(),
            })
        }
        Ending::Lost | Ending::Violated(_) => None,
    }
}

fn limit(plan: &Plan, report: &Report) -> Option<Outcome> {
    let usage = &report.usage;
    let cpu_ms = usage.cpu_us / 1_000;
    let cpu_max_ms = plan.limits.get(LimitId::Cpu);
    if report.oom_kills > 0 {
        return Some(exceeded(
            plan,
            LimitId::Memory,
            usage.memory_peak_bytes,
            None,
        ));
    }
    match report.fired {
        Some(Fired::Wall) => {
            // Our clock starts when we hear of the start, init's at the start itself.
            let used = (usage.wall_us / 1_000).max(plan.limits.get(LimitId::Wall));
            return Some(exceeded(plan, LimitId::Wall, Some(used), None));
        }
        Some(Fired::Cpu) => return Some(exceeded(plan, LimitId::Cpu, Some(cpu_ms), None)),
        Some(Fired::Budget(limit)) => return Some(exceeded(plan, limit, None, None)),
        None => {}
    }
    match report.ending {
        // Neither names its cause, a program can send both to itself: the measured use does. The
        // kernel samples for SIGXCPU, and can be early.
        Ending::Signal(SIGXCPU) if cpu_ms.saturating_mul(2) >= cpu_max_ms => Some(exceeded(
            plan,
            LimitId::Cpu,
            Some(cpu_ms),
            Some("RLIMIT_CPU"),
        )),
        Ending::Signal(SIGKILL) if cpu_ms >= cpu_max_ms => Some(exceeded(
            plan,
            LimitId::Cpu,
            Some(cpu_ms),
            Some("RLIMIT_CPU"),
        )),
        Ending::Signal(SIGXFSZ) => Some(exceeded(
            plan,
            LimitId::FileSize,
            None,
            Some("RLIMIT_FSIZE"),
        )),
        Ending::Signal(_) | Ending::Code(_) | Ending::Violated(_) | Ending::Lost => None,
    }
}

fn exceeded(plan: &Plan, limit: LimitId, used: Option<u64>, by: Option<&str>) -> Outcome {
    let planned = plan
        .enforcement
        .iter()
        .find(|(id, _)| *id == limit)
        .map(|(_, how)| how.by());
    Outcome::LimitExceeded {
        limit,
        allowed: plan.limits.get(limit),
        used,
        by: by.or(planned).unwrap_or("supervisor").to_owned(),
    }
}

fn value(plan: &Plan, schema: Option<&Schema>, report: &mut Report) -> Outcome {
    if plan.value == ValueMode::None {
        return Outcome::Finished { value: None };
    }
    let fetched = std::mem::replace(&mut report.result, Fetched::NotAsked);
    match accepted(plan, schema, fetched) {
        Ok(value) => Outcome::Finished { value: Some(value) },
        Err(rejection) => Outcome::ResultRejected(rejection),
    }
}

fn accepted(plan: &Plan, schema: Option<&Schema>, fetched: Fetched) -> Result<Value, Rejection> {
    let bytes = match fetched {
        Fetched::Bytes(bytes) => bytes,
        Fetched::Not(why) => return Err(missing(plan, why)),
        Fetched::NotAsked => return Err(missing(plan, FetchOutcome::Missing)),
    };
    let size = |id| usize::try_from(plan.limits.get(id)).unwrap_or(usize::MAX);
    let rules = Rules {
        bytes_max: size(LimitId::Result),
        depth_max: size(LimitId::ResultDepth),
    };
    let value = bytes.validate(|bytes| value::read(&bytes, &rules))?;
    match schema {
        Some(schema) => schema.check(&value).map(|()| value),
        None => Ok(value),
    }
}

fn missing(plan: &Plan, why: FetchOutcome) -> Rejection {
    let (rule, message) = match why {
        FetchOutcome::Missing | FetchOutcome::Bytes(_) => (
            Rule::Missing,
            "the submission ended without a value: write JSON to the path in `sys.argv[1]`, or \
             `import stockade_guest` and call `emit(value)`"
                .to_owned(),
        ),
        FetchOutcome::TooLarge(size) => (
            Rule::Size,
            format!(
                "{size} bytes, and `result` allows {}",
                plan.limits.amount(LimitId::Result)
            ),
        ),
        FetchOutcome::NotPlain(kind) => {
            let kind = match kind {
                FileKind::Symlink => "a symbolic link",
                FileKind::Directory => "a directory",
                FileKind::Fifo => "a FIFO",
                FileKind::Socket => "a socket",
                FileKind::Device => "a device",
                FileKind::HardLink => "a file with several names",
            };
            (
                Rule::NotRegular,
                format!("the result is {kind}, not a plain file"),
            )
        }
        FetchOutcome::Unreadable(errno) => (
            Rule::NotRegular,
            format!(
                "the result cannot be read: {}",
                std::io::Error::from_raw_os_error(errno)
            ),
        ),
    };
    Rejection::whole(rule, message)
}

/// The guest's account of its exception, if it is one: an object with three strings and the pid of
/// the main process, since another Python in the guest may have left it.
fn raised(claim: Untrusted<Vec<u8>>, main_pid: i32) -> Option<Outcome> {
    let rules = Rules {
        bytes_max: CLAIM_BYTES_MAX,
        depth_max: 2,
    };
    // An account that cannot be read is no error: the guest may write there what it likes.
    let value = claim.validate(|bytes| value::read(&bytes, &rules)).ok()?;
    if value.tree().get("pid")?.as_i64()? != i64::from(main_pid) {
        return None;
    }
    let text = |key: &str| {
        value
            .tree()
            .get(key)
            .and_then(|v| v.as_str())
            .map(str::to_owned)
    };
    Some(Outcome::Raised {
        exception: text("type")?,
        message: text("message")?,
        traceback: text("traceback")?,
    })
}
