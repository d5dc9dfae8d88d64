//! Follows other processes from one system call to the next (`ptrace(2)`), so that a test can end
//! one of them at each. Nothing that is shipped is built with it.

use crate::last_errno;
use crate::seccomp::Arch;
use crate::seccomp::number::{Number, by_value};
use crate::wait::Exit;
use rustix::io::Errno;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// `PTRACE_SYSCALL_INFO_ENTRY` of <linux/ptrace.h>.
const ENTRY: u8 = 1;

/// Set in the signal of a stop at a system call, by `PTRACE_O_TRACESYSGOOD`.
const AT_CALL: i32 = 0x80;

/// What a thread has seized, with all that this starts. The kernel answers that thread alone, and
/// kills what is followed when it ends.
#[derive(Debug)]
pub struct Tracer(PhantomData<*const ()>);

/// A followed thread that waits to be let go on, or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The thread.
    pub tid: i32,
    /// Why.
    pub why: Why,
}

/// Why a followed thread has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was seized, or is new; or it has started or executed something.
    Event,
    /// It is about to make this call.
    Call {
        /// Which; `None` for one that is not in the table.
        number: Option<Number>,
        /// Its first argument.
        first: u64,
    },
    /// It has come back from one.
    Return,
    /// It is about to get this signal, which it gets when it goes on unless [`Tracer::swallow`]
    /// lets it.
    Signal(i32),
    /// A signal has stopped it and the other threads of its process.
    Stopped,
    /// It has ended, and is reaped here. Its parent can reap it now.
    Ended(Exit),
}

/// Until where a thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Its next system call.
    Call,
    /// Its next signal, child or end.
    Event,
}

impl Tracer {
    /// Follows all threads of a process, and everything that they start from now on.
    ///
    /// # Errors
    /// `ESRCH` when there is no such process; `EPERM` when it may not be followed.
    pub fn seize(pid: i32) -> std::io::Result<Self> {
        for entry in std::fs::read_dir(format!("/proc/{pid}/task"))? {
            let name = entry?.file_name();
            let tid = name.to_str().and_then(|name| name.parse::<i32>().ok());
            seize(tid.ok_or(Errno::INVAL)?)?;
        }
        Ok(Self(PhantomData))
    }

    /// Waits for the next stop of any followed thread; `None` when all have ended.
    ///
    /// # Errors
    /// Those of `waitpid(2)`, and of asking which call a thread makes.
    pub fn next(&self) -> rustix::io::Result<Option<Stop>> {
        loop {
            let mut status = 0;
            // SAFETY: `status` outlives the call, which writes nothing else. Children of other
            // threads, which may be waited for there, are left alone.
            let tid =
                unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL | libc::__WNOTHREAD) };
            if tid > 0 {
                let why = why(tid, status)?;
                return Ok(Some(Stop { tid, why }));
            }
            match last_errno() {
                Errno::CHILD => return Ok(None),
                Errno::INTR => {}
                errno => return Err(errno),
            }
        }
    }

    /// Lets a stopped thread go on. One that was killed meanwhile is no error.
    ///
    /// # Errors
    /// Those of `ptrace(2)`.
    pub fn go_on(&self, stop: Stop, until: Until) -> rustix::io::Result<()> {
        match stop.why {
            Why::Ended(_) => Ok(()),
            Why::Stopped => request(libc::PTRACE_LISTEN, stop.tid, 0),
            Why::Signal(signal) => request(until.request(), stop.tid, signal),
            Why::Event | Why::Call { .. } | Why::Return => request(until.request(), stop.tid, 0),
        }
    }

    /// Lets a stopped thread go on without the signal that it was about to get.
    ///
    /// # Errors
    /// Those of `ptrace(2)`.
    pub fn swallow(&self, stop: Stop, until: Until) -> rustix::io::Result<()> {
        request(until.request(), stop.tid, 0)
    }
}

impl Until {
    fn request(self) -> libc::c_uint {
        match self {
            Self::Call => libc::PTRACE_SYSCALL,
            Self::Event => libc::PTRACE_CONT,
        }
    }
}

fn seize(tid: i32) -> rustix::io::Result<()> {
    let options = libc::PTRACE_O_EXITKILL
        | libc::PTRACE_O_TRACESYSGOOD
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACEEXEC;
    request(libc::PTRACE_SEIZE, tid, options)
}

/// `data` is a signal or a word of options.
fn request(what: libc::c_uint, tid: i32, data: i32) -> rustix::io::Result<()> {
    // SAFETY: none of these requests has the kernel read or write our memory.
    let result = unsafe { libc::ptrace(what, tid, 0_usize, libc::c_long::from(data)) };
    if result >= 0 {
        return Ok(());
    }
    match last_errno() {
        // Only a kill wakes a stopped thread behind our back; that it has ended comes next.
        Errno::SRCH if what != libc::PTRACE_SEIZE => Ok(()),
        errno => Err(errno),
    }
}

fn why(tid: i32, status: i32) -> rustix::io::Result<Why> {
    if libc::WIFEXITED(status) {
        let code = u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(u8::MAX);
        return Ok(Why::Ended(Exit::Code(code)));
    }
    if libc::WIFSIGNALED(status) {
        return Ok(Why::Ended(Exit::Signal(libc::WTERMSIG(status))));
    }
    let signal = libc::WSTOPSIG(status);
    match status >> 16 {
        libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => Ok(Why::Stopped),
        0 if signal == libc::SIGTRAP | AT_CALL => at_call(tid),
        0 => Ok(Why::Signal(signal)),
        _ => Ok(Why::Event),
    }
}

fn at_call(tid: i32) -> rustix::io::Result<Why> {
    let mut info = MaybeUninit::<libc::ptrace_syscall_info>::zeroed();
    // SAFETY: `info` is of the size that is passed and outlives the call.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_GET_SYSCALL_INFO,
            tid,
            size_of::<libc::ptrace_syscall_info>(),
            info.as_mut_ptr(),
        )
    };
    if result < 0 {
        return match last_errno() {
            // Killed meanwhile.
            Errno::SRCH => Ok(Why::Event),
            errno => Err(errno),
        };
    }
    // SAFETY: all-zero is a valid value, and the kernel has filled it or left it.
    let info = unsafe { info.assume_init() };
    if info.op != ENTRY {
        return Ok(Why::Return);
    }
    // SAFETY: by its `op` the kernel has filled this arm.
    let entry = unsafe { info.u.entry };
    let number = u32::try_from(entry.nr).ok();
    let known = Arch::HOST.zip(number);
    Ok(Why::Call {
        number: known.and_then(|(arch, number)| by_value(arch, number)),
        first: entry.args[0],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::kill;
    use crate::signal::Signal;
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// A shell that waits for a line, then starts another that ends with 7, and ends as it does.
    fn shell() -> std::process::Child {
        Command::new("/bin/sh")
            .args(["-c", "read line; /bin/sh -c 'exit 7'; exit $?"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Follows it, killing who makes the call `fatal`; how each of the two has ended.
    fn followed(fatal: Option<&str>) -> Vec<(bool, Exit)> {
        let mut child = shell();
        let pid = i32::try_from(child.id()).unwrap();
        let tracer = Tracer::seize(pid).unwrap();
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        let mut ends = Vec::new();
        while let Some(stop) = tracer.next().unwrap() {
            match stop.why {
                Why::Ended(exit) => ends.push((stop.tid == pid, exit)),
                Why::Call { number, .. } if stop.tid != pid => {
                    if number.is_some_and(|number| fatal == Some(number.name())) {
                        kill(stop.tid, Signal::KILL).unwrap();
                    }
                }
                Why::Call { .. } | Why::Event | Why::Return | Why::Signal(_) | Why::Stopped => {}
            }
            tracer.go_on(stop, Until::Call).unwrap();
        }
        assert!(child.wait().is_err(), "it is reaped already");
        ends
    }

    #[test]
    fn what_is_followed_ends_as_it_would_unless_it_is_killed_at_a_call() {
        let alike = [(false, Exit::Code(7)), (true, Exit::Code(7))];
        assert_eq!(followed(None), alike);
        assert_eq!(followed(Some("reboot")), alike);
        let killed = [(false, Exit::Signal(9)), (true, Exit::Code(137))];
        assert_eq!(followed(Some("execve")), killed);
    }
}
