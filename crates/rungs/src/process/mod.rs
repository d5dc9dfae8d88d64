//! The process rung: another address space, another uid, rlimits. The whole system call surface
//! and the host's files and network remain, and its description says so.

mod fence;
mod spec;
mod sweep;

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use stockade_core::error::{Error, ErrorKind};
use stockade_core::fence::Step;
use stockade_core::host::Privilege;
use stockade_core::report::{Checked, Report};
use stockade_core::rung::RungSpec;
use stockade_core::template::{Origin, Template};
use stockade_sys::spawn::Namespaces;

use crate::agent::{self, Boundary, Interior};
use crate::{Job, Rung, Watch};

/// A mount namespace only to give the run's directory a size.
const NAMESPACES: Namespaces = Namespaces::MOUNT;

pub(crate) struct Process;

impl Rung for Process {
    fn spec(&self) -> &'static RungSpec {
        &spec::SPEC
    }

    fn namespaces(&self, _: Privilege) -> Vec<&'static str> {
        NAMESPACES.names()
    }

    fn fence(&self, job: &Job<'_>) -> Result<Vec<Step>, Error> {
        refuse_built(job.template.get()?)?;
        Ok(fence::steps(job))
    }

    fn run(&self, job: &Job<'_>, watch: &mut dyn Watch) -> Result<Report, Error> {
        Self::run_without(job, watch, None)
    }
}

impl Process {
    /// [`Rung::run`], with a step left out where a test asks for that.
    pub(crate) fn run_without(
        job: &Job<'_>,
        watch: &mut dyn Watch,
        left_out: Option<&str>,
    ) -> Result<Report, Error> {
        let directory = Directory::make(job)?;
        let boundary = Boundary {
            namespaces: NAMESPACES,
            work: fence::work(job),
            explain: remedies,
        };
        let furnish = || {
            let start = fence::start(job, job.template.get()?);
            let mut steps = Self.fence(job)?;
            steps.retain(|step| Some(step.name()) != left_out);
            Ok(Interior {
                steps,
                start,
                told: None,
            })
        };
        let ended = agent::run(job, &boundary, None, furnish, watch);
        // The submission can kill its init, and then nobody inside ends the others.
        let swept = sweep::sweep(job.uid);
        let mut report = ended?;
        report.teardown.push(Checked {
            what: "processes of the uid",
            found: swept?,
        });
        directory.remove()?;
        report.teardown.push(Checked {
            what: "directory",
            found: "removed".to_owned(),
        });
        Ok(report)
    }
}

/// A process has the host's root: what a template alone holds is not there.
fn refuse_built(template: &Template) -> Result<(), Error> {
    match template.origin {
        Origin::Host => Ok(()),
        Origin::Built => {
            let text = format!(
                "rung `process` has the host's own files, and not those of template `{}`",
                template.name
            );
            Err(Error::new(ErrorKind::Refused, text).hint("take rung `jail`, or template `python`"))
        }
    }
}

/// The run's directory on the host. Its content is in the run's own mount namespace and gone
/// with it; what is left is the mount point.
struct Directory(Option<PathBuf>);

impl Directory {
    fn make(job: &Job<'_>) -> Result<Self, Error> {
        let path = PathBuf::from(fence::directory(job));
        let failed = |error: std::io::Error| trouble("make", &path, error);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o711)
            .create(job.scratch)
            .map_err(failed)?;
        fs::DirBuilder::new()
            .mode(0o711)
            .create(&path)
            .map_err(failed)?;
        Ok(Self(Some(path)))
    }

    fn remove(mut self) -> Result<(), Error> {
        match self.0.take() {
            Some(path) => fs::remove_dir(&path).map_err(|error| trouble("remove", &path, error)),
            None => Ok(()),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // A drop cannot report; the reaper finds what stays.
            let _ = fs::remove_dir(path);
        }
    }
}

fn trouble(attempt: &str, path: &Path, error: std::io::Error) -> Error {
    Error::new(
        ErrorKind::Host,
        format!("cannot {attempt} the run's directory {}", path.display()),
    )
    .because(error)
}

fn remedies(_: &str, _: i32) -> Vec<String> {
    vec![
        "`stockade doctor` tries each step on its own".to_owned(),
        "the `jail` rung needs no root and gives more".to_owned(),
    ]
}
