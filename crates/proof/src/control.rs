//! The attack where nothing holds it: there it must get through.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use stockade_sys::tool::{self, Tool};

use crate::expect::Expect;
use crate::probe::Probe;
use crate::specimen::{self, Within};
use crate::verdict::{Said, said};

/// Time that a control may take; most take 30 ms.
const WITHIN: Duration = Duration::from_secs(30);

/// Most that a control may print.
const OUTPUT_BYTES_MAX: usize = 4 << 20;

/// Goes to the program's directory, as a run does, and becomes the program.
const IN_FOLDER: &str = "import os, sys; place, *job = sys.argv[1:]; os.chdir(place); \
     os.execv(sys.executable, [sys.executable, '-I', *job])";

/// What is in the environment of a control and of no submission.
pub(crate) const SECRET: &str = "PROOF_SECRET";

/// What came of a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Controlled {
    /// The attack is real: it got through where nothing held it.
    Shown,
    /// It was not tried; why.
    Untried(String),
    /// There is nothing of what it attacks on this host; what is missing.
    Absent(String),
    /// It did not get through; how it ended.
    Failed(String),
}

/// A plain child process of the host, as the one that a program is run in without a fence.
pub(crate) struct Outside<'a> {
    /// The host's interpreter.
    pub(crate) interpreter: &'a Path,
    /// In its environment, or its memory.
    pub(crate) secret: &'a str,
}

impl Outside<'_> {
    /// Runs `probe` there.
    pub(crate) fn control(&self, probe: &Probe, input: Option<&str>) -> Controlled {
        match self.run(probe, input) {
            Ok(controlled) => controlled,
            Err(error) => Controlled::Failed(error.to_string()),
        }
    }

    fn run(&self, probe: &Probe, input: Option<&str>) -> io::Result<Controlled> {
        let folder = Folder::new()?;
        let program = match probe.expect {
            Expect::Specimen => specimen::program(probe, self.secret, Within::Trusted),
            Expect::Verdict | Expect::Outcome(_) | Expect::Refusal(_) => probe.source.clone(),
        };
        let (job, out) = (folder.0.join("job.py"), folder.0.join("out.json"));
        fs::write(&job, program)?;
        if let Some(input) = input {
            fs::write(folder.0.join("input.json"), input)?;
        }
        let home = std::env::var_os("HOME").unwrap_or_default();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let done = tool::run(&Tool {
            program: self.interpreter,
            args: &[
                OsStr::new("-I"),
                OsStr::new("-c"),
                OsStr::new(IN_FOLDER),
                folder.0.as_os_str(),
                job.as_os_str(),
                out.as_os_str(),
            ],
            env: &[
                ("HOME", &home),
                ("PATH", &path),
                ("LANG", OsStr::new("C.UTF-8")),
                (SECRET, OsStr::new(self.secret)),
            ],
            stdin: self.secret.as_bytes(),
            within: WITHIN,
            output_bytes_max: OUTPUT_BYTES_MAX,
        })?;
        let stdout = String::from_utf8_lossy(&done.stdout);
        Ok(match said(&stdout, &probe.id) {
            Some(Said::Reached(_)) => Controlled::Shown,
            Some(Said::Absent(what)) => Controlled::Absent(what),
            Some(Said::Denied) => Controlled::Failed("it was denied outside as well".to_owned()),
            None => {
                let stderr = String::from_utf8_lossy(&done.stderr);
                let last = stderr.lines().last().unwrap_or_default().to_owned();
                Controlled::Failed(format!("it said nothing outside ({}): {last}", done.status))
            }
        })
    }
}

/// A directory of our own that goes with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stockade-proof-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // Fails where somebody was faster: the temporary directory is everybody's.
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A drop cannot report; what stays is in a temporary directory, under a name that is ours.
        let _ = fs::remove_dir_all(&self.0);
    }
}
