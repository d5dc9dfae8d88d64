//! What others do with the same submission, to the same end: a value that was checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stockade::value::{Rules, read};

use super::fork::{Fork, PACKAGES};
use super::job::Job;
use crate::scratch::Scratch;

pub(crate) const PYTHON: &str = "/usr/bin/python3";
/// What the limits of the same names are by default.
const RULES: Rules = Rules {
    bytes_max: 1 << 20,
    depth_max: 64,
};

/// Who runs Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Python,
    Bwrap,
    Nsjail,
    Runsc,
    /// The floor: see [`Fork`].
    Fork,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [
        Self::Bwrap,
        Self::Nsjail,
        Self::Runsc,
        Self::Python,
        Self::Fork,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Bwrap => "bwrap",
            Self::Nsjail => "nsjail",
            Self::Runsc => "runsc",
            Self::Fork => "fork",
        }
    }
}

/// One of them, ready to run one job.
#[derive(Debug)]
pub(crate) struct Contender {
    pub(crate) kind: Kind,
    program: PathBuf,
    /// The interpreter, in a directory of its own where it needs packages.
    python: PathBuf,
    environment: Option<PathBuf>,
    fork: Option<Fork>,
    // Removed when nobody runs in it any more.
    scratch: Scratch,
}

impl Contender {
    /// `packages` is where the job's packages are: those that Stockade's template has.
    pub(crate) fn new(kind: Kind, program: &Path, packages: Option<&Path>) -> Result<Self, String> {
        let scratch = Scratch::under(&std::env::temp_dir())?;
        let environment = match packages {
            Some(packages) => Some(environment(&scratch.path().join("python"), packages)?),
            None => None,
        };
        let python = match &environment {
            Some(place) => place.join("bin/python3"),
            None => PathBuf::from(PYTHON),
        };
        let fork = match (kind, packages) {
            (Kind::Fork, Some(_)) => Some(Fork::start(&python, &PACKAGES)?),
            (Kind::Fork, None) => Some(Fork::start(&python, &[])?),
            (Kind::Python | Kind::Bwrap | Kind::Nsjail | Kind::Runsc, _) => None,
        };
        Ok(Self {
            kind,
            fork,
            program: program.to_owned(),
            python,
            environment: packages.map(Path::to_owned),
            scratch,
        })
    }

    /// The interpreter, with the job's packages.
    pub(crate) fn python(&self) -> &Path {
        &self.python
    }

    /// From the submission's bytes to its checked value, and how many page faults the floor had.
    /// What is left is removed afterwards.
    pub(crate) fn once(&self, job: &Job) -> Result<(Duration, Option<u64>), String> {
        if let Some(fork) = &self.fork {
            fork.ready()?;
        }
        let begun = Instant::now();
        let work = Scratch::under(self.scratch.path())?;
        let source = work.path().join("job.py");
        fs::write(&source, job.source)
            .map_err(|e| format!("cannot write `{}`: {e}", source.display()))?;
        let faults = match &self.fork {
            Some(fork) => Some(fork.run(work.path())?),
            None => self.start(work.path()).map(|()| None)?,
        };
        check(job, &work.path().join("out.json"))
            .map_err(|why| format!("the value by {}: {why}", self.kind.name()))?;
        Ok((begun.elapsed(), faults))
    }

    /// Runs the job and waits for its end.
    fn start(&self, work: &Path) -> Result<(), String> {
        let output = self
            .command(work)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot start `{}`: {e}", self.program.display()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "{} ended with {}: {said}",
            self.kind.name(),
            output.status
        ))
    }

    fn command(&self, work: &Path) -> Command {
        let mut command = match self.kind {
            Kind::Python | Kind::Fork => Command::new(&self.python),
            Kind::Bwrap | Kind::Nsjail | Kind::Runsc => Command::new(&self.program),
        };
        // Stockade's default of one CPU says the same: less to start than a thread for each.
        command
            .env_clear()
            .env("OPENBLAS_NUM_THREADS", "1")
            .env("PATH", "/usr/bin:/bin");
        let shown = work.display();
        // Read-only, where they are on the host.
        let mut places: Vec<PathBuf> = self.environment.iter().cloned().collect();
        if self.environment.is_some() {
            places.push(self.scratch.path().join("python"));
        }
        match self.kind {
            Kind::Python | Kind::Fork => {
                command.current_dir(work);
            }
            Kind::Bwrap => {
                command.args(words(
                    "--unshare-all --die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin \
                     --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev \
                     --tmpfs /tmp",
                ));
                for place in &places {
                    command.arg("--ro-bind").arg(place).arg(place);
                }
                command.args(["--bind", &shown.to_string(), "/work", "--chdir", "/work"]);
            }
            Kind::Nsjail => {
                command.args(words(
                    "--mode o --really_quiet --bindmount_ro /usr --symlink usr/bin:/bin \
                     --symlink usr/lib:/lib --symlink usr/lib64:/lib64 --tmpfsmount /tmp \
                     --bindmount_ro /dev/urandom --bindmount_ro /dev/null --cwd /work \
                     --keep_env --time_limit 60",
                ));
                for place in &places {
                    command.arg("--bindmount_ro").arg(place);
                }
                command.args(["--bindmount", &format!("{shown}:/work"), "--"]);
            }
            Kind::Runsc => {
                command.args(words(
                    "--network=none --ignore-cgroups do --quiet --force-overlay=false",
                ));
                command.args(["--cwd", &shown.to_string()]);
            }
        }
        if !matches!(self.kind, Kind::Python | Kind::Fork) {
            command.arg(&self.python);
        }
        // Without -B the interpreter could write into the directory of the packages.
        command.args(["-I", "-B", "job.py", "out.json"]);
        command
    }
}

/// The interpreter with packages that are elsewhere, as a virtual environment has them.
fn environment(place: &Path, packages: &Path) -> Result<PathBuf, String> {
    let version = fs::canonicalize(PYTHON)
        .ok()
        .and_then(|real| Some(real.file_name()?.to_str()?.to_owned()))
        .ok_or_else(|| format!("`{PYTHON}` leads to no interpreter"))?;
    let library = place.join("lib").join(version);
    let made = fs::create_dir_all(&library)
        .and_then(|()| fs::create_dir_all(place.join("bin")))
        .and_then(|()| fs::write(place.join("pyvenv.cfg"), "home = /usr/bin\n"))
        .and_then(|()| std::os::unix::fs::symlink(PYTHON, place.join("bin/python3")))
        .and_then(|()| std::os::unix::fs::symlink(packages, library.join("site-packages")));
    match made {
        Ok(()) => Ok(place.to_owned()),
        Err(e) => Err(format!("cannot make `{}`: {e}", place.display())),
    }
}

fn check(job: &Job, result: &Path) -> Result<(), String> {
    let bytes = fs::read(result).map_err(|e| format!("cannot read `{}`: {e}", result.display()))?;
    let value = read(&bytes, &RULES).map_err(|rejected| rejected.to_string())?;
    let schema = job.policy.schema_ref().ok_or("the job has no schema")?;
    schema
        .check(&value)
        .map_err(|rejected| rejected.to_string())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<(), String> {
        let scratch = Scratch::under(&std::env::temp_dir()).unwrap();
        let result = scratch.path().join("out.json");
        fs::write(&result, text).unwrap();
        check(&Job::empty().unwrap(), &result)
    }

    #[test]
    fn only_the_value_that_the_schema_asks_for_ends_a_race() {
        assert_eq!(checked("42"), Ok(()));
        for wrong in ["43", "\"42\"", "42 42", "", "NaN"] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_floor_counts_page_faults_and_its_failures_are_seen() {
        let contender = Contender::new(Kind::Fork, Path::new(PYTHON), None).unwrap();
        let mut job = Job::empty().unwrap();
        for _ in 0..2 {
            let (_, faults) = contender.once(&job).unwrap();
            assert!(faults.is_some_and(|faults| faults > 0), "{faults:?}");
        }
        job.source = "raise SystemExit(3)";
        let why = contender.once(&job).unwrap_err();
        assert!(why.contains("exit status: 1"), "{why}");
        job = Job::empty().unwrap();
        assert!(contender.once(&job).is_ok(), "the next copy works");
    }

    #[test]
    fn a_job_that_fails_ends_no_race() {
        let contender = Contender::new(Kind::Python, Path::new(PYTHON), None).unwrap();
        let mut job = Job::empty().unwrap();
        assert!(contender.once(&job).is_ok());
        job.source = "raise SystemExit(3)";
        let why = contender.once(&job).unwrap_err();
        assert!(why.contains("exit status: 3"), "{why}");
        job.source = "";
        let why = contender.once(&job).unwrap_err();
        assert!(why.contains("cannot read"), "{why}");
    }
}
