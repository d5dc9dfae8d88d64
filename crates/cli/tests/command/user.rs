//! The command without root.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::workshop::{Done, STOCKADE, TALKER, Workshop, is_root};

/// Any uid that is nobody's.
const NOBODY: u32 = 65_534;

/// A workshop that another user can use, with a copy of the command in it: the one that was built
/// may be where only root can go.
fn open_workshop() -> Workshop {
    let workshop = Workshop::new();
    fs::set_permissions(workshop.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::copy(STOCKADE, workshop.path().join("stockade")).unwrap();
    let job = workshop.file("job.py", TALKER);
    fs::set_permissions(job, fs::Permissions::from_mode(0o644)).unwrap();
    workshop
}

/// Runs the command as an ordinary user with `HOME` of its own.
fn run(workshop: &Workshop, args: &[&str]) -> Done {
    let mut command = Command::new(workshop.path().join("stockade"));
    command
        .args(args)
        .current_dir(workshop.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", workshop.path())
        .env("TMPDIR", workshop.path());
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    Done::of(&command.output().unwrap())
}

#[test]
fn an_ordinary_user_gets_a_value() {
    let workshop = open_workshop();
    let done = run(&workshop, &["run", "job.py", "--limit", "processes=1"]);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "42\n"),
        "{done:?}"
    );
}

#[test]
fn an_ordinary_user_has_a_daemon_too() {
    let workshop = open_workshop();
    let one = ["--limit", "processes=1"];
    let warm = run(&workshop, &[&["warm"], &one[..]].concat());
    assert_eq!(warm.code, Some(0), "{warm:?}");
    let job = ["run", "job.py", "--format", "json"];
    let done = run(&workshop, &[&job, &one[..]].concat());
    let stopped = run(&workshop, &["warm", "--stop"]);
    assert_eq!(stopped.stdout, "the daemon has ended\n", "{stopped:?}");
    assert!(!done.json()["evidence"]["warm"].is_null(), "{done:?}");
}

#[test]
fn without_a_cgroup_the_default_is_refused_with_what_to_do() {
    let workshop = open_workshop();
    let facts = run(&workshop, &["doctor", "--format", "json"]);
    let done = run(&workshop, &["run", "job.py"]);
    if facts.json()["host"]["cgroup"] != "none" {
        assert_eq!(done.code, Some(0), "{done:?}");
        return;
    }
    assert_eq!(facts.code, Some(0), "{facts:?}");
    done.refuses(
        69,
        &[
            "hint: allow one process: `--limit processes=1`",
            "Delegate=yes",
        ],
    );
}

#[test]
fn an_ordinary_user_builds_a_template() {
    let workshop = open_workshop();
    let file = workshop.file("own.toml", "base = 'host'\npreload = ['csv']");
    fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    let done = run(&workshop, &["template", "build", "own.toml"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let args = [
        "run",
        "job.py",
        "--template",
        "own",
        "--limit",
        "processes=1",
    ];
    let done = run(&workshop, &args);
    assert_eq!(done.stdout, "42\n", "{done:?}");
}

#[test]
fn a_file_of_others_is_not_read() {
    if !is_root() {
        eprintln!("skipped: only root can make a file of another user");
        return;
    }
    let workshop = open_workshop();
    let secret = workshop.file("secret.py", TALKER);
    fs::set_permissions(secret, fs::Permissions::from_mode(0o600)).unwrap();
    run(&workshop, &["run", "secret.py"]).refuses(65, &["secret.py", "Permission denied"]);
}

#[test]
fn where_user_namespaces_are_blocked_the_step_and_its_error_are_told() {
    let workshop = open_workshop();
    let doctor = |before: &str| {
        let script = format!("{before} exec ./stockade doctor --format json");
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "sh", "-c", &script])
            .current_dir(workshop.path())
            .env("STOCKADE_STATE_DIR", workshop.path().join("state"))
            .env("STOCKADE_CACHE_DIR", workshop.path().join("cache"));
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        Done::of(&command.output().unwrap())
    };
    let jail = |done: &Done| done.json()["rungs"][2].clone();
    // The control: in this same place the jail is usable as long as they are not blocked.
    let open = doctor("");
    assert_eq!(jail(&open)["usable"], true, "{open:?}");
    let blocked = doctor("echo 0 > /proc/sys/user/max_user_namespaces;");
    assert_eq!(blocked.code, Some(69), "{blocked:?}");
    let failed = &jail(&blocked)["failed"];
    assert_eq!(failed["step"], "clone3", "{blocked:?}");
    assert_eq!(failed["errno_name"], "ENOSPC", "{blocked:?}");
    let remedies = failed["remedies"].as_array().unwrap();
    assert!(remedies.len() >= 2, "{blocked:?}");
    assert!(
        remedies[0]
            .as_str()
            .unwrap()
            .contains("max_user_namespaces"),
        "{blocked:?}"
    );
}

#[test]
fn the_doctor_tells_an_ordinary_user_what_is_missing() {
    let workshop = open_workshop();
    let done = run(&workshop, &["doctor", "--format", "json"]);
    let found = done.json();
    let rungs = found["rungs"].as_array().unwrap();
    let process = rungs.iter().find(|rung| rung["name"] == "process").unwrap();
    assert_eq!(process["usable"], false, "{found}");
    assert_eq!(process["failed"]["step"], "identity");
    assert!(process["failed"]["remedies"].as_array().unwrap().len() >= 2);
    let human = run(&workshop, &["doctor"]);
    assert_eq!(human.code, done.code);
    assert!(human.stdout.contains("process ✗ not usable"), "{human:?}");
    for line in human.stdout.lines() {
        let long_word = line
            .split_whitespace()
            .any(|word| word.chars().count() > 60);
        assert!(long_word || line.chars().count() <= 100, "{line}");
    }
}
