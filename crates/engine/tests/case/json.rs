//! Values on their way out.

use crate::run::{assert_ended, ended, job, limited, run, submit, value};
use stockade::{Outcome, Schema, Submission};

/// Runs a program that writes `text` to the result file itself.
fn written(text: &str) -> String {
    let source = format!("import sys\nopen(sys.argv[1], 'wb').write({text})");
    ended(&run(&source, &[]))
}

#[test]
fn case_08_json_nan_and_infinity() {
    let source = "emit({'n': 0, 'mean': float('nan'), 'top': float('inf')})";
    let record = run(source, &[]);
    let Outcome::Raised {
        exception, message, ..
    } = &record.outcome
    else {
        panic!("{}", record.to_json());
    };
    assert_eq!(exception, "ValueError");
    assert!(message.starts_with("$.mean:"), "{message}");

    // Python's own writer sees nothing wrong with it.
    let source =
        "import json, sys\njson.dump({'n': 0, 'mean': float('nan')}, open(sys.argv[1], 'w'))";
    let record = run(source, &[]);
    let Outcome::ResultRejected(rejection) = &record.outcome else {
        panic!("{}", record.to_json());
    };
    assert_eq!(
        (rejection.rule.slug(), &*rejection.pointer),
        ("not-finite", "/mean")
    );

    let schema = br#"{"type": "object", "properties": {"mean": {"type": "number"}}}"#;
    let policy = limited(&[]).schema(Schema::compile(schema).unwrap());
    let record = submit(&job("emit({'mean': None})"), &policy).unwrap();
    let Outcome::ResultRejected(rejection) = &record.outcome else {
        panic!("{}", record.to_json());
    };
    assert_eq!(
        (rejection.rule.slug(), &*rejection.pointer),
        ("schema", "/mean")
    );
    let record = submit(&job("emit({'mean': 0.5})"), &policy).unwrap();
    assert_ended(&record, "finished {\"mean\":0.5}");
}

#[test]
fn case_09_json_values_of_the_standard_library() {
    // numpy and pandas come with templates that have packages; the rules are the same module's.
    let source = "\
import datetime, decimal, pathlib, uuid, dataclasses
@dataclasses.dataclass
class Row:
    when: datetime.date
emit({'d': decimal.Decimal('1.10'), 't': datetime.datetime(2024, 1, 1),
      'b': b'\\x00\\xff', 's': {3, 1, 2}, 'r': Row(datetime.date(2024, 2, 29)),
      'n': (1, None, True), 'p': pathlib.PurePosixPath('a/b'), 'u': uuid.UUID(int=1)})
";
    assert_eq!(
        value(source, &[]),
        "{\"d\":1.10,\"t\":\"2024-01-01T00:00:00\",\"b\":\"AP8=\",\"s\":[1,2,3],\
         \"r\":{\"when\":\"2024-02-29\"},\"n\":[1,null,true],\"p\":\"a/b\",\
         \"u\":\"00000000-0000-0000-0000-000000000001\"}"
    );
}

#[test]
fn case_09_json_what_has_no_rule_names_its_place_and_type() {
    let record = run("print('before')\nemit({'a': [1, {'z': 2 + 3j}]})", &[]);
    let Outcome::Raised {
        exception, message, ..
    } = &record.outcome
    else {
        panic!("{}", record.to_json());
    };
    assert_eq!(exception, "TypeError");
    assert!(
        message.starts_with("$.a[1].z: no rule for type 'complex'"),
        "{message}"
    );
    assert_eq!(record.stdout.text(), "before\n");
}

#[test]
fn case_10_json_integers_beyond_double() {
    let exact = "{\"id\":9007199254740993,\"big\":1180591620717411303424}";
    assert_eq!(
        value("emit({'id': 9007199254740993, 'big': 2**70})", &[]),
        exact
    );
    let record = run("emit({'id': 9007199254740993, 'big': 2**70})", &[]);
    assert!(record.to_json().contains(exact), "{}", record.to_json());

    let echo = Submission::python("import stockade_guest as g\ng.emit(g.input())").input(exact);
    let record = submit(&echo, &limited(&[])).unwrap();
    assert_ended(&record, &format!("finished {exact}"));
}

#[test]
fn what_a_program_writes_itself_is_held_to_the_rules() {
    for (text, rule) in [
        ("b'{\"a\": 1, \"a\": 2}'", "duplicate-key"),
        ("b'\"\\\\ud800\"'", "lone-surrogate"),
        ("b'1e999'", "number"),
        ("b'1 2'", "syntax"),
        ("b''", "syntax"),
        ("b'{}garbage'", "syntax"),
        ("b'\"\\xff\"'", "utf8"),
        ("b'[' * 65 + b']' * 65", "depth"),
        ("b'\"' + b'a' * (1 << 20) + b'\"'", "size"),
        ("b'[' * (1 << 20)", "depth"),
    ] {
        let ended = written(text);
        let expected = format!("result_rejected {rule} ");
        assert!(ended.starts_with(&expected), "{text}: {ended}");
    }
    assert_eq!(
        written("b' [1, 2.50] '"),
        "finished [1,2.50]",
        "the control"
    );
}

#[test]
fn the_result_depth_of_the_policy_holds_in_the_guest_as_well() {
    let source = "v = 1\nfor _ in range(100): v = [v]\nemit(v)";
    let deep = run(source, &["result_depth=100"]);
    assert!(ended(&deep).starts_with("finished [[["), "{}", ended(&deep));
    let shallow = run(source, &["result_depth=99"]);
    let ended = ended(&shallow);
    assert!(ended.starts_with("raised ValueError: $"), "{ended}");
}

#[test]
fn no_value_and_exit_0_is_rejected_unless_none_is_owed() {
    let record = run("print('hello')", &[]);
    assert!(ended(&record).starts_with("result_rejected missing "));
    assert_eq!(record.stdout.text(), "hello\n");
    let policy = limited(&[]).no_value();
    let record = submit(&job("print('hello')"), &policy).unwrap();
    assert_ended(&record, "finished");
    let record = submit(&job("emit(1)"), &policy).unwrap();
    assert_ended(&record, "finished");
}

#[test]
fn a_called_function_gives_the_value() {
    let called =
        Submission::python("def main(rows):\n    return {'sum': sum(rows)}").input("[1, 2, 39]");
    let policy = limited(&[]).call("main").unwrap();
    let record = submit(&called, &policy).unwrap();
    assert_ended(&record, "finished {\"sum\":42}");
    let missing = Submission::python("x = 1").input("1");
    let record = submit(&missing, &policy).unwrap();
    assert!(
        ended(&record).starts_with("raised stockade_guest.CallError: "),
        "{}",
        ended(&record)
    );
    let broken = Submission::python("def main(_):\n    return 1 / 0").input("1");
    let record = submit(&broken, &policy).unwrap();
    assert_ended(&record, "raised ZeroDivisionError: division by zero");
}
