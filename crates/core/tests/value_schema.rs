//! Values against schemas: what is allowed, what is said when it is not, and what it may cost.

use stockade_core::value::{
    POINTER_CHARS_MAX, Rejection, Rule, Rules, SCHEMA_BYTES_MAX, Schema, Value, is_unsafe_to_print,
    read,
};

fn value(document: &str) -> Value {
    read(
        document.as_bytes(),
        &Rules {
            bytes_max: 2 << 20,
            depth_max: 512,
        },
    )
    .expect("JSON")
}

fn schema(document: &str) -> Schema {
    Schema::compile(document.as_bytes()).expect("a schema")
}

fn fits(schema: &Schema, document: &str) -> bool {
    schema.check(&value(document)).is_ok()
}

fn refuse(schema: &Schema, document: &str) -> Rejection {
    schema
        .check(&value(document))
        .expect_err("the schema does not allow it")
}

/// An array of a megabyte.
fn array(item: impl Fn(usize) -> String) -> String {
    let mut out = String::from("[");
    for index in 0.. {
        out.push_str(&item(index));
        if out.len() > 1 << 20 {
            break;
        }
        out.push(',');
    }
    out + "]"
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + inner + &close.repeat(depth)
}

#[test]
fn case_08_null_does_not_slip_in_for_a_number() {
    let schema = schema(r#"{"properties": {"mean": {"type": "number"}}}"#);
    assert!(fits(&schema, r#"{"mean": 0.5}"#));
    let rejection = refuse(&schema, r#"{"mean": null}"#);
    assert_eq!(
        (rejection.rule, rejection.pointer.as_str()),
        (Rule::Schema, "/mean")
    );
    assert_eq!(rejection.excerpt, "null");
    assert!(
        rejection.message.contains("`/properties/mean/type`"),
        "{rejection}"
    );
}

#[test]
fn case_10_integers_beyond_double_are_compared_exactly() {
    let integer = schema(r#"{"type": "integer"}"#);
    for document in [
        "9007199254740993",
        "1180591620717411303424",
        "1.0",
        "1e5",
        "-0",
    ] {
        assert!(fits(&integer, document), "{document}");
    }
    for document in [
        "0.5",
        "1e-9000",
        "1180591620717411303424.5",
        "\"1\"",
        "true",
    ] {
        assert!(!fits(&integer, document), "{document}");
    }
    let bounded = schema(r#"{"maximum": 1180591620717411303424, "minimum": 9007199254740993}"#);
    assert!(fits(&bounded, "1180591620717411303424"));
    assert!(fits(&bounded, "9007199254740993"));
    assert!(!fits(&bounded, "1180591620717411303425"));
    assert!(!fits(&bounded, "9007199254740992"));
    let constant = schema(r#"{"const": {"id": 9007199254740993}}"#);
    assert!(fits(&constant, r#"{"id": 9007199254740993.0}"#));
    assert!(!fits(&constant, r#"{"id": 9007199254740992}"#));
    let listed = schema(r#"{"enum": [9007199254740993, "a"]}"#);
    assert!(fits(&listed, "9007199254740993"));
    assert!(!fits(&listed, "9007199254740992"));
}

#[test]
fn limits_and_multiples_are_those_of_decimal_numbers() {
    let cents = schema(r#"{"multipleOf": 0.01, "exclusiveMinimum": 0, "exclusiveMaximum": 20}"#);
    for document in ["19.99", "0.07", "1", "1e1"] {
        assert!(fits(&cents, document), "{document}");
    }
    for document in ["19.999", "0", "20", "20.0", "1e-3"] {
        assert!(!fits(&cents, document), "{document}");
    }
    let message = refuse(&cents, "19.999").message;
    assert!(
        message.starts_with("must be a multiple of 0.01"),
        "{message}"
    );
}

#[test]
fn an_object_reports_what_is_missing_and_what_is_too_much() {
    let schema = schema(
        r#"{"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}},
            "additionalProperties": false}"#,
    );
    assert!(fits(&schema, r#"{"total": 1}"#));
    let missing = refuse(&schema, "{}");
    assert!(
        missing.message.contains("total") && missing.message.contains("/required"),
        "{missing}"
    );
    let extra = refuse(&schema, r#"{"total": 1, "extra\u001b[2J": 2}"#);
    assert!(extra.message.contains("extra"), "{extra}");
    assert!(!extra.to_string().contains(is_unsafe_to_print), "{extra}");
}

#[test]
fn the_first_fault_is_told_with_the_number_of_the_others() {
    let schema = schema(r#"{"items": {"type": "string"}}"#);
    let rejection = refuse(&schema, r#"["a", 1, 2, 3]"#);
    assert_eq!(rejection.pointer, "/1");
    assert!(
        rejection.message.ends_with("in the schema; 2 more)"),
        "{rejection}"
    );
    let alone = refuse(&schema, r#"["a", 1]"#);
    assert!(alone.message.ends_with("in the schema)"), "{alone}");
    let many = refuse(&schema, &array(|_| "1".to_owned()));
    assert!(many.message.ends_with("in the schema; and more)"), "{many}");
}

#[test]
fn alternatives_are_reported_where_they_stand() {
    let schema = schema(
        r##"{"properties": {"a": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                            "b": {"$ref": "#/$defs/one"}},
             "$defs": {"one": {"oneOf": [{"minimum": 1}, {"minimum": 2}, {"type": "string"}]}}}"##,
    );
    assert!(fits(&schema, r#"{"a": null, "b": 1}"#));
    let none = refuse(&schema, r#"{"a": "x"}"#);
    assert_eq!(none.pointer, "/a");
    assert!(
        none.message.contains("none of 2 alternatives fits"),
        "{none}"
    );
    let both = refuse(&schema, r#"{"b": 3}"#);
    assert_eq!(both.pointer, "/b");
    assert!(
        both.message.contains("alternatives 0 and 1 both fit"),
        "{both}"
    );
}

#[test]
fn a_fault_is_found_far_into_a_long_value() {
    let rows = schema(
        r##"{"items": {"$ref": "#/$defs/r%20%25%C3%A9"}, "$defs": {"n": {"type": "number"},
             "r %é": {"properties": {"a":
                 {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}}}}}"##,
    );
    let row = |index| if index == 70_000 { "\"x\"" } else { "null" };
    let rejection = refuse(&rows, &array(|index| format!("{{\"a\":{}}}", row(index))));
    assert_eq!(rejection.pointer, "/70000/a");
    assert!(
        rejection.message.contains("none of 2 alternatives fits"),
        "{rejection}"
    );
}

#[test]
fn a_large_schema_explains_within_bounds() {
    // Every definition refers to every other, so that compiling one takes them all.
    let names: Vec<String> = (0..100)
        .map(|n| format!("{{\"$ref\": \"#/$defs/d{n}\"}}"))
        .collect();
    let branches = names.join(",");
    let definitions: Vec<String> = (0..100)
        .map(|n| format!("\"d{n}\": {{\"properties\": {{\"p{n}\": {{\"anyOf\": [{branches}]}}}}}}"))
        .collect();
    let document = format!(
        "{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{}}}}}",
        definitions.join(",")
    );
    let schema =
        schema(&document.replace("\"properties\"", "\"type\": \"object\", \"properties\""));
    assert!(fits(&schema, r#"{"p0": {"p1": {}}}"#));
    assert_eq!(refuse(&schema, r#"{"p0": 1}"#).rule, Rule::Schema);
}

#[test]
fn format_is_an_annotation() {
    assert!(fits(&schema(r#"{"format": "date"}"#), "\"never\""));
}

#[test]
fn references_work_within_the_document() {
    for document in [
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}"##,
        r##"{"$id": "http://x.example/y", "$ref": "#q",
             "$defs": {"a": {"$anchor": "q", "type": "string"}}}"##,
        r#"{"$id": "http://x.example/y", "$ref": "y#/$defs/a",
            "$defs": {"a": {"type": "string"}}}"#,
        r#"{"$ref": "http://x.example/z",
            "$defs": {"a": {"$id": "http://x.example/z", "type": "string"}}}"#,
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a",
             "definitions": {"a": {"type": "string"}}}"##,
    ] {
        let schema = schema(document);
        assert!(fits(&schema, "\"a\""), "{document}");
        assert!(!fits(&schema, "1"), "{document}");
    }
}

#[test]
fn nothing_is_fetched() {
    for reference in [
        "http://localhost/x",
        "https://x.example/y.json",
        "file:///etc/passwd",
        "b.json",
    ] {
        let document = format!(r#"{{"properties": {{"a": {{"$ref": "{reference}"}}}}}}"#);
        let message = Schema::compile(document.as_bytes()).unwrap_err();
        assert!(
            message.contains(reference) && message.contains("$defs"),
            "{message}"
        );
    }
}

#[test]
fn what_is_not_a_schema_is_refused_with_its_place() {
    for (document, place, words) in [
        (
            r#"{"properties": {"x": {"type": "strng"}}}"#,
            "/properties/x/type: ",
            "not a type",
        ),
        (r#"{"required": "a"}"#, "/required: ", "array"),
        (r#"{"minimum": "3"}"#, "/minimum: ", "number"),
        (
            r#"{"a": {"pattern": 1, "pattern": 2}}"#,
            "/a/pattern: ",
            "twice",
        ),
        ("[]", "", "object"),
        ("{", "", "ends"),
        ("", "", "empty"),
        (
            r#"{"$schema": "http://x.example/mine"}"#,
            "/$schema: ",
            "draft",
        ),
        (
            r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#,
            "/$schema: ",
            "draft",
        ),
        (r#"{"$schema": 7}"#, "/$schema: ", "draft"),
        (r##"{"$ref": "#/$defs/nowhere"}"##, "", "nowhere"),
        (
            r#"{"items": {"pattern": "(?=a)b"}}"#,
            "/items/pattern: ",
            "linear time",
        ),
        (
            r#"{"items": {"pattern": "(a)\\1"}}"#,
            "/items/pattern: ",
            "linear time",
        ),
        (r#"{"pattern": "a{1000000}"}"#, "/pattern: ", "linear time"),
        (
            r#"{"patternProperties": {"(?!x)": {}}}"#,
            "/patternProperties/(?!x): ",
            "linear time",
        ),
    ] {
        let message = Schema::compile(document.as_bytes()).unwrap_err();
        assert!(
            message.starts_with(place) && message.contains(words),
            "{document}: {message}"
        );
    }
    let deep = nested("{\"not\":", "{}", "}", 200);
    assert!(
        Schema::compile(deep.as_bytes())
            .unwrap_err()
            .contains("128 levels")
    );
    let large = format!("{{\"title\": \"{}\"}}", "a".repeat(SCHEMA_BYTES_MAX));
    assert!(
        Schema::compile(large.as_bytes())
            .unwrap_err()
            .contains("bytes")
    );
}

#[test]
fn the_digest_is_that_of_the_file() {
    let digest = schema("{}\n").digest();
    let digest = digest
        .iter()
        .fold(String::new(), |shown, byte| format!("{shown}{byte:02x}"));
    // printf '{}\n' | sha256sum
    assert_eq!(
        digest,
        "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"
    );
}

#[test]
fn alternatives_that_refer_back_cost_no_more_with_depth() {
    // Each level doubles the work of a validator that explains every alternative.
    let lists = schema(
        r##"{"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "string"},
                       {"type": "array", "items": {"$ref": "#"}, "minItems": 1}]}"##,
    );
    assert!(fits(&lists, &nested("[", "\"a\"", "]", 60)));
    assert!(
        refuse(&lists, &nested("[", "0", "]", 60))
            .message
            .contains("alternatives")
    );
    let terms = schema(
        r##"{"$ref": "#/$defs/n", "$defs": {"n": {"anyOf": [{"type": "integer"},
             {"type": "object", "properties": {"l": {"$ref": "#/$defs/n"}, "op": {"const": "+"}}},
             {"type": "object", "properties": {"l": {"$ref": "#/$defs/n"}, "op": {"const": "-"}}}
             ]}}}"##,
    );
    assert!(fits(&terms, &nested("{\"op\":\"-\",\"l\":", "1", "}", 60)));
    assert!(!fits(
        &terms,
        &nested("{\"op\":\"-\",\"l\":", "[]", "}", 60)
    ));
}

#[test]
fn a_check_that_asks_for_too_much_ends() {
    // 2,000 constants that are compared with half a million numbers.
    let listed: Vec<String> = (0..2_000).map(|n| format!("{n}.5")).collect();
    let schema = schema(&format!(
        r#"{{"items": {{"enum": [{}]}}}}"#,
        listed.join(",")
    ));
    let rejection = refuse(&schema, &array(|_| "1999.5".to_owned()));
    assert!(rejection.message.contains("20000000 steps"), "{rejection}");
}

#[test]
fn a_pattern_and_a_text_cannot_multiply_to_minutes() {
    let schema = schema(r#"{"pattern": "[ab]*a[ab]{20000}c"}"#);
    assert!(fits(&schema, &format!("\"{}c\"", "a".repeat(20_001))));
    let rejection = refuse(&schema, &format!("\"{}\"", "ab".repeat(500_000)));
    assert!(rejection.message.contains("patterns"), "{rejection}");
}

#[test]
fn nesting_cannot_use_up_the_stack() {
    let all_of = format!(
        r##"{{{}"items": {{"$ref": "#"}}{}}}"##,
        "\"allOf\": [{".repeat(50),
        "}]".repeat(50)
    );
    let worker = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            let schema = schema(&all_of);
            let rejection = refuse(&schema, &nested("[", "0", "]", 512));
            assert!(rejection.message.contains("stack"), "{rejection}");
        });
    worker.unwrap().join().unwrap();
}

#[test]
fn equal_items_are_found_without_comparing_all_with_all() {
    let schema = schema(r#"{"uniqueItems": true}"#);
    // Numbers that are one and the same float.
    let numbers = array(|index| format!("1000000000000000000000000{index:06}"));
    assert!(fits(&schema, &numbers));
    // Lists that differ in their shape alone: the index in binary, as brackets.
    let lists = array(|index| {
        let bits = format!("{index:b}")
            .replace('1', "[[]],")
            .replace('0', "[],");
        format!("[{}]", bits.trim_end_matches(','))
    });
    assert!(fits(&schema, &lists));
    assert!(!fits(&schema, "[1, 2, 1.0]"));
    assert!(!fits(&schema, &numbers.replacen("000001,", "000002,", 1)));
}

#[test]
fn numbers_near_zero_cost_no_more_than_their_digits() {
    let document = array(|_| "1e-9000".to_owned());
    for keyword in [
        r#""maximum": 1180591620717411303424.5"#,
        r#""exclusiveMinimum": 0"#,
        r#""not": {"multipleOf": 3}"#,
        r#""not": {"const": 0.1}"#,
        r#""not": {"type": "integer"}"#,
    ] {
        let schema = schema(&format!(r#"{{"items": {{{keyword}}}}}"#));
        assert!(fits(&schema, &document), "{keyword}");
    }
}

#[test]
fn a_rejection_is_bounded_whatever_the_value() {
    let any = schema(r#"{"additionalProperties": {"items": {"type": "string"}}}"#);
    let long = format!(
        "{{\"{}\": {}}}",
        "k".repeat(500_000),
        array(|_| "0".to_owned())
    );
    let rejection = refuse(&any, &long);
    assert!(rejection.pointer.chars().count() <= POINTER_CHARS_MAX);
    let closed = schema(r#"{"properties": {"a": {}}, "additionalProperties": false}"#);
    let members: Vec<String> = (0..50_000).map(|n| format!("\"k{n}\":0")).collect();
    let rejection = refuse(&closed, &format!("{{{}}}", members.join(",")));
    assert!(rejection.to_string().chars().count() < 1_000, "{rejection}");
}
