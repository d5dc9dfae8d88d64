//! Namespaces that a running process enters; those of a new one are in [`crate::spawn`].

use crate::failure::Failure;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
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

/// One range of ids: as seen inside, as the parent's namespace sees it, how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdRange {
    /// First inside.
    pub inside: u32,
    /// First outside.
    pub outside: u32,
    /// How many.
    pub count: u32,
}

/// Enters a new user namespace in which these uids and the same gids exist, and becomes 0 in it,
/// with all capabilities there. Needs `CAP_SETUID` and `CAP_SETGID` in the namespace that it
/// leaves, `/proc` of the own PID namespace, and no other thread.
///
/// # Errors
/// [`Failure`] names the call or file.
pub fn enter_user_ranges(ranges: &[IdRange]) -> Result<(), Failure> {
    let lines: Vec<_> = ranges
        .iter()
        .map(|range| format!("{} {} {}", range.inside, range.outside, range.count))
        .collect();
    let map = lines.join("\n");
    let own = std::process::id();
    let (entered_read, entered) = rustix::pipe::pipe().map_err(Failure::of("pipe2"))?;
    let Some(writer) = crate::fork::plain().map_err(Failure::of("fork"))? else {
        // Whoever enters loses the right to write its own map: the copy stays behind and does.
        drop(entered);
        let written = rustix::io::read(&entered_read, &mut [0; 1])
            .and_then(|_| write_to(&format!("/proc/{own}/uid_map"), &map))
            .and_then(|()| write_to(&format!("/proc/{own}/gid_map"), &map));
        let code = written.map_or_else(Errno::raw_os_error, |()| 0);
        crate::fork::exit(u8::try_from(code).unwrap_or(u8::MAX));
    };
    drop(entered_read);
    let unshared = unshare(libc::CLONE_NEWUSER);
    drop(entered);
    let status = crate::wait::wait_pid(writer).map_err(Failure::of("wait4"))?;
    unshared.map_err(Failure::of("unshare CLONE_NEWUSER"))?;
    match status.exit {
        crate::wait::Exit::Code(0) => {}
        crate::wait::Exit::Code(code) => {
            let errno = Errno::from_raw_os_error(i32::from(code));
            return Err(Failure::of("uid_map")(errno));
        }
        crate::wait::Exit::Signal(_) => {
            return Err(Failure::of("uid_map")(Errno::INTR));
        }
    }
    crate::credential::set_ids(0, 0)
}

/// Leaves the network namespace for a new one, empty but for `lo`, which is down.
///
/// # Errors
/// Those of `unshare(2)`.
pub fn leave_network() -> rustix::io::Result<()> {
    unshare(libc::CLONE_NEWNET)
}

/// Makes the cgroups that this process is in the roots of what it sees of cgroups.
///
/// # Errors
/// Those of `unshare(2)`.
pub fn leave_cgroups() -> rustix::io::Result<()> {
    unshare(libc::CLONE_NEWCGROUP)
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
    let cpu = crate::sched::current_cpu();
    std::thread::spawn(move || {
        // Made on the same CPU it would be made before everything else, and not beside it; that
        // costs time alone.
        let _ = crate::sched::leave_cpu(cpu);
        // Nobody waits for it any more when the run was refused meanwhile.
        let _ = give.send(new_network());
        after();
    });
    crate::sched::give_way();
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
                errno: Errno::IO,
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
    // SAFETY: neither a user, a time, a network nor a cgroup namespace changes what descriptors,
    // memory or paths of this process mean.
    if unsafe { libc::unshare(flag) } < 0 {
        Err(crate::last_errno())
    } else {
        Ok(())
    }
}

fn write_to(path: &str, content: &str) -> rustix::io::Result<()> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, content.as_bytes()).map(drop)
}

fn write(path: &CStr, content: &str) -> rustix::io::Result<()> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, content.as_bytes()).map(drop)
}
