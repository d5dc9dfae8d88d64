//! The record as JSON. Numbers are integers, so that one record has one text.

use super::{Digest, RECORD_VERSION, Received, Record, Start};
use crate::error::ErrorKind;
use crate::guarantee::Guarantee;
use crate::host::Proof;
use crate::limits::Unit;
use crate::outcome::{Outcome, signal_name};
use crate::policy::Retain;
use crate::report::{Captured, FenceState, Phase, Usage};
use crate::submission::Language;
use serde_json::{Map, Value, json};

/// Everything, content included.
pub(super) fn whole(record: &Record) -> Value {
    let mut json = head(record);
    json.insert("outcome".into(), outcome(&record.outcome));
    let value = record
        .outcome
        .value()
        .map_or(Value::Null, |value| value.tree().clone());
    json.insert("value".into(), value);
    json.insert("stdout".into(), output(&record.stdout, Retain::Content));
    json.insert("stderr".into(), output(&record.stderr, Retain::Content));
    json.extend(tail(record));
    Value::Object(json)
}

/// Content by digest and size, unless the policy keeps it. A value that is kept is kept as text:
/// its numbers are the guest's and have no canonical form.
pub(super) fn audited(record: &Record) -> Value {
    let mut json = head(record);
    json.insert("outcome".into(), outcome(&record.outcome));
    if let Some(value) = record.outcome.value() {
        let mut entry = digest(&Digest::of(value.text().as_bytes()));
        if record.retain == Retain::Content {
            entry["text"] = value.text().into();
        }
        json.insert("value".into(), entry);
    }
    json.insert("stdout".into(), output(&record.stdout, record.retain));
    json.insert("stderr".into(), output(&record.stderr, record.retain));
    json.extend(tail(record));
    Value::Object(json)
}

/// A run that gave no outcome.
pub(super) fn failed(start: &Start, received: &Received, kind: ErrorKind, message: &str) -> Value {
    json!({
        "version": RECORD_VERSION,
        "run": start.run,
        "started": rfc3339(start.started_ms),
        "submission": submission(received),
        "error": { "kind": kind.slug(), "message": message },
    })
}

fn head(record: &Record) -> Map<String, Value> {
    let mut json = Map::new();
    json.insert("version".into(), RECORD_VERSION.into());
    json.insert("run".into(), record.run.clone().into());
    json.insert("started".into(), rfc3339(record.started_ms).into());
    json.insert("submission".into(), submission(&record.submission));
    json.insert(
        "schema".into(),
        record.schema.clone().map_or(Value::Null, Value::from),
    );
    json
}

fn tail(record: &Record) -> Map<String, Value> {
    let mut json = Map::new();
    json.insert("usage".into(), usage(&record.usage, record));
    json.insert("evidence".into(), evidence(record));
    json.insert("cost".into(), json!({ "nano_usd": record.cost.nano_usd }));
    json.insert("warnings".into(), json!(record.warnings));
    json
}

fn digest(digest: &Digest) -> Value {
    json!({ "sha256": digest.sha256, "bytes": digest.bytes })
}

fn submission(received: &Received) -> Value {
    let mut source = digest(&received.source);
    if let Some(text) = &received.source_text {
        source["text"] = text.clone().into();
    }
    let files: Vec<_> = received
        .files
        .iter()
        .map(|(path, of)| json!({ "path": path, "sha256": of.sha256, "bytes": of.bytes }))
        .collect();
    json!({
        "language": received.language,
        "source": source,
        "input": received.input.as_ref().map(digest),
        "files": files,
    })
}

fn outcome(outcome: &Outcome) -> Value {
    let mut json = json!({ "kind": outcome.slug(), "exit_code": outcome.exit_code() });
    let more = match outcome {
        Outcome::Finished { .. } => json!({}),
        Outcome::Raised {
            exception,
            message,
            traceback,
        } => {
            json!({ "exception": exception, "message": message, "traceback": traceback })
        }
        Outcome::Exited { code } => json!({ "code": code }),
        Outcome::Crashed { signal } => json!({ "signal": signal, "name": signal_name(*signal) }),
        Outcome::LimitExceeded {
            limit,
            allowed,
            used,
            by,
        } => json!({
            "limit": limit.name(),
            "unit": unit(limit.spec().unit),
            "allowed": allowed,
            "used": used,
            "by": by,
        }),
        Outcome::Denied { what, by } => json!({ "what": what, "by": by }),
        Outcome::ResultRejected(rejection) => json!({
            "rule": rejection.rule.slug(),
            "pointer": rejection.pointer,
            "message": rejection.message,
            "excerpt": rejection.excerpt,
            "offset": rejection.offset,
        }),
        Outcome::ProtocolViolated { why } => json!({ "why": why, "suspicious": true }),
    };
    if let (Value::Object(json), Value::Object(more)) = (&mut json, more) {
        json.extend(more);
    }
    json
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Millis => "ms",
        Unit::Bytes => "bytes",
        Unit::Count => "count",
    }
}

fn output(captured: &Captured, retain: Retain) -> Value {
    let total = captured.kept.len() as u64 + captured.dropped;
    let mut json = json!({
        "bytes": total,
        "dropped": captured.dropped,
        "truncated": captured.is_truncated(),
    });
    match retain {
        Retain::Digest => json["sha256"] = Digest::of(&captured.kept).sha256.into(),
        Retain::Content => {
            json["text"] = captured.text().into();
            if std::str::from_utf8(&captured.kept).is_err() {
                json["base64"] = base64(&captured.kept).into();
            }
        }
    }
    json
}

fn usage(usage: &Usage, record: &Record) -> Value {
    json!({
        "wall_us": usage.wall_us,
        "cpu_us": usage.cpu_us,
        "memory_peak_bytes": usage.memory_peak_bytes,
        "disk_bytes": usage.disk_bytes,
        "disk_full": usage.disk_full,
        "processes_refused": usage.processes_refused,
        "output_bytes_dropped": record.stdout.dropped + record.stderr.dropped,
        "init_rss_kib": usage.init_rss_kib,
    })
}

fn evidence(record: &Record) -> Value {
    let evidence = &record.evidence;
    let names = |of: &[Guarantee]| of.iter().map(|g| g.slug()).collect::<Vec<_>>();
    let (name, of, version) = &evidence.template;
    let language = if record.submission.language == Language::Formula.slug() {
        Language::Formula
    } else {
        Language::Python
    };
    let (what, version) = language.version(*version);
    let limits: Map<_, _> = evidence
        .limits
        .iter()
        .map(|(id, value)| {
            let by = evidence.enforcement.iter().find(|(other, _)| *other == id);
            let by = by.map(|(_, how)| how.by());
            (id.name().to_owned(), json!({ "value": value, "by": by }))
        })
        .collect();
    let fences: Vec<_> = evidence
        .fences
        .iter()
        .map(|fence| {
            let (state, why) = match &fence.state {
                FenceState::Applied => ("applied", None),
                FenceState::Checked(how) => ("checked", Some(how)),
                FenceState::Partial(without) => ("partial", Some(without)),
                FenceState::Unavailable(why) => ("unavailable", Some(why)),
            };
            json!({ "fence": fence.name, "detail": fence.detail, "state": state, "why": why })
        })
        .collect();
    let teardown: Vec<_> = evidence
        .teardown
        .iter()
        .map(|checked| json!({ "what": checked.what, "found": checked.found }))
        .collect();
    let times = |phases: &[Phase]| -> Map<_, _> {
        phases
            .iter()
            .map(|phase| (phase.name.to_owned(), phase.us.into()))
            .collect()
    };
    let warm = evidence.warmth.map(|warmth| {
        json!({
            "seed_class": warmth.seed_class,
            "seed_classes": warmth.seed_classes,
            "ahead_us": times(&evidence.ahead),
        })
    });
    json!({
        "rung": evidence.rung,
        "guarantees": names(evidence.guarantees),
        "required": names(&evidence.required),
        "template": {
            "name": name,
            "digest": of,
            what: version,
        },
        "limits": limits,
        "fences": fences,
        "teardown": teardown,
        "phases_us": times(&evidence.phases),
        "warm": warm,
        "proof": proof(evidence.proof.as_ref()),
    })
}

/// Whether the rung was attacked on this host, and what came of it.
fn proof(proof: Option<&Proof>) -> Value {
    match proof {
        Some(proof) => json!({
            "state": "proved",
            "at": rfc3339(proof.at_ms),
            "probes": proof.probes,
        }),
        None => json!({ "state": "not_proved" }),
    }
}

/// `2026-11-30T12:00:00.000Z` for milliseconds since 1970 (civil-from-days by Howard Hinnant).
#[must_use]
pub fn rfc3339(ms: u64) -> String {
    let (days, of_day) = (ms / 86_400_000, ms % 86_400_000);
    let z = days + 719_468;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1_000 % 60, of_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group
            .iter()
            .fold(0u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for at in 0..4 {
            if at <= group.len() {
                text.push(char::from(ALPHABET[(word >> (18 - 6 * at) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_399_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(rfc3339(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(1_796_040_000_000), "2026-11-30T12:00:00.000Z");
    }

    #[test]
    fn base64_pads_as_rfc_4648_says() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
