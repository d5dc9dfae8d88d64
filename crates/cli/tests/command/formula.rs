//! `stockade eval`.

use crate::workshop::Workshop;

#[test]
fn a_formula_prints_its_value() {
    let shop = Workshop::new();
    shop.file("row.json", r#"{"price": 19.5, "qty": 6, "unused": [1]}"#);
    let done = shop.run(["eval", "price * qty > 100", "--input", "row.json"]);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "true\n"),
        "{done:?}"
    );
    let done = shop.run(["eval", "1 + 1", "--format", "json"]);
    assert_eq!(
        done.stdout,
        "{\"value\":2,\"cost\":3,\"language_version\":1}\n"
    );
}

#[test]
fn an_error_shows_the_place_and_ends_with_the_code_of_its_family() {
    let shop = Workshop::new();
    let done = shop.run(["eval", "1 + nmae", "--signature", "name: int"]);
    assert_eq!(done.code, Some(65));
    assert!(
        done.stderr.contains("1 | 1 + nmae\n  |     ^^^^\n"),
        "{done:?}"
    );
    assert!(done.stderr.contains("do you mean `name`?"), "{done:?}");
    assert_eq!(shop.run(["eval", "1 / (2 - 2)"]).code, Some(1));
    assert_eq!(
        shop.run(["eval", "range(100)", "--cost-max", "10"]).code,
        Some(3)
    );
}

#[test]
fn each_row_gives_a_line_and_a_row_that_fails_its_error() {
    let shop = Workshop::new();
    shop.file("rows.csv", "a,b\n1,2\n\"3\",\"x\"\"y\"\n5,0\n");
    let done = shop.run(["eval", "a / b", "--each", "--input", "rows.csv"]);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(
        (done.code, lines.len(), lines[0]),
        (Some(1), 3, "0.5"),
        "{done:?}"
    );
    assert!(lines[1].contains("eval-operands") && lines[2].contains("eval-division-by-zero"));
    assert_eq!(done.stderr, "2 of 3 rows failed\n");
    shop.file("rows.json", r#"[{"a": 1}, {"a": 2}]"#);
    let done = shop.run(["eval", "a * 2", "--each", "--input", "rows.json"]);
    assert_eq!(done.stdout, "2\n4\n");
    shop.file("rows.jsonl", "{\"a\": 1}\n\n{\"a\": 2}\n");
    let done = shop.run(["eval", "a * 2", "--each", "--input", "rows.jsonl"]);
    assert_eq!(done.stdout, "2\n4\n");
}

#[test]
fn the_examples_work() {
    let shop = Workshop::new();
    let top = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for (name, value) in [("invoice", "\"overdue\":30"), ("flag", "true")] {
        let file = |end: &str| format!("{top}/formula/{name}.{end}");
        let done = shop.run([
            "eval",
            &format!("@{}", file("formula")),
            "--signature",
            &format!("@{}", file("types")),
            "--input",
            &file("json"),
        ]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.stdout.contains(value), "{done:?}");
    }
    let report = format!("@{top}/formula/report.formula");
    let done = shop.run([
        "eval",
        &report,
        "--input",
        &format!("{top}/sales.csv"),
        "--each",
    ]);
    assert!(
        done.stdout.starts_with("\"east: 37.80 (under plan)\"\n"),
        "{done:?}"
    );
    assert_eq!(done.stdout.lines().count(), 203);
}

#[test]
fn a_file_called_formula_runs_on_the_formula_rung() {
    let shop = Workshop::new();
    shop.file("rule.formula", "6 * 7");
    let done = shop.run(["run", "rule.formula"]);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "42\n"),
        "{done:?}"
    );
    assert!(done.stderr.contains("formula"), "{done:?}");
}
