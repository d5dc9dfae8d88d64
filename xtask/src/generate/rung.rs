//! The tables on the pages of the rungs, between two marks.

use std::path::PathBuf;

use stockade_core::guarantee::Guarantee;
use stockade_core::host::{Cgroup, Fact, Facts, Fault, Privilege};
use stockade_core::limits::LimitId;
use stockade_core::rung::Enforcement;
use stockade_rungs::{LADDER, Rung};

use crate::{line, place};

const BEGIN: &str =
    "<!-- begin: made by `cargo xtask gen` from the rung's `RungSpec`: edit that -->";
const END: &str = "<!-- end -->";

/// The pages of all rungs, each with its tables in place, or why that cannot be.
pub(crate) fn pages() -> Vec<(String, Result<String, String>)> {
    LADDER
        .iter()
        .map(|rung| {
            let path = format!("docs/rungs/{}.md", rung.spec().name);
            let page = std::fs::read_to_string(place(&path))
                .map_err(|error| format!("cannot read `{path}`: {error}; write that page"))
                .and_then(|page| with_tables(&page, &tables(*rung), &path));
            (path, page)
        })
        .collect()
}

/// The page with `tables` between its marks.
fn with_tables(page: &str, tables: &str, path: &str) -> Result<String, String> {
    let missing = || format!("`{path}` has no place for its tables: write `{BEGIN}`, then `{END}`");
    let (before, rest) = page.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}\n\n{tables}\n{END}{after}"))
}

fn tables(rung: &dyn Rung) -> String {
    let spec = rung.spec();
    let mut page = String::from("| | |\n| --- | --- |\n");
    let languages: Vec<_> = spec
        .languages
        .iter()
        .map(|language| language.slug())
        .collect();
    line(&mut page, &format!("| runs | {} |", languages.join(", ")));
    let given = |wanted| {
        let slugs = Guarantee::ALL
            .iter()
            .filter(|one| spec.guarantees.contains(one) == wanted)
            .map(|one| format!("`{}`", one.slug()));
        listed(&slugs.collect::<Vec<_>>())
    };
    line(&mut page, &format!("| gives | {} |", given(true)));
    line(&mut page, &format!("| does not give | {} |", given(false)));
    for (privilege, who) in [
        (Privilege::Root, "root"),
        (Privilege::User, "an ordinary user"),
    ] {
        let cell = match (spec.missing)(&host(privilege, v2())) {
            Some(fault) => format!("refused: {}", fault.cause),
            None => listed(&rung.namespaces(privilege)),
        };
        line(
            &mut page,
            &format!("| namespaces at birth, as {who} | {cell} |"),
        );
    }
    page.push_str("\nWhat it shares with the host:\n\n");
    for shared in spec.shares {
        line(&mut page, &format!("- {shared}"));
    }
    page.push_str("\n| limit | cgroup v2 | cgroup v1 | no cgroup |\n| --- | --- | --- | --- |\n");
    for (names, [v2, v1, none]) in rows(rung) {
        let like = |cell: String| {
            if cell == v2 {
                "the same".to_owned()
            } else {
                cell
            }
        };
        let (v1, none) = (like(v1), like(none));
        line(&mut page, &format!("| {names} | {v2} | {v1} | {none} |"));
    }
    page
}

/// Limits in order, those together that are enforced alike.
fn rows(rung: &dyn Rung) -> Vec<(String, [String; 3])> {
    // What needs a namespace or a uid of its own is seen best as root, on a kernel that has all.
    let hosts = [v2(), v1(), none()].map(|cgroup| host(Privilege::Root, cgroup));
    let mut rows: Vec<(String, [String; 3])> = Vec::new();
    for id in LimitId::ALL {
        let cells = hosts
            .each_ref()
            .map(|facts| cell((rung.spec().enforcement)(id, facts)));
        match rows.iter_mut().find(|(_, found)| *found == cells) {
            Some((names, _)) => *names = format!("{names}, `{}`", id.name()),
            None => rows.push((format!("`{}`", id.name()), cells)),
        }
    }
    rows
}

fn cell(how: Enforcement) -> String {
    let by = how.by().replace('|', "\\|");
    match how {
        Enforcement::WholeGuest { .. } => by,
        Enforcement::PerProcess { .. } => format!("{by}, for each process"),
        Enforcement::Nothing { .. } => format!("refused: {by}"),
    }
}

fn listed(words: &[impl AsRef<str>]) -> String {
    if words.is_empty() {
        return "none".to_owned();
    }
    let words: Vec<_> = words.iter().map(AsRef::as_ref).collect();
    words.join(", ")
}

/// A host that has everything but what is said.
fn host(privilege: Privilege, cgroup: Cgroup) -> Facts {
    Facts {
        kernel: (6, 12),
        cpus: 4,
        memory_bytes: 8 << 30,
        privilege,
        namespaces: Fact::Works,
        seccomp: Fact::Works,
        landlock_abi: 6,
        time_namespace: Fact::Works,
        cgroup,
        proofs: Vec::new(),
    }
}

fn v2() -> Cgroup {
    Cgroup::V2 {
        parent: PathBuf::new(),
    }
}

fn v1() -> Cgroup {
    Cgroup::V1 {
        memory: PathBuf::new(),
        pids: PathBuf::new(),
        cpu: PathBuf::new(),
        cpuacct: PathBuf::new(),
    }
}

fn none() -> Cgroup {
    Cgroup::None(Fault {
        step: "cgroup".to_owned(),
        errno: 0,
        cause: "there is none".to_owned(),
        remedies: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_in_one_row_of_each_rung() {
        for rung in LADDER {
            let tables = tables(*rung);
            // What is beside them may name others.
            let rows: Vec<_> = tables
                .lines()
                .filter_map(|l| l.split(" | ").next())
                .collect();
            for id in LimitId::ALL {
                let name = format!("`{}`", id.name());
                let found = rows.iter().filter(|row| row.contains(&name)).count();
                assert_eq!(found, 1, "{name}");
            }
            for guarantee in Guarantee::ALL {
                let name = format!("`{}`", guarantee.slug());
                assert_eq!(tables.matches(&name).count(), 1, "{name}");
            }
            for shared in rung.spec().shares {
                assert!(tables.contains(shared), "{shared}");
            }
        }
    }

    #[test]
    fn what_is_between_the_marks_is_replaced_and_nothing_else() {
        let page = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let once = with_tables(&page, "new\n", "p").unwrap();
        assert_eq!(once, format!("a\n{BEGIN}\n\nnew\n\n{END}\nb\n"));
        assert_eq!(with_tables(&once, "new\n", "p").unwrap(), once);
        assert!(with_tables("a\n", "new\n", "p").is_err());
    }
}
