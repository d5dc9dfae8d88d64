//! The audit file.

use std::fs;
use std::process::Command;

use crate::workshop::{Done, STOCKADE, TALKER, Workshop, is_root};

/// A workshop with three records in `runs.jsonl`: two values and an exception.
fn recorded() -> Workshop {
    let workshop = Workshop::new();
    for source in [TALKER, "1 / 0", TALKER] {
        workshop.job(source, &["-q", "--audit", "runs.jsonl"]);
    }
    workshop
}

#[test]
fn a_chain_that_holds_is_0_with_its_head() {
    let workshop = recorded();
    let done = workshop.run(["audit", "verify", "runs.jsonl"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let text = fs::read_to_string(workshop.path().join("runs.jsonl")).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let hash = last["hash"].as_str().unwrap();
    assert!(
        done.stdout
            .contains(&format!("3 records, last hash {hash}")),
        "{done:?}"
    );
    let json = workshop
        .run(["audit", "verify", "runs.jsonl", "--format", "json"])
        .json();
    assert_eq!(json["head"]["hash"], hash);
    assert_eq!(json["holds"], true);
}

#[test]
fn a_changed_or_dropped_record_is_1_and_named() {
    let workshop = recorded();
    let path = workshop.path().join("runs.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replacen("ZeroDivisionError", "ZeroDivisionErrof", 1),
    )
    .unwrap();
    let done = workshop.run(["audit", "verify", "runs.jsonl"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stdout.starts_with("runs.jsonl:2: was changed"),
        "{done:?}"
    );
    let dropped: Vec<_> = text
        .lines()
        .enumerate()
        .filter(|(at, _)| *at != 1)
        .collect();
    let dropped: String = dropped
        .iter()
        .map(|(_, line)| [line, "\n"].concat())
        .collect();
    fs::write(&path, dropped).unwrap();
    let done = workshop.run(["audit", "verify", "runs.jsonl"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stdout
            .starts_with("runs.jsonl:2: is record 2; record 1 is missing"),
        "{done:?}"
    );
}

#[test]
fn records_are_shown_a_line_each() {
    let workshop = recorded();
    let done = workshop.run(["audit", "show", "runs.jsonl"]);
    let lines: Vec<_> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{done:?}");
    assert!(lines[0].contains("finished"), "{done:?}");
    assert!(lines[1].contains("raised · ZeroDivisionError"), "{done:?}");
    let last = workshop.run([
        "audit",
        "show",
        "runs.jsonl",
        "--last",
        "1",
        "--format",
        "json",
    ]);
    assert_eq!(last.json()["seq"].to_string(), "2");
}

#[test]
fn content_is_kept_when_asked_for_and_only_then() {
    let workshop = Workshop::new();
    let path = workshop.path().join("runs.jsonl");
    workshop.job(TALKER, &["--audit", "runs.jsonl"]);
    assert!(!fs::read_to_string(&path).unwrap().contains("on stdout"));
    workshop.job(TALKER, &["--audit", "runs.jsonl", "--audit-content"]);
    assert!(fs::read_to_string(&path).unwrap().contains("on stdout"));
}

#[test]
fn a_file_that_is_not_an_audit_file_is_not_touched_and_nothing_runs() {
    let workshop = Workshop::new();
    let path = workshop.file("notes.txt", "dear diary\n");
    let done = workshop.job(TALKER, &["--audit", "notes.txt"]);
    done.refuses(
        71,
        &[
            "notes.txt",
            "not an audit file",
            "hint: the run was not started",
        ],
    );
    assert!(!done.stderr.contains("on stderr"), "{done:?}");
    assert_eq!(fs::read_to_string(path).unwrap(), "dear diary\n");
    workshop
        .job(TALKER, &["--audit", "no/such/dir.jsonl"])
        .refuses(71, &["no/such/dir.jsonl", "No such file"]);
    workshop
        .run(["audit", "verify", "gone.jsonl"])
        .refuses(71, &["gone.jsonl"]);
}

#[test]
fn a_full_disk_is_noticed_before_the_run() {
    if !is_root() {
        eprintln!("skipped: only root can mount a small disk");
        return;
    }
    let workshop = Workshop::new();
    workshop.file("job.py", TALKER);
    fs::create_dir(workshop.path().join("disk")).unwrap();
    let run = |size: &str| {
        let script = "mount -t tmpfs -o size=$1 tmpfs disk && \
                      exec \"$0\" run job.py --audit disk/runs.jsonl";
        let output = Command::new("unshare")
            .args(["--mount", "sh", "-c", script, STOCKADE, size])
            .current_dir(workshop.path())
            .output()
            .unwrap();
        Done::of(&output)
    };
    let full = run("64k");
    full.refuses(
        71,
        &[
            "audit file disk/runs.jsonl",
            "No space left",
            "was not started",
        ],
    );
    assert!(!full.stderr.contains("on stderr"), "{full:?}");
    let roomy = run("4m");
    assert_eq!(roomy.code, Some(0), "{roomy:?}");
}
