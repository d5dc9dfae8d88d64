//! What the documents say is so: the README's example, the links, the tests that are named, the
//! exit codes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use stockade::{ErrorKind, LADDER, Outcome};

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Files below `directory` whose name ends with `suffix`, build products left out.
fn files(directory: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() && entry.file_name() != "target" {
            found.extend(files(&path, suffix));
        } else if kind.is_file() && path.to_string_lossy().ends_with(suffix) {
            found.push(path);
        }
    }
    found
}

/// All documents for people.
fn documents() -> Vec<PathBuf> {
    let mut all = files(&top().join("docs"), ".md");
    for name in [
        "README.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    ] {
        all.push(top().join(name));
    }
    all
}

#[test]
fn the_readme_shows_the_first_example_as_it_is() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("```rust\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    assert_eq!(shown, read("crates/engine/examples/first.rs"));
}

#[test]
fn the_readme_names_the_two_commands_before_anything_else_that_can_be_typed() {
    let readme = read("README.md");
    let block = readme.split("```").nth(1).unwrap();
    let commands: Vec<_> = block
        .lines()
        .filter_map(|line| line.split('#').next())
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(commands, ["cargo xtask demo", "cargo xtask test"]);
}

#[test]
fn the_readme_has_every_rung_and_calls_none_planned_that_exists() {
    let readme = read("README.md");
    for rung in LADDER {
        let name = rung.spec().name;
        let row = format!("| [`{name}`](docs/rungs/{name}.md) |");
        assert!(readme.contains(&row), "{row}");
        assert!(!readme.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn every_link_between_documents_leads_to_a_file() {
    let mut followed = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        // What is between fences is code.
        let prose: String = text.split("```").step_by(2).collect();
        for piece in prose.split("](").skip(1) {
            let target = piece.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            followed += 1;
            let place = document.parent().unwrap().join(target);
            assert!(place.exists(), "{}: {target}", document.display());
        }
    }
    assert!(followed > 30, "only {followed} links were found");
}

#[test]
fn every_test_that_the_threat_model_names_exists() {
    let mut code = String::new();
    for path in files(&top().join("crates"), ".rs") {
        code.push_str(&fs::read_to_string(path).unwrap());
    }
    let text = read("docs/threat-model.md");
    let (_, table) = text.split_once("## Guarantee, mechanism, test").unwrap();
    let mut named = 0;
    for name in table.split('`').skip(1).step_by(2) {
        let is_test = name.matches('_').count() >= 3
            && name
                .chars()
                .all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit());
        if is_test {
            named += 1;
            assert!(code.contains(&format!("fn {name}(")), "there is no {name}");
        }
    }
    assert!(named > 20, "only {named} tests are named");
}

#[test]
fn the_exit_codes_of_the_document_are_those_of_the_code() {
    let text = read("docs/outcomes.md");
    for kind in ErrorKind::ALL {
        let row = format!("| `{}` | {} |", kind.slug(), kind.exit_code());
        assert!(text.contains(&row), "{row}");
    }
    for slug in Outcome::SLUGS {
        assert!(text.contains(&format!("### `{slug}`")), "{slug}");
    }
}

#[test]
fn the_profile_for_docker_allows_what_the_jail_allows() {
    let profile: serde_json::Value =
        serde_json::from_str(&read("packaging/docker/seccomp-stockade.json")).unwrap();
    let mut allowed = Vec::new();
    for group in profile["syscalls"].as_array().unwrap() {
        if group["action"] == "SCMP_ACT_ALLOW" {
            allowed.extend(
                group["names"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(|n| n.as_str()),
            );
        }
    }
    let text = read("docs/seccomp.md");
    let (_, rest) = text.split_once("\n## Allowed\n").unwrap();
    let (table, _) = rest.split_once("\n## Refused").unwrap();
    let mut calls = 0;
    for row in table
        .lines()
        .filter(|row| row.starts_with("| ") && row.contains('`'))
    {
        let columns: Vec<_> = row.split('|').map(str::trim).collect();
        // The first table names the calls in its last column, the second in its first.
        let names = if columns[1].starts_with('`') {
            columns[1]
        } else {
            columns[2]
        };
        for call in names.split('`').skip(1).step_by(2) {
            // The kernel's own trampolines have no number in the filter's library.
            if ["uprobe", "uretprobe"].contains(&call) {
                continue;
            }
            calls += 1;
            assert!(
                allowed.contains(&call),
                "{call} is not in the profile for Docker"
            );
        }
    }
    assert!(calls > 200, "only {calls} calls were found");
}
