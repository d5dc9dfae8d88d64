//! Jails with a fence left out, to show that the hostile corpus notices. They are in no ladder but
//! that of a test, and in no build but one with the feature `weakened`.

use std::fs::File;
use std::os::fd::OwnedFd;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::fence::{Access, Step};
use stockade_core::host::{Cgroup, Facts, Fault, Privilege};
use stockade_core::report::Report;
use stockade_core::rung::RungSpec;
use stockade_sys::spawn::Namespaces;

use super::{fence, namespaces, remedy, spec, tops};
use crate::agent::{self, Boundary, Interior};
use crate::process::Process;
use crate::{Job, Rung, Watch};

/// Where a program finds the descriptor that was left open.
const LEFT: u8 = 5;

/// What a weakened jail lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    Seccomp,
    Landlock,
    Cgroup,
    PidNamespace,
    ClosedDescriptors,
    OwnDirectories,
    AllButRlimits,
}

struct Weakened {
    lack: Lack,
    spec: RungSpec,
}

/// A jail's description under another name: it claims all that the jail does.
const fn claims(name: &'static str) -> RungSpec {
    RungSpec {
        name,
        summary: "a jail with a fence left out, for tests",
        shares: spec::SPEC.shares,
        languages: spec::SPEC.languages,
        guarantees: spec::SPEC.guarantees,
        missing: spec::SPEC.missing,
        enforcement: spec::SPEC.enforcement,
    }
}

const fn weakened(lack: Lack, name: &'static str) -> Weakened {
    Weakened {
        lack,
        spec: claims(name),
    }
}

static ALL: [Weakened; 7] = [
    weakened(Lack::Seccomp, "no-seccomp"),
    weakened(Lack::Landlock, "no-landlock"),
    weakened(Lack::Cgroup, "no-cgroup"),
    weakened(Lack::PidNamespace, "no-pid-namespace"),
    weakened(Lack::ClosedDescriptors, "descriptor-left-open"),
    weakened(Lack::OwnDirectories, "host-directory-bound"),
    weakened(Lack::AllButRlimits, "rlimits-only"),
];

/// Every weakened jail: each lacks what its name says, and claims all that the jail does. Only
/// harmless probes may be run in them.
pub static WEAKENED: &[&dyn Rung] = &[
    &ALL[0], &ALL[1], &ALL[2], &ALL[3], &ALL[4], &ALL[5], &ALL[6],
];

impl Rung for Weakened {
    fn spec(&self) -> &'static RungSpec {
        // Each is one of these, which a method cannot say.
        let own = ALL.iter().find(|other| other.lack == self.lack);
        own.map_or(&spec::SPEC, |own| &own.spec)
    }

    fn namespaces(&self, privilege: Privilege) -> Vec<&'static str> {
        self.spaces(privilege).names()
    }

    fn fence(&self, job: &Job<'_>) -> Result<Vec<Step>, Error> {
        let template = job.template.get()?;
        let mut steps = fence::steps(job, template, &tops(template)?);
        match self.lack {
            Lack::Seccomp => steps.retain(|step| !matches!(step, Step::Seccomp { .. })),
            Lack::Landlock => steps.retain(|step| !matches!(step, Step::Landlock { .. })),
            Lack::OwnDirectories => bind_host(&mut steps),
            Lack::Cgroup | Lack::PidNamespace | Lack::ClosedDescriptors | Lack::AllButRlimits => {}
        }
        Ok(steps)
    }

    fn run(&self, job: &Job<'_>, watch: &mut dyn Watch) -> Result<Report, Error> {
        let without = without_cgroup(job.host);
        match self.lack {
            Lack::AllButRlimits => {
                let job = Job {
                    host: &without,
                    ..*job
                };
                Process::run_without(&job, watch, Some("landlock"))
            }
            Lack::Cgroup => self.run_in(
                &Job {
                    host: &without,
                    ..*job
                },
                watch,
            ),
            Lack::Seccomp
            | Lack::Landlock
            | Lack::PidNamespace
            | Lack::ClosedDescriptors
            | Lack::OwnDirectories => self.run_in(job, watch),
        }
    }
}

impl Weakened {
    fn spaces(&self, privilege: Privilege) -> Namespaces {
        let all = namespaces(privilege);
        match self.lack {
            Lack::PidNamespace => all.without(Namespaces::PID),
            Lack::AllButRlimits => Namespaces::MOUNT,
            Lack::Seccomp
            | Lack::Landlock
            | Lack::Cgroup
            | Lack::ClosedDescriptors
            | Lack::OwnDirectories => all,
        }
    }

    fn run_in(&self, job: &Job<'_>, watch: &mut dyn Watch) -> Result<Report, Error> {
        let boundary = Boundary {
            namespaces: self.spaces(job.host.privilege),
            work: fence::WORK.to_owned(),
            explain: remedy::remedies,
        };
        let passed = match self.lack {
            Lack::ClosedDescriptors => Some((host_root()?, LEFT)),
            Lack::Seccomp
            | Lack::Landlock
            | Lack::Cgroup
            | Lack::PidNamespace
            | Lack::OwnDirectories
            | Lack::AllButRlimits => None,
        };
        let keep = passed.as_ref().map(|(_, number)| *number);
        let furnish = || {
            let mut start = fence::start(job, job.template.get()?);
            start.keep = keep;
            Ok(Interior {
                steps: self.fence(job)?,
                start,
                told: None,
            })
        };
        agent::run(job, &boundary, passed, furnish, watch)
    }
}

/// A directory of the host in the place of the template's own.
fn bind_host(steps: &mut Vec<Step>) {
    let at = steps.iter().position(|step| matches!(step, Step::Pivot));
    let bind = Step::Bind {
        source: "/etc".to_owned(),
        target: "/etc".to_owned(),
        access: Access::ReadOnly,
    };
    steps.insert(at.unwrap_or(steps.len()), bind);
}

fn host_root() -> Result<OwnedFd, Error> {
    let opened = File::open("/").map(OwnedFd::from);
    opened.map_err(|error| Error::new(ErrorKind::Host, "cannot open `/`").because(error))
}

fn without_cgroup(host: &Facts) -> Facts {
    Facts {
        cgroup: Cgroup::None(Fault {
            step: "cgroup".to_owned(),
            errno: 0,
            cause: "left out by a test".to_owned(),
            remedies: Vec::new(),
        }),
        ..host.clone()
    }
}
