//! The measured facts of one run, as a rung hands them back. No verdict is in here.

use crate::limits::LimitId;
use crate::untrusted::Untrusted;
use crate::wire::FetchOutcome;

/// What a rung measured.
#[derive(Debug)]
pub struct Report {
    /// How the submission's main process ended.
    pub ending: Ending,
    /// A limit that the supervisor saw passed, or that init reported and the clocks confirm.
    pub fired: Option<Fired>,
    /// Processes that the kernel killed for memory.
    pub oom_kills: u64,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// The result file.
    pub result: Fetched,
    /// Pid of the main process, as the guest sees it.
    pub main_pid: i32,
    /// The boot module's account of an exception, which the guest can forge.
    pub claim: Option<Untrusted<Vec<u8>>>,
    /// What was used.
    pub usage: Usage,
    /// The fence, step by step.
    pub fences: Vec<Fence>,
    /// Where the time went, in order.
    pub phases: Vec<Phase>,
    /// The same of what was done before the submission came, of a warm start.
    pub ahead: Vec<Phase>,
    /// Of a warm start, whose.
    pub warmth: Option<Warmth>,
    /// What was looked at after the end.
    pub teardown: Vec<Checked>,
}

/// How the main process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited.
    Code(u8),
    /// A signal ended it.
    Signal(i32),
    /// The guest broke the wire format.
    Violated(String),
    /// The guest's init was killed before it could say; only a limit explains that.
    Lost,
}

/// A limit that ended the run, as the supervisor saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fired {
    /// `wall`.
    Wall,
    /// `cpu`.
    Cpu,
    /// One that a formula's evaluator counts, before the step that would pass it.
    Budget(LimitId),
}

/// Output, up to its limit.
#[derive(Debug, Default)]
pub struct Captured {
    /// What was kept.
    pub kept: Vec<u8>,
    /// Bytes after that, counted and dropped.
    pub dropped: u64,
}

impl Captured {
    /// Whether some of it was dropped.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.dropped > 0
    }

    /// What was kept, as text: bytes that are not UTF-8 become U+FFFD, and a character that the
    /// cut went through is left out.
    #[must_use]
    pub fn text(&self) -> String {
        let mut kept = self.kept.as_slice();
        if self.is_truncated()
            && let Some(last) = kept.utf8_chunks().last()
            && !last.invalid().is_empty()
        {
            kept = &kept[..kept.len() - last.invalid().len()];
        }
        String::from_utf8_lossy(kept).into_owned()
    }
}

/// What became of the result.
#[derive(Debug)]
pub enum Fetched {
    /// Nobody asked for it.
    NotAsked,
    /// Its bytes.
    Bytes(Untrusted<Vec<u8>>),
    /// Why there are none.
    Not(FetchOutcome),
}

/// What was used, measured outside the guest where that is possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// From when init was asked to start the submission to its end, µs, by the supervisor's clock.
    pub wall_us: u64,
    /// CPU time of everything inside together, µs.
    pub cpu_us: u64,
    /// Peak memory of everything inside together, bytes, where a cgroup measured it.
    pub memory_peak_bytes: Option<u64>,
    /// Bytes in `/work`, `/tmp` and `/dev/shm` at the end.
    pub disk_bytes: Option<u64>,
    /// Whether they were full at the end.
    pub disk_full: bool,
    /// Times that a fork or a thread was refused by `processes`, where a cgroup counted it.
    pub processes_refused: Option<u64>,
    /// Peak resident size of the guest's init, KiB.
    pub init_rss_kib: Option<u64>,
}

/// One fence, with how it was applied and checked in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// Name of the step.
    pub name: String,
    /// What was done with what.
    pub detail: String,
    /// What came of it.
    pub state: FenceState,
}

/// What came of a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenceState {
    /// Applied, by init's account.
    Applied,
    /// Applied, and seen from outside the guest.
    Checked(String),
    /// Applied by init's account, but for what this kernel lacks.
    Partial(String),
    /// Not to be had here, with the reason.
    Unavailable(String),
}

/// The zygote that a warm start came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warmth {
    /// Which of the hash seeds of this template's zygotes the run had.
    pub seed_class: usize,
    /// How many there are.
    pub seed_classes: usize,
}

/// How long a part of the run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// µs.
    pub us: u64,
}

/// One thing that was looked at after the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What.
    pub what: &'static str,
    /// What was found.
    pub found: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_the_cut_went_through_is_left_out() {
        let cut = Captured {
            kept: "aé".as_bytes()[..2].to_vec(),
            dropped: 1,
        };
        assert_eq!(cut.text(), "a");
        let whole = Captured {
            kept: b"a\xc3".to_vec(),
            dropped: 0,
        };
        assert_eq!(whole.text(), "a\u{fffd}");
    }

    #[test]
    fn bytes_that_are_not_utf8_become_replacement_characters() {
        let text = Captured {
            kept: b"ok \xff\xfe\x00 end\n".to_vec(),
            dropped: 0,
        }
        .text();
        assert_eq!(text, "ok \u{fffd}\u{fffd}\0 end\n");
    }
}
