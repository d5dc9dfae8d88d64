//! Rules about names and lines, whatever the language.

use super::Finding;
use std::path::Path;

/// Names that say nothing about what is inside.
const NAMES_REFUSED: [&str; 9] = [
    "util", "utils", "helper", "helpers", "common", "misc", "manager", "managers", "types",
];
const LINES_MAX: usize = 600;
const COLUMNS_MAX: usize = 100;
/// What people write and read as code.
const CODE: [&str; 3] = ["rs", "py", "sh"];

/// The rules for the file at `path`, relative to the top of the workspace.
pub(super) fn check(path: &str, content: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |line: usize, message: String| {
        findings.push(Finding {
            path: path.to_owned(),
            line,
            message,
        });
    };
    let file = Path::new(path);
    let extension = file
        .extension()
        .map(|end| end.to_string_lossy())
        .unwrap_or_default();
    let code = CODE.contains(&extension.as_ref()) || path == ".ci/run";
    for part in file.with_extension("").components() {
        let part = part.as_os_str().to_string_lossy();
        if NAMES_REFUSED.contains(&part.as_ref()) {
            add(
                1,
                format!("`{part}` says nothing about what is inside; name the thing"),
            );
        }
    }
    if path.starts_with("docs/adr/") && !adr_named(path) {
        add(1, "a decision record is called `NNNN-title.md`".to_owned());
    }
    if code && content.lines().count() > LINES_MAX {
        add(
            LINES_MAX + 1,
            format!("a file has at most {LINES_MAX} lines"),
        );
    }
    for (index, line) in content.lines().enumerate() {
        let columns = line.chars().count();
        if code && columns > COLUMNS_MAX {
            add(
                index + 1,
                format!("{columns} columns; a line has at most {COLUMNS_MAX}"),
            );
        }
        for word in marks() {
            if code && line.contains(&word) {
                add(index + 1, format!("`{word}`: do it, or file an issue"));
            }
        }
        for place in places() {
            if line.contains(&place) {
                add(index + 1, format!("`{place}` exists on one machine only"));
            }
        }
    }
    findings
}

/// Put together, so that this file passes its own rule.
fn marks() -> [String; 2] {
    ["FIX", "XX"].map(|start| format!("{start}{}", if start == "XX" { "X" } else { "ME" }))
}

/// Places of the machines that the project was written on. (`/work` itself is the guest's.)
fn places() -> [String; 4] {
    [
        ["/work/", "main"],
        ["/work/", "shared"],
        ["/work/", "steering"],
        ["/work/", ".lib"],
    ]
    .map(|pieces| pieces.concat())
}

fn adr_named(path: &str) -> bool {
    let name = path.trim_start_matches("docs/adr/");
    let number = name.chars().take_while(char::is_ascii_digit).count();
    let title = name.get(number..).unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    number == 4
        && title.starts_with('-')
        && title
            .strip_suffix(".md")
            .is_some_and(|title| title.chars().all(plain))
}
