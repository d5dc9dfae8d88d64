//! Runs one of the host's own programs to its end, with everything about it bounded.
//!
//! For questions to trusted tools (an interpreter, the loader, a package manager): never for a
//! submission.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};

use crate::clock;

/// A program and what it is given. It sees no other variable, descriptor or directory of ours.
#[derive(Debug)]
pub struct Tool<'a> {
    /// Absolute: nothing is searched for.
    pub program: &'a Path,
    /// After the program's own name.
    pub args: &'a [&'a OsStr],
    /// The whole environment.
    pub env: &'a [(&'a str, &'a OsStr)],
    /// What it reads, then end of file.
    pub stdin: &'a [u8],
    /// From start to end; then it is killed.
    pub within: Duration,
    /// Of standard output, and again of standard error.
    pub output_bytes_max: usize,
}

/// How a tool ended and what it wrote.
#[derive(Debug)]
pub struct Finished {
    /// Its exit.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Runs a tool in `/` and waits for it. What it leaves running is not waited for.
///
/// # Errors
/// When it cannot be started; `TimedOut` when it is not done in time and `FileTooLarge` when it
/// writes more than it may, in both cases after it was killed and waited for.
pub fn run(tool: &Tool<'_>) -> io::Result<Finished> {
    let started = clock::monotonic();
    let mut command = Command::new(tool.program);
    command
        .args(tool.args)
        .env_clear()
        .envs(tool.env.iter().copied())
        .current_dir("/")
        .stdin(input(tool.stdin)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    end_with_us(&mut command);
    let mut child = Running(
        command
            .spawn()
            .map_err(|error| attempt("start", tool, &error))?,
    );
    let mut stdout = Stream::new(child.0.stdout.take().map(OwnedFd::from), tool)?;
    let mut stderr = Stream::new(child.0.stderr.take().map(OwnedFd::from), tool)?;
    let pidfd = pidfd_open(Pid::from_child(&child.0), PidfdFlags::empty())?;
    let mut running = true;
    while running {
        let left = tool
            .within
            .saturating_sub(clock::monotonic().saturating_sub(started));
        if left.is_zero() {
            let text = format!(
                "`{}` was not done in {:?}",
                tool.program.display(),
                tool.within
            );
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
        let mut waited = vec![PollFd::new(&pidfd, PollFlags::IN)];
        for stream in [&stdout, &stderr] {
            waited.extend(
                stream
                    .pipe
                    .as_ref()
                    .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            );
        }
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut waited, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(attempt("wait for", tool, &error.into())),
        }
        // Looked at before the streams are drained: what it wrote before its end is then read.
        running = waited[0].revents().is_empty();
        stdout.drain(tool)?;
        stderr.drain(tool)?;
    }
    let status = child.0.wait()?;
    Ok(Finished {
        status,
        stdout: stdout.bytes,
        stderr: stderr.bytes,
    })
}

/// Has the kernel kill the tool when the thread that waits for it ends: a killed process's tool
/// would go on writing where the next cleans up.
fn end_with_us(command: &mut Command) {
    let ours = rustix::process::getpid();
    let ask = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // It may have ended before that was asked for.
        match rustix::process::getppid() {
            Some(parent) if parent == ours => Ok(()),
            Some(_) | None => Err(io::ErrorKind::Interrupted.into()),
        }
    };
    // SAFETY: between fork and exec `ask` makes two system calls and builds an error that is no
    // more than a number: it neither allocates nor takes a lock.
    unsafe { command.pre_exec(ask) };
}

/// A file in memory: unlike a pipe it cannot fill up before the tool reads.
fn input(bytes: &[u8]) -> io::Result<Stdio> {
    let file = rustix::fs::memfd_create("stdin", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

fn attempt(what: &str, tool: &Tool<'_>, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("cannot {what} `{}`: {error}", tool.program.display()),
    )
}

/// A child that does not outlive its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only where it was waited for already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One output of the tool; `None` once it is at its end.
struct Stream {
    pipe: Option<File>,
    bytes: Vec<u8>,
}

impl Stream {
    fn new(pipe: Option<OwnedFd>, tool: &Tool<'_>) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            rustix::fs::fcntl_setfl(pipe, rustix::fs::OFlags::NONBLOCK)
                .map_err(|error| attempt("read from", tool, &error.into()))?;
        }
        Ok(Self {
            pipe: pipe.map(File::from),
            bytes: Vec::new(),
        })
    }

    /// Takes what is there now.
    fn drain(&mut self, tool: &Tool<'_>) -> io::Result<()> {
        let mut chunk = [0; 16 << 10];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(length) => self.bytes.extend_from_slice(&chunk[..length]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(attempt("read from", tool, &error)),
            }
            if self.bytes.len() > tool.output_bytes_max {
                let most = tool.output_bytes_max;
                let text = format!("`{}` wrote more than {most} bytes", tool.program.display());
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, stdin: &[u8], within_ms: u64) -> io::Result<Finished> {
        run(&Tool {
            program: Path::new("/bin/sh"),
            args: &[OsStr::new("-c"), OsStr::new(script)],
            env: &[("GIVEN", OsStr::new("yes"))],
            stdin,
            within: Duration::from_millis(within_ms),
            output_bytes_max: 100_000,
        })
    }

    #[test]
    fn input_output_and_exit_pass_through_and_nothing_else() {
        let input = vec![b'x'; 90_000];
        let script = "cat; echo $GIVEN $HOME >&2; exit 3";
        let done = shell(script, &input, 20_000).unwrap();
        assert_eq!(done.stdout, input);
        assert_eq!(done.stderr, b"yes\n");
        assert_eq!(done.status.code(), Some(3));
    }

    #[test]
    fn a_tool_that_hangs_is_killed() {
        let error = shell("exec sleep 60", b"", 50).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
    }

    #[test]
    fn a_flood_is_refused() {
        let error = shell("exec yes", b"", 20_000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
    }

    #[test]
    fn a_grandchild_that_holds_the_pipe_does_not_keep_us() {
        let done = shell("sleep 3 & echo $!", b"", 2_500).unwrap();
        assert!(done.status.success());
    }
}
