//! Running programs, and saying which and how they ended.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Of a program that failed, how many of its last lines are shown again at the end of all steps.
const LINES_SHOWN_AGAIN: usize = 12;

/// And how much of each.
const CHARS_SHOWN_AGAIN: usize = 200;

/// How long the last words of a program that has ended are waited for.
const STRAGGLER: Duration = Duration::from_secs(5);

/// A program to run from the top of the workspace.
#[derive(Debug)]
pub(crate) struct Shell {
    command: Command,
    shown: String,
}

/// What a program printed and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    /// `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Shell {
    /// `program`, found through `PATH`.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(&program);
        command.current_dir(root()).stdin(Stdio::null());
        let shown = program.as_ref().to_string_lossy().into_owned();
        Self { command, shown }
    }

    /// The `cargo` that started this script.
    pub(crate) fn cargo() -> Self {
        let mut cargo = Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        "cargo".clone_into(&mut cargo.shown);
        // Tools that were built for this script are found by `cargo NAME`.
        match std::env::join_paths(path()) {
            Ok(path) => cargo.env("PATH", path),
            Err(_) => cargo,
        }
    }

    /// The same with one more argument.
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&argument.as_ref().to_string_lossy());
        self.command.arg(argument);
        self
    }

    /// The same with more arguments.
    pub(crate) fn args<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(self, arguments: I) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// The same with a variable of the environment set.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// The same in another directory.
    pub(crate) fn directory(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Runs it with this script's own output; fails unless it exits 0, with what it said last.
    pub(crate) fn run(mut self) -> Result<(), String> {
        eprintln!("$ {}", self.shown);
        if std::io::stderr().is_terminal() {
            self.command.env("CARGO_TERM_COLOR", "always");
        }
        let mut child = self
            .command
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot start `{}`: {e}", self.shown))?;
        let (send, last) = mpsc::channel();
        let stderr = child.stderr.take();
        // Not joined: what the program left running may hold its end of the pipe for ever.
        thread::spawn(move || send.send(stderr.map(pass_on)));
        let status = child
            .wait()
            .map_err(|e| format!("cannot wait for `{}`: {e}", self.shown))?;
        if status.success() {
            // Nobody listens to what it says later; what it has said is shown before the next.
            let _ = last.recv_timeout(STRAGGLER);
            return Ok(());
        }
        let said = last.recv_timeout(STRAGGLER).ok().flatten();
        let said = said.unwrap_or_default().join("\n  ");
        Err(format!("`{}` ended with {status}\n  {said}", self.shown))
    }

    /// Runs it and returns what it printed and how it ended, whatever that was.
    pub(crate) fn capture(mut self) -> Result<Said, String> {
        let output = self
            .command
            .output()
            .map_err(|e| format!("cannot start `{}`: {e}", self.shown))?;
        Ok(Said {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs it and returns its standard output; fails unless it exits 0.
    pub(crate) fn read(mut self) -> Result<String, String> {
        let output = self
            .command
            .stderr(Stdio::piped())
            .output()
            .map_err(|e| format!("cannot start `{}`: {e}", self.shown))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "`{}` ended with {}: {said}",
                self.shown, output.status
            ));
        }
        String::from_utf8(output.stdout)
            .map_err(|e| format!("`{}` printed something that is not UTF-8: {e}", self.shown))
    }
}

/// Shows what comes through `from`, and returns its last lines.
fn pass_on(from: ChildStderr) -> Vec<String> {
    let mut last = VecDeque::new();
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        eprintln!("{line}");
        last.push_back(line.chars().take(CHARS_SHOWN_AGAIN).collect());
        if last.len() > LINES_SHOWN_AGAIN {
            last.pop_front();
        }
    }
    last.into()
}

/// The top of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where things are kept that cost time to make and belong to no checkout: a kernel, tools.
pub(crate) fn cache() -> Result<PathBuf, String> {
    let base = match (std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME")) {
        (Some(cache), _) if !cache.is_empty() => PathBuf::from(cache),
        (_, Some(home)) => Path::new(&home).join(".cache"),
        (_, None) => return Err("neither XDG_CACHE_HOME nor HOME is set".to_owned()),
    };
    let directory = base.join("stockade-xtask");
    std::fs::create_dir_all(&directory)
        .map_err(|e| format!("cannot make `{}`: {e}", directory.display()))?;
    Ok(directory)
}

/// The file that `PATH` (and the places for administrators' programs) gives for `name`.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    path()
        .into_iter()
        .map(|directory| directory.join(name))
        .find(|candidate| candidate.is_file())
}

/// Where cargo's tools are that this script built.
pub(crate) fn tools() -> Result<PathBuf, String> {
    Ok(cache()?.join("tools"))
}

/// The directories of `PATH`, then those of administrators' programs and of our own tools.
fn path() -> Vec<PathBuf> {
    let given = std::env::var_os("PATH").unwrap_or_default();
    let mut directories: Vec<PathBuf> = std::env::split_paths(&given).collect();
    directories.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    directories.extend(tools().map(|tools| tools.join("bin")));
    directories
}
