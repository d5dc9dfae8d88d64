//! The agent protocol between supervisor and guest, over any byte stream: a socket, a pipe, a
//! virtio console.
//!
//! A frame is a length (`u32`, little-endian, of what follows), a channel (`u32`, little-endian)
//! and a message in the postcard encoding. Channel 0 is the boundary itself, other channels are
//! executions in it; today there is one, [`RUN`]. Both sides send [`VERSION`] first. The
//! supervisor treats every byte from the guest as hostile: [`Decoder`] takes at most
//! [`FRAME_BYTES_MAX`] a frame and keeps no more than one frame.

use crate::fence::{Rlimit, Step};
use serde::{Deserialize, Serialize};

/// Version of the protocol; a side that meets another one stops.
pub const VERSION: u16 = 2;

/// Largest frame, length field not counted, bytes.
pub const FRAME_BYTES_MAX: usize = 256 << 10;

/// Largest piece of content in one message, bytes; a longer content is sent in several.
pub const CHUNK_BYTES_MAX: usize = 128 << 10;

/// The channel of the boundary itself.
pub const BOUNDARY: u32 = 0;

/// The channel of the submission's execution.
pub const RUN: u32 = 1;

const LENGTH_BYTES: usize = 4;
const CHANNEL_BYTES: usize = 4;

/// What the supervisor tells the guest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToGuest<'a> {
    /// First message.
    Hello {
        /// [`VERSION`] of the supervisor.
        version: u16,
    },
    /// The fence: applied in order, each step answered with [`ToHost::Step`], then
    /// [`ToHost::Ready`].
    Setup {
        /// The steps.
        steps: Vec<Step>,
    },
    /// Makes a file below the working directory, with its parents; content follows in
    /// [`ToGuest::Data`].
    File {
        /// Absolute in the guest.
        #[serde(borrow)]
        path: &'a str,
        /// Permission bits.
        mode: u32,
        /// How many bytes follow.
        bytes: u64,
    },
    /// Content of the last file.
    Data(#[serde(borrow, with = "serde_bytes")] &'a [u8]),
    /// Starts the program.
    Start(Box<Start>),
    /// Ends the program now: SIGKILL to everything.
    Kill,
}

/// How a program is started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// Program, absolute in the guest.
    pub program: String,
    /// Arguments, the name included.
    pub args: Vec<String>,
    /// The whole environment, `NAME=value`.
    pub env: Vec<String>,
    /// Working directory.
    pub directory: String,
    /// Limits of the process.
    pub rlimits: Vec<Rlimit>,
    /// Time until SIGTERM, ms.
    pub wall_ms: u64,
    /// Time from SIGTERM to SIGKILL, ms.
    pub grace_ms: u64,
    /// CPU time of everything in the guest together, ms; enforced by init from the PID
    /// namespace's accounting where the supervisor has no cgroup to do it from.
    pub cpu_ms: Option<u64>,
    /// The result file and how much of it is sent at most.
    pub result: Option<Fetch>,
    /// Where the boot module leaves its account of an exception.
    pub claim: Option<Fetch>,
    /// A descriptor of init's that the program finds under the same number: a zygote's socket.
    pub keep: Option<u8>,
    /// CPUs that the program is pinned to as it begins, where no step of the fence has done so.
    pub cpus: Option<u32>,
}

/// What a zygote tells the supervisor, one packet each, in the postcard encoding. It is told only
/// to make a child: by a packet of one byte, with the child's control socket and the files through
/// which it joins its cgroups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromZygote {
    /// Everything is loaded, and it waits for work.
    Parked,
    /// It cannot be copied, and ends: why.
    Unfit(String),
    /// The child was made; its pidfd comes along.
    Forked,
    /// It could not be made.
    NotForked {
        /// The system call.
        call: String,
        /// Its error.
        errno: i32,
    },
}

/// Largest packet of a zygote, bytes.
pub const PACKET_BYTES_MAX: usize = 4 << 10;

/// A file that is sent after everything in the guest is dead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetch {
    /// Absolute in the guest.
    pub path: String,
    /// A larger file is reported by its size and not sent.
    pub bytes_max: u64,
}

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What the guest tells the supervisor. All of it is a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToHost<'a> {
    /// First message.
    Hello {
        /// [`VERSION`] of the guest.
        version: u16,
    },
    /// Step number `index` was applied, or not.
    Step {
        /// Its place in [`ToGuest::Setup`].
        index: u32,
        /// What came of it.
        outcome: StepOutcome,
    },
    /// All steps are applied; init waits for files and [`ToGuest::Start`].
    Ready,
    /// The program runs.
    Started {
        /// Its pid, as the guest sees it.
        pid: i32,
    },
    /// The program could not be started.
    NotStarted {
        /// Which call failed.
        #[serde(borrow)]
        step: &'a str,
        /// Its error.
        errno: i32,
    },
    /// Output of the program.
    Output {
        /// On which stream.
        stream: Stream,
        /// The bytes.
        #[serde(borrow, with = "serde_bytes")]
        bytes: &'a [u8],
    },
    /// A limit that init enforces has passed; SIGTERM was sent.
    Expired(Expiry),
    /// The program ended and everything else in the guest is dead.
    Ended {
        /// How.
        status: ExitStatus,
        /// CPU time of everything in the guest, µs.
        cpu_us: u64,
        /// Bytes in use on the scratch file system.
        disk_bytes: u64,
        /// Whether the scratch file system was full at the end.
        disk_full: bool,
    },
    /// What became of the result file; content follows in [`ToHost::Data`].
    Result(FetchOutcome),
    /// What became of the claim file; content follows in [`ToHost::Data`].
    Claim(FetchOutcome),
    /// Content of the last file.
    Data(#[serde(borrow, with = "serde_bytes")] &'a [u8]),
    /// Last message of the execution.
    Done {
        /// Largest resident size of init itself, KiB (`ru_maxrss`).
        init_rss_kib: u64,
    },
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepOutcome {
    /// Applied.
    Applied,
    /// Applied as far as this kernel has it, with what is left out.
    Partial(String),
    /// Failed; nothing after it was tried.
    Failed {
        /// The system call.
        call: String,
        /// Its error.
        errno: i32,
    },
}

/// Which limit of init's passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expiry {
    /// `wall`.
    Wall,
    /// `cpu`.
    Cpu,
}

/// How a process ended, as `wait(2)` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitStatus {
    /// It exited.
    Code(u8),
    /// A signal ended it.
    Signal(i32),
}

/// What became of a file that was to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchOutcome {
    /// This many bytes follow.
    Bytes(u64),
    /// It does not exist.
    Missing,
    /// It is larger than allowed.
    TooLarge(u64),
    /// It is not a plain file with one name: a symbolic link, directory, FIFO, device, socket, or
    /// hard-linked.
    NotPlain(FileKind),
    /// It could not be opened or read.
    Unreadable(i32),
}

/// What is found where a plain file should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// A symbolic link, or a path through one.
    Symlink,
    /// A directory.
    Directory,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// A plain file with more than one name.
    HardLink,
}

/// Why a stream of frames cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireError {
    /// A frame says it is larger than [`FRAME_BYTES_MAX`].
    TooLong(u32),
    /// A frame is too short for its channel.
    TooShort(u32),
    /// A message that the encoding or this version does not know.
    Malformed,
    /// Bytes are left after the message.
    Trailing(usize),
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLong(n) => write!(f, "a frame of {n} bytes; at most {FRAME_BYTES_MAX}"),
            Self::TooShort(n) => write!(f, "a frame of {n} bytes; at least {CHANNEL_BYTES}"),
            Self::Malformed => f.write_str("a message that cannot be decoded"),
            Self::Trailing(n) => write!(f, "{n} bytes after a message"),
        }
    }
}

impl std::error::Error for WireError {}

/// Appends `message` on `channel` to `out`.
///
/// # Errors
/// [`WireError::TooLong`] when it does not fit a frame; `out` is then as it was.
pub fn encode<M: Serialize>(channel: u32, message: &M, out: &mut Vec<u8>) -> Result<(), WireError> {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    out.extend_from_slice(&channel.to_le_bytes());
    let taken = std::mem::take(out);
    *out = postcard::to_extend(message, taken).map_err(|_| WireError::Malformed)?;
    let length = out.len() - start - LENGTH_BYTES;
    if length > FRAME_BYTES_MAX {
        out.truncate(start);
        return Err(WireError::TooLong(
            u32::try_from(length).unwrap_or(u32::MAX),
        ));
    }
    let length = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    out[start..start + LENGTH_BYTES].copy_from_slice(&length);
    Ok(())
}

/// Appends a packet that says `message` to `out`.
///
/// # Errors
/// [`WireError::TooLong`] above [`PACKET_BYTES_MAX`].
pub fn encode_packet(message: &FromZygote, out: &mut Vec<u8>) -> Result<(), WireError> {
    let taken = std::mem::take(out);
    *out = postcard::to_extend(message, taken).map_err(|_| WireError::Malformed)?;
    if out.len() > PACKET_BYTES_MAX {
        return Err(WireError::TooLong(
            u32::try_from(out.len()).unwrap_or(u32::MAX),
        ));
    }
    Ok(())
}

/// What a packet says.
///
/// # Errors
/// [`WireError::Malformed`] or [`WireError::Trailing`].
pub fn decode_packet(bytes: &[u8]) -> Result<FromZygote, WireError> {
    let (message, rest) = postcard::take_from_bytes(bytes).map_err(|_| WireError::Malformed)?;
    match rest.len() {
        0 => Ok(message),
        left => Err(WireError::Trailing(left)),
    }
}

/// A start as one message of init to the program that it has prepared.
///
/// # Errors
/// [`WireError::Malformed`] when it cannot be encoded.
pub fn encode_start(start: &Start) -> Result<Vec<u8>, WireError> {
    postcard::to_extend(start, Vec::new()).map_err(|_| WireError::Malformed)
}

/// The start that such a message holds.
///
/// # Errors
/// [`WireError::Malformed`].
pub fn decode_start(bytes: &[u8]) -> Result<Start, WireError> {
    postcard::from_bytes(bytes).map_err(|_| WireError::Malformed)
}

/// Cuts a byte stream into frames.
///
/// Feed it with [`Decoder::space`] and [`Decoder::filled`], then take messages with
/// [`Decoder::next`] until there is none. It holds at most one frame and what was read with it.
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            buffer: vec![0; 16 << 10],
            start: 0,
            end: 0,
        }
    }
}

impl Decoder {
    /// One that holds nothing and has no room yet.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
        }
    }

    /// Where the next bytes of the stream go; never empty.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            // One more than the largest frame is enough for `next` to make progress.
            let larger = (self.buffer.len() * 2).min(LENGTH_BYTES + FRAME_BYTES_MAX + 1);
            self.buffer.resize(larger.max(self.end + 1), 0);
        }
        &mut self.buffer[self.end..]
    }

    /// Says that `count` bytes were put into [`Decoder::space`].
    pub fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    /// Bytes that are held and not yet taken.
    #[must_use]
    pub fn held(&self) -> usize {
        self.end - self.start
    }

    /// Whether [`Decoder::next`] has an answer without more bytes: a message, or an error.
    #[must_use]
    pub fn ready(&self) -> bool {
        let held = &self.buffer[self.start..self.end];
        held.split_first_chunk::<LENGTH_BYTES>()
            .is_some_and(|(length, rest)| {
                let length = u32::from_le_bytes(*length) as usize;
                length > FRAME_BYTES_MAX || rest.len() >= length
            })
    }

    /// The next whole message with its channel, or `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`WireError`]; the stream cannot be read on.
    pub fn next<'a, M: Deserialize<'a>>(&'a mut self) -> Result<Option<(u32, M)>, WireError> {
        let held = &self.buffer[self.start..self.end];
        let Some((length, rest)) = held.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let claimed = u32::from_le_bytes(*length);
        let length = claimed as usize;
        if length > FRAME_BYTES_MAX {
            return Err(WireError::TooLong(claimed));
        }
        if length < CHANNEL_BYTES {
            return Err(WireError::TooShort(claimed));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let frame = self.start + LENGTH_BYTES;
        self.start = frame + length;
        let body = &self.buffer[frame..frame + length];
        let Some((channel, message)) = body.split_first_chunk::<CHANNEL_BYTES>() else {
            return Err(WireError::TooShort(claimed));
        };
        match postcard::take_from_bytes(message) {
            Ok((message, [])) => Ok(Some((u32::from_le_bytes(*channel), message))),
            Ok((_, left)) => Err(WireError::Trailing(left.len())),
            Err(_) => Err(WireError::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(decoder: &mut Decoder, bytes: &[u8]) {
        let space = decoder.space();
        space[..bytes.len()].copy_from_slice(bytes);
        decoder.filled(bytes.len());
    }

    #[test]
    fn a_message_fed_byte_by_byte_reads_back() {
        let mut bytes = Vec::new();
        let sent = ToHost::Output {
            stream: Stream::Stderr,
            bytes: b"hello",
        };
        encode(RUN, &sent, &mut bytes).unwrap();
        let mut decoder = Decoder::default();
        for (at, byte) in bytes.iter().enumerate() {
            assert_eq!(
                decoder.next::<ToHost<'_>>().unwrap(),
                None,
                "after {at} bytes"
            );
            feed(&mut decoder, &[*byte]);
        }
        assert_eq!(decoder.next::<ToHost<'_>>().unwrap(), Some((RUN, sent)));
        assert_eq!(decoder.held(), 0);
    }

    #[test]
    fn the_largest_chunk_fits_a_frame_and_a_larger_one_is_refused() {
        let mut out = vec![7];
        let chunk = vec![1; CHUNK_BYTES_MAX];
        encode(RUN, &ToHost::Data(&chunk), &mut out).unwrap();
        let before = out.len();
        let huge = vec![1; FRAME_BYTES_MAX + 1];
        assert!(encode(RUN, &ToHost::Data(&huge), &mut out).is_err());
        assert_eq!(out.len(), before);
    }

    #[test]
    fn a_frame_that_claims_to_be_huge_is_refused_before_it_is_stored() {
        let mut decoder = Decoder::default();
        feed(&mut decoder, &u32::MAX.to_le_bytes());
        assert_eq!(
            decoder.next::<ToHost<'_>>(),
            Err(WireError::TooLong(u32::MAX))
        );
    }

    #[test]
    fn bytes_after_a_message_are_refused() {
        let mut bytes = Vec::new();
        encode(RUN, &ToHost::Ready, &mut bytes).unwrap();
        bytes.push(0);
        bytes[0] += 1;
        let mut decoder = Decoder::default();
        feed(&mut decoder, &bytes);
        assert_eq!(decoder.next::<ToHost<'_>>(), Err(WireError::Trailing(1)));
    }

    #[test]
    fn the_first_bytes_of_the_protocol_do_not_change() {
        // Golden: a change here is a change of VERSION.
        let mut bytes = Vec::new();
        encode(BOUNDARY, &ToGuest::Hello { version: 1 }, &mut bytes).unwrap();
        encode(
            RUN,
            &ToHost::Output {
                stream: Stream::Stdout,
                bytes: b"hi",
            },
            &mut bytes,
        )
        .unwrap();
        assert_eq!(
            bytes,
            [
                6, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 1, 0, 0, 0, 5, 0, 2, b'h', b'i'
            ]
        );
    }
}
