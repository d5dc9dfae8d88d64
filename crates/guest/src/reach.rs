//! Signals to everything in the guest, and an end that nothing survives.

use crate::account::{self, Entry};
use std::io;
use stockade_core::fence::Step;
use stockade_sys::Errno;
use stockade_sys::signal::Signal;
use stockade_sys::{credential, process};

/// How init reaches everything that the submission has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// One call reaches all at once: all of a PID namespace or all of a uid of the run's own.
    Everything,
    /// Init is the reaper of all descendants and looks them up.
    Descendants,
}

impl Reach {
    /// What holds after `steps` were applied.
    pub(crate) fn of(steps: &[Step]) -> Self {
        // Whoever has capabilities would reach all of the host.
        let powerless = credential::has_no_capability() == Ok(true);
        let own_uid = steps
            .iter()
            .any(|step| matches!(step, Step::Identity { uid, .. } if *uid != 0));
        if process::pid() == 1 || (own_uid && powerless) {
            Self::Everything
        } else {
            Self::Descendants
        }
    }

    /// Makes sure, before anything is started, that it can be found again.
    pub(crate) fn check() -> io::Result<()> {
        if process::pid() != 1 {
            process::become_subreaper()?;
        }
        Self::processes().map(drop)
    }

    /// Everything that the submission has started and nobody has waited for.
    pub(crate) fn processes() -> io::Result<Vec<Entry>> {
        let own = process::pid();
        let mut all = account::processes()?;
        if own != 1 {
            return Ok(account::descendants(&all, own));
        }
        all.retain(|entry| entry.pid != own);
        Ok(all)
    }

    /// Sends a signal to all of it.
    pub(crate) fn signal(self, signal: Signal) -> io::Result<()> {
        match self {
            Self::Everything => match process::kill_all(signal) {
                // Nobody is left.
                Ok(()) | Err(Errno::SRCH) => Ok(()),
                Err(errno) => Err(errno.into()),
            },
            Self::Descendants if signal == Signal::KILL => Self::stop_and_kill(),
            Self::Descendants => tell_all(&Self::processes()?, signal),
        }
    }

    /// Stops all that it finds until it finds nothing new, so that no fork runs ahead of it, and
    /// kills it. One that may not be signalled does not save the others.
    fn stop_and_kill() -> io::Result<()> {
        let mut stopped: Vec<Entry> = Vec::new();
        let mut outcome = Ok(());
        loop {
            let mut found = Self::processes()?;
            found.retain(|entry| !stopped.iter().any(|known| known.pid == entry.pid));
            if found.is_empty() {
                break;
            }
            outcome = outcome.and(tell_all(&found, Signal::STOP));
            stopped.extend(found);
        }
        outcome.and(tell_all(&stopped, Signal::KILL))
    }
}

/// Signals each, whatever comes of the others; the first error.
fn tell_all(entries: &[Entry], signal: Signal) -> io::Result<()> {
    let mut outcome = Ok(());
    for entry in entries {
        outcome = outcome.and(tell(entry.pid, signal));
    }
    outcome
}

fn tell(pid: i32, signal: Signal) -> io::Result<()> {
    match process::kill(pid, signal) {
        // It ended meanwhile.
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}
