//! Running programs, and saying which and how they ended.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

    /// Runs it with this script's own output; fails unless it exits 0.
    pub(crate) fn run(mut self) -> Result<(), String> {
        eprintln!("$ {}", self.shown);
        let status = self
            .command
            .status()
            .map_err(|e| format!("cannot start `{}`: {e}", self.shown))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{}` ended with {status}", self.shown))
        }
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
