//! The guest's init as a sealed file in memory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use stockade_core::error::{Error, ErrorKind};

static INIT: &[u8] = include_bytes!(env!("STOCKADE_GUEST"));

/// The guest's init, ready to be executed any number of times.
///
/// It lives in a sealed memfd: nothing on disk has to be trusted, and nothing that runs it can
/// change it (`/proc/self/exe` included).
#[derive(Debug)]
pub struct Guest(OwnedFd);

impl Guest {
    /// Copies the embedded program into memory and seals it.
    ///
    /// # Errors
    /// `Host` when the kernel has no memfd or no memory.
    pub fn load() -> Result<Self, Error> {
        match stockade_sys::memfd::sealed(c"stockade-guest", INIT) {
            Ok(fd) => Ok(Self(fd)),
            Err(errno) => Err(Error::new(
                ErrorKind::Host,
                format!(
                    "cannot hold the guest's init of {} bytes in a memfd",
                    INIT.len()
                ),
            )
            .because(std::io::Error::from(errno))),
        }
    }

    /// Its descriptor.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
