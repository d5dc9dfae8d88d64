//! The interpreter of fence steps.

use crate::channel::{Channel, Stop};
use crate::root::{self, Failed, Root};
use std::path::Path;
use stockade_core::fence::Step;
use stockade_core::wire::{StepOutcome, ToHost};
use stockade_sys::credential::{self, Dropped};
use stockade_sys::namespace::IdRange;
use stockade_sys::{Errno, landlock, namespace, net, process, sched, seccomp};

/// Applies `steps` in order and answers each; whether all were applied. Nothing after a failure is
/// tried.
pub(crate) fn apply(steps: &[Step], channel: &mut Channel) -> Result<bool, Stop> {
    let mut fence = Fence::default();
    // Permission bits of what is made here are those of the steps.
    process::set_umask(0);
    for (at, step) in steps.iter().enumerate() {
        let outcome =
            fence
                .step(step, &steps[at + 1..])
                .unwrap_or_else(|failed| StepOutcome::Failed {
                    call: failed.call,
                    errno: failed.errno.raw_os_error(),
                });
        let failed = matches!(outcome, StepOutcome::Failed { .. });
        let index = u32::try_from(at).map_err(|_| Stop::Broken)?;
        channel.push_boundary(&ToHost::Step { index, outcome })?;
        if failed {
            channel.flush_all()?;
            return Ok(false);
        }
    }
    process::set_umask(0o077);
    Ok(true)
}

/// Says that the fence stands and that init waits for the submission.
pub(crate) fn ready(channel: &mut Channel) -> Result<(), Stop> {
    channel.push_boundary(&ToHost::Ready)?;
    channel.flush_all()
}

type Applied = Result<StepOutcome, Failed>;

/// What one step leaves for the next.
#[derive(Default)]
struct Fence {
    root: Option<Root>,
}

impl Fence {
    fn step(&mut self, step: &Step, rest: &[Step]) -> Applied {
        match step {
            Step::Session => process::new_session().map_err(Failed::of("setsid", ""))?,
            Step::Hostname { name } => {
                namespace::set_hostname(name).map_err(Failed::of("sethostname", name))?;
            }
            Step::Loopback => net::loopback_up().map_err(Failed::of("SIOCSIFFLAGS", "lo"))?,
            Step::Root { bytes } => self.root = Some(Root::new(*bytes)?),
            Step::InheritRoot => self.root = Some(Root::inherited()?),
            Step::Network => left(namespace::leave_network(), "CLONE_NEWNET")?,
            Step::CgroupNamespace => left(namespace::leave_cgroups(), "CLONE_NEWCGROUP")?,
            Step::MakeDirectory(directory) => self.root()?.make_directory(directory)?,
            Step::MakeSymlink { target, link } => self.root()?.make_symlink(target, link)?,
            Step::MakeFile {
                path,
                mode,
                content,
            } => {
                self.root()?.make_file(path, *mode, content)?;
            }
            Step::Bind {
                source,
                target,
                access,
            } => self.root()?.bind(source, target, *access)?,
            Step::Proc => self.root()?.proc()?,
            Step::Scratch {
                bytes,
                inodes,
                directories,
            } => {
                self.root()?
                    .scratch(*bytes, *inodes, directories, owner(rest))?;
            }
            Step::Volume {
                path,
                bytes,
                inodes,
                directories,
            } => {
                root::volume(path, *bytes, *inodes, directories, owner(rest))?;
            }
            Step::Pivot => self.root.take().ok_or_else(no_root)?.pivot()?,
            Step::TimeNamespace => namespace::new_time_for_children()?,
            Step::Affinity { cpus } => {
                sched::pin(*cpus).map_err(Failed::of("sched_setaffinity", ""))?;
            }
            Step::Identity { uid, gid } => identity(*uid, *gid, rest)?,
            Step::UserNamespace { uid, gid } => user_namespace(*uid, *gid)?,
            Step::ZygoteNamespace { uid, first, count } => {
                zygote_namespace(*uid, *first, *count)?;
            }
            Step::Scopes { deny_tcp } => return scopes(*deny_tcp),
            Step::NotDumpable => not_dumpable()?,
            Step::DropCapabilities => return drop_capabilities(),
            Step::NoNewPrivileges => no_new_privileges()?,
            Step::Landlock {
                list,
                read,
                write,
                devices,
                deny_tcp,
            } => {
                return restrict(list, read, write, devices, *deny_tcp);
            }
            Step::Seccomp { program } => install(program)?,
        }
        Ok(StepOutcome::Applied)
    }

    fn root(&self) -> Result<&Root, Failed> {
        self.root.as_ref().ok_or_else(no_root)
    }
}

fn no_root() -> Failed {
    Failed::of("no new root", "")(Errno::INVAL)
}

fn left(result: Result<(), Errno>, namespace: &str) -> Result<(), Failed> {
    result.map_err(Failed::of("unshare", namespace))
}

/// Whom the scratch directories will belong to.
fn owner(rest: &[Step]) -> Option<(u32, u32)> {
    rest.iter().find_map(|step| {
        if let Step::Identity { uid, gid } = step {
            Some((*uid, *gid))
        } else if let Step::ZygoteNamespace { uid, .. } = step {
            Some((*uid, *uid))
        } else {
            None
        }
    })
}

fn identity(uid: u32, gid: u32, rest: &[Step]) -> Result<(), Failed> {
    let follows = |name: &str| rest.iter().any(|step| step.name() == name);
    let (drop, namespace) = (
        Step::DropCapabilities.name(),
        Step::UserNamespace { uid, gid }.name(),
    );
    // A user namespace gives its own, which are then the ones to drop.
    if follows(drop) && !follows(namespace) {
        credential::set_ids_keeping_capabilities(uid, gid)?;
    } else {
        credential::set_ids(uid, gid)?;
    }
    confirm(credential::has_ids(uid, gid), "getresuid")?;
    die_with_supervisor()
}

fn user_namespace(uid: u32, gid: u32) -> Result<(), Failed> {
    // A change of uid has made `/proc/self/uid_map` root's.
    process::set_dumpable(true).map_err(Failed::of("PR_SET_DUMPABLE", ""))?;
    namespace::enter_user(uid, gid)?;
    confirm(
        Ok(process::effective_uid() == uid && process::effective_gid() == gid),
        "geteuid",
    )?;
    die_with_supervisor()
}

/// 0 inside is `uid` outside; the others are the same on both sides.
fn zygote_namespace(uid: u32, first: u32, count: u32) -> Result<(), Failed> {
    let end = first.saturating_add(count);
    let same = |from: u32, to: u32| IdRange {
        inside: from,
        outside: from,
        count: to.saturating_sub(from),
    };
    let own = IdRange {
        inside: 0,
        outside: uid,
        count: 1,
    };
    let (below, above) = if (first..end).contains(&uid) {
        (same(first, uid), same(uid + 1, end))
    } else {
        (same(first, end), same(end, end))
    };
    let mut ranges = vec![own, below, above];
    ranges.retain(|range| range.count > 0);
    namespace::enter_user_ranges(&ranges)?;
    confirm(credential::has_ids(0, 0), "getresuid")?;
    die_with_supervisor()
}

fn scopes(deny_tcp: bool) -> Applied {
    let applied = landlock::restrict_scopes(deny_tcp).map_err(|error| Failed {
        call: error.to_string(),
        errno: landlock::errno(&error).unwrap_or(Errno::IO),
    })?;
    Ok(within(&applied, deny_tcp))
}

/// What of a fence this kernel has.
fn within(applied: &landlock::Applied, deny_tcp: bool) -> StepOutcome {
    let mut missing = applied.missing.clone();
    if deny_tcp && !applied.tcp {
        missing.push("tcp".to_owned());
    }
    if !applied.scopes {
        missing.push("signal and abstract socket scopes".to_owned());
    }
    if missing.is_empty() {
        return StepOutcome::Applied;
    }
    StepOutcome::Partial(format!("ABI {} lacks {}", applied.abi, missing.join(", ")))
}

/// A change of credentials makes the kernel forget this. Where everything does not die with init,
/// it must live on to end it, and sees from its socket that the supervisor is gone.
fn die_with_supervisor() -> Result<(), Failed> {
    if process::pid() != 1 {
        return Ok(());
    }
    process::die_with_parent().map_err(Failed::of("PR_SET_PDEATHSIG", ""))
}

fn not_dumpable() -> Result<(), Failed> {
    process::set_dumpable(false).map_err(Failed::of("PR_SET_DUMPABLE", ""))?;
    confirm(
        process::is_dumpable().map(|dumpable| !dumpable),
        "PR_GET_DUMPABLE",
    )
}

fn no_new_privileges() -> Result<(), Failed> {
    credential::set_no_new_privileges().map_err(Failed::of("PR_SET_NO_NEW_PRIVS", ""))?;
    confirm(credential::has_no_new_privileges(), "PR_GET_NO_NEW_PRIVS")
}

fn drop_capabilities() -> Applied {
    let dropped = credential::drop_capabilities()?;
    confirm(credential::has_no_capability(), "capget")?;
    Ok(match dropped {
        Dropped::All => StepOutcome::Applied,
        Dropped::AllButBounding => StepOutcome::Partial(
            "the bounding set stays, because CAP_SETPCAP was gone already".to_owned(),
        ),
    })
}

fn restrict(
    list: &[String],
    read: &[String],
    write: &[String],
    devices: &[String],
    deny_tcp: bool,
) -> Applied {
    let (list, read, write, devices) = (paths(list), paths(read), paths(write), paths(devices));
    let fence = landlock::Fence {
        list: &list,
        read: &read,
        write: &write,
        devices: &devices,
        deny_tcp,
    };
    let applied = landlock::restrict(&fence).map_err(|error| {
        let errno = landlock::errno(&error).unwrap_or(Errno::IO);
        // One that is the kernel's alone does not say what was tried.
        let call = match Errno::from_io_error(&error) {
            Some(_) => "landlock_create_ruleset".to_owned(),
            None => error.to_string(),
        };
        Failed { call, errno }
    })?;
    Ok(within(&applied, deny_tcp))
}

fn paths(paths: &[String]) -> Vec<&Path> {
    paths.iter().map(Path::new).collect()
}

fn install(program: &[u64]) -> Result<(), Failed> {
    seccomp::install(program).map_err(|error| {
        let errno = Errno::from_io_error(&error).unwrap_or(Errno::INVAL);
        Failed::of("seccomp", "SECCOMP_SET_MODE_FILTER")(errno)
    })
}

/// Fails when the kernel, asked, says that a step which it took is not in force.
fn confirm(holds: Result<bool, Errno>, call: &str) -> Result<(), Failed> {
    match holds {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failed::of(call, "says otherwise")(Errno::PROTO)),
        Err(errno) => Err(Failed::of(call, "")(errno)),
    }
}
