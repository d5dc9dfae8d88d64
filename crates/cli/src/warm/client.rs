//! The command's side of a run in the daemon.

use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::time::Duration;

use serde_json::Value;
use stockade::{Error, ErrorKind, Watch};
use stockade_sys::clock;
use stockade_sys::poll::{Ready, poll};

use super::address::{self, Address};
use super::channel::Channel;
use super::message::{
    CONTENT_BYTES_MAX, Content, DRAIN, Failed, FromDaemon, Greeting, PROTOCOL, TALK, Text, ToDaemon,
};
use crate::answer::{Answer, Wanted};
use crate::asked::Asked;

/// How long the daemon may take to say who it is: one that is stopped says nothing.
const GREETED_WITHIN: Duration = Duration::from_secs(1);

/// How long it may take to end a run that was cancelled: grace and the removal of the boundary.
const CANCELLED_WITHIN: Duration = Duration::from_secs(90);

/// A connection to this user's daemon, with nothing said yet.
#[derive(Debug)]
pub(crate) struct Link {
    channel: Channel,
}

/// Who answers.
#[derive(Debug)]
pub(crate) enum Met {
    /// A daemon of this build.
    Ours(Link, Greeting),
    /// One of another build, with what it keeps if it speaks our language.
    Other(Link, Vec<String>),
    /// Nobody who says anything.
    Nobody,
}

/// What the caller wants besides the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extras {
    pub(crate) wanted: Wanted,
    /// The record, for an audit file.
    pub(crate) audited: bool,
    /// Output, as it comes.
    pub(crate) live: bool,
}

/// What came of handing over a run.
#[derive(Debug)]
pub(crate) enum Handed {
    /// It was begun, and ended like this.
    Over(Result<Answer, Error>, Option<Value>),
    /// It was not begun: nothing has happened.
    NotTaken,
}

impl Link {
    /// Connects, if somebody of this user listens; takes microseconds where nobody does.
    pub(crate) fn find() -> Option<Self> {
        Self::to(&Address::from_environment())
    }

    pub(crate) fn to(address: &Address) -> Option<Self> {
        let stream = address.connect()?;
        Some(Self {
            channel: Channel::new(stream),
        })
    }

    /// Hears who it is.
    pub(crate) fn meet(mut self) -> Met {
        match self.greeted() {
            Ok(Some(greeting)) if greeting.build == address::build() => Met::Ours(self, greeting),
            Ok(Some(greeting)) => Met::Other(self, greeting.kept),
            Ok(None) => Met::Other(self, Vec::new()),
            Err(_) => Met::Nobody,
        }
    }

    fn greeted(&mut self) -> io::Result<Option<Greeting>> {
        self.channel
            .stream()
            .set_read_timeout(Some(GREETED_WITHIN))?;
        let mut protocol = [0];
        self.channel.read_exact(&mut protocol)?;
        if protocol != [PROTOCOL] {
            return Ok(None);
        }
        let Some(FromDaemon::Hello(greeting)) = self.channel.receive()? else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        self.channel.stream().set_read_timeout(None)?;
        Ok(Some(greeting))
    }

    /// Asks it to take no more and to end, and waits until another can take its place.
    pub(crate) fn drain(mut self) -> io::Result<Draining> {
        self.channel.stream().set_read_timeout(None)?;
        self.channel.push_raw(&[PROTOCOL, DRAIN]);
        self.channel.flush()?;
        // What it says besides is a greeting, of whatever version.
        let mut said = [0; 1 << 10];
        while self.channel.read(&mut said)? > 0 {}
        Ok(Draining(self.channel))
    }

    /// Says one thing and hears the answer; `None` when the daemon goes away instead.
    ///
    /// # Errors
    /// Those that the daemon tells.
    pub(crate) fn ask<T>(
        &mut self,
        question: &ToDaemon<'_>,
        answer: impl FnOnce(FromDaemon<'_>) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        if self.say(question).is_err() {
            return Ok(None);
        }
        match self.channel.receive() {
            Ok(Some(FromDaemon::Failed(failed))) => Err(failed.into()),
            Ok(Some(message)) => match answer(message) {
                Some(answer) => Ok(Some(answer)),
                None => Err(out_of_turn("another message")),
            },
            Ok(None) | Err(_) => Ok(None),
        }
    }

    /// Says one thing.
    pub(crate) fn say(&mut self, message: &ToDaemon<'_>) -> io::Result<()> {
        self.channel.push_raw(&[PROTOCOL, TALK]);
        self.channel.send(message)
    }

    /// Has it run what is asked for. `watch` is shown the output and asked whether to go on.
    pub(crate) fn run(mut self, asked: &Asked, extras: Extras, watch: &mut dyn Watch) -> Handed {
        // One that ends meanwhile has begun nothing: it is told to begin with the last message.
        if self.hand_over(asked, extras).is_err() {
            return Handed::NotTaken;
        }
        let mut conversation = Conversation::default();
        let ended = conversation.follow(&mut self.channel, watch);
        match (ended, conversation.begun) {
            (Err(error), true) => Handed::Over(Err(error), conversation.audit()),
            (Err(_), false) => Handed::NotTaken,
            (Ok(ended), _) => match conversation.into_answer(ended) {
                Ok((answer, audit)) => Handed::Over(answer, audit),
                Err(error) => Handed::Over(Err(error), None),
            },
        }
    }

    fn hand_over(&mut self, asked: &Asked, extras: Extras) -> io::Result<()> {
        let channel = &mut self.channel;
        channel.push_raw(&[PROTOCOL, TALK]);
        channel.push(&ToDaemon::Run {
            terms: Box::new(asked.terms.clone()),
            wanted: extras.wanted,
            audited: extras.audited,
            live: extras.live,
        })?;
        let fixed = [
            (Content::Schema, asked.schema.as_ref()),
            (Content::Source, Some(&asked.source)),
            (Content::Input, asked.input.as_ref()),
        ];
        let fixed = fixed
            .into_iter()
            .filter_map(|(content, bytes)| Some((content, bytes?)));
        let files = asked.files.iter();
        let files = files.map(|(destination, bytes)| (Content::File(destination), bytes));
        for (content, bytes) in fixed.chain(files) {
            channel.push(&ToDaemon::Content(content))?;
            channel.push_pieces(bytes, ToDaemon::Data)?;
        }
        channel.send(&ToDaemon::Go)
    }
}

/// A daemon that takes no more.
#[derive(Debug)]
pub(crate) struct Draining(Channel);

impl Draining {
    /// Waits until it is gone.
    ///
    /// # Errors
    /// `Host` when that cannot be waited for.
    pub(crate) fn wait(self) -> Result<(), Error> {
        loop {
            // It has closed one half of the connection; the other goes with the process.
            let [state] = poll(&[(self.0.as_fd(), Ready::NONE)], None).map_err(|errno| {
                Error::new(ErrorKind::Host, "cannot wait for the daemon's end")
                    .because(io::Error::from(errno))
            })?;
            if state.hung_up {
                return Ok(());
            }
        }
    }
}

/// What has been heard of a run.
#[derive(Debug, Default)]
struct Conversation {
    begun: bool,
    result: Vec<u8>,
    told: Vec<u8>,
    audit: Vec<u8>,
}

/// How it ended.
#[derive(Debug)]
enum Ended {
    Done { exit_code: u8, result: bool },
    Failed(Failed),
}

impl Conversation {
    /// Listens to the end. A cancellation is passed on, and its answer waited for.
    fn follow(&mut self, channel: &mut Channel, watch: &mut dyn Watch) -> Result<Ended, Error> {
        let mut cancelled: Option<Duration> = None;
        loop {
            while channel.is_ready() {
                if let Some(message) = channel.taken().map_err(gone)?
                    && let Some(ended) = self.hear(message, watch)?
                {
                    return Ok(ended);
                }
            }
            let cancel = cancelled.map_or_else(|| watch.cancel(), |_| None);
            let patience = cancelled
                .map(|since| (since + CANCELLED_WITHIN).saturating_sub(clock::monotonic()));
            let here = (channel.as_fd(), Ready::READ);
            let [said, asked] = match cancel {
                Some(cancel) => poll(&[here, (cancel, Ready::READ)], patience),
                None => poll(&[here], patience).map(|[said]| [said, Ready::NONE]),
            }
            .map_err(|errno| gone(errno.into()))?;
            if asked.any() {
                cancelled = Some(clock::monotonic());
                // One that is gone has ended the run as well.
                let _ = channel.stream().shutdown(Shutdown::Write);
            } else if said.any() {
                if !channel.read_some().map_err(gone)? {
                    return Err(gone(io::ErrorKind::UnexpectedEof.into()));
                }
            } else if patience.is_some_and(|left| left.is_zero()) {
                return Err(Error::new(
                    ErrorKind::Host,
                    "the daemon has not ended the run that was cancelled",
                )
                .hint("`stockade warm --status` shows it; `kill` ends it and all that it runs"));
            }
        }
    }

    fn hear(
        &mut self,
        message: FromDaemon<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Option<Ended>, Error> {
        match message {
            FromDaemon::Begun => self.begun = true,
            FromDaemon::Output { stream, bytes } => watch.output(stream, bytes),
            FromDaemon::Part { text, bytes } => {
                let held = self.result.len() + self.told.len() + self.audit.len();
                if held + bytes.len() > CONTENT_BYTES_MAX {
                    return Err(out_of_turn("too long an answer"));
                }
                let text = match text {
                    Text::Result => &mut self.result,
                    Text::Told => &mut self.told,
                    Text::Audit => &mut self.audit,
                };
                text.extend_from_slice(bytes);
            }
            FromDaemon::Done { exit_code, result } => {
                return Ok(Some(Ended::Done { exit_code, result }));
            }
            FromDaemon::Failed(failed) => return Ok(Some(Ended::Failed(failed))),
            FromDaemon::Hello(_) | FromDaemon::Standing(_) | FromDaemon::Keeps { .. } => {
                return Err(out_of_turn("another message"));
            }
        }
        Ok(None)
    }

    /// The record for the audit file, if it came.
    fn audit(&self) -> Option<Value> {
        serde_json::from_slice(&self.audit).ok()
    }

    #[allow(
        clippy::type_complexity,
        reason = "both halves are taken apart at once"
    )]
    fn into_answer(self, ended: Ended) -> Result<(Result<Answer, Error>, Option<Value>), Error> {
        let audit = if self.audit.is_empty() {
            None
        } else {
            let read = serde_json::from_slice(&self.audit);
            Some(read.map_err(|_| out_of_turn("a record that is no JSON"))?)
        };
        let text = |bytes| String::from_utf8(bytes).map_err(|_| out_of_turn("a text that is none"));
        let answer = match ended {
            Ended::Failed(failed) => Err(failed.into()),
            Ended::Done { exit_code, result } => Ok(Answer {
                exit_code,
                result: result.then(|| text(self.result)).transpose()?,
                told: text(self.told)?,
            }),
        };
        Ok((answer, audit))
    }
}

/// The daemon went away.
fn gone(error: io::Error) -> Error {
    let text = "the daemon ended, or was killed, in the middle of the run";
    Error::new(ErrorKind::Host, text)
        .because(error)
        .hint("what it ran is gone with it; the next run works without it, or with another")
        .hint("`--cold` runs without a daemon; `stockade warm` starts one")
}

fn out_of_turn(what: &str) -> Error {
    Error::new(
        ErrorKind::Bug,
        format!("the daemon has sent {what} where none is due"),
    )
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        let kind = ErrorKind::ALL
            .into_iter()
            .find(|kind| kind.slug() == failed.kind);
        let error = Self::new(kind.unwrap_or(ErrorKind::Bug), failed.message);
        failed.hints.into_iter().fold(error, Self::hint)
    }
}

impl From<&Error> for Failed {
    fn from(error: &Error) -> Self {
        Self {
            kind: error.kind().slug().to_owned(),
            message: error.to_string(),
            hints: error.hints().to_vec(),
        }
    }
}
