//! The submission's output, shown as it arrives.
//!
//! A thread of its own writes it: whoever reads slowly holds up neither the clocks nor the
//! teardown. What waits in between is bounded by the limits `stdout` and `stderr`.

use std::io::{self, Write};
use std::os::fd::BorrowedFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use stockade::{Stream, Watch};

use crate::interrupt::{Asker, Interrupt};
use crate::screen::Decoder;
use crate::terminal;

/// Where the submission's standard output goes; its standard error goes to ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// Neither is shown.
    Nothing,
    /// To standard error: standard output has the value.
    Beside,
    /// To standard output: there is no value.
    Through,
}

/// Follows a run for the command.
pub(crate) struct Live<'a> {
    show: Show,
    interrupt: &'a Interrupt,
    writer: Writer,
}

/// Who writes.
enum Writer {
    /// Nothing has come yet.
    None,
    /// A thread.
    Thread {
        queue: Sender<(Stream, Vec<u8>)>,
        done: Receiver<Shown>,
    },
    /// We do: there was no thread to be had.
    Here(Box<Pane>),
}

/// What came of showing it.
#[derive(Debug)]
pub(crate) struct Shown {
    /// Whether what is said next begins a line.
    pub(crate) fresh: bool,
    /// Why standard output does not have all of it.
    pub(crate) stdout: io::Result<()>,
}

impl<'a> Live<'a> {
    pub(crate) fn new(show: Show, interrupt: &'a Interrupt) -> Self {
        Self {
            show,
            interrupt,
            writer: Writer::None,
        }
    }

    fn start(&self) -> Writer {
        let (queue, chunks) = channel::<(Stream, Vec<u8>)>();
        let (finished, done) = channel();
        let pane = Pane::new(self.show, self.interrupt.asker());
        let started = thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || {
                let mut pane = pane;
                for (stream, bytes) in chunks {
                    pane.write(stream, &bytes);
                }
                // Nobody waits for it after a cancellation.
                let _ = finished.send(pane.finish());
            });
        match started {
            Ok(_) => Writer::Thread { queue, done },
            Err(_) => Writer::Here(Box::new(Pane::new(self.show, self.interrupt.asker()))),
        }
    }

    /// Waits until all is written, or for `patience`; `None` when it was not enough.
    pub(crate) fn finish(self, patience: Option<Duration>) -> Option<Shown> {
        match self.writer {
            Writer::None => Some(Shown {
                fresh: true,
                stdout: Ok(()),
            }),
            Writer::Here(pane) => Some(pane.finish()),
            Writer::Thread { queue, done } => {
                drop(queue);
                match patience {
                    None => done.recv().ok(),
                    Some(patience) => done.recv_timeout(patience).ok(),
                }
            }
        }
    }
}

impl Watch for Live<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if self.show == Show::Nothing {
            return;
        }
        if let Writer::None = self.writer {
            self.writer = self.start();
        }
        match &mut self.writer {
            Writer::None => {}
            // A thread that is gone has told why in `Shown`.
            Writer::Thread { queue, .. } => drop(queue.send((stream, bytes.to_vec()))),
            Writer::Here(pane) => pane.write(stream, bytes),
        }
    }

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        Some(self.interrupt.asked())
    }
}

/// Writes both streams to where they go.
struct Pane {
    stdout: Column,
    stderr: Column,
    fresh: bool,
    asker: io::Result<Asker>,
}

/// One stream's way out.
struct Column {
    to: Outlet,
    /// Where the way ends at a terminal.
    decoder: Option<Decoder>,
    trouble: io::Result<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outlet {
    Stdout,
    Stderr,
}

impl Column {
    fn new(to: Outlet) -> Self {
        let terminal = match to {
            Outlet::Stdout => terminal::stdout_is_one(),
            Outlet::Stderr => terminal::stderr_is_one(),
        };
        Self {
            to,
            decoder: terminal.then(Decoder::default),
            trouble: Ok(()),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.to {
            Outlet::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Outlet::Stderr => io::stderr().lock().write_all(bytes),
        }
    }
}

impl Pane {
    fn new(show: Show, asker: io::Result<Asker>) -> Self {
        let stdout = match show {
            Show::Through => Outlet::Stdout,
            Show::Beside | Show::Nothing => Outlet::Stderr,
        };
        Self {
            stdout: Column::new(stdout),
            stderr: Column::new(Outlet::Stderr),
            fresh: true,
            asker,
        }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let column = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        match &mut column.decoder {
            None => self.pass(stream, bytes),
            Some(decoder) => {
                let mut text = String::new();
                decoder.push(bytes, &mut text);
                self.pass(stream, text.as_bytes());
            }
        }
    }

    fn pass(&mut self, stream: Stream, bytes: &[u8]) {
        let column = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let Some(last) = bytes.last() else { return };
        if column.trouble.is_err() {
            return;
        }
        column.trouble = column.write(bytes);
        if column.trouble.is_err() && column.to == Outlet::Stdout {
            // What the run was for has no reader.
            if let Ok(asker) = &self.asker {
                asker.ask();
            }
        } else if column.to == Outlet::Stderr || column.decoder.is_some() {
            self.fresh = *last == b'\n';
        }
    }

    fn finish(mut self) -> Shown {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let column = match stream {
                Stream::Stdout => &mut self.stdout,
                Stream::Stderr => &mut self.stderr,
            };
            let mut text = String::new();
            if let Some(decoder) = &mut column.decoder {
                decoder.finish(&mut text);
            }
            self.pass(stream, text.as_bytes());
        }
        Shown {
            fresh: self.fresh,
            stdout: match self.stdout.to {
                Outlet::Stdout => self.stdout.trouble,
                // Where standard error has no reader there is nobody to tell.
                Outlet::Stderr => Ok(()),
            },
        }
    }
}
