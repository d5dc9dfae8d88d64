//! Asks the interpreter, and through it the loader, what they need.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use stockade_core::error::{Error, ErrorKind};
use stockade_sys::tool::{self, Tool};

use super::failed;

const SCRIPT: &[u8] = include_bytes!("../../python/probe.py");
pub(super) const VERSION_MIN: (u32, u32) = (3, 9);
const WITHIN: Duration = Duration::from_mins(1);
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Programs that Python programs call. Those that a host lacks are left out.
const TOOLS: [&str; 34] = [
    "[", "basename", "cat", "chmod", "cp", "cut", "date", "dirname", "echo", "env", "expr",
    "false", "grep", "head", "id", "ln", "ls", "mkdir", "mktemp", "mv", "pwd", "rm", "rmdir",
    "sed", "sh", "sleep", "sort", "tail", "tee", "test", "touch", "tr", "true", "uname",
];

/// What one interpreter needs, as it and its loader say.
#[derive(Debug, Deserialize)]
pub(super) struct Report {
    pub(super) version: (u32, u32, u32),
    /// As `sysconfig.get_platform()` says: `linux-x86_64`.
    pub(super) platform: String,
    /// Resolved: no part of it is a symbolic link.
    pub(super) interpreter: PathBuf,
    /// The standard library.
    #[serde(rename = "library")]
    pub(super) stdlib: String,
    /// Its part that depends on the machine: most often the same directory.
    pub(super) platform_library: String,
    pub(super) dynload: Vec<String>,
    /// A file that any upgrade of the standard library replaces.
    pub(super) landmark: PathBuf,
    /// Where packages are looked for, in this order.
    pub(super) sites: Vec<String>,
    /// `None` for an interpreter that is linked statically.
    pub(super) loader: Option<String>,
    pub(super) libraries: Vec<String>,
    /// Directories of libraries that only the host's loader cache knows of.
    pub(super) library_dirs: Vec<String>,
    /// Name to path.
    pub(super) tools: BTreeMap<String, String>,
}

/// What any interpreter answers, however old.
#[derive(Deserialize)]
struct Head {
    version: (u32, u32, u32),
    /// The interpreter that a virtual environment was made from.
    base: Option<PathBuf>,
}

/// Asks an interpreter, or the one below it where it is a virtual environment's copy.
pub(super) fn ask(interpreter: &Path) -> Result<Report, Error> {
    let mut interpreter = interpreter.to_path_buf();
    let mut answer = run(&interpreter)?;
    let mut head: Head = parse(&interpreter, &answer)?;
    if let Some(base) = head.base.take() {
        answer = run(&base)?;
        head = parse(&base, &answer)?;
        interpreter = base;
    }
    let (major, minor, _) = head.version;
    if (major, minor) < VERSION_MIN {
        let text = format!(
            "`{}` is Python {major}.{minor}; a template needs {}.{} or later",
            interpreter.display(),
            VERSION_MIN.0,
            VERSION_MIN.1
        );
        return Err(Error::new(ErrorKind::Refused, text)
            .hint("name a later one with `STOCKADE_PYTHON=/absolute/path/to/python3`"));
    }
    parse(&interpreter, &answer)
}

fn run(interpreter: &Path) -> Result<Vec<u8>, Error> {
    let mut args = ["-I", "-S", "-"].map(OsStr::new).to_vec();
    args.extend(TOOLS.map(OsStr::new));
    let done = tool::run(&Tool {
        program: interpreter,
        args: &args,
        env: &[],
        stdin: SCRIPT,
        within: WITHIN,
        output_bytes_max: ANSWER_BYTES_MAX,
    })
    .map_err(|error| failed("ask", interpreter, &error))?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    Err(unanswered(
        interpreter,
        String::from_utf8_lossy(&done.stderr).trim_end(),
    ))
}

fn parse<'a, T: Deserialize<'a>>(interpreter: &Path, answer: &'a [u8]) -> Result<T, Error> {
    serde_json::from_slice(answer).map_err(|error| unanswered(interpreter, &error.to_string()))
}

fn unanswered(interpreter: &Path, why: &str) -> Error {
    // The end names the exception.
    let lines: Vec<_> = why.lines().collect();
    let why = lines[lines.len().saturating_sub(3)..].join("; ");
    let text = format!(
        "`{}` does not say what it needs: {why}",
        interpreter.display()
    );
    Error::new(ErrorKind::Refused, text)
        .hint("name another Python with `STOCKADE_PYTHON=/absolute/path/to/python3`")
        .hint("install one (`apt-get install python3`)")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// An interpreter that answers as told.
    fn answering(name: &str, script: &str) -> Result<Report, Error> {
        let place = std::env::temp_dir().join(format!("stockade-{name}-{}", std::process::id()));
        fs::write(&place, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
        let report = ask(&place);
        fs::remove_file(&place).unwrap();
        report
    }

    #[test]
    fn an_interpreter_that_is_too_old_is_refused() {
        let error = answering("old", "echo '{\"version\": [3, 8, 18]}'").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(
            error
                .to_string()
                .contains("is Python 3.8; a template needs 3.9"),
            "{error}"
        );
    }

    #[test]
    fn what_is_not_an_answer_is_refused_with_what_it_said() {
        for script in ["echo no json", "echo '{}'", "echo no json >&2; exit 1"] {
            let error = answering("odd", script).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused);
            assert!(
                error.to_string().contains("does not say what it needs: "),
                "{error}"
            );
        }
    }

    #[test]
    fn the_host_interpreter_says_what_it_needs() {
        let report = ask(Path::new("/usr/bin/python3")).unwrap();
        assert!(report.version >= (3, 9, 0));
        assert!(Path::new(&report.stdlib).join("os.py").is_file());
        assert!(
            report.libraries.iter().any(|path| path.contains("libc.so")),
            "{report:?}"
        );
        assert!(report.tools.contains_key("sh"), "{report:?}");
    }
}
