//! How the program comes to be: executed, or copied from an interpreter that is ready.

use std::ffi::{CStr, CString, NulError};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use stockade_core::fence::Resource;
use stockade_core::wire::Start;
use stockade_sys::Errno;
use stockade_sys::spawn::{BeforeExec, Namespaces, Program, Spawn};
use stockade_sys::{rlimit, socket};

/// Of what the submission and its children write.
pub(crate) const UMASK: u32 = 0o077;

/// The call that failed.
pub(crate) type NotStarted = (&'static str, Errno);

/// The program, started.
pub(crate) struct Launched {
    pub(crate) pid: i32,
    /// What it writes, to be read without waiting: standard output and error.
    pub(crate) outputs: [OwnedFd; 2],
}

/// A way to start the program as a child of init.
pub(crate) trait Launch {
    /// Does what can be done before there is a program, once the fence stands. `true` in a copy
    /// that is to become the program.
    fn prepare(&mut self) -> Result<bool, NotStarted> {
        Ok(false)
    }

    /// Where one that was prepared hangs up when it dies.
    fn waiting(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn launch(&mut self, start: &Start, directory: &OwnedFd) -> Result<Launched, NotStarted>;
}

/// Executes the file that `Start` names.
pub(crate) struct Exec;

impl Launch for Exec {
    fn launch(&mut self, start: &Start, _: &OwnedFd) -> Result<Launched, NotStarted> {
        let (stdout, stdout_write) = pipe()?;
        let (stderr, stderr_write) = pipe()?;
        let pid = execute(start, &stdout_write, &stderr_write)?;
        Ok(Launched {
            pid,
            outputs: [stdout, stderr],
        })
    }
}

pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd), NotStarted> {
    socket::pipe().map_err(|errno| ("pipe2", errno))
}

/// Starts the program as a child of init.
fn execute(start: &Start, stdout: &OwnedFd, stderr: &OwnedFd) -> Result<i32, NotStarted> {
    let nul = |_: NulError| ("a NUL byte in `Start`", Errno::INVAL);
    let program = CString::new(start.program.as_str()).map_err(nul)?;
    let directory = CString::new(start.directory.as_str()).map_err(nul)?;
    let args = strings(&start.args).map_err(nul)?;
    let env = strings(&start.env).map_err(nul)?;
    let args: Vec<&CStr> = args.iter().map(CString::as_c_str).collect();
    let env: Vec<&CStr> = env.iter().map(CString::as_c_str).collect();
    let mut before_exec = vec![BeforeExec::Directory(&directory), BeforeExec::Umask(UMASK)];
    before_exec.extend(start.rlimits.iter().map(|limit| BeforeExec::Rlimit {
        resource: resource(limit.resource),
        soft: limit.soft,
        hard: limit.hard,
    }));
    let kept = start.keep.map(socket::inherited).transpose();
    let kept = kept.map_err(|errno| ("a descriptor to keep", errno))?;
    let mut descriptors = vec![(stdout.as_fd(), 1), (stderr.as_fd(), 2)];
    if let (Some(fd), Some(number)) = (&kept, start.keep) {
        descriptors.push((fd.as_fd(), i32::from(number)));
    }
    Spawn {
        program: Program::Path(&program),
        args: &args,
        env: &env,
        namespaces: Namespaces::NONE,
        cgroup: None,
        descriptors: &descriptors,
        before_exec: &before_exec,
    }
    .spawn_plain()
    .map_err(|error| (error.step, error.errno))
}

fn strings(strings: &[String]) -> Result<Vec<CString>, NulError> {
    strings
        .iter()
        .map(|string| CString::new(string.as_str()))
        .collect()
}

/// The kernel's name for it.
pub(crate) fn resource(resource: Resource) -> rlimit::Resource {
    match resource {
        Resource::Cpu => rlimit::Resource::Cpu,
        Resource::AddressSpace => rlimit::Resource::As,
        Resource::FileSize => rlimit::Resource::Fsize,
        Resource::OpenFiles => rlimit::Resource::Nofile,
        Resource::Processes => rlimit::Resource::Nproc,
        Resource::Core => rlimit::Resource::Core,
        Resource::LockedMemory => rlimit::Resource::Memlock,
        Resource::MessageQueue => rlimit::Resource::Msgqueue,
        Resource::PendingSignals => rlimit::Resource::Sigpending,
        Resource::RealTimePriority => rlimit::Resource::Rtprio,
        Resource::Nice => rlimit::Resource::Nice,
    }
}
