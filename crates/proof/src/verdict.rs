//! What a run says of an attack.

use serde_json::Value;
use stockade::LimitId;

use crate::expect::Expect;
use crate::ground::{End, Ran};
use crate::probe::{Attack, Probe};

/// What came of a probe behind a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The attack failed as it must.
    Held,
    /// It got through, or ended as it must not; how.
    Through(String),
    /// It was not run; why.
    Skipped(String),
    /// Nothing can be said: its control failed, or it said nothing; how.
    Failed(String),
}

/// What a program says of itself on its standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// `DENIED`, or nothing found.
    Denied,
    /// `REACHED`, or found; with what.
    Reached(String),
    /// Denied, since this host has nothing of what is attacked; with what it lacks.
    Absent(String),
}

/// Longest account of a probe that is kept, characters.
const DETAIL_CHARS_MAX: usize = 300;

/// The last line of `stdout` in which the probe called `id` says what came of it.
pub(crate) fn said(stdout: &str, id: &str) -> Option<Said> {
    stdout.lines().rev().find_map(|line| {
        let line: Value = serde_json::from_str(line.trim()).ok()?;
        if line.get("id")?.as_str()? != id {
            return None;
        }
        let reached = match (line.get("verdict"), line.get("found")) {
            (Some(verdict), None) => match verdict.as_str()? {
                "DENIED" => false,
                "REACHED" => true,
                _ => return None,
            },
            (None, Some(found)) => found.as_bool()?,
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let detail = || {
            let detail = line.get("detail").map(Value::to_string);
            short(&detail.unwrap_or_default())
        };
        let absent = line.get("absent").and_then(Value::as_bool) == Some(true);
        Some(match (reached, absent) {
            (true, _) => Said::Reached(detail()),
            (false, true) => Said::Absent(detail()),
            (false, false) => Said::Denied,
        })
    })
}

fn short(text: &str) -> String {
    match text.char_indices().nth(DETAIL_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What `ran` says of `probe`.
pub(crate) fn verdict(probe: &Probe, ran: &Ran) -> Verdict {
    if let Some(broken) = ran.broken.first() {
        return Verdict::Through(broken.clone());
    }
    let verdict = match &probe.expect {
        Expect::Verdict | Expect::Specimen => match said(&ran.stdout, &probe.id) {
            // Behind a fence it is for the fence that nothing is there.
            Some(Said::Denied | Said::Absent(_)) => Verdict::Held,
            Some(Said::Reached(what)) => Verdict::Through(what),
            None => Verdict::Failed(format!(
                "it said nothing of what it reached and ended in `{}`: {}",
                ran.ended,
                short(&ran.stderr)
            )),
        },
        Expect::Outcome(wanted) => match &ran.ended {
            End::Outcome(ended) if wanted.iter().any(|one| one.admits(ended)) => Verdict::Held,
            End::Outcome(_) | End::Refused(_) => match said(&ran.stdout, &probe.id) {
                Some(Said::Reached(what)) => {
                    Verdict::Through(format!("it ended in `{}`: {what}", ran.ended))
                }
                Some(Said::Denied | Said::Absent(_)) | None => wrong(ran, &listed(wanted)),
            },
        },
        Expect::Refusal(kind) => {
            if ran.ended == End::Refused(*kind) {
                Verdict::Held
            } else {
                wrong(ran, &format!("error {}", kind.slug()))
            }
        }
    };
    let floods = [LimitId::Stdout, LimitId::Stderr]
        .into_iter()
        .any(|id| probe.attacks.contains(&Attack::Limit(id)));
    if verdict == Verdict::Held && floods && !ran.dropped {
        return Verdict::Failed("it never filled what is kept of its output".to_owned());
    }
    verdict
}

fn listed<T: ToString>(wanted: &[T]) -> String {
    let names: Vec<_> = wanted.iter().map(T::to_string).collect();
    names.join("` or `")
}

fn wrong(ran: &Ran, wanted: &str) -> Verdict {
    let said = match ran.stderr.as_str() {
        "" => String::new(),
        text => format!(" ({})", short(text)),
    };
    Verdict::Through(format!(
        "it ended in `{}`, not in `{wanted}`{said}",
        ran.ended
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Corpus;
    use crate::expect::Ended;

    fn probe(expect: &str, attacks: &str) -> Probe {
        let text = format!(
            "# id: leak/001\n# technique: t\n# family: f\n# attacks: {attacks}\n# context: job\n\
             # expect: {expect}\n# must-not: m\n# control: outside\n"
        );
        let files: [(&str, &[u8]); 1] = [("leak/001_a.py", text.as_bytes())];
        Corpus::read(&files).unwrap().probes()[0].clone()
    }

    fn ran(slug: &'static str, stdout: &str) -> Ran {
        Ran {
            ended: End::Outcome(Ended { slug, detail: None }),
            stdout: stdout.to_owned(),
            stderr: String::new(),
            dropped: false,
            broken: Vec::new(),
        }
    }

    #[test]
    fn the_last_line_with_its_own_id_counts() {
        let lines = "{\"id\": \"leak/001\", \"found\": true}\nnoise\n\
                     {\"id\": \"leak/001\", \"found\": false}\n\
                     {\"id\": \"leak/2\", \"found\": true}\n";
        assert_eq!(said(lines, "leak/001"), Some(Said::Denied));
        for nothing in [
            "",
            "{}",
            "{\"id\": \"leak/001\"}",
            "{\"id\":\"leak/001\",\"verdict\":\"?\"}",
        ] {
            assert_eq!(said(nothing, "leak/001"), None, "{nothing}");
        }
    }

    #[test]
    fn a_program_that_says_nothing_is_no_pass() {
        let probe = probe("found false", "no-network");
        assert!(matches!(
            verdict(&probe, &ran("finished", "")),
            Verdict::Failed(_)
        ));
        let denied = ran(
            "finished",
            "{\"id\": \"leak/001\", \"verdict\": \"DENIED\"}",
        );
        assert_eq!(verdict(&probe, &denied), Verdict::Held);
        let mut broken = denied;
        broken.broken.push("too much".to_owned());
        assert!(matches!(verdict(&probe, &broken), Verdict::Through(_)));
    }

    #[test]
    fn another_outcome_than_the_expected_got_through() {
        let probe = probe("outcome limit_exceeded:cpu", "cpu");
        let mut ran = ran("limit_exceeded", "");
        assert!(matches!(verdict(&probe, &ran), Verdict::Through(_)));
        ran.ended = End::Outcome(Ended {
            slug: "limit_exceeded",
            detail: Some("cpu".to_owned()),
        });
        assert_eq!(verdict(&probe, &ran), Verdict::Held);
    }

    #[test]
    fn a_flood_that_filled_nothing_is_no_pass() {
        let probe = probe("outcome finished", "stdout");
        let mut ran = ran("finished", "");
        assert!(matches!(verdict(&probe, &ran), Verdict::Failed(_)));
        ran.dropped = true;
        assert_eq!(verdict(&probe, &ran), Verdict::Held);
    }
}
