//! When something is due. Times are those of the monotonic clock.

use std::time::Duration;
use stockade_core::wire::{Expiry, Start};

/// From SIGTERM to SIGKILL after too much CPU time, at most: what burns does not listen.
const CPU_GRACE_MAX: Duration = Duration::from_millis(500);
/// CPU time is looked up this often at most; a look costs some 20 µs a process.
const CHECK_MIN: Duration = Duration::from_millis(10);
/// And this often at least, because CPUs can be added to what a process may use.
const CHECK_MAX: Duration = Duration::from_secs(1);

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nothing; wait this long, or without end.
    Wait(Option<Duration>),
    /// The wall clock has run out.
    Wall,
    /// CPU time is to be looked up.
    CheckCpu,
    /// The grace after SIGTERM has run out.
    Kill,
}

/// The clocks of a run.
#[derive(Debug)]
pub(crate) struct Deadlines {
    wall: Option<Duration>,
    cpu: Option<Cpu>,
    kill: Option<Duration>,
    grace: Duration,
}

#[derive(Debug)]
struct Cpu {
    limit: Duration,
    /// How many CPUs can burn it at once.
    width: u32,
    next: Duration,
}

impl Deadlines {
    /// Starts the clocks.
    pub(crate) fn new(start: &Start, width: u32, now: Duration) -> Self {
        let cpu = start.cpu_ms.map(|limit| {
            let mut cpu = Cpu {
                limit: Duration::from_millis(limit),
                width: width.max(1),
                next: now,
            };
            cpu.schedule(Duration::ZERO, now);
            cpu
        });
        Self {
            wall: Some(now.saturating_add(Duration::from_millis(start.wall_ms))),
            cpu,
            kill: None,
            grace: Duration::from_millis(start.grace_ms),
        }
    }

    /// The most urgent thing.
    pub(crate) fn due(&self, now: Duration) -> Due {
        let is_due = |at: Option<Duration>| at.is_some_and(|at| at <= now);
        let check = self.cpu.as_ref().map(|cpu| cpu.next);
        if is_due(self.kill) {
            Due::Kill
        } else if is_due(self.wall) {
            Due::Wall
        } else if is_due(check) {
            Due::CheckCpu
        } else {
            let next = [self.kill, self.wall, check].into_iter().flatten().min();
            Due::Wait(next.map(|next| next.saturating_sub(now)))
        }
    }

    /// Says how much CPU time was used; whether that is too much.
    pub(crate) fn used_cpu(&mut self, used: Duration, now: Duration) -> bool {
        let Some(cpu) = &mut self.cpu else {
            return false;
        };
        cpu.schedule(used, now);
        used >= cpu.limit
    }

    /// SIGTERM was sent because of `expiry`: from now on only the grace runs.
    pub(crate) fn expired(&mut self, expiry: Expiry, now: Duration) {
        let grace = match expiry {
            Expiry::Wall => self.grace,
            Expiry::Cpu => self.grace.min(CPU_GRACE_MAX),
        };
        self.wall = None;
        self.cpu = None;
        self.kill = Some(now.saturating_add(grace));
    }

    /// SIGKILL was sent: nothing is due any more.
    pub(crate) fn killed(&mut self) {
        self.wall = None;
        self.cpu = None;
        self.kill = None;
    }
}

impl Cpu {
    /// Not before all CPUs together could have burned the rest.
    fn schedule(&mut self, used: Duration, now: Duration) {
        let left = self.limit.saturating_sub(used) / self.width;
        self.next = now.saturating_add(left.clamp(CHECK_MIN, CHECK_MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn start(cpu_ms: Option<u64>) -> Start {
        Start {
            program: String::new(),
            args: Vec::new(),
            env: Vec::new(),
            directory: String::new(),
            rlimits: Vec::new(),
            wall_ms: 2000,
            grace_ms: 1000,
            cpu_ms,
            result: None,
            claim: None,
            keep: None,
            cpus: None,
        }
    }

    #[test]
    fn the_wall_clock_leads_to_a_kill_after_the_grace_and_then_to_nothing() {
        let mut deadlines = Deadlines::new(&start(None), 2, ms(100));
        assert_eq!(deadlines.due(ms(100)), Due::Wait(Some(ms(2000))));
        assert_eq!(deadlines.due(ms(2100)), Due::Wall);
        deadlines.expired(Expiry::Wall, ms(2100));
        assert_eq!(deadlines.due(ms(2100)), Due::Wait(Some(ms(1000))));
        assert_eq!(deadlines.due(ms(3100)), Due::Kill);
        deadlines.killed();
        assert_eq!(deadlines.due(ms(9000)), Due::Wait(None));
    }

    #[test]
    fn cpu_time_is_checked_before_all_cpus_could_have_burned_it() {
        let mut deadlines = Deadlines::new(&start(Some(1000)), 4, ms(0));
        assert_eq!(deadlines.due(ms(0)), Due::Wait(Some(ms(250))));
        assert_eq!(deadlines.due(ms(250)), Due::CheckCpu);
        assert!(!deadlines.used_cpu(ms(900), ms(250)));
        assert_eq!(deadlines.due(ms(250)), Due::Wait(Some(ms(25))));
        assert!(deadlines.used_cpu(ms(1000), ms(275)));
        deadlines.expired(Expiry::Cpu, ms(275));
        assert_eq!(deadlines.due(ms(275)), Due::Wait(Some(ms(500))));
        assert!(!deadlines.used_cpu(ms(5000), ms(300)));
    }

    #[test]
    fn the_longest_wall_time_does_not_overflow() {
        let start = Start {
            wall_ms: u64::MAX,
            grace_ms: u64::MAX,
            ..start(Some(u64::MAX))
        };
        let mut deadlines = Deadlines::new(&start, 1, Duration::MAX);
        assert_eq!(deadlines.due(ms(0)), Due::Wait(Some(Duration::MAX)));
        deadlines.expired(Expiry::Wall, Duration::MAX);
    }
}
