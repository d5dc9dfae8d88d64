//! What the guest has said so far, and what it may say next. Pure: no descriptor, no clock.
//!
//! The guest is hostile from the moment the submission starts; a message that is out of order,
//! on another channel or larger than it may be breaks the protocol, and that is an outcome.

use stockade_core::report::{Captured, Ending, Fetched};
use stockade_core::untrusted::Untrusted;
use stockade_core::wire::{
    BOUNDARY, ExitStatus, Expiry, FetchOutcome, RUN, StepOutcome, Stream, ToHost, VERSION,
};

/// How far the conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing was said.
    Silent,
    /// Steps are being applied.
    Applying,
    /// All are; the submission may be sent.
    Ready,
    /// The submission runs.
    Running,
    /// It ended; files are being fetched.
    Ended,
    /// The last message was seen.
    Done,
}

/// What the session has to do about a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect<'a> {
    /// Nothing.
    None,
    /// A step failed: number, call and errno.
    Failed(u32, String, i32),
    /// The program could not be started.
    NotStarted(String, i32),
    /// The clock of the submission starts.
    Started,
    /// Output to keep and show.
    Output(Stream, &'a [u8]),
    /// Init says that a limit of its own has passed.
    Expired(Expiry),
    /// The clock of the submission ends.
    Ended,
}

/// What is kept of what was said.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) stage: Stage,
    pub(super) steps: Vec<StepOutcome>,
    steps_expected: usize,
    ending: Option<Ending>,
    pub(super) main_pid: i32,
    pub(super) cpu_us: u64,
    pub(super) disk: Option<(u64, bool)>,
    pub(super) init_rss_kib: Option<u64>,
    pub(super) stdout: Kept,
    pub(super) stderr: Kept,
    result: Incoming,
    claim: Incoming,
    receiving: Option<Which>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Result,
    Claim,
}

/// A file that is asked for.
#[derive(Debug)]
struct Incoming {
    asked: bool,
    bytes_max: u64,
    outcome: Option<FetchOutcome>,
    bytes: Vec<u8>,
}

impl Incoming {
    fn new(bytes_max: Option<u64>) -> Self {
        Self {
            asked: bytes_max.is_some(),
            bytes_max: bytes_max.unwrap_or(0),
            outcome: None,
            bytes: Vec::new(),
        }
    }

    fn left(&self) -> u64 {
        match self.outcome {
            Some(FetchOutcome::Bytes(all)) => all - self.bytes.len() as u64,
            Some(_) | None => 0,
        }
    }

    fn into_fetched(self) -> Fetched {
        match (self.asked, self.outcome) {
            (false, _) => Fetched::NotAsked,
            (true, None) => Fetched::Not(FetchOutcome::Missing),
            (true, Some(FetchOutcome::Bytes(_))) => Fetched::Bytes(Untrusted::new(self.bytes)),
            (true, Some(other)) => Fetched::Not(other),
        }
    }
}

/// Output up to its limit.
#[derive(Debug)]
pub(super) struct Kept {
    captured: Captured,
    bytes_max: usize,
}

impl Kept {
    pub(super) fn new(bytes_max: u64) -> Self {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        Self {
            captured: Captured::default(),
            bytes_max,
        }
    }

    /// Keeps what fits and returns it.
    fn push<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let room = self.bytes_max - self.captured.kept.len();
        let (kept, dropped) = bytes.split_at(bytes.len().min(room));
        self.captured.kept.extend_from_slice(kept);
        self.captured.dropped += dropped.len() as u64;
        kept
    }
}

/// What is left when the conversation is over.
pub(super) struct Closed {
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
    pub(super) result: Fetched,
    pub(super) claim: Option<Untrusted<Vec<u8>>>,
}

impl Ledger {
    /// For a fence of so many steps.
    pub(super) fn new(steps_expected: usize) -> Self {
        Self {
            stage: Stage::Silent,
            steps: Vec::with_capacity(steps_expected),
            steps_expected,
            ending: None,
            main_pid: 0,
            cpu_us: 0,
            disk: None,
            init_rss_kib: None,
            stdout: Kept::new(0),
            stderr: Kept::new(0),
            result: Incoming::new(None),
            claim: Incoming::new(None),
            receiving: None,
        }
    }

    /// What the run that comes may say: so much output, and files of at most so many bytes.
    pub(super) fn expect(
        &mut self,
        (stdout, stderr): (u64, u64),
        result: Option<u64>,
        claim: Option<u64>,
    ) {
        self.stdout = Kept::new(stdout);
        self.stderr = Kept::new(stderr);
        self.result = Incoming::new(result);
        self.claim = Incoming::new(claim);
    }

    /// Takes the next message.
    ///
    /// # Errors
    /// How the guest broke the protocol.
    pub(super) fn take<'a>(
        &mut self,
        channel: u32,
        message: &ToHost<'a>,
    ) -> Result<Effect<'a>, String> {
        let expected = channel_of(message);
        if channel != expected {
            return Err(format!(
                "a message on channel {channel} that belongs on {expected}"
            ));
        }
        match (self.stage, message) {
            (Stage::Silent, ToHost::Hello { version }) if *version == VERSION => {
                self.stage = Stage::Applying;
                Ok(Effect::None)
            }
            (Stage::Silent, ToHost::Hello { version }) => Err(format!(
                "version {version} of the protocol; this side speaks {VERSION}"
            )),
            (Stage::Applying, ToHost::Step { index, outcome }) => self.step(*index, outcome),
            (Stage::Applying, ToHost::Ready) if self.steps.len() == self.steps_expected => {
                self.stage = Stage::Ready;
                Ok(Effect::None)
            }
            (Stage::Ready, ToHost::Started { pid }) => {
                self.main_pid = *pid;
                self.stage = Stage::Running;
                Ok(Effect::Started)
            }
            (Stage::Ready, ToHost::NotStarted { step, errno }) => {
                Ok(Effect::NotStarted((*step).to_owned(), *errno))
            }
            (Stage::Running, ToHost::Output { stream, bytes }) => {
                let kept = match stream {
                    Stream::Stdout => self.stdout.push(bytes),
                    Stream::Stderr => self.stderr.push(bytes),
                };
                Ok(Effect::Output(*stream, kept))
            }
            (Stage::Running, ToHost::Expired(which)) => Ok(Effect::Expired(*which)),
            (
                Stage::Running,
                ToHost::Ended {
                    status,
                    cpu_us,
                    disk_bytes,
                    disk_full,
                },
            ) => {
                self.stage = Stage::Ended;
                self.cpu_us = *cpu_us;
                self.disk = Some((*disk_bytes, *disk_full));
                self.ending = Some(match status {
                    ExitStatus::Code(code) => Ending::Code(*code),
                    ExitStatus::Signal(signal) => Ending::Signal(*signal),
                });
                Ok(Effect::Ended)
            }
            (Stage::Ended, ToHost::Result(outcome)) => self.fetch(Which::Result, *outcome),
            (Stage::Ended, ToHost::Claim(outcome)) => self.fetch(Which::Claim, *outcome),
            (Stage::Ended, ToHost::Data(bytes)) => self.data(bytes),
            (Stage::Ended, ToHost::Done { init_rss_kib }) => self.done(*init_rss_kib),
            (stage, message) => Err(format!("{} while {stage:?}", name(message))),
        }
    }

    /// How the submission ended. Lost as well if init was cut off after it had said so: a value
    /// that did not come whole is none, and what is missing was perhaps there.
    pub(super) fn ending(&self) -> Ending {
        match (self.stage, &self.ending) {
            (Stage::Done, Some(ending)) => ending.clone(),
            (
                Stage::Silent
                | Stage::Applying
                | Stage::Ready
                | Stage::Running
                | Stage::Ended
                | Stage::Done,
                _,
            ) => Ending::Lost,
        }
    }

    fn step(&mut self, index: u32, outcome: &StepOutcome) -> Result<Effect<'static>, String> {
        if index as usize != self.steps.len() || self.steps.len() == self.steps_expected {
            return Err(format!(
                "step {index} where step {} was due",
                self.steps.len()
            ));
        }
        if let StepOutcome::Failed { call, errno } = outcome {
            return Ok(Effect::Failed(index, call.clone(), *errno));
        }
        self.steps.push(outcome.clone());
        Ok(Effect::None)
    }

    fn fetch(&mut self, which: Which, outcome: FetchOutcome) -> Result<Effect<'static>, String> {
        self.complete()?;
        let incoming = self.incoming(which);
        if !incoming.asked {
            return Err(format!("a {which:?} that was not asked for"));
        }
        if incoming.outcome.is_some() {
            return Err(format!("a second {which:?}"));
        }
        if let FetchOutcome::Bytes(all) = outcome
            && all > incoming.bytes_max
        {
            return Err(format!(
                "a {which:?} of {all} bytes; {} allowed",
                incoming.bytes_max
            ));
        }
        incoming.outcome = Some(outcome);
        self.receiving = Some(which);
        Ok(Effect::None)
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Effect<'static>, String> {
        let Some(which) = self.receiving else {
            return Err("content of no file".to_owned());
        };
        let incoming = self.incoming(which);
        if bytes.len() as u64 > incoming.left() {
            return Err(format!("more content of the {which:?} than was said"));
        }
        incoming.bytes.extend_from_slice(bytes);
        Ok(Effect::None)
    }

    fn done(&mut self, init_rss_kib: u64) -> Result<Effect<'static>, String> {
        self.complete()?;
        self.stage = Stage::Done;
        self.init_rss_kib = Some(init_rss_kib);
        Ok(Effect::None)
    }

    /// A file that was begun must have come whole before the next thing.
    fn complete(&mut self) -> Result<(), String> {
        let Some(which) = self.receiving else {
            return Ok(());
        };
        match self.incoming(which).left() {
            0 => Ok(()),
            _ => Err(format!("less content of the {which:?} than was said")),
        }
    }

    fn incoming(&mut self, which: Which) -> &mut Incoming {
        match which {
            Which::Result => &mut self.result,
            Which::Claim => &mut self.claim,
        }
    }

    /// Ends the conversation.
    pub(super) fn close(self) -> Closed {
        let claim = match self.claim.into_fetched() {
            Fetched::Bytes(bytes) => Some(bytes),
            Fetched::Not(_) | Fetched::NotAsked => None,
        };
        Closed {
            stdout: self.stdout.captured,
            stderr: self.stderr.captured,
            result: self.result.into_fetched(),
            claim,
        }
    }
}

/// Where a message belongs.
fn channel_of(message: &ToHost<'_>) -> u32 {
    match message {
        ToHost::Hello { .. } | ToHost::Step { .. } | ToHost::Ready => BOUNDARY,
        ToHost::Started { .. }
        | ToHost::NotStarted { .. }
        | ToHost::Output { .. }
        | ToHost::Expired(_)
        | ToHost::Ended { .. }
        | ToHost::Result(_)
        | ToHost::Claim(_)
        | ToHost::Data(_)
        | ToHost::Done { .. } => RUN,
    }
}

fn name(message: &ToHost<'_>) -> &'static str {
    match message {
        ToHost::Hello { .. } => "Hello",
        ToHost::Step { .. } => "Step",
        ToHost::Ready => "Ready",
        ToHost::Started { .. } => "Started",
        ToHost::NotStarted { .. } => "NotStarted",
        ToHost::Output { .. } => "Output",
        ToHost::Expired(_) => "Expired",
        ToHost::Ended { .. } => "Ended",
        ToHost::Result(_) => "Result",
        ToHost::Claim(_) => "Claim",
        ToHost::Data(_) => "Data",
        ToHost::Done { .. } => "Done",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running() -> Ledger {
        let mut ledger = Ledger::new(1);
        ledger.expect((4, 4), Some(8), Some(8));
        let step = ToHost::Step {
            index: 0,
            outcome: StepOutcome::Applied,
        };
        for (channel, message) in [
            (0, ToHost::Hello { version: VERSION }),
            (0, step),
            (0, ToHost::Ready),
            (1, ToHost::Started { pid: 2 }),
        ] {
            ledger.take(channel, &message).unwrap();
        }
        ledger
    }

    fn ended() -> Ledger {
        let mut ledger = running();
        let status = ExitStatus::Code(0);
        let ended = ToHost::Ended {
            status,
            cpu_us: 1,
            disk_bytes: 1,
            disk_full: false,
        };
        assert_eq!(ledger.take(RUN, &ended), Ok(Effect::Ended));
        ledger
    }

    #[test]
    fn output_beyond_its_limit_is_counted_and_dropped() {
        let mut ledger = running();
        let stream = Stream::Stdout;
        let first = ledger.take(
            RUN,
            &ToHost::Output {
                stream,
                bytes: b"abc",
            },
        );
        assert_eq!(first, Ok(Effect::Output(stream, b"abc")));
        let second = ledger.take(
            RUN,
            &ToHost::Output {
                stream,
                bytes: b"def",
            },
        );
        assert_eq!(second, Ok(Effect::Output(stream, b"d")));
        assert_eq!(ledger.close().stdout.dropped, 2);
    }

    #[test]
    fn a_guest_that_says_ready_before_its_steps_breaks_the_protocol() {
        let mut ledger = Ledger::new(1);
        ledger
            .take(BOUNDARY, &ToHost::Hello { version: VERSION })
            .unwrap();
        assert!(ledger.take(BOUNDARY, &ToHost::Ready).is_err());
    }

    #[test]
    fn messages_out_of_order_or_on_the_wrong_channel_break_the_protocol() {
        for (channel, message) in [
            (BOUNDARY, ToHost::Ready),
            (BOUNDARY, ToHost::Started { pid: 2 }),
            (RUN, ToHost::Started { pid: 2 }),
            (RUN, ToHost::Hello { version: VERSION }),
            (RUN, ToHost::Result(FetchOutcome::Missing)),
            (RUN, ToHost::Data(b"x")),
            (
                7,
                ToHost::Output {
                    stream: Stream::Stdout,
                    bytes: b"x",
                },
            ),
        ] {
            assert!(
                running().take(channel, &message).is_err(),
                "{message:?} on {channel}"
            );
        }
    }

    #[test]
    fn a_file_must_be_asked_for_once_of_the_size_that_was_said() {
        let bytes = |n| ToHost::Result(FetchOutcome::Bytes(n));
        assert!(ended().take(RUN, &bytes(9)).is_err(), "larger than allowed");
        let mut ledger = ended();
        ledger.take(RUN, &bytes(3)).unwrap();
        assert!(
            ledger.take(RUN, &ToHost::Data(b"abcd")).is_err(),
            "more than said"
        );
        let mut ledger = ended();
        ledger.take(RUN, &bytes(3)).unwrap();
        ledger.take(RUN, &ToHost::Data(b"ab")).unwrap();
        assert!(
            ledger.take(RUN, &ToHost::Done { init_rss_kib: 1 }).is_err(),
            "less than said"
        );
        let mut ledger = ended();
        ledger.take(RUN, &bytes(3)).unwrap();
        assert!(ledger.take(RUN, &bytes(3)).is_err(), "twice");
    }

    #[test]
    fn a_conversation_that_is_cut_off_has_no_ending() {
        let mut ledger = ended();
        assert_eq!(
            ledger.ending(),
            Ending::Lost,
            "the result may be on its way"
        );
        ledger
            .take(RUN, &ToHost::Result(FetchOutcome::Bytes(3)))
            .unwrap();
        ledger.take(RUN, &ToHost::Data(b"12")).unwrap();
        assert_eq!(ledger.ending(), Ending::Lost, "`12` of `123`");
        ledger.take(RUN, &ToHost::Data(b"3")).unwrap();
        ledger.take(RUN, &ToHost::Done { init_rss_kib: 1 }).unwrap();
        assert_eq!(ledger.ending(), Ending::Code(0));
    }

    #[test]
    fn a_whole_conversation_gives_its_file() {
        let mut ledger = ended();
        ledger
            .take(RUN, &ToHost::Result(FetchOutcome::Bytes(3)))
            .unwrap();
        ledger.take(RUN, &ToHost::Data(b"abc")).unwrap();
        ledger
            .take(RUN, &ToHost::Claim(FetchOutcome::Missing))
            .unwrap();
        ledger.take(RUN, &ToHost::Done { init_rss_kib: 7 }).unwrap();
        assert_eq!(ledger.stage, Stage::Done);
        let Fetched::Bytes(bytes) = ledger.close().result else {
            panic!("no bytes")
        };
        assert_eq!(bytes.validate(Ok::<_, ()>).unwrap(), b"abc");
    }
}
