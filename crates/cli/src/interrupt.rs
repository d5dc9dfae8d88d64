//! Signals that ask the command to stop.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};
use stockade::{Error, ErrorKind};

/// SIGINT, SIGTERM and SIGHUP as a descriptor that becomes readable.
///
/// Until [`Interrupt::over`] they ask for the run's cancellation and for nothing else, however
/// many come: teardown is not skipped. After it they end the process, as by default.
#[derive(Debug)]
pub(crate) struct Interrupt {
    asked: UnixStream,
    ask: UnixStream,
    over: Arc<AtomicBool>,
}

impl Interrupt {
    /// Catches the signals from now on. One that was ignored when the command started (`nohup`)
    /// stays ignored.
    ///
    /// # Errors
    /// `Host` when descriptors have run out.
    pub(crate) fn catch() -> Result<Self, Error> {
        Self::new().map_err(|error| {
            Error::new(ErrorKind::Host, "cannot prepare for signals").because(error)
        })
    }

    fn new() -> io::Result<Self> {
        let (asked, ask) = UnixStream::pair()?;
        ask.set_nonblocking(true)?;
        let over = Arc::new(AtomicBool::new(false));
        let ignored = ignored();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if ignored & (1 << (signal - 1)) == 0 {
                flag::register_conditional_default(signal, Arc::clone(&over))?;
                pipe::register(signal, ask.try_clone()?)?;
            }
        }
        Ok(Self { asked, ask, over })
    }

    /// Readable as soon as a signal has come.
    pub(crate) fn asked(&self) -> BorrowedFd<'_> {
        self.asked.as_fd()
    }

    /// Whether anything has asked; the run is over, and nobody polls any more.
    pub(crate) fn has_come(&self) -> bool {
        let asked = || {
            self.asked.set_nonblocking(true)?;
            (&self.asked).read(&mut [0])
        };
        asked().is_ok_and(|bytes| bytes > 0)
    }

    /// What makes it readable for another reason than a signal.
    ///
    /// # Errors
    /// When descriptors have run out.
    pub(crate) fn asker(&self) -> io::Result<Asker> {
        self.ask.try_clone().map(Asker)
    }

    /// Nothing is left to tear down: from now on a signal ends the process.
    pub(crate) fn over(&self) {
        self.over.store(true, Ordering::SeqCst);
    }
}

/// Asks for cancellation.
#[derive(Debug)]
pub(crate) struct Asker(UnixStream);

impl Asker {
    pub(crate) fn ask(&self) {
        // A full buffer has asked already.
        let _ = (&self.0).write(&[0]);
    }
}

/// The kernel's mask of the signals that this process ignores.
fn ignored() -> u64 {
    // Without /proc nothing is known to be ignored, and nothing runs either.
    fs::read_to_string("/proc/self/status")
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
