//! What the child does between clone and exec: no allocation, no lock, no panic.
//!
//! It shares the parent's memory and thread-local storage while the parent is stopped, so it calls
//! the kernel only, through wrappers that keep no state.

use super::{BeforeExec, Program, Spawn, SpawnError};
use crate::rlimit;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, c_char};
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, RawFd};
use std::ptr;

/// Exit code of a child that could not execute; nobody sees it but the spawner.
const FAILED: i32 = 127;
/// Signals are 1 to 64.
const SIGNAL_MAX: i32 = 64;

/// Where the child says what failed. All zero: nothing did.
#[repr(C)]
pub(super) struct Report {
    /// Index into [`STEPS`], plus one.
    step: u32,
    errno: i32,
}

impl Report {
    pub(super) fn outcome(&self) -> Result<(), SpawnError> {
        if self.step == 0 {
            return Ok(());
        }
        let step = STEPS
            .get(self.step as usize - 1)
            .copied()
            .unwrap_or("child");
        Err(SpawnError {
            step,
            errno: Errno::from_raw_os_error(self.errno),
        })
    }
}

/// The names of what can fail in the child.
const STEPS: [&str; 19] = [
    "write cgroup tasks",
    "setns CLONE_NEWNET",
    "setgroups deny",
    "uid_map",
    "gid_map",
    "unshare CLONE_NEWCGROUP",
    "PR_SET_PDEATHSIG",
    "getppid",
    "setsid",
    "oom_score_adj",
    "setrlimit",
    "chdir",
    "open /dev/null",
    "fcntl F_DUPFD_CLOEXEC",
    "dup3",
    "close_range",
    "rt_sigprocmask",
    "execve",
    "execveat",
];

/// Index into [`STEPS`].
#[derive(Clone, Copy)]
enum At {
    CgroupTasks,
    Network,
    Setgroups,
    UidMap,
    GidMap,
    CgroupNamespace,
    DeathSignal,
    Parent,
    Session,
    OomScore,
    Rlimit,
    Directory,
    Null,
    Lift,
    Dup,
    CloseRange,
    SignalMask,
    Exec,
    ExecDescriptor,
}

/// One step with its texts formatted.
enum Op<'a> {
    Borrowed(BeforeExec<'a>),
    MapIds { uid_map: String, gid_map: String },
    OomScore(String),
}

/// What is executed; the child replaces the descriptor by a copy that no target overwrites.
enum Executable<'a> {
    Path(&'a CStr),
    Descriptor(RawFd),
}

/// Everything that the child reads, laid out by the parent.
pub(super) struct Prepared<'a> {
    program: Executable<'a>,
    args: Vec<*const c_char>,
    env: Vec<*const c_char>,
    ops: Vec<Op<'a>>,
    /// Source and target; the child replaces the source by a copy that no target overwrites.
    descriptors: Vec<(RawFd, RawFd)>,
    parent: Option<rustix::process::Pid>,
    pub(super) report: *mut Report,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(spawn: &Spawn<'a>) -> Result<Self, SpawnError> {
        let mut descriptors: Vec<_> = spawn
            .descriptors
            .iter()
            .map(|(fd, target)| (fd.as_raw_fd(), *target))
            .collect();
        descriptors.sort_unstable_by_key(|(_, target)| *target);
        let twice = descriptors.windows(2).any(|pair| pair[0].1 == pair[1].1);
        if twice || descriptors.iter().any(|(_, target)| *target < 0) {
            return Err(SpawnError {
                step: "descriptors",
                errno: Errno::INVAL,
            });
        }
        // `-1` stands for /dev/null, which the child opens.
        for target in 0..3 {
            if !descriptors.iter().any(|(_, given)| *given == target) {
                descriptors.push((-1, target));
            }
        }
        descriptors.sort_unstable_by_key(|(_, target)| *target);
        Ok(Self {
            program: match spawn.program {
                Program::Path(path) => Executable::Path(path),
                Program::Descriptor(fd) => Executable::Descriptor(fd.as_raw_fd()),
            },
            args: pointers(spawn.args),
            env: pointers(spawn.env),
            ops: spawn
                .before_exec
                .iter()
                .map(|step| Op::new(*step))
                .collect(),
            descriptors,
            parent: Some(rustix::process::getpid()),
            report: ptr::null_mut(),
        })
    }
}

impl<'a> Op<'a> {
    fn new(step: BeforeExec<'a>) -> Self {
        match step {
            BeforeExec::MapIds {
                inside,
                outside_uid,
                outside_gid,
            } => Self::MapIds {
                uid_map: format!("{inside} {outside_uid} 1"),
                gid_map: format!("{inside} {outside_gid} 1"),
            },
            BeforeExec::OomScore(score) => Self::OomScore(score.to_string()),
            BeforeExec::WriteSelf { .. }
            | BeforeExec::Network { .. }
            | BeforeExec::CgroupNamespace
            | BeforeExec::DieWithParent
            | BeforeExec::NewSession
            | BeforeExec::Umask(_)
            | BeforeExec::Rlimit { .. }
            | BeforeExec::Directory(_) => Self::Borrowed(step),
        }
    }
}

fn pointers(strings: &[&CStr]) -> Vec<*const c_char> {
    strings
        .iter()
        .map(|string| string.as_ptr())
        .chain([ptr::null()])
        .collect()
}

/// Runs in the child, on its own stack.
pub(super) extern "C" fn run(prepared: *mut Prepared<'_>) -> ! {
    // SAFETY: `enter` was given a unique reference, and its thread is stopped by `CLONE_VFORK` (or
    // has a memory of its own) for as long as this runs.
    let prepared = unsafe { &mut *prepared };
    let (at, errno) = match before_exec(prepared) {
        Ok(()) => exec(prepared),
        Err(failure) => failure,
    };
    let report = Report {
        step: at as u32 + 1,
        errno: errno.raw_os_error(),
    };
    // SAFETY: `report` points to the page above this stack, which only this child writes.
    unsafe { prepared.report.write(report) };
    // SAFETY: ends this process alone, runs no destructor and no handler.
    unsafe { libc::_exit(FAILED) }
}

type Failure = (At, Errno);

fn before_exec(prepared: &mut Prepared<'_>) -> Result<(), Failure> {
    for op in &prepared.ops {
        match op {
            Op::Borrowed(step) => apply(*step, prepared.parent)?,
            Op::MapIds { uid_map, gid_map } => {
                write_file(c"/proc/self/setgroups", b"deny").map_err(at(At::Setgroups))?;
                write_file(c"/proc/self/uid_map", uid_map.as_bytes()).map_err(at(At::UidMap))?;
                write_file(c"/proc/self/gid_map", gid_map.as_bytes()).map_err(at(At::GidMap))?;
            }
            Op::OomScore(score) => write_file(c"/proc/self/oom_score_adj", score.as_bytes())
                .map_err(at(At::OomScore))?,
        }
    }
    move_descriptors(&mut prepared.program, &mut prepared.descriptors)?;
    reset_signals()
}

fn apply(step: BeforeExec<'_>, parent: Option<rustix::process::Pid>) -> Result<(), Failure> {
    match step {
        BeforeExec::WriteSelf { file } => rustix::io::write(file, b"0")
            .map(drop)
            .map_err(at(At::CgroupTasks)),
        BeforeExec::Network { namespace } => {
            let kind = Some(rustix::thread::LinkNameSpaceType::Network);
            rustix::thread::move_into_link_name_space(namespace, kind).map_err(at(At::Network))
        }
        BeforeExec::CgroupNamespace => {
            // SAFETY: gives this process another view of the cgroup tree; shares nothing more and
            // nothing less of memory or descriptors.
            if unsafe { libc::unshare(libc::CLONE_NEWCGROUP) } < 0 {
                return Err((At::CgroupNamespace, crate::last_errno()));
            }
            Ok(())
        }
        BeforeExec::DieWithParent => {
            let signal = Some(rustix::process::Signal::KILL);
            rustix::process::set_parent_process_death_signal(signal)
                .map_err(at(At::DeathSignal))?;
            // In a new PID namespace the parent has no number.
            match rustix::process::getppid() {
                None => Ok(()),
                now if now == parent => Ok(()),
                Some(_) => Err((At::Parent, Errno::SRCH)),
            }
        }
        BeforeExec::NewSession => rustix::process::setsid().map(drop).map_err(at(At::Session)),
        BeforeExec::Umask(mask) => {
            rustix::process::umask(Mode::from_raw_mode(mask));
            Ok(())
        }
        BeforeExec::Rlimit {
            resource,
            soft,
            hard,
        } => rlimit::set(resource, soft, hard).map_err(at(At::Rlimit)),
        BeforeExec::Directory(path) => rustix::process::chdir(path).map_err(at(At::Directory)),
        // `Op::new` has made these into texts.
        BeforeExec::MapIds { .. } | BeforeExec::OomScore(_) => Ok(()),
    }
}

fn write_file(path: &CStr, bytes: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, bytes).map(drop)
}

/// Puts each descriptor at its number and marks all others close-on-exec.
fn move_descriptors(
    program: &mut Executable<'_>,
    descriptors: &mut [(RawFd, RawFd)],
) -> Result<(), Failure> {
    let above = descriptors
        .iter()
        .map(|(_, target)| *target)
        .max()
        .unwrap_or(2)
        + 1;
    if let Executable::Descriptor(fd) = program {
        *fd = lift(*fd, above)?;
    }
    let mut null = None;
    for (source, _) in &mut *descriptors {
        let from = match (*source, null) {
            (given @ 0.., _) => given,
            (_, Some(null)) => null,
            (_, None) => {
                let flags = OFlags::RDWR | OFlags::CLOEXEC;
                let opened = rustix::fs::open(c"/dev/null", flags, Mode::empty());
                *null.insert(opened.map_err(at(At::Null))?.into_raw_fd())
            }
        };
        *source = lift(from, above)?;
    }
    // The exec closes what is marked, the program's own descriptor included.
    let mut next: u32 = 0;
    for (source, target) in &*descriptors {
        // SAFETY: overwrites a number in this child's own table, in which nothing below `above` is
        // used any more.
        if unsafe { libc::syscall(libc::SYS_dup3, *source, *target, 0) } < 0 {
            return Err((At::Dup, crate::last_errno()));
        }
        let target = target.cast_unsigned();
        if target > next {
            close_range(next, target - 1)?;
        }
        next = target + 1;
    }
    close_range(next, u32::MAX)
}

/// A copy at a number that is no target.
fn lift(fd: RawFd, above: RawFd) -> Result<RawFd, Failure> {
    // SAFETY: the spawner holds its descriptors open until this child has executed, and the child
    // closes none.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) };
    rustix::io::fcntl_dupfd_cloexec(fd, above)
        .map(IntoRawFd::into_raw_fd)
        .map_err(at(At::Lift))
}

fn close_range(first: u32, last: u32) -> Result<(), Failure> {
    // SAFETY: marks descriptors of this child's own table; closes none.
    let result = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            last,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    if result < 0 {
        Err((At::CloseRange, crate::last_errno()))
    } else {
        Ok(())
    }
}

/// Default actions, also for what the parent ignores, and nothing blocked.
fn reset_signals() -> Result<(), Failure> {
    // The kernel's `struct sigaction` of `SIG_DFL`, no flags, empty mask: at most 32 bytes.
    let default = [0_u64; 4];
    for signal in 1..=SIGNAL_MAX {
        // SIGKILL and SIGSTOP cannot be set, and are what they should be.
        // SAFETY: `default` is as large as the kernel's structure and only read.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                default.as_ptr(),
                ptr::null_mut::<u64>(),
                size_of::<u64>(),
            )
        };
    }
    crate::signal::try_swap_mask(0)
        .map(drop)
        .map_err(at(At::SignalMask))
}

/// Replaces the process; returns only on failure.
fn exec(prepared: &Prepared<'_>) -> Failure {
    let (args, env) = (prepared.args.as_ptr(), prepared.env.as_ptr());
    match prepared.program {
        Executable::Path(path) => {
            // SAFETY: a NUL-terminated path and two null-terminated arrays of such strings, all
            // kept alive by the stopped parent.
            unsafe { libc::syscall(libc::SYS_execve, path.as_ptr(), args, env) };
            (At::Exec, crate::last_errno())
        }
        Executable::Descriptor(fd) => {
            // SAFETY: an empty path and two null-terminated arrays of strings, all kept alive by
            // the stopped parent.
            unsafe {
                libc::syscall(
                    libc::SYS_execveat,
                    fd,
                    c"".as_ptr(),
                    args,
                    env,
                    libc::AT_EMPTY_PATH,
                )
            };
            (At::ExecDescriptor, crate::last_errno())
        }
    }
}

fn at(at: At) -> impl FnOnce(Errno) -> Failure {
    move |errno| (at, errno)
}
