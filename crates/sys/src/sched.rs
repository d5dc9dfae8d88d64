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

/// The CPU that this thread runs on.
#[must_use]
pub fn current_cpu() -> usize {
    rustix::thread::sched_getcpu()
}

/// Leaves `cpu` for another one, if this thread is on it and may run elsewhere; afterwards it may
/// run where it could before. A kernel may start a thread on the CPU of the one that made it even
/// when others idle: then what was meant to be done beside is done after.
///
/// # Errors
/// Those of `sched_getaffinity(2)` and `sched_setaffinity(2)`.
pub fn leave_cpu(cpu: usize) -> rustix::io::Result<()> {
    if current_cpu() != cpu {
        return Ok(());
    }
    let allowed = rustix::thread::sched_getaffinity(None)?;
    let mut others = allowed;
    others.unset(cpu);
    if others.count() == 0 {
        return Ok(());
    }
    rustix::thread::sched_setaffinity(None, &others)?;
    rustix::thread::sched_setaffinity(None, &allowed)
}

/// Lets others that wait for this thread's CPU go first.
pub fn give_way() {
    rustix::thread::sched_yield();
}
