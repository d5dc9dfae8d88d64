//! The evidence of a run, for `-v`.

use stockade::report::{Fence, FenceState};
use stockade::{Enforcement, Record};

use crate::format;
use crate::screen;
use crate::table::Table;
use crate::terminal::Paint;

/// Everything that is known of how the run was held.
pub(crate) fn text(record: &Record, paint: Paint) -> String {
    let mut out = String::new();
    out.push_str(&head(record));
    for (title, table) in [
        ("fences", fences(record, paint)),
        ("limits", limits(record)),
        ("teardown", teardown(record)),
    ] {
        out.extend([format!("{}\n{}", paint.strong(title), table.text(2))]);
    }
    out
}

fn head(record: &Record) -> String {
    let evidence = &record.evidence;
    let mut table = Table::default();
    let given: Vec<_> = evidence.guarantees.iter().map(|g| g.slug()).collect();
    let required: Vec<_> = evidence.required.iter().map(|g| g.slug()).collect();
    let (name, digest, (major, minor, patch)) = &evidence.template;
    let submission = &record.submission;
    table.row(["run", &record.run]);
    table.row(["rung", evidence.rung]);
    table.row(["gives", &given.join(", ")]);
    if !required.is_empty() {
        table.row(["required", &required.join(", ")]);
    }
    let template = format!(
        "{name} (Python {major}.{minor}.{patch}), sha256 {}",
        short(digest)
    );
    table.row(["template", &template]);
    let source = format!(
        "{} bytes, sha256 {}",
        submission.source.bytes,
        short(&submission.source.sha256)
    );
    table.row(["program", &source]);
    if let Some(schema) = &record.schema {
        table.row(["schema", &format!("sha256 {}", short(schema))]);
    }
    table.row(["used", &usage(record)]);
    let phases: Vec<_> = evidence
        .phases
        .iter()
        .map(|phase| format!("{} {}", phase.name, format::time(phase.us)))
        .collect();
    table.row(["time", &phases.join(" · ")]);
    if let Some(warmth) = evidence.warmth {
        let ahead: Vec<_> = evidence
            .ahead
            .iter()
            .map(|phase| format!("{} {}", phase.name, format::time(phase.us)))
            .collect();
        let seed = format!(
            "hash seed {} of {}; before it came: {}",
            warmth.seed_class + 1,
            warmth.seed_classes,
            ahead.join(" · ")
        );
        table.row(["warm", &seed]);
    }
    let proof = evidence.proof.as_ref().map_or_else(
        || "no: `stockade doctor --prove` attacks this rung on this host".to_owned(),
        |proof| {
            let held = format::count(u64::from(proof.probes), "probe");
            format!("{held} held at {}", stockade::record::rfc3339(proof.at_ms))
        },
    );
    table.row(["proved", &proof]);
    table.row(["cost", &format::dollars(record.cost.nano_usd)]);
    table.text(0)
}

fn short(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}

fn usage(record: &Record) -> String {
    let usage = &record.usage;
    let mut parts = vec![
        format!("{} wall", format::time(usage.wall_us)),
        format!("{} cpu", format::time(usage.cpu_us)),
    ];
    let optional = [
        (usage.memory_peak_bytes, "memory at most"),
        (usage.disk_bytes, "on disk at the end"),
        (usage.init_rss_kib.map(|kib| kib << 10), "init"),
    ];
    for (bytes, what) in optional {
        parts.extend(bytes.map(|bytes| format!("{} {what}", format::bytes(bytes))));
    }
    parts.join(" · ")
}

/// Steps of one name that follow each other are one row: there are dozens of binds.
fn fences(record: &Record, paint: Paint) -> Table {
    let mut table = Table::default();
    for group in record
        .evidence
        .fences
        .chunk_by(|one, other| one.name == other.name)
    {
        let Some(first) = group.first() else { continue };
        let name = match group.len() {
            1 => first.name.clone(),
            count => format!("{} ×{count}", first.name),
        };
        let worst = group
            .iter()
            .find(|fence| matches!(fence.state, FenceState::Unavailable(_)))
            .unwrap_or(first);
        let (state, detail) = state(worst, paint);
        table.row([&screen::line(&name), &state, &screen::line(&detail)]);
    }
    table
}

fn state(fence: &Fence, paint: Paint) -> (String, String) {
    match &fence.state {
        FenceState::Applied => ("applied".to_owned(), fence.detail.clone()),
        FenceState::Checked(how) => (paint.good("checked"), format!("{}; {how}", fence.detail)),
        FenceState::Partial(lacks) => ("applied".to_owned(), format!("{}; {lacks}", fence.detail)),
        FenceState::Unavailable(why) => (paint.bad("missing"), format!("{}; {why}", fence.detail)),
    }
}

fn limits(record: &Record) -> Table {
    let mut table = Table::default();
    let evidence = &record.evidence;
    for (id, how) in &evidence.enforcement {
        let amount = evidence.limits.amount(*id).to_string();
        table.row([id.name(), &amount, &mechanism(*how)]);
    }
    table
}

/// How a limit is enforced, and over what.
pub(crate) fn mechanism(how: Enforcement) -> String {
    match how {
        Enforcement::WholeGuest { by } => by.to_owned(),
        Enforcement::PerProcess { by } => format!("{by}, for each process"),
        Enforcement::Nothing { because } => format!("not enforced: {because}"),
    }
}

fn teardown(record: &Record) -> Table {
    let mut table = Table::default();
    for checked in &record.evidence.teardown {
        table.row([checked.what, &screen::line(&checked.found)]);
    }
    table
}
