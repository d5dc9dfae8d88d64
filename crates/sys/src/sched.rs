//! CPUs.

use rustix::thread::CpuSet;

/// How many CPUs this thread may run on.
///
/// # Errors
/// Those of `sched_getaffinity(2)`.
pub fn cpus() -> rustix::io::Result<u32> {
    Ok(rustix::thread::sched_getaffinity(None)?.count())
}

/// Leaves this thread `count` of its CPUs, or all when it has no more: the one that it runs on and
/// the next ones. Returns how many it has.
///
/// # Errors
/// Those of `sched_setaffinity(2)`.
pub fn pin(count: u32) -> rustix::io::Result<u32> {
    let allowed = rustix::thread::sched_getaffinity(None)?;
    let current = rustix::thread::sched_getcpu();
    let mut chosen = CpuSet::new();
    (0..CpuSet::MAX_CPU)
        .map(|offset| (current + offset) % CpuSet::MAX_CPU)
        .filter(|cpu| allowed.is_set(*cpu))
        .take(count as usize)
        .for_each(|cpu| chosen.set(cpu));
    rustix::thread::sched_setaffinity(None, &chosen)?;
    Ok(chosen.count())
}
