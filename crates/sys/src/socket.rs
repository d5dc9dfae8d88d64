//! Stream sockets and pipes between supervisor and guest.

use rustix::io::{Errno, IoSlice, IoSliceMut};
use rustix::net::sockopt::socket_peercred;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, recvmsg, sendmsg,
    socket_with, socketpair,
};
use rustix::pipe::PipeFlags;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Descriptors that one packet can carry.
pub const DESCRIPTORS_MAX: usize = 8;

/// A connected pair of unix stream sockets, close-on-exec and non-blocking.
///
/// # Errors
/// Those of `socketpair(2)`.
pub fn pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)
}

/// A connected pair of unix sockets that keep packets apart, close-on-exec; reads and writes wait.
///
/// # Errors
/// Those of `socketpair(2)`.
pub fn packets() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC;
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
}

/// Sends one packet with copies of descriptors, at most [`DESCRIPTORS_MAX`]; raises no `SIGPIPE`.
///
/// # Errors
/// Those of `sendmsg(2)`; `E2BIG` for more descriptors.
pub fn send_packet(
    socket: impl AsFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> rustix::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(Errno::TOOBIG);
    }
    let flags = SendFlags::NOSIGNAL;
    rustix::io::retry_on_intr(|| {
        sendmsg(&socket, &[IoSlice::new(bytes)], &mut ancillary, flags).map(drop)
    })
}

/// Waits for one packet: how many bytes of it fit into `buffer`, 0 at the end of the stream, and
/// the descriptors that came with it, close-on-exec.
///
/// # Errors
/// Those of `recvmsg(2)`, `EINTR` excepted.
pub fn receive_packet(
    socket: impl AsFd,
    buffer: &mut [u8],
) -> rustix::io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        let mut parts = [IoSliceMut::new(buffer)];
        recvmsg(&socket, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)
    })?;
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            descriptors.extend(rights);
        }
    }
    Ok((received.bytes, descriptors))
}

/// A stream to whoever listens on the unix socket at `path`, close-on-exec; reads and writes wait,
/// the connecting does not.
///
/// # Errors
/// Those of `connect(2)`: `ENOENT` and `ECONNREFUSED` when nobody listens, `EAGAIN` when too many
/// wait already; `ENAMETOOLONG` for a path that no socket can have.
pub fn connect(path: &Path) -> rustix::io::Result<OwnedFd> {
    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &address)?;
    blocking(&socket)?;
    Ok(socket)
}

/// The effective uid that the other side of a connected unix socket had when it connected or
/// began to listen (`SO_PEERCRED`).
///
/// # Errors
/// Those of `getsockopt(2)`.
pub fn peer_uid(socket: impl AsFd) -> rustix::io::Result<u32> {
    Ok(socket_peercred(socket)?.uid.as_raw())
}

/// A pipe, close-on-exec: the end to read, non-blocking, and the end to write, blocking.
///
/// # Errors
/// Those of `pipe2(2)`.
pub fn pipe() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    nonblocking(&read)?;
    Ok((read, write))
}

/// Makes reads and writes of `fd` return `EAGAIN` where they would wait.
///
/// # Errors
/// Those of `fcntl(2)`.
pub fn nonblocking(fd: impl AsFd) -> rustix::io::Result<()> {
    rustix::io::ioctl_fionbio(fd, true)
}

/// Makes reads and writes of `fd` wait.
///
/// # Errors
/// Those of `fcntl(2)`.
pub fn blocking(fd: impl AsFd) -> rustix::io::Result<()> {
    rustix::io::ioctl_fionbio(fd, false)
}

/// Reads what is there; `Ok(None)` when nothing is there yet, `Ok(Some(0))` at the end.
///
/// # Errors
/// Those of `read(2)`, `EAGAIN` and `EINTR` excepted.
pub fn read(fd: impl AsFd, buffer: &mut [u8]) -> rustix::io::Result<Option<usize>> {
    loop {
        match rustix::io::read(&fd, &mut *buffer) {
            Ok(count) => return Ok(Some(count)),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => return Ok(None),
            Err(errno) => return Err(errno),
        }
    }
}

/// Writes to a socket what it takes now; `Ok(0)` when it takes nothing yet. Raises no `SIGPIPE`.
///
/// # Errors
/// Those of `send(2)`, `EAGAIN` and `EINTR` excepted.
pub fn send(fd: impl AsFd, bytes: &[u8]) -> rustix::io::Result<usize> {
    loop {
        match rustix::net::send(&fd, bytes, rustix::net::SendFlags::NOSIGNAL) {
            Ok(count) => return Ok(count),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => return Ok(0),
            Err(errno) => return Err(errno),
        }
    }
}

/// A copy, close-on-exec and non-blocking, of a descriptor that this process was started with.
///
/// # Errors
/// `EBADF` when there is none of this number.
pub fn inherited(number: u8) -> rustix::io::Result<OwnedFd> {
    // SAFETY: borrowed for the duplication only, in which a number that is not open is an error.
    let fd = unsafe { BorrowedFd::borrow_raw(i32::from(number)) };
    let copy = rustix::io::fcntl_dupfd_cloexec(fd, i32::from(number) + 1)?;
    nonblocking(&copy)?;
    Ok(copy)
}
