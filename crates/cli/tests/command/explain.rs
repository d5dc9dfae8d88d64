//! What only looks: `explain`, `doctor`, `limits`, `rungs`, completions, manual pages.

use std::fs;

use crate::workshop::{TALKER, Workshop};

#[test]
fn explain_shows_the_rung_each_limit_and_each_step() {
    let workshop = Workshop::new();
    workshop.file("job.py", TALKER);
    let done = workshop.run(["explain", "job.py", "--limit", "memory=256MiB"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    for part in [
        "jail",
        "process: does not give `no-host-files`",
        "256MiB",
        "RLIMIT_NOFILE",
        "pivot_root",
        "SECCOMP_SET_MODE_FILTER",
    ] {
        assert!(done.stdout.contains(part), "{part}: {done:?}");
    }
    assert!(!done.stdout.contains("on stdout"), "it ran");
    let plan = workshop
        .run(["explain", "job.py", "--format", "json"])
        .json();
    assert_eq!(plan["rung"], "jail");
    let steps = plan["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["name"], "seccomp");
    assert_eq!(
        plan["limits"]["memory"]["value"].to_string(),
        (1536_u64 << 20).to_string()
    );
}

#[test]
fn explain_ends_as_the_run_would_where_it_is_refused() {
    let workshop = Workshop::new();
    workshop.file("job.py", TALKER);
    workshop
        .run(["explain", "job.py", "--require", "separate-kernel"])
        .refuses(69, &["separate-kernel"]);
    workshop
        .run(["explain", "job.py", "--rung", "attic"])
        .refuses(64, &["attic"]);
}

#[test]
fn the_doctor_tries_every_rung_and_every_facility() {
    let done = Workshop::new().run(["doctor", "--format", "json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let found = done.json();
    let names: Vec<_> = found["rungs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rung| rung["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["formula", "process", "jail"]);
    for facility in found["facilities"].as_array().unwrap() {
        let state = facility["state"].as_str().unwrap();
        assert!(["works", "fails", "untried"].contains(&state), "{facility}");
        let has_fault = !facility["failed"].is_null();
        assert_eq!(state == "fails", has_fault, "{facility}");
    }
}

#[test]
fn a_host_without_an_interpreter_is_told_which_step_failed() {
    let workshop = Workshop::new();
    let output = workshop
        .command(["doctor", "--format", "json"])
        .env("STOCKADE_PYTHON", "/nonexistent/python3")
        .output()
        .unwrap();
    let done = crate::workshop::Done::of(&output);
    assert_eq!(done.code, Some(69), "{done:?}");
    let found = done.json();
    let rungs = found["rungs"].as_array().unwrap();
    for rung in rungs {
        // A formula needs no interpreter.
        assert_eq!(rung["usable"], rung["name"] == "formula", "{rung}");
    }
    let jail = rungs.iter().find(|rung| rung["name"] == "jail").unwrap();
    let jail = &jail["failed"];
    assert_eq!(jail["step"], "template", "{jail}");
    assert!(jail["remedies"].as_array().unwrap().len() >= 2, "{jail}");
}

#[test]
fn limits_and_rungs_are_listed_for_people_and_programs() {
    let workshop = Workshop::new();
    let limits = workshop.run(["limits", "--format", "json"]).json();
    let human = workshop.run(["limits"]).stdout;
    for limit in limits.as_array().unwrap() {
        assert!(human.contains(limit["name"].as_str().unwrap()), "{limit}");
        assert!(limit["doc"].as_str().unwrap().len() > 20, "{limit}");
    }
    let rungs = workshop.run(["rungs", "--format", "json"]).json();
    assert_eq!(rungs["rungs"][2]["name"], "jail");
    // No rung is without: the processor at least.
    for rung in rungs["rungs"].as_array().unwrap() {
        assert!(!rung["shares"].as_array().unwrap().is_empty(), "{rung}");
    }
    assert!(workshop.run(["rungs"]).stdout.contains("no-host-files"));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let workshop = Workshop::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = workshop.run(["completions", shell]).stdout;
        for word in ["explain", "doctor", "audit-content"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let done = workshop.run(["man", "pages"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""), "{done:?}");
    for page in ["stockade", "stockade-run", "stockade-audit-verify"] {
        let text = fs::read_to_string(workshop.path().join(format!("pages/{page}.1"))).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(workshop.run(["man"]).stdout.contains("Exit codes:"));
}
