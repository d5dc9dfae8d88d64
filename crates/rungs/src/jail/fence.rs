//! The jail's fence for one run, as data.

use std::path::Path;

use stockade_core::fence::{Access, Directory, Step};
use stockade_core::host::{Facts, Privilege};
use stockade_core::limits::LimitId;
use stockade_core::template::Template;
use stockade_core::wire::Start;

use crate::Job;
use crate::agent::start::{self, Layout};
use crate::jail::syscall::Memory;

/// Where the submission lives.
pub(super) const WORK: &str = "/work";

/// Where the boot module leaves its account of an exception.
const CLAIM: &str = "/run/stockade/raised.json";

/// Its directory, a file system of its own: a program that has filled the other can still be
/// heard.
const CLAIM_DIRECTORY: &str = "/run/stockade";

/// Room for the account, which is at most 64 KiB.
const CLAIM_BYTES: u64 = 128 << 10;

const CLAIM_INODES: u64 = 16;

/// The zygote's library, in its root; no Landlock rule of a child's names it.
pub(super) const EXTENSION: &str = "/run/zygote.so";

/// The submission's home, for caches and settings.
const HOME: &str = "/tmp/home";

/// The submission's uid and gid, as it sees them.
const INSIDE: u32 = 1000;

/// The new root holds directories, links and mount points only.
const ROOT_BYTES: u64 = 1 << 20;

/// Files on the scratch file system; each takes about 1 KiB of kernel memory.
const SCRATCH_INODES: u64 = 65_536;

/// Device files that programs expect.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// How the submission is started in the jail.
pub(super) fn start(job: &Job<'_>, template: &Template) -> Start {
    start::start(
        job,
        template,
        &Layout {
            work: WORK,
            home: HOME,
            temporary: "/tmp",
            claim: CLAIM,
        },
    )
}

/// All steps, in order. `tops` are the directories at the top of the template's tree.
pub(super) fn steps(job: &Job<'_>, template: &Template, tops: &[String]) -> Vec<Step> {
    let mut steps = vec![
        Step::Session,
        Step::Hostname {
            name: "stockade".to_owned(),
        },
    ];
    if job.plan.grants.loopback {
        steps.push(Step::Loopback);
    }
    furnish(job, template, tops, None, &mut steps);
    confine(job, template, tops, &mut steps);
    steps
}

/// The steps of a zygote: the same root, with its library in it; no file is fenced off, so that its
/// children can mount, and nothing outside of its user namespace answers to its capabilities.
pub(super) fn zygote_steps(
    job: &Job<'_>,
    template: &Template,
    tops: &[String],
    extension: &Path,
    (first, count): (u32, u32),
) -> Vec<Step> {
    let mut steps = vec![
        Step::Session,
        Step::Hostname {
            name: "stockade".to_owned(),
        },
    ];
    furnish(job, template, tops, Some(extension), &mut steps);
    if job.host.privilege == Privilege::Root {
        steps.push(Step::ZygoteNamespace {
            uid: job.uid,
            first,
            count,
        });
    }
    steps.push(Step::NoNewPrivileges);
    if job.host.landlock_abi > 0 {
        steps.push(Step::Scopes {
            deny_tcp: !job.plan.grants.loopback,
        });
    }
    steps.push(Step::Seccomp {
        program: super::syscall::zygote_program(job.plan.grants).to_vec(),
    });
    steps
}

/// The steps of a zygote's child, which was born in namespaces of its own but for those that take
/// long.
pub(super) fn child_steps(job: &Job<'_>, template: &Template, tops: &[String]) -> Vec<Step> {
    let mut steps = vec![
        Step::Session,
        Step::CgroupNamespace,
        Step::Network,
        Step::Hostname {
            name: "stockade".to_owned(),
        },
    ];
    if job.plan.grants.loopback {
        steps.push(Step::Loopback);
    }
    steps.push(Step::InheritRoot);
    steps.extend(scratch(job, template));
    // After the others: they are first attached where it comes to lie over them.
    steps.push(Step::Proc);
    confine(job, template, tops, &mut steps);
    // The program is pinned when it begins.
    steps.retain(|step| !matches!(step, Step::Affinity { .. }));
    steps
}

/// What there is: the root with the template, `/proc`, devices, and where to write.
fn furnish(
    job: &Job<'_>,
    template: &Template,
    tops: &[String],
    extension: Option<&Path>,
    steps: &mut Vec<Step>,
) {
    steps.push(Step::Root { bytes: ROOT_BYTES });
    for link in &template.symlinks {
        steps.push(Step::MakeSymlink {
            target: link.target.clone(),
            link: link.link.clone(),
        });
    }
    for top in tops {
        steps.push(bind(
            template.root.join(top).to_string_lossy().into_owned(),
            format!("/{top}"),
        ));
    }
    for of_host in &template.binds {
        let source = of_host.source.to_string_lossy().into_owned();
        steps.push(bind(source, of_host.target.clone()));
    }
    if let Some(extension) = extension {
        let source = extension.to_string_lossy().into_owned();
        steps.push(bind(source, EXTENSION.to_owned()));
    }
    for device in DEVICES {
        let (source, target) = (device.to_owned(), device.to_owned());
        steps.push(Step::Bind {
            source,
            target,
            access: Access::Device,
        });
    }
    for (link, target) in [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
    ] {
        steps.push(Step::MakeSymlink {
            target: target.to_owned(),
            link: link.to_owned(),
        });
    }
    steps.push(Step::Proc);
    steps.extend(scratch(job, template));
    steps.push(Step::Pivot);
}

/// Where the submission may write, what it finds in its home, and where its account of an exception
/// goes.
fn scratch(job: &Job<'_>, template: &Template) -> Vec<Step> {
    let directories = [
        (WORK, 0o700),
        ("/tmp", 0o1777),
        (HOME, 0o700),
        ("/dev/shm", 0o1777),
    ];
    let mut steps = vec![
        Step::Scratch {
            bytes: job.plan.limits.get(LimitId::Disk),
            inodes: SCRATCH_INODES,
            directories: directories
                .map(|(path, mode)| Directory {
                    path: path.to_owned(),
                    mode,
                })
                .to_vec(),
        },
        Step::Scratch {
            bytes: CLAIM_BYTES,
            inodes: CLAIM_INODES,
            directories: vec![Directory {
                path: CLAIM_DIRECTORY.to_owned(),
                mode: 0o700,
            }],
        },
    ];
    steps.extend(template.home.iter().map(|link| Step::MakeSymlink {
        target: link.target.clone(),
        link: format!("{HOME}/{}", link.link),
    }));
    steps
}

/// What may be done: identity, capabilities, files, system calls.
fn confine(job: &Job<'_>, template: &Template, tops: &[String], steps: &mut Vec<Step>) {
    if job.host.time_namespace.fault().is_none() {
        steps.push(Step::TimeNamespace);
    }
    steps.push(Step::Affinity {
        cpus: start::cpus(job),
    });
    if job.host.privilege == Privilege::Root {
        steps.push(Step::Identity {
            uid: job.uid,
            gid: job.uid,
        });
    }
    steps.push(Step::UserNamespace {
        uid: INSIDE,
        gid: INSIDE,
    });
    steps.push(Step::NotDumpable);
    steps.push(Step::DropCapabilities);
    steps.push(Step::NoNewPrivileges);
    steps.extend(landlock(job, template, tops));
    steps.push(Step::Seccomp {
        program: super::syscall::program(job.plan.grants, memory(job)).to_vec(),
    });
}

fn memory(job: &Job<'_>) -> Memory {
    if job.host.cgroup.is_usable() {
        Memory::Counted
    } else {
        Memory::Uncounted
    }
}

fn landlock(job: &Job<'_>, template: &Template, tops: &[String]) -> Option<Step> {
    let Facts {
        landlock_abi: 1.., ..
    } = job.host
    else {
        return None;
    };
    let mut read: Vec<_> = tops.iter().map(|top| format!("/{top}")).collect();
    // What is bound below one of these is covered by its rule.
    let covered = |path: &str| {
        tops.iter()
            .any(|top| Path::new(path).starts_with(format!("/{top}")))
    };
    let targets = template.binds.iter().map(|bind| &bind.target);
    read.extend(targets.filter(|target| !covered(target)).cloned());
    read.push("/proc".to_owned());
    Some(Step::Landlock {
        // A walk from the root meets names that it may see anyway.
        list: vec!["/".to_owned()],
        read,
        write: [WORK, "/tmp", "/dev/shm", CLAIM_DIRECTORY]
            .map(str::to_owned)
            .to_vec(),
        // Nothing else is there: one rule for all of them.
        devices: vec!["/dev".to_owned()],
        deny_tcp: !job.plan.grants.loopback,
    })
}

fn bind(source: String, target: String) -> Step {
    Step::Bind {
        source,
        target,
        access: Access::ReadOnly,
    }
}
