//! Findings as JSON: one document, or a line each.

use serde_json::{Map, Value, json};

use crate::finding::Finding;
use crate::severity::Severity;
use crate::{Checked, NOTICE};

/// One document: `{"files": [{"name", "findings": […], "more"}], "summary", "notice"}`.
#[must_use]
pub fn json(files: &[Checked]) -> Value {
    let each: Vec<Value> = files
        .iter()
        .map(|file| {
            let findings: Vec<Value> = file.report.findings.iter().map(finding).collect();
            json!({"name": file.name, "findings": findings, "more": file.report.more})
        })
        .collect();
    json!({"files": each, "summary": summary(files), "notice": NOTICE})
}

/// A document a finding, with the file's name in `file`, and a last one with the summary and the
/// notice.
#[must_use]
pub fn json_lines(files: &[Checked]) -> Vec<Value> {
    let mut lines = Vec::new();
    for file in files {
        for one in &file.report.findings {
            let mut line = finding(one);
            line["file"] = json!(file.name);
            lines.push(line);
        }
        if file.report.more > 0 {
            lines.push(json!({"file": file.name, "more": file.report.more}));
        }
    }
    lines.push(json!({"summary": summary(files), "notice": NOTICE}));
    lines
}

fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.rule.code(),
        "name": finding.rule.slug(),
        "severity": finding.severity.slug(),
        "message": finding.message,
        "line": finding.start.line,
        "column": finding.start.column,
        "end_line": finding.end.line,
        "end_column": finding.end.column,
        "suppressed": finding.suppressed,
    })
}

fn summary(files: &[Checked]) -> Value {
    let mut counts = Map::new();
    counts.insert("files".to_owned(), json!(files.len()));
    for severity in Severity::ALL {
        let of_it = |one: &&Finding| one.suppressed.is_none() && one.severity == severity;
        let count: usize = files
            .iter()
            .map(|file| file.report.findings.iter().filter(of_it).count())
            .sum();
        counts.insert(format!("{}s", severity.slug()), json!(count));
    }
    let of_all = files.iter().flat_map(|file| &file.report.findings);
    let suppressed = of_all.filter(|one| one.suppressed.is_some()).count();
    counts.insert("suppressed".to_owned(), json!(suppressed));
    let more: usize = files.iter().map(|file| file.report.more).sum();
    counts.insert("more".to_owned(), json!(more));
    Value::Object(counts)
}
