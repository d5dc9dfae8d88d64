//! What has come of the guests of warm runs: how many are gone, and of which something stays.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use stockade_core::error::Error;
use stockade_core::host::Cgroup;
use stockade_rungs::cgroup;

use crate::engine::Engine;

/// Of how many guests it is kept what stays of them; of more, the oldest are forgotten here and
/// removed by the next start.
const STUCK_MAX: usize = 64;

/// What has come of the guests of warm runs, of copies that were never used, and of zygotes.
///
/// Holding one proves that of each guest that was counted as destroyed the kernel has said so: its
/// init is reaped, its cgroup removed. It says nothing of guests that live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Teardown {
    /// Guests that are gone.
    pub destroyed: u64,
    /// Guests of which something stayed when they were to be destroyed, mended since or not.
    pub failed: u64,
    /// What stays now, oldest first, each with its run and reason: of 64 guests at most.
    pub stuck: Vec<String>,
}

impl Engine {
    /// What has come of the guests of warm runs so far. What stays of one is tried to be removed
    /// once more, so that what somebody has mended is not shown.
    #[must_use]
    pub fn teardown(&self) -> Teardown {
        let graves = self.undertaker.graves();
        graves.mend(&self.host.facts().cgroup);
        graves.account()
    }
}

/// One guest of which something stays.
#[derive(Debug)]
struct Stuck {
    /// What its cgroups are called.
    name: String,
    why: String,
}

#[derive(Debug, Default)]
struct State {
    destroyed: u64,
    failed: u64,
    stuck: VecDeque<Stuck>,
    /// What has not been said yet.
    untold: Vec<String>,
}

/// The account.
#[derive(Debug, Default)]
pub(crate) struct Graves(Mutex<State>);

impl Graves {
    /// What has come of the guest with the cgroups `name`; `run` is what people know it by.
    pub(crate) fn tell(&self, run: &str, name: &str, buried: Result<(), Error>) {
        let mut state = self.state();
        let Err(error) = buried else {
            state.destroyed += 1;
            return;
        };
        let why = format!("{run}: {error}");
        state.failed += 1;
        if state.untold.len() < STUCK_MAX {
            state.untold.push(why.clone());
        }
        if state.stuck.len() >= STUCK_MAX {
            state.stuck.pop_front();
        }
        let name = name.to_owned();
        state.stuck.push_back(Stuck { name, why });
    }

    /// What has not been said before.
    pub(crate) fn news(&self) -> Vec<String> {
        std::mem::take(&mut self.state().untold)
    }

    /// Tries to remove what stays.
    pub(crate) fn mend(&self, host: &Cgroup) {
        // Without a cgroup there is nothing to look at, and nothing shows that it is mended.
        if !host.is_usable() {
            return;
        }
        let stuck = std::mem::take(&mut self.state().stuck);
        // Not in hand meanwhile: whoever buries must not wait for this.
        let (mended, mut still): (VecDeque<_>, VecDeque<_>) = stuck
            .into_iter()
            .partition(|stuck| cgroup::remove(host, &stuck.name).is_ok());
        let mut state = self.state();
        state.destroyed += u64::try_from(mended.len()).unwrap_or(u64::MAX);
        still.append(&mut state.stuck);
        still.drain(..still.len().saturating_sub(STUCK_MAX));
        state.stuck = still;
    }

    fn account(&self) -> Teardown {
        let state = self.state();
        Teardown {
            destroyed: state.destroyed,
            failed: state.failed,
            stuck: state.stuck.iter().map(|stuck| stuck.why.clone()).collect(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stockade_core::error::ErrorKind;
    use stockade_core::host::Fault;

    fn failure() -> Result<(), Error> {
        Err(Error::new(ErrorKind::Host, "it stays"))
    }

    #[test]
    fn of_many_that_stay_the_last_are_kept_and_all_are_counted() {
        let graves = Graves::default();
        for n in 0..=STUCK_MAX {
            graves.tell(&format!("run {n}"), &format!("none-{n}"), failure());
        }
        graves.tell("run", "none", Ok(()));
        let account = graves.account();
        let counts = (account.destroyed, account.failed, account.stuck.len());
        assert_eq!(counts, (1, STUCK_MAX as u64 + 1, STUCK_MAX));
        assert_eq!(account.stuck[0], "run 1: it stays");
        assert_eq!(graves.news().len(), STUCK_MAX);
        assert_eq!(graves.news(), [""; 0]);
    }

    #[test]
    fn what_is_gone_by_now_stays_no_more() {
        let graves = Graves::default();
        graves.tell("run", "of-no-run", failure());
        let parent = tempfile::tempdir().unwrap();
        let none = Cgroup::None(Fault {
            step: "cgroup".to_owned(),
            errno: 0,
            cause: String::new(),
            remedies: Vec::new(),
        });
        graves.mend(&none);
        assert_eq!(graves.account().stuck, ["run: it stays"]);
        let left = parent.path().join("of-no-run");
        std::fs::create_dir_all(&left).unwrap();
        // What is no cgroup's own file cannot be removed with it.
        std::fs::write(left.join("file"), "").unwrap();
        let v2 = Cgroup::V2 {
            parent: parent.path().to_owned(),
        };
        graves.mend(&v2);
        assert_eq!(graves.account().stuck, ["run: it stays"]);
        std::fs::remove_file(left.join("file")).unwrap();
        graves.mend(&v2);
        let account = graves.account();
        assert_eq!((account.destroyed, account.failed), (1, 1));
        assert_eq!(account.stuck, [""; 0]);
        assert!(!left.exists());
    }
}
