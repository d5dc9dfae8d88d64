//! The jail: namespaces, a root of its own, Landlock, seccomp, a cgroup. The host's kernel is
//! still shared.

mod fence;
mod remedy;
mod spec;
pub(crate) mod syscall;
#[cfg(feature = "weakened")]
mod weakened;
mod zygote;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::fence::Step;
use stockade_core::host::{Fact, Fault, Privilege};
use stockade_core::policy::Grants;
use stockade_core::report::Report;
use stockade_core::rung::RungSpec;
use stockade_core::template::Template;
use stockade_sys::spawn::{BeforeExec, Namespaces, Program, Spawn};

use crate::agent::{self, Boundary, Interior};
use crate::{Guest, Job, Remains, Rung, Watch};

#[cfg(feature = "weakened")]
pub use weakened::WEAKENED;
pub use zygote::{Ground, Ready, Zygote};

/// Namespaces of every jail; a user namespace besides where we are not root.
fn namespaces(privilege: Privilege) -> Namespaces {
    let all = Namespaces::MOUNT
        | Namespaces::PID
        | Namespaces::NETWORK
        | Namespaces::IPC
        | Namespaces::UTS
        | Namespaces::CGROUP;
    match privilege {
        Privilege::Root => all,
        Privilege::User => all | Namespaces::USER,
    }
}

pub(crate) struct Jail;

impl Rung for Jail {
    fn spec(&self) -> &'static RungSpec {
        &spec::SPEC
    }

    fn namespaces(&self, privilege: Privilege) -> Vec<&'static str> {
        namespaces(privilege).names()
    }

    fn fence(&self, job: &Job<'_>) -> Result<Vec<Step>, Error> {
        let template = job.template.get()?;
        Ok(fence::steps(job, template, &tops(template)?))
    }

    fn run(&self, job: &Job<'_>, watch: &mut dyn Watch) -> Result<Report, Error> {
        let boundary = Boundary {
            namespaces: namespaces(job.host.privilege),
            work: fence::WORK.to_owned(),
            explain: remedy::remedies,
        };
        let furnish = || {
            let start = fence::start(job, job.template.get()?);
            Ok(Interior {
                steps: self.fence(job)?,
                start,
                told: None,
            })
        };
        agent::run(job, &boundary, None, furnish, watch)
    }

    fn keeps_warm(&self) -> bool {
        true
    }

    fn resume(
        &self,
        job: &Job<'_>,
        ready: Ready,
        watch: &mut dyn Watch,
    ) -> Result<(Report, Option<Remains>), Error> {
        let mut start = fence::start(job, job.template.get()?);
        // Not before: where it is put then, the scheduler chooses.
        start.cpus = Some(agent::start::cpus(job));
        let (standing, start) = ready.begin(start);
        agent::resume(job, fence::WORK, &start, standing, watch)
    }
}

/// Directories at the top of the template's tree.
fn tops(template: &Template) -> Result<Vec<String>, Error> {
    let root = &template.root;
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorKind::Host,
            format!("cannot read the template's tree {}", root.display()),
        )
        .because(error)
        .hint("remove it, and it is made again")
    };
    let mut tops = Vec::new();
    for entry in std::fs::read_dir(root).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            tops.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    tops.sort();
    Ok(tops)
}

/// Compiles what every run of this process installs, if nobody has yet.
pub fn get_ready() {
    syscall::program(Grants::default(), syscall::Memory::Counted);
}

/// Tries to make the jail's namespaces, with an init that ends at once.
#[must_use]
pub fn try_namespaces(guest: &Guest, privilege: Privilege) -> Fact {
    let namespaces = namespaces(privilege);
    let map = [BeforeExec::MapIds {
        inside: 0,
        outside_uid: stockade_sys::process::effective_uid(),
        outside_gid: stockade_sys::process::effective_gid(),
    }];
    let spawn = Spawn {
        program: Program::Descriptor(guest.fd()),
        args: &[c"stockade-guest"],
        env: &[],
        namespaces,
        cgroup: None,
        // Without a control socket init ends at once.
        descriptors: &[],
        before_exec: if namespaces.contains(Namespaces::USER) {
            &map
        } else {
            &[]
        },
    };
    match spawn.spawn() {
        Ok(child) => {
            drop(child);
            Fact::Works
        }
        Err(error) => {
            let errno = error.errno.raw_os_error();
            Fact::Fails(Fault {
                step: error.step.to_owned(),
                errno,
                cause: format!("cannot make the jail's namespaces: {error}"),
                remedies: remedy::remedies(error.step, errno),
            })
        }
    }
}
