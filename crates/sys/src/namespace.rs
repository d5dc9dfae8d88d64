//! Namespaces that a running process enters; those of a new one are in [`crate::spawn`].

use crate::failure::Failure;
use rustix::fs::{Mode, OFlags};
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Enters a new user namespace in which this process, now with all capabilities there, is `uid` and
/// `gid`, and no other id exists.
///
/// # Errors
/// [`Failure`] names the call or file; `uid_map` with `EACCES` when the process is not dumpable.
pub fn enter_user(uid: u32, gid: u32) -> Result<(), Failure> {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    unshare(libc::CLONE_NEWUSER).map_err(Failure::of("unshare CLONE_NEWUSER"))?;
    write(c"/proc/self/setgroups", "deny").map_err(Failure::of("setgroups deny"))?;
    write(c"/proc/self/uid_map", &format!("{uid} {user} 1")).map_err(Failure::of("uid_map"))?;
    write(c"/proc/self/gid_map", &format!("{gid} {group} 1")).map_err(Failure::of("gid_map"))
}

/// Makes a time namespace for the children, from their exec on, whose monotonic and boot clocks
/// are within their first second.
///
/// # Errors
/// [`Failure`] names the call or file; `EINVAL` of `unshare` before Linux 5.6.
pub fn new_time_for_children() -> Result<(), Failure> {
    let monotonic = crate::clock::monotonic().as_secs();
    let boot = crate::clock::boot().as_secs();
    unshare(libc::CLONE_NEWTIME).map_err(Failure::of("unshare CLONE_NEWTIME"))?;
    write(
        c"/proc/self/timens_offsets",
        &format!("monotonic -{monotonic} 0\nboottime -{boot} 0\n"),
    )
    .map_err(Failure::of("timens_offsets"))
}

/// An empty network namespace in the making.
#[derive(Debug)]
pub struct PendingNetwork {
    making: Mutex<Receiver<Made>>,
    made: OnceLock<Made>,
}

type Made = Result<OwnedFd, Failure>;

/// Begins to make an empty network namespace: no interface but `lo`, which is down. It takes about
/// as long as everything else that a run needs before its start, so it is made beside it, in a
/// thread whose own network is left behind in it; the thread does `after` when it is made.
#[must_use]
pub fn begin_network(after: impl FnOnce() + Send + 'static) -> PendingNetwork {
    let (give, making) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        // Nobody waits for it any more when the run was refused meanwhile.
        let _ = give.send(new_network());
        after();
    });
    PendingNetwork {
        making: Mutex::new(making),
        made: OnceLock::new(),
    }
}

/// Leaves this thread in the namespace that it makes.
fn new_network() -> Made {
    unshare(libc::CLONE_NEWNET).map_err(Failure::of("unshare CLONE_NEWNET"))?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    rustix::fs::open(c"/proc/thread-self/ns/net", flags, Mode::empty())
        .map_err(Failure::of("open /proc/thread-self/ns/net"))
}

impl PendingNetwork {
    /// Waits until it is made. It lives as long as this or a process in it.
    ///
    /// # Errors
    /// [`Failure`] names the call; `EPERM` of `unshare` without `CAP_SYS_ADMIN`.
    pub fn finish(&self) -> Result<BorrowedFd<'_>, Failure> {
        let made = self.made.get_or_init(|| {
            let making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
            let lost = Failure {
                call: "thread",
                errno: rustix::io::Errno::IO,
            };
            making.recv().unwrap_or(Err(lost))
        });
        made.as_ref().map(AsFd::as_fd).map_err(|failure| *failure)
    }
}

/// The host name of this process's UTS namespace.
///
/// # Errors
/// Those of `sethostname(2)`.
pub fn set_hostname(name: &str) -> rustix::io::Result<()> {
    rustix::system::sethostname(name.as_bytes())
}

fn unshare(flag: libc::c_int) -> rustix::io::Result<()> {
    // SAFETY: neither a user, a time nor a network namespace changes what descriptors, memory or
    // paths of this process mean.
    if unsafe { libc::unshare(flag) } < 0 {
        Err(crate::last_errno())
    } else {
        Ok(())
    }
}

fn write(path: &CStr, content: &str) -> rustix::io::Result<()> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, content.as_bytes()).map(drop)
}
