use std::path::PathBuf;

use super::*;
use crate::figure::{Figures, Symbols};
use crate::sandbox::Sandbox;
use crate::technique::Technique;
use crate::verdict::Through;

/// A demonstration in which every text of a program is hostile.
fn hostile() -> Demonstration {
    let bad = "</pre><script src=https://evil.example/x.js>\"'&`<b>\u{202e}";
    let mut technique = Technique::named(&["001".to_owned()]).unwrap().remove(0);
    technique.title = bad.to_owned();
    technique.family = bad.to_owned();
    technique.seen_in = Some(bad.to_owned());
    technique.source = format!("# id: x\n{bad}\nleak = 1");
    let mut cells: Vec<_> = [Verdict::Reached, Verdict::Stopped, Verdict::Inapplicable]
        .map(|verdict| Cell::new(verdict, bad))
        .into();
    cells[0].through = Some(Through::ImportPolicy);
    cells[0].secret_steps = Some(1);
    let jail = stockade::LADDER
        .iter()
        .find(|rung| rung.spec().name == "jail");
    let places = [
        Place::Sandbox(Sandbox::Exec),
        Place::Sandbox(Sandbox::Asteval),
        Place::Rung(jail.unwrap().spec()),
    ];
    let columns = places.map(|place| Column {
        place,
        version: Some("1.0"),
        skipped: Some(bad.to_owned()),
    });
    Demonstration {
        interpreter: PathBuf::from(bad),
        figures: Figures {
            version: bad.to_owned(),
            implementation: "cpython".to_owned(),
            subclasses: 212,
            helper_builtins_are_real: true,
            generator_builtins_are_real: false,
            libc_symbols: Symbols {
                syscall: true,
                getpid: false,
            },
            libc_getpid_is_ours: true,
        },
        columns: columns.into(),
        rows: vec![Row { technique, cells }],
    }
}

/// The tags of a page, as they stand between `<` and `>`.
fn tags(page: &str) -> Vec<&str> {
    let pieces = page.split('<').skip(1);
    pieces
        .map(|piece| piece.split_once('>').unwrap().0)
        .collect()
}

#[test]
fn text_stays_text() {
    assert_eq!(
        escaped("<b a=\"1\" c='2'>&\u{202e}\u{1b}"),
        "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\\u{202e}\\u{1b}"
    );
    assert_eq!(prose("a `<x>` b"), "a <code>&lt;x&gt;</code> b");
    assert_eq!(prose("a ` b"), "a ` b");
    assert_eq!(prose("`a` ` b"), "<code>a</code> ` b");
}

#[test]
fn a_page_is_well_formed_whatever_is_in_it() {
    let page = html(&hostile());
    let mut open = Vec::new();
    for tag in tags(&page) {
        if tag == "!DOCTYPE html" || tag.ends_with('/') {
            continue;
        }
        let name = tag.split([' ', '\n']).next().unwrap();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{tag}"),
            None => open.push(name),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert_eq!(open, Vec::<&str>::new());
    let ids: Vec<_> = page.split(" id=\"").skip(1).collect();
    let links = page.split(" href=\"#").skip(1).collect::<Vec<_>>();
    assert_eq!(ids.len(), links.len());
}

#[test]
fn a_page_asks_nobody_for_anything() {
    let page = html(&hostile());
    for tag in tags(&page) {
        let name = tag.split([' ', '\n']).next().unwrap();
        let loads = [
            "script", "img", "link", "iframe", "object", "embed", "base", "form",
        ];
        assert!(!loads.contains(&name), "{tag}");
        for (attribute, value) in attributes(tag) {
            let known = [
                "lang",
                "charset",
                "name",
                "content",
                "class",
                "style",
                "scope",
                "colspan",
                "href",
                "id",
                "title",
                "aria-hidden",
            ];
            assert!(known.contains(&attribute), "{attribute} in {tag}");
            // A tooltip is text as well.
            assert!(attribute == "title" || !value.contains("//"), "{tag}");
            assert!(attribute != "href" || value.starts_with('#'), "{tag}");
        }
    }
    for word in ["url(", "@import", "http:", "https:", "src"] {
        assert!(!STYLE.contains(word), "{word}");
    }
    assert!(page.contains("&lt;script src=https://evil.example/x.js&gt;"));
    assert!(!page.contains('\u{202e}'));
}

#[test]
fn a_page_is_for_both_modes_and_for_a_phone() {
    let page = html(&hostile());
    for word in [
        "prefers-color-scheme: dark",
        "width=device-width",
        "<html lang=\"en\">",
        "max-width: 44rem",
    ] {
        assert!(page.contains(word), "{word}");
    }
}

fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"") {
        let name = before.rsplit([' ', '\n']).next().unwrap();
        let (value, after) = after.split_once('"').unwrap();
        found.push((name, value));
        rest = after;
    }
    found
}
