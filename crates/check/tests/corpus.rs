//! The attack corpus: what its headers say that the check reports is reported, and what passes a
//! check of this kind is known by name.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use stockade_check::{Policy, Profile, check};

/// Families of `escape/` whose files the check must be silent about.
const BLIND_SPOT: &str = "checker-blind-spot";
/// Written against a prototype that followed no aliases and knew no names of modules. This check
/// does both, so that it reports them; the others of the family pass, and so do all that follow.
const CAUGHT_SINCE: [&str; 2] = ["escape/110", "escape/111"];

fn files(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "py") {
            found.push(path);
        }
    }
}

/// The attack corpus, and the files written against this check in particular.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    files(&here.join("../../escape"), &mut found);
    files(&here.join("tests/bypass"), &mut found);
    found.sort();
    found
        .into_iter()
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect()
}

/// The value of a key in the header: `# key: value`.
fn header<'a>(bytes: &'a [u8], key: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let lines = text.lines().take_while(|line| line.starts_with('#'));
    let mut values = lines.filter_map(|line| {
        let value = line.strip_prefix("# ")?.strip_prefix(key)?;
        Some(value.strip_prefix(':')?.trim())
    });
    values.next()
}

fn codes(name: &str, bytes: &[u8]) -> BTreeSet<&'static str> {
    let policy = Policy::profile(Profile::NotebookPure).unwrap();
    let report = check(name, bytes, &policy);
    report.findings.iter().map(|one| one.rule.code()).collect()
}

#[test]
fn what_the_corpus_says_is_reported_is_reported() {
    let mut looked_at = 0;
    for (name, bytes) in corpus() {
        let stops = header(&bytes, "stopped-by").unwrap_or_default();
        for part in stops.split(';') {
            let Some(rest) = part.trim().strip_prefix("check PY") else {
                continue;
            };
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let code = format!("PY{digits}");
            let found = codes(&name, &bytes);
            assert!(
                found.contains(code.as_str()),
                "{name}: {code} not in {found:?}"
            );
            looked_at += 1;
        }
    }
    assert!(
        looked_at >= 50,
        "only {looked_at} files of the corpus name a rule"
    );
}

#[test]
fn what_passes_the_check_is_expected_to_and_reaches_all_the_same() {
    let mut silent = 0;
    for (name, bytes) in corpus() {
        if header(&bytes, "family") != Some(BLIND_SPOT) {
            continue;
        }
        let found = codes(&name, &bytes);
        if header(&bytes, "id").is_some_and(|id| CAUGHT_SINCE.contains(&id)) {
            assert_eq!(found, BTreeSet::from(["PY311"]), "{name}");
        } else {
            assert!(found.is_empty(), "{name}: {found:?}");
            silent += 1;
        }
    }
    assert!(silent >= 8, "only {silent} files are known to pass");
}
