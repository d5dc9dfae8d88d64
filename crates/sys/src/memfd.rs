//! Programs and data in anonymous memory.

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use std::ffi::CStr;
use std::os::fd::OwnedFd;

/// An executable file in memory that holds `bytes` and can never change.
///
/// # Errors
/// Those of `memfd_create(2)`, `write(2)` and `fcntl(F_ADD_SEALS)`.
pub fn sealed(name: &CStr, bytes: &[u8]) -> rustix::io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let fd = match memfd_create(name, flags | MemfdFlags::EXEC) {
        // Before Linux 6.3 every memfd is executable, and the flag is unknown.
        Err(Errno::INVAL) => memfd_create(name, flags)?,
        made => made?,
    };
    crate::fs::write_all(&fd, bytes)?;
    fcntl_add_seals(
        &fd,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    Ok(fd)
}
