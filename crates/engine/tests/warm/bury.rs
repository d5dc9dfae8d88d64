//! What cannot be taken away is said and kept in mind, until it can be.

use std::process::Command;

use crate::census::{groups, own};
use crate::run::{AGAIN, State, assert_passes, engine, is_again, run, warm};

/// Makes the cgroups of this mount namespace read-only, or writable again.
fn cgroups(how: &str) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    for line in mounts.lines() {
        let words: Vec<_> = line.split(' ').collect();
        if words[2].starts_with("cgroup") {
            let flags = format!("remount,bind,{how}");
            let mut mount = Command::new("mount");
            let mounted = mount.args(["-o", &flags, words[1]]).status();
            assert!(mounted.unwrap().success(), "{line}");
        }
    }
}

#[test]
fn a_boundary_that_cannot_be_removed_is_said_and_removed_when_it_can_be() {
    if is_again() {
        return cannot_be_removed();
    }
    if std::fs::metadata("/proc/self")
        .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) != 0)
    {
        eprintln!("SKIPPED: it takes root to have mounts of one's own");
        return;
    }
    let state = State::new("bury");
    // What is mounted there is nobody else's.
    let mut apart = Command::new("unshare");
    apart
        .args(["--mount", "--propagation", "private"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("bury::a_boundary_that_cannot_be_removed_is_said_and_removed_when_it_can_be")
        .env(AGAIN, "1")
        .env("STOCKADE_STATE_DIR", &state.0);
    assert_passes(&mut apart);
}

fn cannot_be_removed() {
    warm(&[], 2);
    assert_eq!(engine().replenish().unwrap(), 2);
    assert_eq!(engine().settle(), [""; 0]);
    let before = engine().teardown();
    assert_eq!((before.failed, before.stuck.len()), (0, 0));
    cgroups("ro");
    let record = run("emit(1)", &[]);
    let said = engine().settle();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with(&format!("{}: ", record.run)),
        "{said:?}"
    );
    assert!(said[0].contains("Read-only file system"), "{said:?}");
    assert_eq!(engine().settle(), [""; 0], "it was said");
    let stuck = engine().teardown();
    assert_eq!(stuck.stuck, said);
    assert_eq!((stuck.destroyed, stuck.failed), (before.destroyed, 1));
    let with = groups(engine(), &format!("s{}-", own())).len();
    cgroups("rw");
    let mended = engine().teardown();
    assert_eq!(mended.stuck, [""; 0]);
    assert_eq!((mended.destroyed, mended.failed), (before.destroyed + 1, 1));
    assert!(groups(engine(), &format!("s{}-", own())).len() < with);
    run("emit(2)", &[]);
    assert_eq!(engine().settle(), [""; 0]);
    assert_eq!(engine().teardown().destroyed, mended.destroyed + 1);
}
