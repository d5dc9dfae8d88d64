//! Waiting for descriptors.

use rustix::event::{PollFd, PollFlags, Timespec};
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// What to wait for, or what came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// Bytes, a connection or an end of file can be read; a pidfd's process has ended.
    pub readable: bool,
    /// Bytes can be written.
    pub writable: bool,
    /// The other side is gone, or an error is pending. Reported also when not asked for.
    pub hung_up: bool,
}

impl Ready {
    /// Wait until something can be read.
    pub const READ: Self = Self {
        readable: true,
        writable: false,
        hung_up: false,
    };
    /// Wait until something can be written.
    pub const WRITE: Self = Self {
        readable: false,
        writable: true,
        hung_up: false,
    };
    /// Wait for either.
    pub const BOTH: Self = Self {
        readable: true,
        writable: true,
        hung_up: false,
    };
    /// Wait for nothing but a hang-up.
    pub const NONE: Self = Self {
        readable: false,
        writable: false,
        hung_up: false,
    };

    /// Whether anything came.
    #[must_use]
    pub fn any(self) -> bool {
        self.readable || self.writable || self.hung_up
    }

    fn flags(self) -> PollFlags {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, self.readable);
        flags.set(PollFlags::OUT, self.writable);
        flags
    }

    fn from_flags(flags: PollFlags) -> Self {
        Self {
            readable: flags.contains(PollFlags::IN),
            writable: flags.contains(PollFlags::OUT),
            hung_up: flags.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL),
        }
    }
}

/// Waits until one of `interests` is ready or `timeout` has passed; `None` waits without end.
/// The answer has the same length and order; all-false entries are not ready.
///
/// A signal that arrives ends the wait early, with nothing ready.
///
/// # Errors
/// Those of `ppoll(2)`, `EINTR` excepted.
pub fn poll<const N: usize>(
    interests: &[(BorrowedFd<'_>, Ready); N],
    timeout: Option<Duration>,
) -> rustix::io::Result<[Ready; N]> {
    let mut fds = interests
        .each_ref()
        .map(|(fd, want)| PollFd::from_borrowed_fd(*fd, want.flags()));
    wait(&mut fds, timeout)?;
    Ok(fds.each_ref().map(|fd| Ready::from_flags(fd.revents())))
}

/// [`poll`] for a number of descriptors that is not known to the compiler.
///
/// # Errors
/// As [`poll`].
pub fn poll_all(
    interests: &[(BorrowedFd<'_>, Ready)],
    timeout: Option<Duration>,
) -> rustix::io::Result<Vec<Ready>> {
    let mut fds: Vec<_> = interests
        .iter()
        .map(|(fd, want)| PollFd::from_borrowed_fd(*fd, want.flags()))
        .collect();
    wait(&mut fds, timeout)?;
    Ok(fds
        .iter()
        .map(|fd| Ready::from_flags(fd.revents()))
        .collect())
}

fn wait(fds: &mut [PollFd<'_>], timeout: Option<Duration>) -> rustix::io::Result<()> {
    // A time beyond what the kernel can express is as good as none.
    let timeout = timeout.and_then(|left| Timespec::try_from(left).ok());
    match rustix::event::poll(fds, timeout.as_ref()) {
        Ok(_) => Ok(()),
        Err(rustix::io::Errno::INTR) => {
            fds.iter_mut().for_each(PollFd::clear_revents);
            Ok(())
        }
        Err(errno) => Err(errno),
    }
}
