//! Finds the host's interpreter.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_sys::tool::{self, Tool};

use super::failed;

/// Names the interpreter instead of having it searched for.
const CHOICE: &str = "STOCKADE_PYTHON";
const USUAL: [&str; 2] = ["/usr/bin/python3", "/usr/local/bin/python3"];
const WITHIN: Duration = Duration::from_secs(20);

/// Where the interpreter is looked for, in this order: the one chosen, the usual places, a
/// search path.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The only one considered, when there is one.
    pub chosen: Option<PathBuf>,
    /// Absolute paths of interpreters.
    pub usual: Vec<PathBuf>,
    /// Directories in which `python3` is looked for, separated by colons.
    pub path: OsString,
    /// The home directory of whoever asks, for interpreters that are scripts (pyenv's shims).
    pub home: OsString,
}

impl Search {
    /// What the environment says: `STOCKADE_PYTHON`, else the usual places, else `PATH`.
    #[must_use]
    pub fn from_env() -> Self {
        Self {
            chosen: env::var_os(CHOICE)
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            usual: USUAL.map(PathBuf::from).to_vec(),
            path: env::var_os("PATH").unwrap_or_default(),
            home: env::var_os("HOME").unwrap_or_default(),
        }
    }

    /// The interpreter's own file: no symbolic link, no script, not a virtual environment's.
    pub(super) fn interpreter(&self) -> Result<PathBuf, Error> {
        let found = self.candidate()?;
        let found = found
            .canonicalize()
            .map_err(|error| failed("resolve", &found, &error))?;
        if is_script(&found)? {
            self.behind_script(&found)
        } else {
            Ok(found)
        }
    }

    fn candidate(&self) -> Result<PathBuf, Error> {
        if let Some(chosen) = &self.chosen {
            if chosen.is_absolute() && is_program(chosen) {
                return Ok(chosen.clone());
            }
            let text = format!("`{CHOICE}={}` does not name a program", chosen.display());
            return Err(Error::new(ErrorKind::Refused, text)
                .hint(format!(
                    "give the absolute path of a Python, or unset `{CHOICE}`"
                ))
                .hint("install one (`apt-get install python3`)"));
        }
        let searched = env::split_paths(&self.path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join("python3"));
        self.usual.iter().cloned().chain(searched).find(|path| is_program(path)).ok_or_else(|| {
            let usual = self.usual.iter().map(|path| format!("`{}`", path.display()));
            let usual: Vec<_> = usual.collect();
            let text = format!(
                "no Python found for template `python`: looked for {} and for `python3` in PATH",
                usual.join(", ")
            );
            Error::new(ErrorKind::Refused, text)
                .hint("install one (`apt-get install python3`)")
                .hint(format!("or name one with `{CHOICE}=/absolute/path/to/python3`"))
        })
    }

    /// Asks a script that stands for an interpreter which one it starts.
    fn behind_script(&self, script: &Path) -> Result<PathBuf, Error> {
        let asked = tool::run(&Tool {
            program: script,
            args: &["-I", "-S", "-c", "import sys; print(sys._base_executable)"].map(OsStr::new),
            env: &[("HOME", &self.home), ("PATH", &self.path)],
            stdin: b"",
            within: WITHIN,
            output_bytes_max: 64 << 10,
        })
        .map_err(|error| failed("ask", script, &error))?;
        let answer = String::from_utf8_lossy(&asked.stdout);
        let found = Path::new(answer.trim_end());
        if asked.status.success() && found.is_absolute() && !is_script(found)? {
            return found
                .canonicalize()
                .map_err(|error| failed("resolve", found, &error));
        }
        let text = format!(
            "`{}` is a script and does not say which Python it starts: {}",
            script.display(),
            String::from_utf8_lossy(&asked.stderr).trim_end()
        );
        Err(Error::new(ErrorKind::Refused, text).hint(format!(
            "name the interpreter with `{CHOICE}=/absolute/path/to/python3`"
        )))
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn is_script(path: &Path) -> Result<bool, Error> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(2).read_to_end(&mut start));
    read.map_err(|error| failed("read", path, &error))?;
    Ok(start == b"#!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_interpreter_is_refused_with_the_places_looked_at() {
        let search = Search {
            usual: vec!["/nowhere/python3".into()],
            ..Search::default()
        };
        let error = search.interpreter().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("`/nowhere/python3`"), "{error}");
        assert!(error.hints()[1].contains("STOCKADE_PYTHON="), "{error:?}");
    }

    #[test]
    fn a_chosen_interpreter_is_the_only_one_considered() {
        for chosen in ["/nowhere/python3", "python3", "/usr"] {
            let search = Search {
                chosen: Some(chosen.into()),
                ..Search::from_env()
            };
            let error = search.interpreter().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused);
            assert!(error.to_string().contains(chosen), "{error}");
        }
    }
}
