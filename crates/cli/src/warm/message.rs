//! What the command and the daemon tell each other.
//!
//! Each side begins with [`PROTOCOL`]; what follows that byte is for those who have the same one,
//! but for [`DRAIN`], which every version understands. Then come frames of `stockade_core::wire`
//! with messages of this file, on channel [`CHANNEL`]. No frame is larger than its
//! `FRAME_BYTES_MAX`, and what is put together from several has a bound of its own.

use serde::{Deserialize, Serialize};
use stockade::{Error, Policy};
use stockade_core::wire::Stream;

use crate::answer::Wanted;
use crate::asked::Terms;
use crate::screen;

/// Version of these messages.
pub(crate) const PROTOCOL: u8 = 1;

/// The command's second byte: messages follow.
pub(crate) const TALK: u8 = b'T';

/// The command's second byte: take no more, end when what runs has ended. The daemon ends its half
/// of the stream when another can take its place; the other half ends with it.
pub(crate) const DRAIN: u8 = b'D';

/// All messages are on this channel.
pub(crate) const CHANNEL: u32 = 0;

/// What an answer or a submission may have in all, bytes: more than the largest limits allow.
pub(crate) const CONTENT_BYTES_MAX: usize = 2 << 30;

/// Files of one submission at most.
pub(crate) const FILES_MAX: usize = 1 << 16;

/// Characters that are told of what stays of one guest: of as many as the engine keeps they fit
/// into a frame.
const STUCK_CHARS_MAX: usize = 500;

/// What the command tells the daemon.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToDaemon<'a> {
    /// Answered with [`FromDaemon::Standing`].
    Status,
    /// Answered with [`FromDaemon::Keeps`] or [`FromDaemon::Failed`] when a copy waits, or at once
    /// when nobody is to wait for that.
    Keep(Keep),
    /// A run is asked for; its content follows.
    Run {
        /// The policy.
        terms: Box<Terms>,
        /// What to answer.
        wanted: Wanted,
        /// Whether the record is wanted for an audit file.
        audited: bool,
        /// Whether output is wanted as it comes.
        live: bool,
    },
    /// Content begins.
    Content(Content<'a>),
    /// More of it.
    Data(#[serde(borrow, with = "serde_bytes")] &'a [u8]),
    /// All content is there. Whatever comes after it, the end of the stream first of all, ends the
    /// run.
    Go,
}

/// What runs are like that are to be warm; as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pattern {
    pub(crate) template: String,
    pub(crate) limits: Vec<String>,
    pub(crate) grants: Vec<String>,
    /// Whether they call a function.
    pub(crate) calls: bool,
}

impl Pattern {
    /// That of runs like one.
    pub(crate) fn of(terms: &Terms) -> Self {
        Self {
            template: terms.template.clone(),
            limits: terms.limits.clone(),
            grants: terms.grants.clone(),
            calls: terms.call.is_some(),
        }
    }

    /// The policy of such a run.
    ///
    /// # Errors
    /// `InvalidPolicy`, naming the argument.
    pub(crate) fn policy(&self) -> Result<Policy, Error> {
        Terms {
            template: self.template.clone(),
            limits: self.limits.clone(),
            grants: self.grants.clone(),
            rung: "auto".to_owned(),
            // Any name: which is called is told to the copy.
            call: self.calls.then(|| "main".to_owned()),
            ..Terms::default()
        }
        .policy(None)
    }
}

/// What to keep warm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keep {
    pub(crate) pattern: Pattern,
    /// Copies that wait; `None` for the daemon's choice.
    pub(crate) depth: Option<u32>,
    /// How long without a run until the daemon ends, ms; `None` leaves it.
    pub(crate) idle_ms: Option<u64>,
    /// Whether to answer only when a copy waits.
    pub(crate) wait: bool,
}

/// What content is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Content<'a> {
    Schema,
    Source,
    Input,
    /// A file for this destination.
    File(&'a str),
}

/// What the daemon tells the command.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromDaemon<'a> {
    /// Its first message.
    Hello(Greeting),
    /// How it stands.
    Standing(Box<Standing>),
    /// A template is kept warm, or will be.
    Keeps {
        /// Copies that wait.
        waiting: u32,
        /// How many are to wait.
        depth: u32,
        /// Until the daemon ends without a run, ms.
        idle_ms: u64,
    },
    /// The run begins: from now on it may have had effects.
    Begun,
    /// Output of the submission.
    Output {
        /// On which stream.
        stream: Stream,
        /// The bytes.
        #[serde(borrow, with = "serde_bytes")]
        bytes: &'a [u8],
    },
    /// More of a text of the answer.
    Part {
        /// Which.
        text: Text,
        /// The bytes.
        #[serde(borrow, with = "serde_bytes")]
        bytes: &'a [u8],
    },
    /// The run came to an outcome; all texts are sent.
    Done {
        /// Of the command.
        exit_code: u8,
        /// Whether there is a result, which may be empty.
        result: bool,
    },
    /// An error; all texts are sent.
    Failed(Failed),
}

/// A text of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Text {
    /// The value or the record.
    Result,
    /// For standard error.
    Told,
    /// The record for the audit file.
    Audit,
}

/// Who the daemon is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Greeting {
    /// Its version and its program.
    pub(crate) build: String,
    /// What its runs depend on besides what is sent.
    pub(crate) surroundings: String,
    pub(crate) pid: i32,
    /// Templates that are kept warm.
    pub(crate) kept: Vec<String>,
}

/// An error as it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failed {
    /// [`stockade::ErrorKind::slug`].
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) hints: Vec<String>,
}

/// How the daemon stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// Since when it runs, ms since 1970.
    pub(crate) started_ms: u64,
    pub(crate) runs: u64,
    pub(crate) running: u32,
    /// Time without a run after which it ends, ms.
    pub(crate) idle_ms: u64,
    pub(crate) herds: Vec<Herd>,
    pub(crate) teardown: Teardown,
}

/// What has come of the guests of warm runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Teardown {
    pub(crate) destroyed: u64,
    /// Of which something stayed, mended since or not.
    pub(crate) failed: u64,
    /// What stays now, the last of it.
    pub(crate) stuck: Vec<String>,
}

impl From<stockade::Teardown> for Teardown {
    fn from(teardown: stockade::Teardown) -> Self {
        let stuck = teardown.stuck.iter();
        Self {
            destroyed: teardown.destroyed,
            failed: teardown.failed,
            stuck: stuck
                .map(|left| screen::excerpt(left, STUCK_CHARS_MAX))
                .collect(),
        }
    }
}

/// Interpreters of one kind that are kept ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Herd {
    pub(crate) template: String,
    pub(crate) digest: String,
    pub(crate) calls: bool,
    pub(crate) cpus: u64,
    pub(crate) zygotes: u32,
    pub(crate) children: u64,
    pub(crate) waiting: u32,
    pub(crate) depth: u32,
    /// Why none are made.
    pub(crate) trouble: Option<String>,
    /// Whether it is in the making.
    pub(crate) warming: bool,
}
