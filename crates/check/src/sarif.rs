//! Findings as SARIF 2.1.0, which code hosts and editors read.

use serde_json::{Value, json};

use crate::finding::Finding;
use crate::rule::Rule;
use crate::{Checked, NOTICE};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log of one run.
#[must_use]
pub fn sarif(files: &[Checked]) -> Value {
    let results: Vec<Value> = files
        .iter()
        .flat_map(|file| file.report.findings.iter().map(|one| result(file, one)))
        .collect();
    let artifacts: Vec<Value> = files
        .iter()
        .map(|file| json!({"location": {"uri": uri(&file.name)}}))
        .collect();
    let more: usize = files.iter().map(|file| file.report.more).sum();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "stockade check",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "shortDescription": {"text": NOTICE},
                "rules": Rule::ALL.iter().map(|rule| descriptor(*rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts,
            "results": results,
            "properties": {"notice": NOTICE, "more": more},
        }],
    })
}

fn descriptor(rule: Rule) -> Value {
    let page = rule.page();
    json!({
        "id": rule.code(),
        "name": rule.slug(),
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.why},
        "help": {"text": format!("Write instead:\n{}\nNot caught: {}", page.good, page.blind)},
        "defaultConfiguration": {"level": rule.severity().slug()},
    })
}

fn result(file: &Checked, finding: &Finding) -> Value {
    let suppressions: Vec<Value> = finding
        .suppressed
        .iter()
        .map(|reason| json!({"kind": "external", "justification": reason}))
        .collect();
    json!({
        "ruleId": finding.rule.code(),
        "ruleIndex": Rule::ALL.iter().position(|rule| *rule == finding.rule),
        "level": finding.severity.slug(),
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&file.name)},
            "region": {
                "startLine": finding.start.line,
                "startColumn": finding.start.column,
                "endLine": finding.end.line,
                "endColumn": finding.end.column,
            },
        }}],
        "suppressions": suppressions,
    })
}

/// A file's name as a URI reference.
fn uri(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    // A colon in the first segment would make a scheme of it.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    if name.starts_with('/') {
        out.push_str("file://");
    }
    for byte in name.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.extend([format!("%{byte:02X}")]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_uri_whatever_is_in_it() {
        assert_eq!(uri("jobs/a.py"), "jobs/a.py");
        assert_eq!(uri("/tmp/a b.py"), "file:///tmp/a%20b.py");
        assert_eq!(uri("c:é%.py"), "c%3A%C3%A9%25.py");
    }
}
