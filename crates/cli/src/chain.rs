//! `stockade audit`: reads and checks audit files.

use std::collections::VecDeque;
use std::path::Path;

use serde_json::{Value, json};

use crate::flag::{Audit, Format};
use crate::format;
use crate::screen;
use crate::terminal;
use crate::trouble::Failure;

/// Exit code when a chain does not hold.
const BROKEN: u8 = 1;

/// Characters of one field at most in a line for people.
const FIELD_CHARS_MAX: usize = 60;

pub(crate) fn audit(command: Audit) -> Result<u8, Failure> {
    match command {
        Audit::Show { file, format, last } => show(&file, format, last),
        Audit::Verify { file, format } => verify(&file, format),
    }
}

fn show(file: &Path, format: Format, last: Option<usize>) -> Result<u8, Failure> {
    let mut kept = VecDeque::new();
    let mut trouble = Ok(());
    let mut number = 0_u64;
    stockade::each_line(file, |line| {
        number += 1;
        match last {
            // Only the last so many are held in memory.
            Some(last) => {
                kept.push_back((number, line.to_owned()));
                if kept.len() > last {
                    kept.pop_front();
                }
            }
            None if trouble.is_ok() => trouble = entry(number, line, format),
            None => {}
        }
    })?;
    trouble?;
    for (number, line) in kept {
        entry(number, &line, format)?;
    }
    Ok(0)
}

fn entry(number: u64, line: &str, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json if terminal::stdout_is_one() => {
            terminal::print(&format!("{}\n", crate::json::printable(line)))
        }
        // As it stands in the file: whoever parses it may want to check its hash.
        Format::Json => terminal::print(&format!("{line}\n")),
        Format::Human => terminal::print(&format!("{}\n", summary(number, line))),
    }
}

/// One record on one line.
fn summary(number: u64, line: &str) -> String {
    let Ok(entry) = serde_json::from_str::<Value>(line) else {
        return format!("line {number} is not a record; `stockade audit verify` says more");
    };
    let record = &entry["record"];
    let text = |value: &Value| screen::excerpt(value.as_str().unwrap_or("?"), FIELD_CHARS_MAX);
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let mut parts = vec![
        text(&record["started"]),
        text(&record["run"]),
        match record.get("error") {
            Some(error) => format!(
                "error {}: {}",
                text(&error["kind"]),
                text(&error["message"])
            ),
            None => text(&record["outcome"]["kind"]),
        },
    ];
    if let Some(detail) = ["limit", "exception", "what", "rule", "name", "code"]
        .iter()
        .find_map(|key| record["outcome"].get(key))
    {
        parts.push(
            detail
                .as_str()
                .map_or_else(|| detail.to_string(), |_| text(detail)),
        );
    }
    if let Some(rung) = record["evidence"]["rung"].as_str() {
        let usage = &record["usage"];
        parts.push(screen::excerpt(rung, FIELD_CHARS_MAX));
        parts.push(format!("{} wall", format::time(number(&usage["wall_us"]))));
        parts.push(format!("{} cpu", format::time(number(&usage["cpu_us"]))));
    }
    let digest = text(&record["submission"]["source"]["sha256"]);
    parts.push(format!("program {}", digest.get(..12).unwrap_or(&digest)));
    parts.join(" · ")
}

fn verify(file: &Path, format: Format) -> Result<u8, Failure> {
    let verifier = stockade::verify(file)?;
    let (findings, head) = (verifier.findings(), verifier.head());
    let shown = screen::line(&file.to_string_lossy());
    match format {
        Format::Human => {
            let mut text = String::new();
            for finding in findings {
                text.extend([format!("{shown}:{}: {}\n", finding.line, finding.fault)]);
            }
            let verdict = match findings.len() {
                0 => "the chain holds".to_owned(),
                found => format!(
                    "the chain does not hold: {}",
                    format::count(found as u64, "fault")
                ),
            };
            let lines = format::count(verifier.lines(), "record");
            text.extend([format!(
                "{shown}: {lines}, last hash {}: {verdict}\n",
                head.hash
            )]);
            terminal::print(&text)?;
        }
        Format::Json => {
            let found: Vec<_> = findings
                .iter()
                .map(|finding| json!({ "line": finding.line, "fault": finding.fault.to_string() }))
                .collect();
            terminal::print_json(&json!({
                "file": shown,
                "records": verifier.lines(),
                "head": { "seq": head.seq, "hash": head.hash },
                "findings": found,
                "holds": findings.is_empty(),
            }))?;
        }
    }
    Ok(if findings.is_empty() { 0 } else { BROKEN })
}
