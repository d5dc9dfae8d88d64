//! The audit chain: one line a run, each with the digest of the one before.
//!
//! A line is canonical JSON (keys sorted, no white space, integers only):
//! `{"prev":…,"record":{…},"seq":…,"hash":…}` with `hash` the SHA-256 of the same object without
//! `hash`, `prev` the hash of the line before (64 zeros for the first) and `seq` counting from 0.
//!
//! What a chain that verifies proves: no record in it was changed, dropped or reordered after it
//! was written, unless the whole rest of the file was rewritten. That nothing was cut off the end
//! it cannot prove: keep the last hash elsewhere for that.

use crate::record::sha256_hex;
use serde_json::{Map, Value};

/// `prev` of the first line.
pub const FIRST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Where the chain stands: what the next line needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Number of the next line.
    pub seq: u64,
    /// Hash of the last line.
    pub hash: String,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            seq: 0,
            hash: FIRST.to_owned(),
        }
    }
}

/// The line for `record` after `head`, without a line end, and the head after it.
#[must_use]
pub fn line(head: &Head, record: Value) -> (String, Head) {
    let mut object = Map::new();
    object.insert("prev".into(), head.hash.clone().into());
    object.insert("record".into(), record);
    object.insert("seq".into(), head.seq.into());
    let sealed = canonical(&Value::Object(object));
    let hash = sha256_hex(sealed.as_bytes());
    // The hash goes last, so that the text it covers is the line's own beginning.
    let text = format!("{},\"hash\":\"{hash}\"}}", &sealed[..sealed.len() - 1]);
    (
        text,
        Head {
            seq: head.seq + 1,
            hash,
        },
    )
}

/// Where the chain stands after `line`.
///
/// # Errors
/// [`Fault::NotARecord`] or [`Fault::Changed`] when the line does not carry its own hash.
pub fn head_after(line: &str) -> Result<Head, Fault> {
    let (sealed, hash) = split(line).ok_or(Fault::NotARecord)?;
    if sha256_hex(format!("{sealed}}}").as_bytes()) != hash {
        return Err(Fault::Changed);
    }
    let seq = Entry::of(line).ok_or(Fault::NotARecord)?.seq;
    Ok(Head {
        seq: seq + 1,
        hash: hash.to_owned(),
    })
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not a record: torn by a crash, or not written by us.
    NotARecord,
    /// Its content does not have its hash.
    Changed,
    /// It does not follow the one before: records between them are missing.
    Dropped {
        /// `seq` that should stand here.
        expected: u64,
        /// `seq` that does.
        found: u64,
    },
    /// It belongs elsewhere in the file.
    Reordered {
        /// `seq` that should stand here.
        expected: u64,
        /// `seq` that does.
        found: u64,
    },
    /// Its number is right, but it was written after another line than the one before it.
    Replaced,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotARecord => f.write_str("is not a record: torn or foreign"),
            Self::Changed => f.write_str("was changed: its content does not have its hash"),
            Self::Dropped { expected, found } if found - expected == 1 => {
                write!(f, "is record {found}; record {expected} is missing")
            }
            Self::Dropped { expected, found } => {
                write!(
                    f,
                    "is record {found}; records {expected} to {} are missing",
                    found - 1
                )
            }
            Self::Reordered { expected, found } => {
                write!(
                    f,
                    "is record {found}, where record {expected} belongs: reordered"
                )
            }
            Self::Replaced => {
                f.write_str("does not follow the line before it: one of the two was replaced")
            }
        }
    }
}

/// A fault and the line it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Line number, from 1.
    pub line: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// Checks a chain line by line.
#[derive(Debug, Default)]
pub struct Verifier {
    head: Head,
    line: u64,
    findings: Vec<Finding>,
}

impl Verifier {
    /// Takes the next line, without its line end.
    pub fn push(&mut self, text: &str) {
        self.line += 1;
        let next = match head_after(text) {
            Ok(next) => next,
            Err(fault) => {
                // A changed record still has a place in the chain; a torn one has none.
                if let (Fault::Changed, Some(entry)) = (&fault, Entry::of(text)) {
                    self.head = Head {
                        seq: entry.seq + 1,
                        hash: entry.hash,
                    };
                }
                return self.find(fault);
            }
        };
        let (expected, found) = (self.head.seq, next.seq - 1);
        let prev = Entry::of(text).map(|entry| entry.prev);
        if found > expected {
            self.find(Fault::Dropped { expected, found });
        } else if found < expected {
            // The chain goes on from the highest record seen.
            return self.find(Fault::Reordered { expected, found });
        } else if prev.as_deref() != Some(&self.head.hash) {
            self.find(Fault::Replaced);
        }
        self.head = next;
    }

    fn find(&mut self, fault: Fault) {
        self.findings.push(Finding {
            line: self.line,
            fault,
        });
    }

    /// Lines taken.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.line
    }

    /// What was found, in the order of the file.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Where the chain stands.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }
}

struct Entry {
    seq: u64,
    prev: String,
    hash: String,
}

impl Entry {
    fn of(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let seq = value.get("seq")?.as_u64().filter(|seq| *seq < u64::MAX)?;
        value.get("record")?.as_object()?;
        Some(Self {
            seq,
            prev: text("prev")?,
            hash: text("hash")?,
        })
    }
}

fn split(line: &str) -> Option<(&str, &str)> {
    let (sealed, rest) = line.rsplit_once(",\"hash\":\"")?;
    Some((sealed, rest.strip_suffix("\"}")?))
}

/// One text for one value: keys sorted by their bytes, no white space.
#[must_use]
pub fn canonical(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Object(object) => {
                let mut keys: Vec<_> = object.iter().collect();
                keys.sort_by(|one, other| one.0.as_bytes().cmp(other.0.as_bytes()));
                out.push('{');
                for (at, (key, value)) in keys.into_iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    out.push_str(&Value::from(key.as_str()).to_string());
                    out.push(':');
                    write(value, out);
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for (at, value) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write(value, out);
                }
                out.push(']');
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                out.push_str(&value.to_string());
            }
        }
    }
    let mut out = String::new();
    write(value, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chain(count: u64) -> Vec<String> {
        let mut head = Head::default();
        (0..count)
            .map(|n| {
                let (text, next) = line(&head, json!({ "run": n, "a": [1, "\u{1b}"] }));
                head = next;
                text
            })
            .collect()
    }

    fn verify(lines: &[String]) -> Vec<Finding> {
        let mut verifier = Verifier::default();
        for text in lines {
            verifier.push(text);
        }
        verifier.findings().to_vec()
    }

    #[test]
    fn an_untouched_chain_has_no_findings() {
        assert_eq!(verify(&chain(5)), []);
    }

    #[test]
    fn a_changed_record_is_named() {
        for at in 0..5 {
            let mut lines = chain(5);
            lines[at] = lines[at].replace("\"a\":[1", "\"a\":[2");
            assert_eq!(
                verify(&lines),
                [Finding {
                    line: at as u64 + 1,
                    fault: Fault::Changed
                }]
            );
        }
    }

    #[test]
    fn a_dropped_record_is_named() {
        let mut lines = chain(5);
        lines.remove(2);
        let fault = Fault::Dropped {
            expected: 2,
            found: 3,
        };
        assert_eq!(verify(&lines), [Finding { line: 3, fault }]);
    }

    #[test]
    fn reordered_records_are_named() {
        let mut lines = chain(5);
        lines.swap(1, 2);
        let found = verify(&lines);
        assert_eq!(
            found[0],
            Finding {
                line: 2,
                fault: Fault::Dropped {
                    expected: 1,
                    found: 2
                }
            }
        );
        assert_eq!(
            found[1],
            Finding {
                line: 3,
                fault: Fault::Reordered {
                    expected: 3,
                    found: 1
                }
            }
        );
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_record_rewritten_with_a_good_hash_breaks_the_link_after_it() {
        let mut lines = chain(3);
        let head = head_after(&lines[0]).unwrap();
        lines[1] = line(&head, json!({ "run": 99 })).0;
        assert_eq!(
            verify(&lines),
            [Finding {
                line: 3,
                fault: Fault::Replaced
            }]
        );
    }

    #[test]
    fn a_torn_line_is_named() {
        let mut lines = chain(3);
        let half = lines[1].len() / 2;
        lines[1].truncate(half);
        let found = verify(&lines);
        assert_eq!(
            found[0],
            Finding {
                line: 2,
                fault: Fault::NotARecord
            }
        );
    }

    #[test]
    fn the_form_of_a_line_does_not_change() {
        // Golden: a change here is a change of the audit format's version.
        let (text, _) = line(&Head::default(), json!({ "b": 1, "a": "x" }));
        assert_eq!(
            text,
            format!(
                "{{\"prev\":\"{FIRST}\",\"record\":{{\"a\":\"x\",\"b\":1}},\"seq\":0,\"hash\":\
                 \"{}\"}}",
                sha256_hex(
                    format!(
                        "{{\"prev\":\"{FIRST}\",\"record\":{{\"a\":\"x\",\"b\":1}},\"seq\":0}}"
                    )
                    .as_bytes()
                )
            )
        );
    }
}
