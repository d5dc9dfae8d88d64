//! Messages over a stream socket.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use serde::{Deserialize, Serialize};
use stockade_core::wire::{CHUNK_BYTES_MAX, Decoder, encode};

use super::message::CHANNEL;

/// What is gathered before it is written, bytes.
const GATHERED_BYTES: usize = 64 << 10;

/// One side of a conversation. It holds one frame of what comes, and little of what goes.
#[derive(Debug)]
pub(crate) struct Channel {
    stream: UnixStream,
    decoder: Decoder,
    out: Vec<u8>,
}

impl Channel {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self {
            stream,
            decoder: Decoder::default(),
            out: Vec::new(),
        }
    }

    pub(crate) fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Puts `message` with what is to be written at the next [`Channel::flush`].
    ///
    /// # Errors
    /// `InvalidInput` for one that fits no frame; those of the socket.
    pub(crate) fn push<M: Serialize>(&mut self, message: &M) -> io::Result<()> {
        encode(CHANNEL, message, &mut self.out)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        if self.out.len() >= GATHERED_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// [`Channel::push`] of `bytes`, a message for each piece that fits a frame.
    pub(crate) fn push_pieces<'a, M: Serialize>(
        &mut self,
        bytes: &'a [u8],
        message: impl Fn(&'a [u8]) -> M,
    ) -> io::Result<()> {
        bytes
            .chunks(CHUNK_BYTES_MAX)
            .try_for_each(|piece| self.push(&message(piece)))
    }

    /// [`Channel::push`] of bytes as they are: those before the first frame.
    pub(crate) fn push_raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Writes what is gathered; waits for a peer that does not read.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let written = self.stream.write_all(&self.out);
        self.out.clear();
        written
    }

    /// [`Channel::push`] and [`Channel::flush`].
    pub(crate) fn send<M: Serialize>(&mut self, message: &M) -> io::Result<()> {
        self.push(message)?;
        self.flush()
    }

    /// Reads bytes as they are: those before the first frame.
    pub(crate) fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.stream.read_exact(bytes)
    }

    /// Reads some bytes as they are; 0 at the end of the stream.
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read(bytes)
    }

    /// Waits for the next message; `None` at the end of the stream.
    ///
    /// # Errors
    /// Those of the socket; `InvalidData` for what is no message of these, `UnexpectedEof` when
    /// the end comes within one.
    pub(crate) fn receive<'a, M: Deserialize<'a>>(&'a mut self) -> io::Result<Option<M>> {
        while !self.decoder.ready() {
            if !self.read_some()? {
                return match self.decoder.held() {
                    0 => Ok(None),
                    _ => Err(io::ErrorKind::UnexpectedEof.into()),
                };
            }
        }
        self.taken()
    }

    /// A message that is here already.
    pub(crate) fn taken<'a, M: Deserialize<'a>>(&'a mut self) -> io::Result<Option<M>> {
        let next = self.decoder.next::<M>();
        let next = next.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(next.map(|(_, message)| message))
    }

    /// Whether [`Channel::taken`] has an answer.
    pub(crate) fn is_ready(&self) -> bool {
        self.decoder.ready()
    }

    /// Whether bytes are here that nobody has asked for.
    pub(crate) fn is_ahead(&self) -> bool {
        self.decoder.held() > 0
    }

    /// Reads once; `false` at the end of the stream.
    pub(crate) fn read_some(&mut self) -> io::Result<bool> {
        loop {
            match self.stream.read(self.decoder.space()) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.decoder.filled(count);
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Content, ToDaemon};
    use super::*;

    fn pair() -> (Channel, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Channel::new(ours), theirs)
    }

    #[test]
    fn messages_arrive_as_they_were_sent_and_in_order() {
        let (mut ours, theirs) = pair();
        let mut theirs = Channel::new(theirs);
        theirs.push(&ToDaemon::Content(Content::Source)).unwrap();
        theirs.push_pieces(b"pass", ToDaemon::Data).unwrap();
        theirs.send(&ToDaemon::Go).unwrap();
        drop(theirs);
        let first = ours.receive::<ToDaemon<'_>>().unwrap().unwrap();
        assert!(matches!(first, ToDaemon::Content(Content::Source)));
        let second = ours.receive::<ToDaemon<'_>>().unwrap().unwrap();
        assert!(matches!(second, ToDaemon::Data(b"pass")));
        let third = ours.receive::<ToDaemon<'_>>().unwrap().unwrap();
        assert!(matches!(third, ToDaemon::Go));
        assert!(ours.receive::<ToDaemon<'_>>().unwrap().is_none());
    }

    #[test]
    fn a_frame_that_claims_too_much_is_refused_before_it_is_stored() {
        let (mut ours, mut theirs) = pair();
        theirs.write_all(&u32::MAX.to_le_bytes()).unwrap();
        let refused = ours.receive::<ToDaemon<'_>>().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn an_end_within_a_message_is_told_from_an_end_after_one() {
        let (mut ours, mut theirs) = pair();
        theirs.write_all(&[9, 0, 0, 0, 0]).unwrap();
        drop(theirs);
        let cut = ours.receive::<ToDaemon<'_>>().unwrap_err();
        assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn bytes_that_are_no_message_are_refused() {
        let (mut ours, mut theirs) = pair();
        theirs.write_all(&[5, 0, 0, 0, 0, 0, 0, 0, 0xff]).unwrap();
        let refused = ours.receive::<ToDaemon<'_>>().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    }
}
