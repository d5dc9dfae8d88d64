//! The house rules that no other tool knows, as a command and as an ordinary test.

mod code;
mod text;

use crate::shell::{Shell, root};
use std::fmt;
use std::fs;
use std::path::Path;

/// A rule broken at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Reads every file that git has or would take; prints what breaks a rule.
pub(crate) fn run() -> Result<(), String> {
    let findings = findings()?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => Err(format!(
            "{count} places break the house rules (CONTRIBUTING.md lists them)"
        )),
    }
}

fn findings() -> Result<Vec<Finding>, String> {
    let listed = Shell::new("git")
        .args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ])
        .read()?;
    let mut findings = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let place = root().join(path);
        // One that is deleted and not yet committed is still listed.
        if !place.is_file() {
            continue;
        }
        let bytes = fs::read(&place).map_err(|e| format!("cannot read `{path}`: {e}"))?;
        findings.extend(check(path, &bytes));
    }
    findings.sort();
    findings.dedup();
    Ok(findings)
}

/// Everything that is wrong with one file.
fn check(path: &str, bytes: &[u8]) -> Vec<Finding> {
    // Seeds of a fuzzer and the like are no text and nobody's prose.
    let Ok(content) = std::str::from_utf8(bytes) else {
        return Vec::new();
    };
    // Hostile programs, with headers that a machine reads a line at a time: nobody's style.
    if path.starts_with("escape/") {
        return Vec::new();
    }
    let mut findings = text::check(path, content);
    if Path::new(path).extension().is_some_and(|end| end == "rs") {
        findings.extend(code::check(path, content));
    }
    findings
}

#[cfg(test)]
mod tests;
