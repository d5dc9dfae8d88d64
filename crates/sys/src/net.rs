//! The loopback interface.

use rustix::net::{AddressFamily, SocketFlags, SocketType};
use std::os::fd::AsRawFd;

/// Brings up `lo` of this process's network namespace.
///
/// # Errors
/// `EPERM` without `CAP_NET_ADMIN` there, and those of `socket(2)`.
pub fn loopback_up() -> rustix::io::Result<()> {
    let socket = rustix::net::socket_with(
        AddressFamily::INET,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    // SAFETY: all-zero is a valid `ifreq`: an empty name and no flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // `char` has a sign or not, as the architecture likes.
    request.ifr_name[0] = libc::c_char::try_from(b'l').unwrap_or_default();
    request.ifr_name[1] = libc::c_char::try_from(b'o').unwrap_or_default();
    let up = libc::IFF_UP | libc::IFF_RUNNING;
    request.ifr_ifru.ifru_flags = libc::c_short::try_from(up).unwrap_or(libc::c_short::MAX);
    // SAFETY: this request reads a name and flags from `request`, which outlives the call.
    if unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) } < 0 {
        return Err(crate::last_errno());
    }
    Ok(())
}
