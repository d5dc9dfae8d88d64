//! What guests write and what is made of it: the table of hostile documents, the cases, and the
//! properties that hold for any bytes.

use proptest::prelude::*;
use stockade_core::value::{
    DEPTH_MAX, EXCERPT_CHARS_MAX, NUMBER_DIGITS_MAX, POINTER_CHARS_MAX, Rejection, Rule, Rules,
    Value, is_unsafe_to_print, read,
};

const RULES: Rules = Rules {
    bytes_max: 1 << 20,
    depth_max: 64,
};

fn take(document: impl AsRef<[u8]>) -> Value {
    read(document.as_ref(), &RULES).expect("the document keeps the rules")
}

fn refuse(document: impl AsRef<[u8]>) -> Rejection {
    read(document.as_ref(), &RULES).expect_err("the document breaks a rule")
}

#[test]
fn each_hostile_document_breaks_the_rule_it_was_made_for() {
    let huge = format!("[\"{}\"]", "a".repeat(1 << 20));
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let deep_objects = "{\"a\":".repeat(50_000) + "1" + &"}".repeat(50_000);
    let digits = format!("[{}, 1e999]", "9".repeat(1_000_000));
    let nuls = "{\"ok\": true}".to_owned() + &"\0".repeat(4096);
    let table: [(&str, &[u8], Rule); 28] = [
        ("exhaust/042", huge.as_bytes(), Rule::Size),
        ("exhaust/043", deep.as_bytes(), Rule::Depth),
        ("exhaust/044", deep_objects.as_bytes(), Rule::Depth),
        (
            "exhaust/045",
            b"[NaN, Infinity, -Infinity]",
            Rule::NotFinite,
        ),
        (
            "exhaust/046",
            b"{\"ok\": true, \"ok\": false}",
            Rule::DuplicateKey,
        ),
        ("exhaust/049", b"\xef\xbb\xbf{\"ok\": true}", Rule::Utf8),
        ("exhaust/050", digits.as_bytes(), Rule::Number),
        (
            "exhaust/051",
            b"{\"ok\": true}\n{\"ok\": false}",
            Rule::Syntax,
        ),
        ("exhaust/052", nuls.as_bytes(), Rule::Syntax),
        ("exhaust/054", b"", Rule::Syntax),
        ("only space", b" \n\t", Rule::Syntax),
        ("latin-1", b"[\"caf\xe9\"]", Rule::Utf8),
        ("utf-16", b"\xff\xfe[\x001\x00]\x00", Rule::Utf8),
        ("surrogate in utf-8", b"[\"\xed\xa0\x80\"]", Rule::Utf8),
        (
            "same key, other spelling",
            br#"{"a": 1, "\u0061": 2}"#,
            Rule::DuplicateKey,
        ),
        ("lone surrogate", br#"["\ud800"]"#, Rule::LoneSurrogate),
        (
            "lone surrogate in a key",
            br#"{"\udfff": 1}"#,
            Rule::LoneSurrogate,
        ),
        ("float overflow", b"[1e999]", Rule::Number),
        ("negative float overflow", b"[-1e309]", Rule::Number),
        ("python's None", b"[None]", Rule::Syntax),
        ("single quotes", b"{'a': 1}", Rule::Syntax),
        ("trailing comma", b"[1, 2, ]", Rule::Syntax),
        ("comment", b"[1] // one", Rule::Syntax),
        ("bare control character", b"[\"a\x01\"]", Rule::Syntax),
        ("octal", b"[017]", Rule::Syntax),
        ("hexadecimal", b"[0x10]", Rule::Syntax),
        ("cut short", b"{\"a\": [1, 2", Rule::Syntax),
        ("mismatched brackets", b"[1}", Rule::Syntax),
    ];
    for (name, document, rule) in table {
        let rejection = refuse(document);
        assert_eq!(rejection.rule, rule, "{name}: {rejection}");
        assert!(
            rejection.excerpt.chars().count() <= EXCERPT_CHARS_MAX,
            "{name}: {rejection}"
        );
    }
}

#[test]
fn keys_that_mean_something_elsewhere_are_plain_data() {
    let document = r#"{"__proto__":{"admin":true},"$ref":"file:///etc/passwd","py/object":"os"}"#;
    assert_eq!(take(document).text(), document);
}

#[test]
fn the_magic_key_of_serde_json_does_not_become_a_number() {
    let document = r#"{"$serde_json::private::Number":"12"}"#;
    let value = take(document);
    assert!(value.tree().is_object());
    assert_eq!(value.text(), document);
}

#[test]
fn the_first_rule_in_the_order_wins_over_the_first_fault_in_the_text() {
    // Each document has, from left to right, the fault of each rule after the one that must win.
    let lone = r#""\ud800""#;
    for (document, rule) in [
        (
            format!(
                "[1e999, {lone}, NaN, {{\"a\":1,\"a\":2}}, {}",
                "[".repeat(70)
            ),
            Rule::Depth,
        ),
        (
            format!("[1e999, {lone}, NaN, {{\"a\":1,\"a\":2}}, oops"),
            Rule::DuplicateKey,
        ),
        (format!("[1e999, {lone}, NaN, oops"), Rule::NotFinite),
        (format!("[1e999, {lone}, oops"), Rule::LoneSurrogate),
        ("[1e999, oops".to_owned(), Rule::Number),
        ("[1, oops".to_owned(), Rule::Syntax),
    ] {
        assert_eq!(refuse(&document).rule, rule, "{document}");
    }
    let mut not_utf8 = "[".repeat(70).into_bytes();
    not_utf8.push(0xff);
    assert_eq!(refuse(&not_utf8).rule, Rule::Utf8);
    let small = Rules {
        bytes_max: 3,
        depth_max: 64,
    };
    assert_eq!(read(&not_utf8, &small).map_err(|r| r.rule), Err(Rule::Size));
}

#[test]
fn among_faults_of_one_rule_the_first_in_the_text_is_told() {
    assert_eq!(refuse("[[1, NaN], Infinity]").pointer, "/0/1");
    let nested = r#"{"a": 1, "a": {"b": 1, "b": 2}}"#;
    assert_eq!(
        (refuse(nested).pointer, refuse(nested).offset),
        ("/a".to_owned(), Some(9))
    );
}

#[test]
fn case_08_json_nan_and_infinity_names_the_path() {
    let rejection = refuse(r#"{"n": 0, "mean": NaN, "top": Infinity}"#);
    assert_eq!(rejection.rule, Rule::NotFinite);
    assert_eq!(rejection.pointer, "/mean");
    assert!(
        rejection.to_string().starts_with("/mean: NaN is not JSON"),
        "{rejection}"
    );
    for word in ["Infinity", "-Infinity", "nan", "-inf", "inf"] {
        assert_eq!(refuse(format!("[{word}]")).rule, Rule::NotFinite, "{word}");
    }
}

#[test]
fn case_10_json_integers_beyond_double_keep_every_digit() {
    let document = r#"{"id":9007199254740993,"big":1180591620717411303424}"#;
    let value = take(document);
    assert_eq!(value.text(), document);
    assert_eq!(value.tree()["big"].to_string(), "1180591620717411303424");
}

#[test]
fn a_number_stays_as_it_was_written() {
    let document = "[1.0,-0,-0.0,1e+05,0.10,1e-999,123456789012345678901234567890.5]";
    assert_eq!(take(document).text(), document);
    // Only the mark of an exponent is made the same everywhere.
    assert_eq!(take("[1E5, 1e5]").text(), "[1e+5,1e+5]");
    let longest = format!("[{}]", "7".repeat(NUMBER_DIGITS_MAX));
    assert_eq!(take(&longest).text(), longest);
    let too_long = refuse(format!("[0.{}]", "7".repeat(NUMBER_DIGITS_MAX)));
    assert_eq!(
        (too_long.rule, too_long.pointer.as_str()),
        (Rule::Number, "/0")
    );
    assert!(too_long.message.contains("4300"), "{too_long}");
}

#[test]
fn a_duplicate_is_found_among_many_keys() {
    let mut members: Vec<String> = (0..50_000).map(|n| format!("\"k{n}\":0")).collect();
    let whole = format!("{{{}}}", members.join(","));
    assert_eq!(take(&whole).text(), whole);
    members.push("\"k17\":1".to_owned());
    let rejection = refuse(format!("{{{}}}", members.join(",")));
    assert_eq!(
        (rejection.rule, rejection.pointer.as_str()),
        (Rule::DuplicateKey, "/k17")
    );
}

#[test]
fn depth_counts_arrays_and_objects() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(take(nested(64)).text(), nested(64));
    assert_eq!(refuse(nested(65)).rule, Rule::Depth);
    // Brackets in strings are text, also after an escaped quote.
    let text = format!("[\"\\\"{}\"]", "[".repeat(100));
    assert_eq!(take(&text).text(), text);
    let rules = Rules {
        bytes_max: 1 << 20,
        depth_max: usize::MAX,
    };
    let rejection = read(nested(DEPTH_MAX + 1).as_bytes(), &rules).unwrap_err();
    assert!(rejection.message.contains("512"), "{rejection}");
    assert!(
        read(
            b"1",
            &Rules {
                bytes_max: 1,
                depth_max: 0
            }
        )
        .is_ok()
    );
    assert!(
        read(
            b"[]",
            &Rules {
                bytes_max: 2,
                depth_max: 0
            }
        )
        .is_err()
    );
}

#[test]
fn the_deepest_value_is_read_written_and_dropped_on_a_small_stack() {
    let worker = std::thread::Builder::new().stack_size(256 << 10).spawn(|| {
        let rules = Rules {
            bytes_max: 1 << 20,
            depth_max: DEPTH_MAX,
        };
        for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
            let document = open.repeat(DEPTH_MAX) + "0" + &close.repeat(DEPTH_MAX);
            let value = read(document.as_bytes(), &rules).unwrap();
            assert_eq!(value.text(), document);
            assert!(value.pretty().len() > document.len());
            drop(value);
        }
    });
    worker.unwrap().join().unwrap();
}

#[test]
fn nothing_that_is_printed_can_drive_a_terminal() {
    let escape = "\u{9b}2J\u{7f}\u{202e}\u{2066}\u{2028}\u{200f}\u{feff}";
    let value = take(format!("{{\"{escape}\": \"\\u001b[2J{escape}\"}}"));
    assert!(
        !value.text().contains(is_unsafe_to_print),
        "{}",
        value.text()
    );
    assert!(
        !value
            .pretty()
            .replace('\n', "")
            .contains(is_unsafe_to_print)
    );
    for document in [
        format!("{{\"{escape}\": NaN}}"),
        format!("[\"{escape}\", oops \x1b[2J"),
        format!("{{\"{escape}\": 1, \"{escape}\": 2}}"),
        format!("\u{9b}{escape}"),
    ] {
        let shown = refuse(&document).to_string();
        assert!(!shown.contains(is_unsafe_to_print), "{shown}");
    }
}

#[test]
fn a_rejection_is_bounded_whatever_the_document() {
    let key = "k".repeat(100_000);
    for document in [
        format!("{{\"{key}\": NaN}}"),
        format!("{{\"{key}\": 1, \"{key}\": 2}}"),
        format!("[{key}"),
        format!("{{\"{key}\": {{\"{key}\": \"\\ud800\"}}}}"),
    ] {
        let rejection = refuse(&document);
        assert!(rejection.pointer.chars().count() <= POINTER_CHARS_MAX);
        assert!(rejection.excerpt.chars().count() <= EXCERPT_CHARS_MAX);
        assert!(rejection.message.chars().count() <= 300, "{rejection}");
    }
}

#[test]
fn pointers_lead_to_the_place() {
    assert_eq!(
        refuse(r#"{"a/b": [0, {"c~d": NaN}]}"#).pointer,
        "/a~1b/1/c~0d"
    );
    assert_eq!(refuse("NaN").pointer, "");
    assert_eq!(refuse(r#"{"a": 1} x"#).pointer, "");
}

#[test]
fn every_rule_has_its_own_name_and_stands_in_its_place() {
    let mut slugs: Vec<_> = Rule::ALL.iter().map(|rule| rule.slug()).collect();
    assert!(Rule::ALL.is_sorted());
    slugs.sort_unstable();
    slugs.dedup();
    assert_eq!(slugs.len(), Rule::ALL.len());
}

/// Documents as `serde_json` makes them, floats and huge integers included.
fn tree() -> impl Strategy<Value = serde_json::Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        "-?[1-9][0-9]{0,40}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?".prop_map(|written| {
            serde_json::Value::Number(written.parse().expect("a number by its grammar"))
        }),
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        number,
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(serde_json::Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| members.into_iter().collect::<serde_json::Value>()),
        ]
    })
}

/// Text that is nearly JSON.
fn nearly() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[\\[\\]{},:\" \n0-9eE+.\\-\\\\]",
        Just("null".to_owned()),
        Just("\"a\"".to_owned()),
        Just("\"a\":".to_owned()),
        Just("\\ud83d".to_owned()),
        Just("\\ude00".to_owned()),
        Just("NaN".to_owned()),
        Just("1e999".to_owned()),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// What holds for whatever is read.
fn holds(bytes: &[u8]) -> Result<(), TestCaseError> {
    match read(bytes, &RULES) {
        Ok(value) => {
            prop_assert!(!value.text().contains(is_unsafe_to_print));
            let again = take(value.text());
            prop_assert_eq!(again.text(), value.text());
            prop_assert_eq!(again.tree(), value.tree());
            let pretty = take(value.pretty());
            prop_assert_eq!(pretty.text(), value.text());
            // Whatever we take, the usual reader takes for the same.
            let other: serde_json::Value = serde_json::from_slice(bytes)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&other, value.tree());
        }
        Err(rejection) => {
            prop_assert!(!rejection.to_string().contains(is_unsafe_to_print));
            prop_assert!(rejection.offset.is_none_or(|offset| offset <= bytes.len()));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_tree_is_read_as_it_was_written(tree in tree()) {
        let written = serde_json::to_string(&tree).expect("a tree can be written");
        let value = take(&written);
        prop_assert_eq!(value.tree(), &tree);
        holds(written.as_bytes())?;
    }

    #[test]
    fn any_text_is_read_as_others_read_it_or_refused(text in nearly()) {
        holds(text.as_bytes())?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        holds(&bytes)?;
    }
}
