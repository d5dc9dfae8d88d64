//! Stream sockets and pipes between supervisor and guest.

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::PipeFlags;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A connected pair of unix stream sockets, close-on-exec and non-blocking.
///
/// # Errors
/// Those of `socketpair(2)`.
pub fn pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)
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
