//! The control socket: messages in, messages out, and bounded memory for both.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use stockade_core::wire::{BOUNDARY, Decoder, RUN, ToGuest, ToHost, encode};
use stockade_sys::poll::{Ready, poll, poll_all};
use stockade_sys::socket;

/// Why there is nothing more to talk about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The supervisor closed its side or died.
    Gone,
    /// A message that has no meaning, or none here.
    Broken,
    /// A call of init's own failed that has no reason to.
    Failed,
}

/// The control socket.
pub(crate) struct Channel {
    socket: OwnedFd,
    decoder: Decoder,
    out: Vec<u8>,
    sent: usize,
}

impl Channel {
    /// `socket` is non-blocking.
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            decoder: Decoder::default(),
            out: Vec::new(),
            sent: 0,
        }
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Bytes that wait to be sent.
    pub(crate) fn pending(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Queues a message of the boundary itself.
    pub(crate) fn push_boundary(&mut self, message: &ToHost<'_>) -> Result<(), Stop> {
        encode(BOUNDARY, message, &mut self.out).map_err(|_| Stop::Broken)
    }

    /// Queues a message of the run.
    pub(crate) fn push(&mut self, message: &ToHost<'_>) -> Result<(), Stop> {
        encode(RUN, message, &mut self.out).map_err(|_| Stop::Broken)
    }

    /// Sends what the socket takes now.
    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        while self.pending() > 0 {
            match socket::send(&self.socket, &self.out[self.sent..]) {
                Ok(0) => break,
                Ok(count) => self.sent += count,
                Err(_) => return Err(Stop::Gone),
            }
        }
        // What was sent would otherwise stay for as long as something is always left.
        self.out.drain(..self.sent);
        self.sent = 0;
        Ok(())
    }

    /// Sends everything, and waits as long as the supervisor takes to read it.
    pub(crate) fn flush_all(&mut self) -> Result<(), Stop> {
        loop {
            self.flush()?;
            if self.pending() == 0 {
                return Ok(());
            }
            poll(&[(self.fd(), Ready::WRITE)], None).map_err(|_| Stop::Gone)?;
        }
    }

    /// The next message; waits for it, and sends what is queued before.
    pub(crate) fn wait(&mut self) -> Result<ToGuest<'_>, Stop> {
        while !self.decoder.ready() {
            if !self.fill()? {
                // The supervisor may be waiting for it before it goes on.
                self.flush_all()?;
                poll(&[(self.fd(), Ready::READ)], None).map_err(|_| Stop::Gone)?;
            }
        }
        self.next()?.ok_or(Stop::Broken)
    }

    /// Waits until the supervisor speaks. `program` is what the one that is to be the program would
    /// speak on: when there is something before that, it has died.
    pub(crate) fn wait_beside(&self, program: BorrowedFd<'_>) -> Result<(), Stop> {
        let both = [(self.fd(), Ready::READ), (program, Ready::READ)];
        let ready = poll_all(&both, None).map_err(|_| Stop::Failed)?;
        if ready[1].any() {
            return Err(Stop::Failed);
        }
        Ok(())
    }

    /// The next message that was read already.
    pub(crate) fn next(&mut self) -> Result<Option<ToGuest<'_>>, Stop> {
        // There is one run, so the channel that a message came on says nothing new.
        let message = self.decoder.next().map_err(|_| Stop::Broken)?;
        Ok(message.map(|(_, message)| message))
    }

    /// Reads what has come; whether anything had.
    pub(crate) fn fill(&mut self) -> Result<bool, Stop> {
        match socket::read(&self.socket, self.decoder.space()) {
            Ok(None) => Ok(false),
            Ok(Some(0)) | Err(_) => Err(Stop::Gone),
            Ok(Some(count)) => {
                self.decoder.filled(count);
                Ok(true)
            }
        }
    }
}
