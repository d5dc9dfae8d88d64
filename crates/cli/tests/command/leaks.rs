//! `stockade leaks`.

use std::fs;

use crate::workshop::{Done, Workshop};

#[test]
fn a_matrix_is_printed_and_a_page_is_written() {
    let shop = Workshop::new();
    let done = shop.run([
        "leaks",
        "--sandbox",
        "emptied-builtins",
        "--rung",
        "jail",
        "--technique",
        "001",
        "--html",
        "leaks.html",
    ]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for part in [
        "emptied-builtins",
        " 1 of 1 through",
        "held 1 of 1",
        " 001   ✗  ✓  type -> base -> __subclasses__()",
        "reached",
        "references away",
    ] {
        assert!(done.stdout.contains(part), "{part:?} is not in {done:?}");
    }
    let page = fs::read_to_string(shop.path().join("leaks.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(page.contains("id=\"t001\""));
}

#[test]
fn an_unknown_name_is_refused_with_those_that_are_known() {
    let shop = Workshop::new();
    let known = ["`blocklist`", "`restrictedpython`", "`simpleeval`"];
    shop.run(["leaks", "--sandbox", "pypy"]).refuses(64, &known);
    let known = ["`jail`", "`process`", "`formula`"];
    shop.run(["leaks", "--rung", "pypy"]).refuses(64, &known);
    shop.run(["leaks", "--technique", "1"])
        .refuses(64, &["technique `1`", "001, 002"]);
    shop.run(["leaks", "--sandbox", "pypy", "--format", "json"])
        .refuses_json(64, &["`blocklist`"]);
}

#[test]
fn what_is_not_installed_is_skipped_aloud() {
    let shop = Workshop::new();
    let run = |more: &[&str]| {
        let args = ["leaks", "--sandbox", "asteval", "--technique", "001"];
        let mut command = shop.command(args.iter().chain(more));
        command
            .env("STOCKADE_CACHE_DIR", shop.path().join("cache"))
            // Nobody listens there.
            .env("PIP_INDEX_URL", "http://127.0.0.1:9/simple");
        Done::of(&command.output().unwrap())
    };
    let done = run(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let told = "skipped: `asteval`: not installed; `stockade leaks --install` fetches it";
    assert!(done.stderr.contains(told), "{done:?}");

    let done = run(&["--install", "--format", "json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let told = "skipped: `asteval`: cannot be installed: cannot fetch `restrictedpython` 9.0";
    assert!(done.stderr.contains(told), "{done:?}");
    let document = done.json();
    assert_eq!(document["places"][0]["counts"]["skipped"], 1);
    assert_eq!(
        document["rows"][0]["cells"]["asteval"]["verdict"],
        "skipped"
    );
    let why = document["places"][0]["skipped"].as_str().unwrap();
    assert!(why.starts_with("cannot be installed"), "{why}");
}
