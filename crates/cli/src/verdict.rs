//! One line of verdict, and what is worth knowing besides.

use stockade::report::Captured;
use stockade::{LimitId, Outcome, Record};

use crate::format;
use crate::screen;
use crate::terminal::Paint;

/// Characters of the verdict at most: it may quote the submission.
const VERDICT_CHARS_MAX: usize = 400;

/// `stockade: finished: a value of 2 bytes · jail · 12.3 ms wall · 11.0 ms cpu · 9.1 MiB`
pub(crate) fn line(record: &Record, paint: Paint) -> String {
    let verdict = screen::excerpt(&record.outcome.verdict(), VERDICT_CHARS_MAX);
    let verdict = match record.outcome {
        Outcome::Finished { .. } => paint.good(&verdict),
        Outcome::Raised { .. }
        | Outcome::Exited { .. }
        | Outcome::Crashed { .. }
        | Outcome::LimitExceeded { .. }
        | Outcome::Denied { .. }
        | Outcome::ResultRejected(_)
        | Outcome::ProtocolViolated { .. } => paint.bad(&verdict),
    };
    let usage = &record.usage;
    let memory = usage
        .memory_peak_bytes
        .map_or_else(String::new, |peak| format!(" · {}", format::bytes(peak)));
    format!(
        "stockade: {verdict} · {} · {} wall · {} cpu{memory}\n",
        record.evidence.rung,
        format::time(usage.wall_us),
        format::time(usage.cpu_us),
    )
}

/// What was cut, what was refused, what did not do what it seems to.
pub(crate) fn notes(record: &Record, paint: Paint) -> String {
    let mut notes = Vec::new();
    for (captured, limit) in [
        (&record.stdout, LimitId::Stdout),
        (&record.stderr, LimitId::Stderr),
    ] {
        if captured.is_truncated() {
            notes.push(cut(captured, limit, record));
        }
    }
    let limits = &record.evidence.limits;
    if let Some(times) = record.usage.processes_refused.filter(|times| *times > 0) {
        notes.push(format!(
            "a process or thread was refused {} by `processes` of {}",
            format::count(times, "time"),
            limits.amount(LimitId::Processes),
        ));
    }
    if record.usage.disk_full {
        notes.push(format!(
            "`disk` of {} was full at the end",
            limits.amount(LimitId::Disk)
        ));
    }
    notes.extend(record.warnings.iter().cloned());
    let mark = paint.strong("note:");
    let mut text = String::new();
    text.extend(
        notes
            .iter()
            .map(|note| format!("{mark} {}\n", screen::line(note))),
    );
    text
}

/// What the submission wrote on standard error, with a line end after it.
pub(crate) fn stderr(record: &Record) -> String {
    let mut text = String::new();
    let mut decoder = screen::Decoder::default();
    decoder.push(record.stderr.text().as_bytes(), &mut text);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn cut(captured: &Captured, limit: LimitId, record: &Record) -> String {
    let name = limit.name();
    format!(
        "{name}: {} kept and {} dropped by `{name}` of {}",
        format::count(captured.kept.len() as u64, "byte"),
        captured.dropped,
        record.evidence.limits.amount(limit),
    )
}
