//! Each rule's examples do what its page says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use stockade_check::{Policy, Profile, Rule, check};

fn codes(source: &[u8]) -> Vec<&'static str> {
    let policy = Policy::profile(Profile::NotebookPure).unwrap();
    let report = check("example.py", source, &policy);
    report.findings.iter().map(|one| one.rule.code()).collect()
}

#[test]
fn every_bad_example_fires_its_rule() {
    for rule in Rule::ALL {
        let found = codes(&rule.page().bad.source());
        assert!(found.contains(&rule.code()), "{rule}: {found:?}");
    }
}

#[test]
fn no_good_example_fires_anything() {
    for rule in Rule::ALL {
        let found = codes(rule.page().good.as_bytes());
        assert!(found.is_empty(), "{rule}: {found:?}");
    }
}

#[test]
fn codes_ascend_and_names_are_unlike() {
    for pair in Rule::ALL.windows(2) {
        assert!(pair[0].code() < pair[1].code(), "{pair:?}");
    }
    for rule in Rule::ALL {
        assert_eq!(Rule::named(rule.code()), Some(*rule));
        assert_eq!(Rule::named(rule.slug()), Some(*rule));
        assert_eq!(Rule::named(&rule.code().to_lowercase()), Some(*rule));
    }
    assert_eq!(Rule::named("PY2"), None);
}

#[test]
fn every_page_says_what_it_does_not_catch() {
    for rule in Rule::ALL {
        let page = rule.page();
        for text in [page.summary, page.why, page.blind] {
            assert!(text.len() >= 9, "{rule}: {text:?}");
        }
        assert!(page.summary.len() <= 100, "{rule}: {}", page.summary);
    }
}

/// The first block of that language in a document.
fn block<'a>(document: &'a str, language: &str) -> &'a str {
    let (_, rest) = document.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[test]
fn the_policy_that_the_document_shows_is_one() {
    let policy = Policy::parse(block(include_str!("../../../docs/check.md"), "toml")).unwrap();
    let source = b"import requests\nrequests.get(1)\nrequests.head(2)\nimport random\n";
    let report = check("job.py", source, &policy);
    let found: Vec<_> = report.findings.iter().map(|one| one.rule.code()).collect();
    assert_eq!(found, ["PY311", "PY310"]);
    let legacy = check("jobs/legacy-1.py", &b"\n".repeat(11), &policy);
    assert!(legacy.findings.is_empty());
    let mut twelfth = b"\n".repeat(11);
    twelfth.extend_from_slice(b"x._meta\n");
    assert!(!check("jobs/legacy-1.py", &twelfth, &policy).fails(policy.fail_on()));
    assert!(check("jobs/other.py", &twelfth, &policy).fails(policy.fail_on()));
}
