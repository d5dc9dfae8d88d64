//! The standard library of the host's Python is read without a mistake, but for files that are
//! mistakes on purpose.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use stockade_check::{Policy, Rule, check};

/// Where distributions keep it.
const PLACES: [&str; 5] = [
    "/usr/lib/python3.11",
    "/usr/lib/python3.12",
    "/usr/lib/python3.13",
    "/usr/local/lib/python3.11",
    "/usr/local/lib/python3.12",
];

/// Parts of paths, and why such a file is not read: no other file may be refused.
const REFUSED: [(&str, &str); 4] = [
    (
        "lib2to3/tests/data/",
        "written in Python 2, or wrong on purpose",
    ),
    ("/bad_coding", "an encoding that is none, on purpose"),
    ("/badsyntax_", "wrong on purpose"),
    ("/test/", "tests of encodings, control characters and depth"),
];

fn files(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(below).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && entry.file_name() != "dist-packages" {
            files(&entry.path(), found);
        } else if kind.is_file() && entry.path().extension().is_some_and(|end| end == "py") {
            found.push(entry.path());
        }
    }
}

#[test]
fn nothing_of_the_standard_library_is_refused_as_a_source() {
    let policy = Policy::parse("python = '3.13'\n[limits]\nsource-bytes = 16777216\n").unwrap();
    let mut found = Vec::new();
    for place in PLACES.iter().map(Path::new).filter(|place| place.is_dir()) {
        files(place, &mut found);
    }
    assert!(
        !found.is_empty(),
        "there is no standard library in {PLACES:?}"
    );
    for path in found {
        let name = path.display().to_string();
        let report = check(&name, &fs::read(&path).unwrap(), &policy);
        let refused = report
            .findings
            .iter()
            .find(|one| one.rule < Rule::UnlistedNode);
        if let Some(finding) = refused {
            let known = REFUSED.iter().any(|(part, _)| name.contains(part));
            let place = finding.start;
            assert!(
                known,
                "{name}:{}: {}: {}",
                place.line, finding.rule, finding.message
            );
        }
    }
}
