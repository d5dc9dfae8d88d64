//! Resource limits.

pub use rustix::process::Resource;
use rustix::process::Rlimit;

/// Sets a limit of this process.
///
/// # Errors
/// `EPERM` when `hard` is above the present hard limit without `CAP_SYS_RESOURCE`.
pub fn set(resource: Resource, soft: u64, hard: u64) -> rustix::io::Result<()> {
    rustix::process::setrlimit(resource, limit(soft, hard))
}

/// The present soft and hard limit; `None` is infinite.
#[must_use]
pub fn get(resource: Resource) -> (Option<u64>, Option<u64>) {
    let limit = rustix::process::getrlimit(resource);
    (limit.current, limit.maximum)
}

/// `u64::MAX` is the kernel's "infinity".
pub(crate) fn limit(soft: u64, hard: u64) -> Rlimit {
    let finite = |value| (value != u64::MAX).then_some(value);
    Rlimit {
        current: finite(soft),
        maximum: finite(hard),
    }
}
