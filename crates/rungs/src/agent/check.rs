//! Looks at the fenced init from outside, before anything of the submission is sent to it.

use std::fs;
use std::path::PathBuf;

use stockade_core::fence::Step;
use stockade_core::report::{Fence, FenceState};
use stockade_core::wire::StepOutcome;
use stockade_sys::spawn::Namespaces;

/// The fences in force, from what init reported and what `/proc/<pid>` shows of it.
///
/// # Errors
/// What contradicts init's report: then nothing may be started.
pub(super) fn fences(
    pid: i32,
    steps: &[Step],
    outcomes: &[StepOutcome],
    own: &[(&'static str, Option<PathBuf>)],
) -> Result<Vec<Fence>, String> {
    let path = format!("/proc/{pid}/status");
    let status =
        fs::read_to_string(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let mut fences = Vec::new();
    if !own.is_empty() {
        fences.push(differing(pid, own)?);
    }
    for (step, outcome) in steps.iter().zip(outcomes) {
        let state = match outcome {
            StepOutcome::Applied => match seen(step, &status)? {
                Some(how) => FenceState::Checked(how),
                None => FenceState::Applied,
            },
            StepOutcome::Partial(missing) => FenceState::Partial(missing.clone()),
            StepOutcome::Failed { call, errno } => {
                return Err(format!(
                    "step `{}`: {call} failed with errno {errno}",
                    step.name()
                ));
            }
        };
        if is_shown(step) {
            fences.push(Fence {
                name: step.name().to_owned(),
                detail: step.detail(),
                state,
            });
        }
    }
    Ok(fences)
}

/// Steps that only furnish the root are not fences.
fn is_shown(step: &Step) -> bool {
    match step {
        Step::MakeDirectory(_) | Step::MakeSymlink { .. } | Step::MakeFile { .. } => false,
        Step::Session
        | Step::Hostname { .. }
        | Step::Loopback
        | Step::Root { .. }
        | Step::InheritRoot
        | Step::Network
        | Step::CgroupNamespace
        | Step::ZygoteNamespace { .. }
        | Step::Scopes { .. }
        | Step::Bind { .. }
        | Step::Proc
        | Step::Scratch { .. }
        | Step::Volume { .. }
        | Step::Pivot
        | Step::TimeNamespace
        | Step::Affinity { .. }
        | Step::Identity { .. }
        | Step::UserNamespace { .. }
        | Step::NotDumpable
        | Step::DropCapabilities
        | Step::NoNewPrivileges
        | Step::Landlock { .. }
        | Step::Seccomp { .. } => true,
    }
}

/// What the status of init shows of a step; `None` where it shows nothing.
fn seen(step: &Step, status: &str) -> Result<Option<String>, String> {
    match step {
        Step::NoNewPrivileges => expect(status, "NoNewPrivs", "1"),
        Step::Seccomp { .. } => expect(status, "Seccomp", "2"),
        Step::DropCapabilities => {
            for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
                expect(status, set, "0000000000000000")?;
            }
            Ok(Some(
                "CapInh, CapPrm, CapEff, CapBnd and CapAmb are 0".to_owned(),
            ))
        }
        Step::Identity { uid, gid } => {
            for (field, id) in [("Uid", uid), ("Gid", gid)] {
                expect(status, field, &format!("{id} {id} {id} {id}"))?;
            }
            Ok(Some(format!("Uid and Gid are {uid}")))
        }
        Step::Session
        | Step::Hostname { .. }
        | Step::Loopback
        | Step::Root { .. }
        | Step::InheritRoot
        | Step::Network
        | Step::CgroupNamespace
        | Step::ZygoteNamespace { .. }
        | Step::Scopes { .. }
        | Step::MakeDirectory(_)
        | Step::MakeSymlink { .. }
        | Step::MakeFile { .. }
        | Step::Bind { .. }
        | Step::Proc
        | Step::Scratch { .. }
        | Step::Volume { .. }
        | Step::Pivot
        | Step::TimeNamespace
        | Step::Affinity { .. }
        | Step::UserNamespace { .. }
        | Step::NotDumpable
        | Step::Landlock { .. } => Ok(None),
    }
}

fn expect(status: &str, field: &str, wanted: &str) -> Result<Option<String>, String> {
    let found = status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))
        .map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "));
    match found {
        Some(found) if found == wanted => Ok(Some(format!("{field}: {found}"))),
        Some(found) => Err(format!(
            "{field} of the guest's init is {found}, not {wanted}"
        )),
        // An old kernel that does not show it.
        None => Ok(None),
    }
}

/// The supervisor's own namespaces of the kinds that init gets new ones of, by their links: what
/// those of init must differ from.
pub(crate) fn own(namespaces: Namespaces, steps: &[Step]) -> Vec<(&'static str, Option<PathBuf>)> {
    let mut links = namespaces.names();
    let enters_user = steps.iter().any(|step| step.name() == "user-namespace");
    if enters_user && !links.contains(&"user") {
        links.push("user");
    }
    looked_up(&links)
}

fn looked_up(links: &[&'static str]) -> Vec<(&'static str, Option<PathBuf>)> {
    links
        .iter()
        .map(|link| (*link, fs::read_link(format!("/proc/self/ns/{link}")).ok()))
        .collect()
}

/// Each namespace of init that was to be made, by its link in `/proc/<pid>/ns`, must be another
/// one than ours.
fn differing(pid: i32, own: &[(&'static str, Option<PathBuf>)]) -> Result<Fence, String> {
    let mut closed = Vec::new();
    for (link, ours) in own {
        match (ours, fs::read_link(format!("/proc/{pid}/ns/{link}"))) {
            (Some(ours), Ok(theirs)) if *ours == theirs => {
                return Err(format!("the guest's init is in our own {link} namespace"));
            }
            (Some(_), Ok(_)) => {}
            // To an ordinary user a process that is not dumpable shows nothing.
            (None, _) | (_, Err(_)) => closed.push(link),
        }
    }
    let state = if closed.is_empty() {
        FenceState::Checked("each differs from the supervisor's in /proc/<pid>/ns".to_owned())
    } else {
        FenceState::Applied
    };
    let names: Vec<_> = own.iter().map(|(link, _)| *link).collect();
    let detail = format!("clone3 with new {}", names.join(", "));
    Ok(Fence {
        name: "namespaces".to_owned(),
        detail,
        state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str =
        "Name:\tx\nUid:\t7\t7\t7\t7\nGid:\t7\t7\t7\t7\nNoNewPrivs:\t1\nSeccomp:\t0\n";

    #[test]
    fn a_status_that_contradicts_a_step_is_found() {
        assert!(seen(&Step::NoNewPrivileges, STATUS).unwrap().is_some());
        let wrong = seen(
            &Step::Seccomp {
                program: Vec::new(),
            },
            STATUS,
        )
        .unwrap_err();
        assert_eq!(wrong, "Seccomp of the guest's init is 0, not 2");
        assert!(seen(&Step::Identity { uid: 7, gid: 7 }, STATUS).is_ok());
        assert!(seen(&Step::Identity { uid: 8, gid: 7 }, STATUS).is_err());
    }

    #[test]
    fn a_process_in_our_own_namespaces_is_found() {
        let pid = i32::try_from(std::process::id()).unwrap();
        for link in ["user", "mnt", "pid", "net"] {
            let found = differing(pid, &looked_up(&[link])).unwrap_err();
            assert!(found.contains(link), "{found}");
        }
    }
}
