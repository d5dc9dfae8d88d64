//! What the rungs are built from, one by one.

use stockade::facts::{Cgroup, Fact, Facts, Fault};
use stockade::report::FenceState;
use stockade::template::{self, Search};
use stockade::{Engine, Error};

use super::trial::Trial;
use crate::explain;

/// One thing that the kernel or the host offers, or does not.
pub(super) struct Facility {
    pub(super) name: &'static str,
    pub(super) state: State,
}

/// What came of trying it.
pub(super) enum State {
    /// It works; what it is.
    Works(String),
    /// It does not.
    Fails(Fault),
    /// A step before it failed.
    Untried(String),
}

/// Facilities that show in the jail's fence, with the steps that are made of them.
const FENCED: [(&str, &[&str]); 4] = [
    (
        "mounts",
        &["root", "bind", "symlink", "scratch", "pivot-root"],
    ),
    ("proc", &["proc"]),
    ("landlock", &["landlock"]),
    ("seccomp", &["seccomp"]),
];

/// Every facility, in the order in which a run needs them.
pub(super) fn all(engine: &Engine, trials: &[Trial]) -> Vec<Facility> {
    let facts = engine.host().facts();
    let jail = trials.iter().find(|trial| trial.spec.name == "jail");
    let mut found = vec![
        Facility {
            name: "python",
            state: python(engine),
        },
        Facility {
            name: "namespaces",
            state: fact(&facts.namespaces, "clone3 with all of the jail's"),
        },
        Facility {
            name: "cgroup",
            state: cgroup(facts),
        },
    ];
    for (name, steps) in FENCED {
        let state = match known(name, facts) {
            Some(fault) => State::Fails(fault),
            None => jail.map_or_else(
                || State::Untried("there is no jail in this build".to_owned()),
                |jail| fenced(jail, steps),
            ),
        };
        found.push(Facility { name, state });
    }
    found.push(Facility {
        name: "time-namespace",
        state: fact(&facts.time_namespace, "clocks of its own"),
    });
    found
}

/// What is known to be missing before any run.
fn known(name: &str, facts: &Facts) -> Option<Fault> {
    match name {
        "seccomp" => facts.seccomp.fault().cloned(),
        "landlock" if facts.landlock_abi == 0 => Some(Fault {
            step: "landlock".to_owned(),
            errno: 0,
            cause: "the kernel has no Landlock; the jail holds without it, by one fence less"
                .to_owned(),
            remedies: vec![
                "use a kernel of 5.13 or later with CONFIG_SECURITY_LANDLOCK".to_owned(),
                "add `landlock` to the kernel's `lsm=` parameter".to_owned(),
            ],
        }),
        _ => None,
    }
}

fn fact(fact: &Fact, what: &str) -> State {
    match fact {
        Fact::Works => State::Works(what.to_owned()),
        Fact::Fails(fault) => State::Fails(fault.clone()),
    }
}

fn cgroup(facts: &Facts) -> State {
    match &facts.cgroup {
        Cgroup::None(fault) => State::Fails(fault.clone()),
        found @ (Cgroup::V2 { .. } | Cgroup::V1 { .. }) => State::Works(explain::cgroup(found)),
    }
}

/// What the trial of the jail shows of its `steps`.
fn fenced(jail: &Trial, steps: &[&str]) -> State {
    match &jail.usable {
        Err(fault) if steps.contains(&fault.step.as_str()) => State::Fails(fault.clone()),
        Err(fault) => State::Untried(format!("the jail failed at step `{}`", fault.step)),
        Ok(usable) => {
            let mut of_these = usable
                .fences
                .iter()
                .filter(|fence| steps.contains(&&*fence.name));
            let Some(last) = of_these.next_back() else {
                return State::Untried("the jail did not need it here".to_owned());
            };
            match &last.state {
                FenceState::Applied => State::Works(last.detail.clone()),
                FenceState::Checked(how) => State::Works(format!("{}; {how}", last.detail)),
                FenceState::Partial(why) | FenceState::Unavailable(why) => {
                    State::Works(format!("{}; {why}", last.detail))
                }
            }
        }
    }
}

fn python(engine: &Engine) -> State {
    match template::prepare("python", engine.paths().cache(), &Search::from_env()) {
        Ok(found) => {
            let (major, minor, patch) = found.version;
            State::Works(format!("{major}.{minor}.{patch}, {}", found.interpreter))
        }
        Err(error) => State::Fails(fault(&error)),
    }
}

fn fault(error: &Error) -> Fault {
    Fault {
        step: "template".to_owned(),
        errno: 0,
        cause: error.to_string(),
        remedies: error.hints().to_vec(),
    }
}
