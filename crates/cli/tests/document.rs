//! What `docs/outcomes.md` shows is what the command says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Command, Stdio};

const STOCKADE: &str = env!("CARGO_BIN_EXE_stockade");

/// A command line as the document shows it.
struct Shown<'a> {
    line: &'a str,
    exit: i32,
    /// What it prints, standard output before standard error.
    says: Vec<&'a str>,
}

/// Every command of the document, with the exit code that its section names.
fn shown(text: &str) -> Vec<Shown<'_>> {
    let mut found: Vec<Shown<'_>> = Vec::new();
    let (mut exit, mut inside) = (None, false);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Exit code ") {
            exit = rest
                .split('.')
                .next()
                .map(|number| number.parse::<i32>().unwrap());
        }
        if line.starts_with("```") {
            inside = !inside;
        } else if let Some(line) = line.strip_prefix("$ ").filter(|_| inside) {
            found.push(Shown {
                line,
                exit: exit.unwrap(),
                says: Vec::new(),
            });
        } else if inside {
            found.last_mut().unwrap().says.push(line);
        }
    }
    found
}

/// The part of a line that is the same on every host and in every run.
fn constant(line: &str) -> &str {
    let end = [", used ", " (by ", " · "]
        .iter()
        .filter_map(|mark| line.find(mark))
        .min();
    &line[..end.unwrap_or(line.len())]
}

fn run(line: &str) -> (i32, String) {
    let directory = Path::new(STOCKADE).parent().unwrap();
    let path = format!(
        "{}:{}",
        directory.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("/bin/sh")
        .args(["-c", line])
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(said).unwrap(),
    )
}

#[test]
fn each_command_of_the_document_says_what_it_shows() {
    let (_, facts) = run("stockade doctor --format json");
    if facts.contains("\"cgroup\":\"none\"") || facts.contains("\"cgroup\": \"none\"") {
        eprintln!("SKIPPED: without a cgroup the default limits are refused");
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/outcomes.md");
    let text = std::fs::read_to_string(path).unwrap();
    let all = shown(&text);
    assert!(all.len() >= 10, "only {} commands were found", all.len());
    for Shown { line, exit, says } in all {
        let (code, said) = run(line);
        assert_eq!(code, exit, "{line}: {said}");
        let expected: Vec<_> = says.into_iter().map(constant).collect();
        let found: Vec<_> = said.lines().map(constant).collect();
        assert_eq!(found, expected, "{line}");
    }
}
