//! What is still to be sent to the guest. Content is cut into messages when it is its turn, so
//! that a large file is not held twice.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::wire::{CHUNK_BYTES_MAX, ToGuest, encode};

/// From this many bytes on a send is worth its while.
const TOGETHER_BYTES: usize = 16 << 10;

/// Messages and content in order.
#[derive(Debug, Default)]
pub(super) struct Outbox<'a> {
    pieces: VecDeque<Piece<'a>>,
    current: Vec<u8>,
    sent: usize,
}

#[derive(Debug)]
enum Piece<'a> {
    Frame(Vec<u8>),
    Content { channel: u32, left: &'a [u8] },
}

impl<'a> Outbox<'a> {
    /// Appends a message.
    pub(super) fn message(&mut self, channel: u32, message: &ToGuest<'_>) -> Result<(), Error> {
        let mut frame = Vec::new();
        encode(channel, message, &mut frame).map_err(|error| {
            Error::new(ErrorKind::Bug, "cannot encode a message to the guest").because(error)
        })?;
        self.pieces.push_back(Piece::Frame(frame));
        Ok(())
    }

    /// Appends a file with its content.
    pub(super) fn file(
        &mut self,
        channel: u32,
        path: &str,
        mode: u32,
        content: &'a [u8],
    ) -> Result<(), Error> {
        self.message(
            channel,
            &ToGuest::File {
                path,
                mode,
                bytes: content.len() as u64,
            },
        )?;
        self.pieces.push_back(Piece::Content {
            channel,
            left: content,
        });
        Ok(())
    }

    /// Whether everything is sent.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.sent == self.current.len()
    }

    /// Sends what the socket takes now.
    ///
    /// # Errors
    /// The error of `send(2)`; a guest that is gone is noticed when its end of the stream is
    /// read.
    pub(super) fn send(&mut self, socket: BorrowedFd<'_>) -> std::io::Result<()> {
        while !self.is_empty() {
            if self.sent == self.current.len() {
                self.refill();
                continue;
            }
            match stockade_sys::socket::send(socket, &self.current[self.sent..])? {
                0 => return Ok(()),
                count => self.sent += count,
            }
        }
        Ok(())
    }

    /// Drops what is not sent, but for the rest of a frame that is begun.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Takes the next pieces, as many small ones as fit one send: init would wake for each.
    fn refill(&mut self) {
        self.current.clear();
        self.sent = 0;
        while self.current.len() < TOGETHER_BYTES && !self.pieces.is_empty() {
            self.append();
        }
    }

    fn append(&mut self) {
        match self.pieces.pop_front() {
            None | Some(Piece::Content { left: [], .. }) => {}
            Some(Piece::Frame(frame)) if self.current.is_empty() => self.current = frame,
            Some(Piece::Frame(frame)) => self.current.extend_from_slice(&frame),
            Some(Piece::Content { channel, left }) => {
                let (now, later) = left.split_at(left.len().min(CHUNK_BYTES_MAX));
                // A chunk always fits a frame; a test of the wire says so.
                let fits = encode(channel, &ToGuest::Data(now), &mut self.current);
                debug_assert!(fits.is_ok());
                self.pieces.push_front(Piece::Content {
                    channel,
                    left: later,
                });
            }
        }
    }
}
