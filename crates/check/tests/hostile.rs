//! Files that crash or stall other checkers end here with a finding, on the smallest stack that is
//! promised.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use stockade_check::{FINDINGS_MAX, Policy, Profile, Report, check};

/// What a thread of an embedding server has by default.
const STACK_BYTES: usize = 2 << 20;

fn reports(sources: Vec<String>) -> Vec<Report> {
    let run = move || {
        let policy = Policy::profile(Profile::NotebookPure).unwrap();
        let each = sources.iter();
        each.map(|source| check("hostile.py", source.as_bytes(), &policy))
            .collect()
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(run);
    thread.unwrap().join().unwrap()
}

fn report(source: impl Into<String>) -> Report {
    reports(vec![source.into()]).remove(0)
}

fn codes(source: impl Into<String>) -> Vec<&'static str> {
    codes_of(&report(source))
}

fn codes_of(report: &Report) -> Vec<&'static str> {
    report.findings.iter().map(|one| one.rule.code()).collect()
}

/// Ways to nest, and what closes a level.
const NESTED: [(&str, &str, &str); 34] = [
    ("(", "1", ")"),
    ("[", "", "]"),
    ("{", "", "}"),
    ("-", "1", ""),
    ("~", "1", ""),
    ("not ", "1", ""),
    ("lambda: ", "1", ""),
    ("lambda x=", "1", ": 1"),
    ("await ", "x", ""),
    ("1 if 1 else ", "1", ""),
    ("1if 1else ", "1", ""),
    ("2**", "2", ""),
    ("f'{", "1", "}'"),
    ("f\"{x:{", "1", "}}\""),
    ("f(", "1", ")"),
    ("x[", "0", "]"),
    ("{1: ", "1", "}"),
    ("[x for x in ", "y", "]"),
    ("(yield ", "1", ")"),
    ("*", "x", ""),
    ("(1,", "1", ")"),
    ("x.", "y", ""),
    ("x().", "y", ""),
    ("x[0]", "", ""),
    ("x()", "", ""),
    ("1+", "1", ""),
    ("1+\\\r\n", "1", ""),
    ("1 < ", "1", ""),
    ("1 and ", "1", ""),
    ("if 1: ", "pass", ""),
    ("async ", "def f(): pass", ""),
    ("not\u{a0}", "1", ""),
    ("bf'{'(", "1", ""),
    ("1f\"{(", "1", ""),
];

#[test]
fn what_is_nested_too_deep_never_becomes_a_tree() {
    for (open, middle, close) in NESTED {
        for times in [1_000, 100_000] {
            let source = format!("{}{middle}{}\n", open.repeat(times), close.repeat(times));
            if source.len() > 1 << 20 {
                continue;
            }
            let found = codes(source);
            let refused = found.contains(&"PY005") || found.contains(&"PY101");
            assert!(refused, "{open:?} × {times}: {found:?}");
        }
    }
}

#[test]
fn what_is_as_deep_as_may_be_is_walked() {
    let nested = |times| {
        let of_times = move |(open, middle, close): &(&str, &str, &str)| {
            format!("{}{middle}{}\n", open.repeat(times), close.repeat(times))
        };
        NESTED.iter().map(of_times)
    };
    let all = reports((1..110).flat_map(nested).collect());
    let clean = all.iter().filter(|report| report.findings.is_empty());
    assert!(clean.count() > 500);
    let chain = format!("x = {}1\n", "1 + ".repeat(490));
    assert_eq!(codes(chain), [""; 0]);
    let dots = format!("x = y{}\n", ".z".repeat(490));
    assert_eq!(codes(dots), [""; 0]);
    let calls = format!("x = y{}\n", ".z(1)".repeat(240));
    assert_eq!(codes(calls), [""; 0]);
}

#[test]
fn the_deepest_tree_that_any_policy_allows_fits_the_stack() {
    let run = || {
        let text = "[limits]\nnesting = 200\nchain = 1000\n";
        let policy = Policy::parse(text).unwrap();
        let mut seen = 0;
        for (open, middle, close) in NESTED {
            for times in [60, 90, 120, 190, 200, 450, 900, 990] {
                let chain = "1 + ".repeat(1_000_usize.saturating_sub(times * 2));
                for head in ["", &chain] {
                    let (opens, closes) = (open.repeat(times), close.repeat(times));
                    let source = format!("x = {head}{opens}{middle}{closes}\n");
                    let report = check("deep.py", source.as_bytes(), &policy);
                    seen += usize::from(report.findings.is_empty());
                }
            }
        }
        seen
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(run);
    let seen = thread.unwrap().join().unwrap();
    assert!(seen > 20, "only {seen} deep files were walked to the end");
}

#[test]
fn blocks_are_counted_as_levels() {
    let mut source = String::new();
    for level in 0..150 {
        source.extend([" ".repeat(level), "if 1:\n".to_owned()]);
    }
    source.extend([" ".repeat(150), "pass\n".to_owned()]);
    assert_eq!(codes(source), ["PY005"]);
}

#[test]
fn bytes_that_readers_disagree_about_are_refused() {
    for (source, code) in [
        (&b"x = 1\0\n"[..], "PY003"),
        (b"x = 1\ry = 2\n", "PY003"),
        (b"x = '\x1b[2J'\n", "PY003"),
        (b"x = 1 \x7f\n", "PY003"),
        ("x = '\u{85}'\n".as_bytes(), "PY003"),
        ("# \u{202e} nimda\n".as_bytes(), "PY003"),
        ("x = '\u{2066}a\u{2069}'\n".as_bytes(), "PY003"),
        ("x = '\u{61c}'\n".as_bytes(), "PY003"),
        (b"x = '\xff'\n", "PY002"),
        (b"\xfe\xff\0x", "PY002"),
        (b"x = '\xed\xa0\x80'\n", "PY002"),
        (b"#!/bin/sh\n# coding=utf-7\n", "PY001"),
    ] {
        let policy = Policy::profile(Profile::NotebookPure).unwrap();
        let found = codes_of(&check("odd.py", source, &policy));
        assert_eq!(found.first(), Some(&code), "{source:?}: {found:?}");
    }
    for source in [
        "x = 1\r\ny = 2\r\n",
        "\x0cx = '\u{3000}—é😀'\n",
        "\u{feff}x = 1\n",
        "",
    ] {
        assert_eq!(codes(source), [""; 0], "{source:?}");
    }
}

#[test]
fn the_findings_of_a_file_are_bounded_and_those_beyond_are_counted() {
    let report = report("eval;".repeat(200_000) + "\n");
    assert_eq!(report.findings.len(), FINDINGS_MAX);
    assert_eq!(report.findings.len() + report.more, 200_000);
    assert!(report.fails(stockade_check::Severity::Error));
}

#[test]
fn columns_are_code_points_and_lines_count_from_one() {
    let report = report("x = 1\nname = 'é😀' + eval\n");
    let place = report.findings[0].start;
    assert_eq!((place.line, place.column), (2, 15));
    let end = report.findings[0].end;
    assert_eq!((end.line, end.column), (2, 19));
}

#[test]
fn the_place_of_what_is_too_deep_is_found() {
    let report = report(format!("x = 1\ny = {}\n", "(".repeat(300)));
    let place = report.findings[0].start;
    assert_eq!(place.line, 2);
    assert!((104..=106).contains(&place.column), "{place:?}");
}

#[test]
fn an_error_that_the_lexer_sees_is_told_where_it_is() {
    for (source, line) in [
        ("x = 1\ny = 'abc\nz = 2\n", 2),
        ("x = 1\n\ny = 1 $ 2\n", 3),
        ("x = (1,\n2]\n", 2),
        ("x = 1\ny = 0777\n", 2),
        ("if 1:\n    x = 1\n  y = 2\n", 3),
        ("x = (\n1\n\n", 4),
    ] {
        let report = report(source);
        let one = &report.findings[0];
        assert_eq!(one.rule.code(), "PY101", "{source:?}: {one:?}");
        let about = one.start.line;
        assert!(about.abs_diff(line) <= 1, "{source:?}: {one:?}");
    }
}

#[test]
fn a_message_stays_short_whatever_it_quotes() {
    let name = "n".repeat(500_000);
    for source in [
        format!("import {name}\n"),
        format!("x._{name}\n"),
        format!("@{name}\ndef f(): pass\n"),
        format!("# coding: {name}\n"),
        format!("def f(_{name}_): pass\n"),
    ] {
        let report = report(source);
        let one = &report.findings[0];
        assert!(
            one.message.len() < 300,
            "{} of {}",
            one.message.len(),
            one.rule
        );
    }
}
