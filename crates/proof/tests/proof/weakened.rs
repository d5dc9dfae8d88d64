//! The proof itself: a jail with a fence left out is caught, by the probes that are made for it.

use std::sync::OnceLock;

use stockade::{Engine, Host};
use stockade_proof::{Expect, OnRung, Probe};
use stockade_rungs::WEAKENED;

use crate::place::attack;

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        engine.ladder(WEAKENED).unproved()
    })
}

/// What may be run where a fence is missing; demonstrations within one interpreter meet none.
fn is_harmless(probe: &Probe) -> bool {
    !probe.armed && probe.expect != Expect::Specimen
}

/// Attacks the jail called `name` with what does no harm, and demands that each of `by` is among
/// the probes that got through.
#[track_caller]
fn assert_caught(name: &str, by: &[&str]) {
    let ground = OnRung::named(engine(), name).unwrap();
    let card = attack(&ground, &is_harmless);
    assert!(!card.is_fit());
    let through: Vec<_> = card.broken().map(|(f, _)| f.probe.id.as_str()).collect();
    for id in by {
        assert!(
            through.contains(id),
            "{name} is not caught by {id}: {through:?}"
        );
    }
}

#[test]
fn a_jail_without_seccomp_is_caught() {
    assert_caught("no-seccomp", &["escape/084"]);
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
    assert_caught("no-pid-namespace", &["escape/502"]);
}

#[test]
fn a_jail_with_a_descriptor_left_open_is_caught() {
    assert_caught("descriptor-left-open", &["escape/072"]);
}

#[test]
fn a_jail_with_a_directory_of_the_host_is_caught() {
    assert_caught("host-directory-bound", &["escape/064"]);
}

#[test]
fn rlimits_alone_are_caught() {
    assert_caught(
        "rlimits-only",
        &["escape/064", "escape/084", "escape/502", "exhaust/501"],
    );
}
