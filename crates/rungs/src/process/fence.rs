//! The fence of a process, as data.

use stockade_core::fence::{Directory, Step};
use stockade_core::limits::LimitId;
use stockade_core::template::Template;
use stockade_core::wire::Start;

use crate::Job;
use crate::agent::start::{self, Layout};

/// Files on the run's file system; each takes about 1 KiB of kernel memory.
const INODES: u64 = 65_536;

/// The run's directory on the host.
pub(super) fn directory(job: &Job<'_>) -> String {
    job.scratch.join(job.run).to_string_lossy().into_owned()
}

/// The submission's directory.
pub(super) fn work(job: &Job<'_>) -> String {
    format!("{}/work", directory(job))
}

/// How the submission is started: by the interpreter where it is on the host, through the caller
/// module of the template's tree, since the host's interpreter does not know our modules.
pub(super) fn start(job: &Job<'_>, template: &Template) -> Start {
    let directory = directory(job);
    let site = format!("{}{}", template.root.display(), template.site_dir);
    let claim = format!("{directory}/run/raised.json");
    let mut start = start::start(
        job,
        template,
        &Layout {
            work: &work(job),
            home: &format!("{directory}/home"),
            temporary: &format!("{directory}/tmp"),
            claim: &claim,
        },
    );
    start.args = vec![
        template.interpreter.clone(),
        "-I".to_owned(),
        format!("{site}/_stockade_call.py"),
        format!("{}/out.json", work(job)),
    ];
    start.args.extend(job.plan.call.clone());
    start.env.push(format!("STOCKADE_RAISED={claim}"));
    start
}

/// All steps, in order.
pub(super) fn steps(job: &Job<'_>) -> Vec<Step> {
    let directory = directory(job);
    let part = |name: &str, mode| Directory {
        path: format!("{directory}/{name}"),
        mode,
    };
    vec![
        Step::Session,
        Step::Volume {
            path: directory.clone(),
            bytes: job.plan.limits.get(LimitId::Disk),
            inodes: INODES,
            directories: vec![
                part("work", 0o700),
                part("tmp", 0o700),
                part("home", 0o700),
                part("run", 0o700),
            ],
        },
        Step::Affinity {
            cpus: start::cpus(job),
        },
        Step::Identity {
            uid: job.uid,
            gid: job.uid,
        },
        Step::NotDumpable,
        Step::DropCapabilities,
        Step::NoNewPrivileges,
        Step::Landlock {
            list: Vec::new(),
            read: vec!["/".to_owned()],
            write: vec![directory],
            devices: [
                "/dev/null",
                "/dev/zero",
                "/dev/full",
                "/dev/random",
                "/dev/urandom",
            ]
            .map(str::to_owned)
            .to_vec(),
            deny_tcp: false,
        },
    ]
}
