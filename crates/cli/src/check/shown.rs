//! Findings and rules as people read them.

use stockade_check::{Checked, Finding, NOTICE, Rule, Severity};

use crate::screen;
use crate::table::Table;
use crate::terminal::Paint;

/// Characters of a line that are shown.
const SHOWN_CHARS_MAX: usize = 100;
/// Of those, before the place.
const LEAD_CHARS_MAX: usize = 60;
/// Bytes of a character in UTF-8.
const CHAR_BYTES_MAX: usize = 4;

/// With the line of the source and a mark below the place.
pub(super) fn full(file: &Checked, source: &[u8], out: &mut String) {
    let paint = Paint::for_stdout();
    let mut lines = vec![0];
    lines.extend((1..=source.len()).filter(|at| source[at - 1] == b'\n'));
    for finding in unsuppressed(file) {
        let severity = match finding.severity {
            Severity::Error => paint.bad("error:"),
            Severity::Warning | Severity::Note => paint.strong(&format!("{}:", finding.severity)),
        };
        out.extend([format!(
            "{severity} {} [{} {}]\n --> {}:{}:{}\n",
            screen::line(&finding.message),
            finding.rule,
            finding.rule.slug(),
            screen::line(&file.name),
            finding.start.line,
            finding.start.column,
        )]);
        let line = lines.get(finding.start.line - 1).copied();
        excerpt(finding, source, line.unwrap_or_default(), out);
        out.push('\n');
    }
    beyond(file, out);
}

/// A line a finding.
pub(super) fn concise(file: &Checked, out: &mut String) {
    for finding in unsuppressed(file) {
        out.extend([format!(
            "{}:{}:{}: {}: {} {}\n",
            screen::line(&file.name),
            finding.start.line,
            finding.start.column,
            finding.severity,
            finding.rule,
            screen::line(&finding.message),
        )]);
    }
    beyond(file, out);
}

/// Commands of a workflow's log.
pub(super) fn github(file: &Checked, out: &mut String) {
    let data = |text: &str| screen::line(text).replace('%', "%25");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    for finding in unsuppressed(file) {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        out.extend([format!(
            "::{command} file={},line={},col={},endLine={},endColumn={},title={} {}::{}\n",
            property(&file.name),
            finding.start.line,
            finding.start.column,
            finding.end.line,
            finding.end.column,
            finding.rule,
            finding.rule.slug(),
            data(&finding.message),
        )]);
    }
    beyond(file, out);
}

fn unsuppressed(file: &Checked) -> impl Iterator<Item = &Finding> {
    let findings = file.report.findings.iter();
    findings.filter(|one| one.suppressed.is_none())
}

fn beyond(file: &Checked, out: &mut String) {
    if file.report.more > 0 {
        let (name, more) = (screen::line(&file.name), file.report.more);
        out.extend([format!("{name}: {more} more, which are not listed\n")]);
    }
}

/// The line that begins at byte `line`, near the place, with a mark below it. However long the line
/// is, only what is shown of it is looked at.
fn excerpt(finding: &Finding, source: &[u8], line: usize, out: &mut String) {
    let at = finding.span.start.min(source.len());
    let near = at.saturating_sub(LEAD_CHARS_MAX * CHAR_BYTES_MAX);
    let lead = String::from_utf8_lossy(&source[line.max(near)..at]);
    let skipped = lead.chars().count().saturating_sub(LEAD_CHARS_MAX);
    let lead: String = lead.chars().skip(skipped).collect();
    let room = SHOWN_CHARS_MAX - lead.chars().count();
    let far = source.len().min(at + room * CHAR_BYTES_MAX);
    let rest = String::from_utf8_lossy(&source[at..far]);
    let rest: String = rest.chars().take_while(|c| *c != '\n').take(room).collect();
    let marked = if finding.end.line == finding.start.line {
        finding.end.column.saturating_sub(finding.start.column)
    } else {
        rest.chars().count()
    };
    // What is escaped takes more room than it has characters.
    let lead = screen::line(&lead);
    let number = finding.start.line;
    out.extend([format!(
        "{number} | {lead}{}\n{:gutter$} | {:width$}{}\n",
        screen::line(rest.trim_end()),
        "",
        "",
        "^".repeat(marked.clamp(1, room)),
        gutter = number.to_string().len(),
        width = lead.chars().count(),
    )]);
}

/// How much was found, and what that means.
pub(super) fn summary(files: &[Checked]) -> String {
    let mut parts = vec![count(files.len(), "file")];
    let all = || files.iter().flat_map(unsuppressed);
    for severity in Severity::ALL.into_iter().rev() {
        let found = all().filter(|one| one.severity == severity).count();
        if found > 0 {
            parts.push(count(found, severity.slug()));
        }
    }
    let more: usize = files.iter().map(|file| file.report.more).sum();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    let suppressed = files.iter().flat_map(|file| &file.report.findings);
    let suppressed = suppressed.filter(|one| one.suppressed.is_some()).count();
    if suppressed > 0 {
        parts.push(format!("{suppressed} suppressed by the policy"));
    }
    if parts.len() == 1 {
        parts.push("nothing found".to_owned());
    }
    format!("{}\n{NOTICE}\n", parts.join(", "))
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Every rule on a line.
pub(super) fn rules() -> String {
    let mut table = Table::default();
    for rule in Rule::ALL {
        let page = rule.page();
        table.row([
            rule.code(),
            rule.slug(),
            rule.severity().slug(),
            page.summary,
        ]);
    }
    format!("{}\n{NOTICE}\n", table.text(0).trim_end())
}

/// The page of a rule.
pub(super) fn page(rule: Rule) -> String {
    let page = rule.page();
    let paint = Paint::for_stdout();
    let indented = |text: &str| -> String {
        let lines = text.lines().map(|line| format!("    {line}\n"));
        lines.collect()
    };
    format!(
        "{} {} ({})\n\n{}.\n\n{}\n\n{}\n{}\n{}\n{}\n{}\n{}\n\n{NOTICE}\n",
        paint.strong(rule.code()),
        rule.slug(),
        rule.severity(),
        capital(page.summary),
        page.why,
        paint.strong("fires"),
        indented(&page.bad.shown()),
        paint.strong("does not"),
        indented(page.good),
        paint.strong("what it does not catch"),
        page.blind,
    )
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}
