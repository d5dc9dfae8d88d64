//! Writes, or with `--check` compares, every file that is generated from the tables in `core` and
//! `check`.
#![forbid(unsafe_code)]

#[path = "../generate/rung.rs"]
mod rung;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stockade_check::{NOTICE, Profile, Rule};
use stockade_core::guarantee::Guarantee;
use stockade_core::limits::{Amount, LimitId, Scope, Unit};

const MADE_BY: &str = "made by `cargo xtask gen` from the tables in `crates/core`: edit those";

fn main() -> ExitCode {
    let check = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--check") => true,
        Some(other) => {
            eprintln!("error: `{other}` is not known; usage: cargo xtask gen [--check]");
            return ExitCode::FAILURE;
        }
    };
    let mut failed = false;
    let pages = rung::pages();
    let wholes = files().map(|(path, content)| (path.to_owned(), Ok(content)));
    for (path, content) in wholes.into_iter().chain(pages) {
        if let Err(why) = content.and_then(|content| settle(&path, &content, check)) {
            eprintln!("error: {why}");
            failed = true;
        }
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Every file that is generated as a whole: where it lies in the workspace, and what is in it.
fn files() -> [(&'static str, String); 4] {
    [
        ("docs/check-rules.md", rules_page()),
        ("docs/limits.md", limits_page()),
        ("docs/guarantees.md", guarantees_page()),
        ("schemas/limits.schema.json", limits_schema()),
    ]
}

fn settle(path: &str, content: &str, check: bool) -> Result<(), String> {
    let place = place(path);
    if check {
        return match std::fs::read_to_string(&place) {
            Ok(found) if found == content => Ok(()),
            Ok(_) => Err(format!(
                "`{path}` is stale; type `cargo xtask gen` and commit it"
            )),
            Err(e) => Err(format!("cannot read `{path}`: {e}; type `cargo xtask gen`")),
        };
    }
    let directory = place.parent().unwrap_or(&place);
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&place, content))
        .map_err(|e| format!("cannot write `{path}`: {e}"))
}

/// Where a file of the workspace is.
fn place(path: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).join(path)
}

fn limits_page() -> String {
    let mut page = format!(
        "# Limits\n\n<!-- {MADE_BY} -->\n\n\
         Every limit is finite, has a default, and is refused outside its range, never clamped.\n\
         On the command line it is `--limit NAME=VALUE`; durations and sizes need their unit\n\
         (`500ms`, `20s`, `256MiB`) and counts have none. In JSON it is a whole number of\n\
         milliseconds, bytes or things. `stockade explain` says what enforces each on a host.\n\n\
         | name | what it bounds, and what it does not | holds over | min | default | max |\n\
         | --- | --- | --- | --- | --- | --- |\n"
    );
    for id in LimitId::ALL {
        let spec = id.spec();
        let amount = |value| Amount::of(id, value);
        let over = match spec.scope {
            Scope::Guest => "the whole guest",
            Scope::Process => "each process",
            Scope::Supervisor => "what goes in or comes out",
        };
        line(
            &mut page,
            &format!(
                "| `{}` | {} | {over} | {} | {} | {} |",
                spec.name,
                sentence(spec.doc),
                amount(spec.min),
                amount(spec.default),
                amount(spec.max)
            ),
        );
    }
    page
}

fn guarantees_page() -> String {
    let mut page = format!(
        "# Guarantees\n\n<!-- {MADE_BY} -->\n\n\
         A rung declares which of these it gives, and `--require NAME` refuses every rung that\n\
         does not. What a run was given is in its record, with how each fence was applied.\n\n\
         | name | promise |\n| --- | --- |\n"
    );
    for guarantee in Guarantee::ALL {
        let promise = sentence(guarantee.doc());
        line(
            &mut page,
            &format!("| `{}` | {promise} |", guarantee.slug()),
        );
    }
    page
}

fn limits_schema() -> String {
    let mut rows = Vec::new();
    for id in LimitId::ALL {
        let spec = id.spec();
        let unit = match spec.unit {
            Unit::Millis => "milliseconds",
            Unit::Bytes => "bytes",
            Unit::Count => "count",
        };
        let about = quoted(&format!("In {unit}. {}", sentence(spec.doc)));
        rows.push(format!(
            "    \"{}\": {{\n      \"type\": \"integer\",\n      \"minimum\": {},\n      \
             \"maximum\": {},\n      \"default\": {},\n      \"description\": {about}\n    }}",
            spec.name, spec.min, spec.max, spec.default
        ));
    }
    format!(
        "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \
         \"title\": \"Limits of a run\",\n  \"$comment\": {},\n  \"type\": \"object\",\n  \
         \"additionalProperties\": false,\n  \"properties\": {{\n{}\n  }}\n}}\n",
        quoted(MADE_BY),
        rows.join(",\n")
    )
}

fn rules_page() -> String {
    let mut page = format!(
        "# Rules of `stockade check`\n\n\
         <!-- made by `cargo xtask gen` from `crates/check/src/page`: edit that -->\n\n\
         The check is {NOTICE}: [check.md](check.md)\nsays what that means. Examples are of the \
         profile\n`{}`; each example is a test.\n\n| code | name | severity | fires on |\n\
         | --- | --- | --- | --- |\n",
        Profile::NotebookPure.name()
    );
    for rule in Rule::ALL {
        let (code, slug, summary) = (rule.code(), rule.slug(), rule.page().summary);
        let row = format!(
            "| [{code}](#{}) | `{slug}` | {} | {} |",
            anchor(*rule),
            rule.severity(),
            sentence(summary)
        );
        line(&mut page, &row);
    }
    for rule in Rule::ALL {
        let text = rule.page();
        let shown = text.bad.shown();
        line(
            &mut page,
            &format!(
                "\n## {} {}\n\nFires on {}.\n\n{}\n\n```python\n{}\n```\n\nDoes not \
                 fire:\n\n```python\n{}\n```\n\nNot caught: {}",
                rule.code(),
                rule.slug(),
                text.summary,
                text.why,
                shown.trim_end(),
                text.good.trim_end(),
                text.blind
            ),
        );
    }
    page
}

/// What a host of Markdown makes of the heading of a rule.
fn anchor(rule: Rule) -> String {
    format!("{}-{}", rule.code().to_lowercase(), rule.slug())
}

/// A row's documentation as one line without the margins of its source.
fn sentence(doc: &str) -> String {
    doc.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

/// `text` as a JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Writing to a string cannot fail.
            c if c.is_control() => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_guarantee_and_rule_is_on_its_page() {
        let [(_, rules), (_, limits), (_, guarantees), (_, schema)] = files();
        for rule in Rule::ALL {
            let heading = format!("## {} {}\n", rule.code(), rule.slug());
            assert!(rules.contains(&heading), "{heading}");
        }
        for id in LimitId::ALL {
            assert!(
                limits.contains(&format!("| `{}` |", id.name())),
                "{}",
                id.name()
            );
            assert!(
                schema.contains(&format!("\"{}\": {{", id.name())),
                "{}",
                id.name()
            );
        }
        for guarantee in Guarantee::ALL {
            assert!(
                guarantees.contains(guarantee.slug()),
                "{}",
                guarantee.slug()
            );
        }
    }

    #[test]
    fn quotes_and_control_characters_are_escaped() {
        assert_eq!(quoted("a \"b\" \\ \n"), r#""a \"b\" \\ \u000a""#);
    }
}
