//! The proof itself: a jail with a fence left out is caught, by the probes that are made for it.

use std::sync::OnceLock;

use stockade::{Engine, Host};
use stockade_proof::OnRung;
use stockade_rungs::WEAKENED;

use crate::place::{attack, corpus};

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        engine.ladder(WEAKENED).unproved()
    })
}

/// Attacks the jail called `name` with the probes `by`, which do no harm, and demands that each
/// gets through there. That the whole jail holds them is shown with the others.
#[track_caller]
fn assert_caught(name: &str, by: &[&str]) {
    for id in by {
        let probe = corpus().get(id).unwrap();
        assert!(!probe.armed, "{id} does harm where a fence is missing");
    }
    let ground = OnRung::named(engine(), name).unwrap();
    let card = attack(&ground, &|probe| by.contains(&probe.id.as_str()));
    assert!(!card.is_fit());
    let through: Vec<_> = card.broken().map(|(f, _)| f.probe.id.as_str()).collect();
    assert_eq!(through, by, "{name}");
}

#[test]
fn a_jail_without_seccomp_is_caught() {
    assert_caught(
        "no-seccomp",
        &["escape/075", "escape/084", "escape/104", "escape/106"],
    );
}

#[test]
fn a_jail_without_landlock_is_caught() {
    assert_caught("no-landlock", &["escape/501"]);
}

#[test]
fn a_jail_without_a_cgroup_is_caught() {
    assert_caught("no-cgroup", &["exhaust/501"]);
}

#[test]
fn a_jail_without_a_pid_namespace_is_caught() {
    assert_caught("no-pid-namespace", &["escape/502", "leak/003", "leak/031"]);
}

#[test]
fn a_jail_with_a_descriptor_left_open_is_caught() {
    assert_caught("descriptor-left-open", &["escape/072"]);
}

#[test]
fn a_jail_with_a_directory_of_the_host_is_caught() {
    assert_caught(
        "host-directory-bound",
        &["escape/064", "leak/009", "leak/010"],
    );
}

#[test]
fn rlimits_alone_are_caught() {
    assert_caught(
        "rlimits-only",
        &["escape/064", "escape/084", "escape/502", "exhaust/501"],
    );
}
