//! The clocks: the only place in the project that reads them.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Time since an arbitrary start, unaffected by steps of the wall clock.
#[must_use]
pub fn monotonic() -> Duration {
    read(ClockId::Monotonic)
}

/// Time since boot, suspension included.
#[must_use]
pub fn boot() -> Duration {
    read(ClockId::Boottime)
}

/// Time since 1970-01-01 UTC; for records only, because it can be stepped.
#[must_use]
pub fn wall() -> Duration {
    read(ClockId::Realtime)
}

/// CPU time that this process has used, all threads together.
#[must_use]
pub fn process_cpu() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    // Before 1970 there is no Linux to ask; a clock stepped there reads as its start.
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}
