//! A directory with files, and the command run in it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command that is tested.
pub(crate) const STOCKADE: &str = env!("CARGO_BIN_EXE_stockade");

/// Emits 42 and talks on both streams.
pub(crate) const TALKER: &str = "\
import sys, stockade_guest as g
print('on stdout')
print('on stderr', file=sys.stderr)
g.emit(42)
";

/// A directory of one test, removed with it.
pub(crate) struct Workshop(tempfile::TempDir);

/// What a run of the command came to, as text.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The command with `args`, in this directory.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(STOCKADE);
        command
            .args(args)
            .current_dir(self.path())
            .env_remove("STOCKADE_PYTHON")
            // Those that are about it say so.
            .env("STOCKADE_NO_DAEMON", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Done {
        Done::of(&self.command(args).output().unwrap())
    }

    /// Runs `source` as `job.py`, with more arguments.
    pub(crate) fn job(&self, source: &str, more: &[&str]) -> Done {
        self.file("job.py", source);
        self.run(["run", "job.py"].iter().chain(more))
    }

    /// Runs the command with `input` on its standard input.
    pub(crate) fn pipe(&self, args: &[&str], input: &[u8]) -> Done {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that stops reading early is a result as well.
        let _ = child.stdin.take().unwrap().write_all(input);
        Done::of(&child.wait_with_output().unwrap())
    }
}

impl Done {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The verdict, and with it the proof that there is exactly one.
    pub(crate) fn verdict(&self) -> &str {
        let mut lines = self
            .stderr
            .lines()
            .filter(|line| line.starts_with("stockade: "));
        let verdict = lines
            .next()
            .unwrap_or_else(|| panic!("no verdict: {self:?}"));
        assert_eq!(lines.next(), None, "{self:?}");
        verdict
    }

    /// The document on standard output.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// [`Done::refuses`] of a command that was asked for JSON: the error is a document as well.
    pub(crate) fn refuses_json(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.json()["error"]["exit_code"], code, "{self:?}");
        let told = Self {
            code: self.code,
            stdout: String::new(),
            stderr: self.stderr.clone(),
        };
        told.refuses(code, parts);
    }

    /// That the command refused: its code, its one error, every one of `parts` in what it says,
    /// and nothing on standard output.
    pub(crate) fn refuses(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        let errors = self
            .stderr
            .lines()
            .filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {self:?}");
        }
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(!self.stderr.contains("stockade: "), "{self:?}");
    }
}

/// Whether the tests run as root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
