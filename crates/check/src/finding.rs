//! What was found, and where.

use std::ops::Range;

use crate::policy::Policy;
use crate::rule::Rule;
use crate::severity::Severity;

/// Findings kept for one file. Those beyond are counted.
pub const FINDINGS_MAX: usize = 1_000;

/// A place, counted from 1, columns in code points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// Something that a rule objects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How bad the policy says it is.
    pub severity: Severity,
    /// What it is. It may quote names of the source: escape it for a terminal.
    pub message: String,
    /// Where, in bytes.
    pub span: Range<usize>,
    /// Where it begins.
    pub start: Place,
    /// Where it ends; the column is that behind it.
    pub end: Place,
    /// Why the policy lets it pass, where it does.
    pub suppressed: Option<String>,
}

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order of places, at most [`FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// How many more there are.
    pub more: usize,
    /// The worst severity of those that are not suppressed, of those not kept too.
    pub worst: Option<Severity>,
}

impl Report {
    /// Whether something is as bad as `severity`, or worse, and not suppressed.
    #[must_use]
    pub fn fails(&self, severity: Severity) -> bool {
        self.worst.is_some_and(|worst| worst >= severity)
    }
}

/// Findings as they come, without lines and columns yet.
pub(crate) struct Findings<'a> {
    name: &'a str,
    policy: &'a Policy,
    kept: Vec<Finding>,
    /// Of those that are not kept, because there are too many.
    more: usize,
    worst: Option<Severity>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(name: &'a str, policy: &'a Policy) -> Self {
        Self {
            name,
            policy,
            kept: Vec::new(),
            more: 0,
            worst: None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.more
    }

    pub(crate) fn add(&mut self, rule: Rule, span: Range<usize>, message: impl Into<String>) {
        let severity = self.policy.severity(rule);
        if self.kept.len() >= FINDINGS_MAX {
            // One that is not kept is not suppressed either.
            self.more += 1;
            self.worst = self.worst.max(Some(severity));
            return;
        }
        let message = message.into();
        let again = self.kept.iter().rev().take(4);
        if again
            .into_iter()
            .any(|f| f.rule == rule && f.span == span && f.message == message)
        {
            return;
        }
        self.kept.push(Finding {
            rule,
            severity,
            message,
            span,
            start: Place::default(),
            end: Place::default(),
            suppressed: None,
        });
    }

    /// Sorted, placed and with what the policy suppresses marked.
    pub(crate) fn finish(mut self, bytes: &[u8]) -> Report {
        self.kept
            .sort_by_key(|finding| (finding.span.start, finding.rule));
        let mut starts = Cursor::new(bytes);
        for finding in &mut self.kept {
            finding.start = starts.place(finding.span.start);
        }
        let mut by_end: Vec<usize> = (0..self.kept.len()).collect();
        by_end.sort_by_key(|index| self.kept[*index].span.end);
        let mut ends = Cursor::new(bytes);
        for index in by_end {
            self.kept[index].end = ends.place(self.kept[index].span.end);
        }
        for finding in &mut self.kept {
            let suppressed = self
                .policy
                .suppressed(finding.rule, self.name, finding.start.line);
            finding.suppressed = suppressed.map(str::to_owned);
            if finding.suppressed.is_none() {
                self.worst = self.worst.max(Some(finding.severity));
            }
        }
        Report {
            findings: self.kept,
            more: self.more,
            worst: self.worst,
        }
    }
}

/// Goes through the bytes once, however many places are asked for, as long as they ascend.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    place: Place,
}

impl<'a> Cursor<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            place: Place { line: 1, column: 1 },
        }
    }

    fn place(&mut self, offset: usize) -> Place {
        while self.at < offset {
            let Some(byte) = self.bytes.get(self.at) else {
                break;
            };
            self.at += 1;
            if *byte == b'\n' {
                self.place.line += 1;
                self.place.column = 1;
            } else if byte & 0xc0 != 0x80 {
                // Not a continuation: one more code point.
                self.place.column += 1;
            }
        }
        self.place
    }
}
