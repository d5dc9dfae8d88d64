use super::*;

fn messages(path: &str, content: &str) -> Vec<String> {
    check(path, content.as_bytes())
        .into_iter()
        .map(|finding| finding.to_string())
        .collect()
}

/// Asserts that `content` breaks exactly one rule, with these words.
fn breaks(path: &str, content: &str, words: &str) {
    let found = messages(path, content);
    assert!(
        found.len() == 1 && found[0].contains(words),
        "{content}: {found:?}"
    );
}

const PRODUCT: &str = "crates/core/src/plan.rs";

#[test]
fn the_tree_is_tidy() {
    let found: Vec<String> = findings()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn an_unwrap_is_refused_in_code_and_in_macros_and_allowed_in_tests() {
    breaks(
        PRODUCT,
        "fn f() { g().unwrap(); }",
        ":1: `unwrap` outside a test",
    );
    breaks(
        PRODUCT,
        "fn f() { g().expect(\"it works\"); }",
        "`expect` outside a test",
    );
    breaks(
        PRODUCT,
        "fn f() { print!(\"{}\", g().unwrap()); }",
        "`unwrap` outside a test",
    );
    breaks(
        PRODUCT,
        "#[cfg(not(test))] fn f() { g().unwrap(); }",
        "`unwrap`",
    );
    assert!(messages(PRODUCT, "#[test] fn f() { g().unwrap(); }").is_empty());
    assert!(messages(PRODUCT, "#[cfg(test)] mod t { fn f() { g().unwrap(); } }").is_empty());
    assert!(messages("crates/core/tests/plan.rs", "fn f() { g().unwrap(); }").is_empty());
    assert!(messages(PRODUCT, "fn f() { parser.expect(b':'); } // .unwrap()").is_empty());
}

#[test]
fn unsafe_is_refused_outside_sys() {
    for code in [
        "fn f() { unsafe { g() } }",
        "unsafe fn f() {}",
        "unsafe impl S for T {}",
    ] {
        breaks(PRODUCT, code, "`unsafe` lives in `crates/sys` alone");
        assert!(messages("crates/sys/src/fork.rs", code).is_empty());
    }
}

#[test]
fn a_crate_forbids_unsafe_code_but_sys() {
    breaks(
        "crates/core/src/lib.rs",
        "//! Core.",
        "begins with `#![forbid(unsafe_code)]`",
    );
    assert!(messages("crates/core/src/lib.rs", "#![forbid(unsafe_code)]").is_empty());
    assert!(messages("crates/sys/src/lib.rs", "//! Sys.").is_empty());
}

#[test]
fn programs_and_clocks_have_one_place() {
    breaks(
        PRODUCT,
        "use std::process::{Child, Command};",
        "only `crates/sys` starts programs",
    );
    breaks(
        PRODUCT,
        "fn f() { std::process::Command::new(\"x\"); }",
        "starts programs",
    );
    breaks(
        PRODUCT,
        "fn f() { let t = Instant::now(); }",
        "reads a clock",
    );
    breaks(
        PRODUCT,
        "fn f() { let t = std::time::SystemTime::now(); }",
        "reads a clock",
    );
    for script in ["xtask/src/shell.rs", "crates/rungs/build.rs"] {
        assert!(messages(script, "use std::process::Command;").is_empty());
    }
    assert!(messages("crates/sys/src/clock.rs", "fn f() { Instant::now(); }").is_empty());
    breaks(
        "crates/sys/src/fork.rs",
        "fn f() { Instant::now(); }",
        "reads a clock",
    );
}

#[test]
fn what_is_unfinished_is_refused() {
    breaks(PRODUCT, "fn f() { todo!() }", "`todo!` is not finished");
    breaks(
        PRODUCT,
        &format!("// {}ME: later", "FIX"),
        "do it, or file an issue",
    );
    breaks(
        "crates/core/tests/plan.rs",
        "#[ignore] #[test] fn f() {}",
        "says why",
    );
}

#[test]
fn long_files_functions_and_lines_are_refused() {
    breaks(PRODUCT, &"//\n".repeat(601), "at most 600 lines");
    breaks(
        PRODUCT,
        &format!("fn f() {{\n{}}}", "g();\n".repeat(69)),
        "`f` has 71 lines",
    );
    assert!(messages(PRODUCT, &format!("fn f() {{\n{}}}", "g();\n".repeat(68))).is_empty());
    breaks(PRODUCT, &format!("//{}", "x".repeat(99)), "101 columns");
}

#[test]
fn names_say_what_is_inside() {
    breaks("crates/core/src/utils.rs", "", "`utils` says nothing");
    breaks(
        "crates/core/src/helpers/path.rs",
        "",
        "`helpers` says nothing",
    );
    breaks("docs/adr/1-first.md", "", "`NNNN-title.md`");
    assert!(messages("docs/adr/0001-first.md", "").is_empty());
}

#[test]
fn a_place_of_one_machine_is_refused_in_any_text() {
    breaks(
        "README.md",
        &["cd /work/", "main"].concat(),
        "one machine only",
    );
    assert!(messages("README.md", "`/work/job.py` is the guest's").is_empty());
}
