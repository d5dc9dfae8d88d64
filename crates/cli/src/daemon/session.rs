//! One connection: a question and its answer, or a run.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use stockade::{Error, ErrorKind, Record, Sink, Stream, Watch};
use stockade_core::wire::CHUNK_BYTES_MAX;

use super::Daemon;
use super::keeper::By;
use crate::answer::{Answer, Wanted};
use crate::asked::{Asked, Terms};
use crate::warm::channel::Channel;
use crate::warm::message::{
    CONTENT_BYTES_MAX, Content, DRAIN, FILES_MAX, Failed, FromDaemon, Keep, PROTOCOL, Pattern,
    TALK, Text, ToDaemon,
};

/// Serves one client.
///
/// # Errors
/// Those of the connection; a client that breaks the protocol is not answered.
pub(crate) fn serve(daemon: &Daemon<'_>, number: u64, stream: UnixStream) -> io::Result<()> {
    let mut channel = Channel::new(stream);
    channel.push_raw(&[PROTOCOL]);
    channel.send(&FromDaemon::Hello(daemon.greeting()))?;
    let mut preamble = [0; 2];
    channel.read_exact(&mut preamble)?;
    match preamble {
        [_, DRAIN] => {
            daemon.drain(number);
            Ok(())
        }
        [PROTOCOL, TALK] => converse(daemon, &mut channel),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn converse(daemon: &Daemon<'_>, channel: &mut Channel) -> io::Result<()> {
    match channel.receive::<ToDaemon<'_>>()? {
        None => Ok(()),
        Some(ToDaemon::Status) => {
            let standing = Box::new(daemon.standing());
            channel.send(&FromDaemon::Standing(standing))
        }
        Some(ToDaemon::Keep(order)) => match keep(daemon, &order) {
            Ok(message) => channel.send(&message),
            Err(failed) => channel.send(&FromDaemon::Failed(failed)),
        },
        Some(ToDaemon::Run {
            terms,
            wanted,
            audited,
            live,
        }) => {
            let Some(asked) = gather(channel, *terms)? else {
                return Ok(());
            };
            let Some(_running) = daemon.begin() else {
                // We are ending; the client sees that nothing was begun.
                return Ok(());
            };
            run(daemon, channel, asked, wanted, audited, live)
        }
        Some(ToDaemon::Content(_) | ToDaemon::Data(_) | ToDaemon::Go) => {
            Err(io::ErrorKind::InvalidData.into())
        }
    }
}

fn keep(daemon: &Daemon<'_>, order: &Keep) -> Result<FromDaemon<'static>, Failed> {
    let _ordered = daemon.order();
    let (told, hear) = channel();
    let by = if order.wait { By::Person } else { By::Run };
    let kind = daemon
        .keeper
        .keep(daemon.engine, &order.pattern, order.depth, by, told)
        .map_err(|error| Failed::from(&error))?;
    if let Some(ms) = order.idle_ms {
        daemon.set_idle(ms);
    }
    if order.wait {
        hear.recv().unwrap_or_else(|_| {
            let error = Error::new(ErrorKind::Host, "the daemon is ending");
            Err(Failed::from(&error))
        })?;
    }
    let herds = daemon.keeper.herds(daemon.engine);
    let herd = herds.into_iter().find(|herd| {
        herd.template == kind.template && herd.calls == kind.calls && herd.cpus == kind.cpus
    });
    let (waiting, depth) = herd.map_or((0, 0), |herd| (herd.waiting, herd.depth));
    Ok(FromDaemon::Keeps {
        waiting,
        depth,
        idle_ms: daemon.idle_ms(),
    })
}

/// What to put content into.
enum Into {
    Nothing,
    Schema,
    Source,
    Input,
    File,
}

/// Everything that belongs to a run, up to `Go`; `None` when the client has gone before.
fn gather(channel: &mut Channel, terms: Terms) -> io::Result<Option<Asked>> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let mut asked = Asked {
        terms,
        ..Asked::default()
    };
    let mut into = Into::Nothing;
    let mut held = 0;
    loop {
        match channel.receive::<ToDaemon<'_>>()? {
            None => return Ok(None),
            Some(ToDaemon::Go) => break,
            Some(ToDaemon::Content(content)) => {
                into = match content {
                    Content::Schema => {
                        asked.schema = Some(Vec::new());
                        Into::Schema
                    }
                    Content::Source => Into::Source,
                    Content::Input => {
                        asked.input = Some(Vec::new());
                        Into::Input
                    }
                    Content::File(destination) => {
                        if asked.files.len() >= FILES_MAX {
                            return Err(invalid());
                        }
                        asked.files.push((destination.to_owned(), Vec::new()));
                        Into::File
                    }
                };
            }
            Some(ToDaemon::Data(bytes)) => {
                held += bytes.len();
                if held > CONTENT_BYTES_MAX {
                    return Err(invalid());
                }
                let to = match into {
                    Into::Nothing => None,
                    Into::Schema => asked.schema.as_mut(),
                    Into::Source => Some(&mut asked.source),
                    Into::Input => asked.input.as_mut(),
                    Into::File => asked.files.last_mut().map(|(_, content)| content),
                };
                to.ok_or_else(invalid)?.extend_from_slice(bytes);
            }
            Some(ToDaemon::Status | ToDaemon::Keep(_) | ToDaemon::Run { .. }) => {
                return Err(invalid());
            }
        }
    }
    // Nothing is due after it, and what comes later cancels.
    if channel.is_ahead() {
        return Err(invalid());
    }
    Ok(Some(asked))
}

fn run(
    daemon: &Daemon<'_>,
    channel: &mut Channel,
    asked: Asked,
    wanted: Wanted,
    audited: bool,
    live: bool,
) -> io::Result<()> {
    channel.send(&FromDaemon::Begun)?;
    let pattern = Pattern::of(&asked.terms);
    let caught = Caught::default();
    let mut relay = Relay {
        stream: channel.stream(),
        live,
        writer: None,
    };
    let ended = asked.open().and_then(|(submission, policy)| {
        daemon
            .engine
            .run_recorded(&submission, &policy, &mut relay, &caught)
    });
    relay.finish();
    if let Ok(record) = &ended {
        miss(daemon, record, &pattern);
    }
    if audited && let Some(record) = caught.take() {
        let text = record.to_string();
        channel.push_pieces(text.as_bytes(), |bytes| FromDaemon::Part {
            text: Text::Audit,
            bytes,
        })?;
    }
    match ended {
        Ok(record) => answer(channel, &Answer::of(&record, wanted)),
        Err(error) => {
            let error = daemon.explained(error);
            channel.send(&FromDaemon::Failed(Failed::from(&error)))
        }
    }
}

fn answer(channel: &mut Channel, answer: &Answer) -> io::Result<()> {
    let result = answer.result.as_deref();
    for (text, bytes) in [(Text::Result, result), (Text::Told, Some(&*answer.told))] {
        channel.push_pieces(bytes.unwrap_or_default().as_bytes(), |bytes| {
            FromDaemon::Part { text, bytes }
        })?;
    }
    channel.send(&FromDaemon::Done {
        exit_code: answer.exit_code,
        result: result.is_some(),
    })
}

/// Has interpreters kept for runs like one that was cold and need not be.
fn miss(daemon: &Daemon<'_>, record: &Record, pattern: &Pattern) {
    let evidence = &record.evidence;
    let warmable = stockade::LADDER
        .iter()
        .any(|rung| rung.spec().name == evidence.rung && rung.keeps_warm());
    if evidence.warmth.is_none() && warmable {
        daemon.keeper.missed(daemon.engine, pattern);
    }
}

/// Takes the record of one run, for the client to write: the file is the client's.
#[derive(Debug, Default)]
struct Caught(Mutex<Option<Value>>);

impl Caught {
    fn take(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Sink for Caught {
    /// The client has reserved what it needs before it asked for the run.
    fn reserve(&self) -> Result<(), Error> {
        Ok(())
    }

    fn write(&self, record: Value) -> Result<(), Error> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(record);
        Ok(())
    }
}

/// Passes output on, and the client's end of the conversation as a wish to cancel. A thread of its
/// own writes: a client that does not read holds up nothing.
struct Relay<'a> {
    stream: &'a UnixStream,
    live: bool,
    writer: Option<Writer>,
}

/// Who writes, and the way there.
type Writer = (Sender<(Stream, Vec<u8>)>, JoinHandle<()>);

impl Relay<'_> {
    fn start(&self) -> Option<Writer> {
        let mut client = Channel::new(self.stream.try_clone().ok()?);
        let (queue, chunks) = channel::<(Stream, Vec<u8>)>();
        let thread = thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || {
                for (stream, bytes) in chunks {
                    for bytes in bytes.chunks(CHUNK_BYTES_MAX) {
                        if client.send(&FromDaemon::Output { stream, bytes }).is_err() {
                            // The client is gone, which ends the run as well.
                            return;
                        }
                    }
                }
            })
            .ok()?;
        Some((queue, thread))
    }

    /// Waits until everything is written, or nobody is there to read it.
    fn finish(&mut self) {
        if let Some((queue, thread)) = self.writer.take() {
            drop(queue);
            // It does not panic, and if it did the answer would still be due.
            let _ = thread.join();
        }
    }
}

impl Watch for Relay<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if !self.live {
            return;
        }
        if self.writer.is_none() {
            self.writer = self.start();
            // Without a thread or a descriptor for it the record alone has the output.
            self.live = self.writer.is_some();
        }
        if let Some((queue, _)) = &self.writer {
            // A thread that is gone has found no reader.
            let _ = queue.send((stream, bytes.to_vec()));
        }
    }

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        Some(self.stream.as_fd())
    }
}
