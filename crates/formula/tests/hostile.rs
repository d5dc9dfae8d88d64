//! Formulas that hang, blow up or crash other evaluators end here with a coded error, on a small
//! stack.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use stockade_formula::{Budget, Code, Family, Formula, Signature, Type, Value};

/// What a thread of an embedding server may have.
const STACK_BYTES: usize = 256 << 10;

/// The code that compiling or evaluating ends with, on a thread of a small stack.
fn code(source: String) -> Option<Code> {
    let run = move || {
        let signature = Signature::open();
        let ended = Formula::compile(&source, &signature).and_then(|formula| {
            let pairs: Vec<(String, Value)> = formula
                .names()
                .map(|(name, _, _)| (name.to_owned(), Value::Int(1)))
                .collect();
            let inputs = formula.inputs(pairs)?;
            let budget = Budget::default();
            let ended = formula.eval(&inputs, budget);
            if let Ok(evaluated) = &ended {
                assert!(
                    evaluated.cost <= budget.cost_max && evaluated.built <= budget.built_bytes_max
                );
            }
            ended
        });
        ended.err().map(|error| error.code())
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(run)
        .unwrap();
    thread.join().unwrap()
}

/// `open` so many times, then `middle`, then `close` as often.
fn nested(open: &str, middle: &str, close: &str, times: usize) -> String {
    format!("{}{middle}{}", open.repeat(times), close.repeat(times))
}

#[test]
fn what_is_nested_too_deep_is_refused_before_it_is_parsed() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("{", "", "}"),
        ("-", "1", ""),
        ("+", "1", ""),
        ("~", "1", ""),
        ("not ", "1", ""),
        ("lambda: ", "1", ""),
        ("await ", "x", ""),
        ("1 if 1 else ", "1", ""),
        ("2**", "2", ""),
        ("f'{", "1", "}'"),
        ("f(", "1", ")"),
        ("x[", "0", "]"),
        ("{1: ", "1", "}"),
        ("[x for x in ", "y", "]"),
        ("(yield ", "1", ")"),
        ("1 + (", "1", ")"),
        ("*", "x", ""),
        ("f\"{x:{", "1", "}}\""),
        ("- ", "1", ""),
        ("not\t", "1", ""),
        ("(1,", "1", ")"),
        ("(lambda: ", "1", ")"),
        ("- - not ", "1", ""),
    ] {
        for times in [65, 70, 300, 1_000] {
            let source = nested(open, middle, close, times);
            if source.len() > 8 << 10 {
                continue;
            }
            let code = code(source).unwrap();
            assert!(
                matches!(
                    code,
                    Code::TooDeep | Code::ChainTooLong | Code::Syntax | Code::Starred
                ),
                "{open} {times}: {code}"
            );
        }
        let code = code(nested(open, middle, close, 100_000));
        assert_eq!(code, Some(Code::TooLong), "{open}");
    }
}

#[test]
fn what_is_as_deep_as_allowed_works_on_a_small_stack() {
    assert_eq!(code(nested("(", "1", ")", 64)), None);
    assert_eq!(code(nested("[", "1", "]", 63)), None);
    assert_eq!(code(nested("-", "x", "", 62)), None);
    assert_eq!(code(nested("abs(", "1", ")", 63)), None);
    assert_eq!(code(nested("f'{", "1", "}'", 32)), None);
    assert_eq!(code(nested("[y for y in ", "[1]", "]", 31)), None);
    assert_eq!(code(nested("2 if 0 else ", "1", "", 62)), None);
    assert_eq!(code(format!("1{}", " + 1".repeat(500))), None);
    assert_eq!(code(format!("1{}", " < 2 < 3 > 1".repeat(160))), None);
    assert_eq!(code(format!("x{}", " or x".repeat(500))), None);
    assert_eq!(
        code(format!("x{}", "[0]".repeat(64))),
        Some(Code::OperandsMet)
    );
    assert_eq!(code(format!("x{}", "[0]".repeat(500))), Some(Code::TooDeep));
    assert_eq!(code(format!("x{}", " - (x)".repeat(480))), None);
}

#[test]
fn long_chains_are_refused() {
    for part in [
        " + 1", " and 1", " < 1", "[0]", "(1)", ".a", " in x", " * 2", " or x", " % 3", " is x",
    ] {
        let source = format!("x{}", part.repeat(600));
        assert_eq!(code(source), Some(Code::ChainTooLong), "{part}");
    }
    assert_eq!(
        code(format!("[{}]", "1,".repeat(2_500))),
        Some(Code::TooManyNodes)
    );
}

/// What hangs, fills memory or crashes elsewhere, and what leads out of a sandbox.
const HOSTILE: &[(&str, Code)] = &[
    ("9**9**9", Code::Overflow),
    ("9.0**9**9", Code::NotFinite),
    ("9.0**999.0", Code::NotFinite),
    ("'%999999999d' % x", Code::OperandsMet),
    ("'a' * 999999999", Code::Operands),
    ("[0] * 999999999", Code::Operands),
    ("range(999999999)", Code::Cost),
    (
        "range(-9223372036854775808, 9223372036854775807)",
        Code::Cost,
    ),
    ("f'{x:>999999999}'", Code::Format),
    ("[a for a in range(9000) for b in range(9000)]", Code::Cost),
    (
        "[a for a in range(300) for b in range(300) for c in range(300)]",
        Code::Cost,
    ),
    (
        "sum(a for a in range(9000) for b in range(9000))",
        Code::Cost,
    ),
    ("sorted(range(90000))", Code::Cost),
    ("join([f'{a:200}' for a in range(3000)])", Code::Cost),
    ("replace(f'{x:200}', '', f'{x:200}') + x", Code::OperandsMet),
    (
        "[replace(replace(t, '', t), '', t) for t in [f'{x:200}'] for n in range(99)]",
        Code::Cost,
    ),
    ("str([[a] for a in range(20000)])", Code::Cost),
    ("().__class__.__mro__", Code::Attribute),
    ("__import__('os').system('id')", Code::Attribute),
    ("eval('1')", Code::UnknownFunction),
    ("getattr(x, 'y')", Code::UnknownFunction),
    ("open('/etc/passwd')", Code::UnknownFunction),
    ("__builtins__", Code::UnknownName),
    ("round(1e308, 30) * 1e10", Code::NotFinite),
    (
        "decimal('999999999999999999999999') ** 999999999",
        Code::Overflow,
    ),
    ("-x // 0", Code::DivisionByZero),
    ("-9223372036854775808 // -x", Code::Overflow),
    ("abs(-9223372036854775808)", Code::Overflow),
];

#[test]
fn each_hostile_formula_ends_with_its_code() {
    let doubling = |count: usize| {
        let names: Vec<String> = (0..count)
            .map(|n| format!("for x{} in [[x{n}, x{n}]]", n + 1))
            .collect();
        format!("[x{count} for x0 in [1] {}]", names.join(" "))
    };
    let rows = HOSTILE
        .iter()
        .map(|(source, wanted)| ((*source).to_owned(), *wanted));
    let made = [
        (doubling(18), Code::ResultSize),
        (doubling(60), Code::ResultSize),
        (format!("str({})", doubling(20)), Code::Cost),
        (format!("{} == {}", doubling(20), doubling(20)), Code::Cost),
        ("1 if".to_owned(), Code::Syntax),
        ("'\\N{nope}'".to_owned(), Code::Syntax),
        ("\0".to_owned(), Code::Syntax),
        ("x\u{202e}y".to_owned(), Code::Syntax),
        ("99999999999999999999999".to_owned(), Code::NumberTooLarge),
        ("1e999".to_owned(), Code::NumberTooLarge),
        (String::new(), Code::Empty),
        (" \n\t".to_owned(), Code::Empty),
        ("# only a comment".to_owned(), Code::Syntax),
    ];
    for (source, wanted) in rows.chain(made) {
        assert_eq!(code(source.clone()), Some(wanted), "{source}");
    }
}

#[test]
fn a_value_is_never_nested_deeper_than_allowed() {
    let mut deep = Value::Int(1);
    for _ in 0..64 {
        deep = Value::list(vec![deep]).unwrap();
    }
    assert!(Value::list(vec![deep.clone()]).is_none());
    for source in [
        "[x]",
        "{'a': x}",
        "[y for y in [x]]",
        "{k: x for k in ['a']}",
        "sorted([[x]], 'a')",
    ] {
        let formula = Formula::compile(source, &Signature::open()).unwrap();
        let inputs = formula.inputs([("x", deep.clone())]).unwrap();
        let error = formula.eval(&inputs, Budget::default()).unwrap_err();
        assert_eq!(error.code(), Code::ValueDepth, "{source}");
    }
}

#[test]
fn a_budget_of_any_size_is_kept() {
    let signature = Signature::open();
    let formula = Formula::compile(
        "join(sorted([upper(f'{a:>20}') for a in range(50) if a % 3]), ', ')",
        &signature,
    )
    .unwrap();
    let inputs = formula.inputs::<&str>([]).unwrap();
    let full = formula.eval(&inputs, Budget::default()).unwrap();
    for cost_max in 0..full.cost {
        let error = formula
            .eval(
                &inputs,
                Budget {
                    cost_max,
                    ..Budget::default()
                },
            )
            .unwrap_err();
        assert_eq!(error.code(), Code::Cost);
        assert!(error.cost() <= cost_max);
    }
    for built_bytes_max in (0..full.built).step_by(97) {
        let budget = Budget {
            built_bytes_max,
            ..Budget::default()
        };
        let error = formula.eval(&inputs, budget).unwrap_err();
        assert_eq!(
            (error.code(), error.family()),
            (Code::Built, Family::Budget)
        );
    }
    let exact = Budget {
        cost_max: full.cost,
        built_bytes_max: full.built,
        ..Budget::default()
    };
    assert_eq!(formula.eval(&inputs, exact).unwrap(), full);
}

#[test]
fn cost_grows_with_the_input_and_never_falls() {
    let signature = Signature::open();
    for source in [
        "sum(x)",
        "sorted(x)",
        "[y * 2 for y in x if y > 3]",
        "str(x)",
        "unique(x)",
        "median(x)",
        "3 in x",
        "join([str(y) for y in x])",
        "{str(y): y for y in x}",
        "x[1:]",
        "mean(x) + stdev(x + [1, 2])",
        "x == x + []",
    ] {
        let formula = Formula::compile(source, &signature).unwrap();
        let mut last = 0;
        for len in (2..200).step_by(7) {
            let items = (0..len).map(|n| Value::Int(1000 + n)).collect();
            let inputs = formula
                .inputs([("x", Value::list(items).unwrap())])
                .unwrap();
            let cost = formula.eval(&inputs, Budget::default()).unwrap().cost;
            assert!(cost >= last, "{source} at {len}: {cost} after {last}");
            last = cost;
        }
    }
}

#[test]
fn a_compiled_formula_is_used_by_many_threads() {
    let signature = Signature::parse("x: int").unwrap();
    let formula = Formula::compile("sum(x * y for y in range(100))", &signature).unwrap();
    std::thread::scope(|scope| {
        for x in 0..8 {
            let formula = &formula;
            scope.spawn(move || {
                let inputs = formula.inputs([("x", Value::Int(x))]).unwrap();
                let value = formula.eval(&inputs, Budget::default()).unwrap().value;
                assert_eq!(value, Value::Int(x * 4950));
            });
        }
    });
    assert_eq!(formula.kind(), &Type::Int);
}

#[test]
fn what_a_scanner_of_bytes_would_misread_is_counted_as_the_parser_reads_it() {
    for open in [
        "1if 1else ",
        "1+\\\r\n",
        "'\r(",
        "1f\"{'[[",
        "bf'{'((",
        "\u{300}not ",
        "not\u{a0}",
    ] {
        let source = open.repeat((8 << 10) / open.len());
        let code = code(format!("{source}1"));
        assert!(
            matches!(
                code,
                Some(Code::TooDeep | Code::ChainTooLong | Code::Syntax)
            ),
            "{open:?}: {code:?}"
        );
    }
    for head in ["'\r", "\"a\r", "f'{'\r'}", "f'{'", "1f\"{'"] {
        for body in ["(", "[", "not "] {
            let source = format!("{head}{}", body.repeat(8_000 / body.len()));
            let code = code(source);
            assert!(
                matches!(code, Some(Code::TooDeep | Code::Syntax)),
                "{head:?} {body:?}: {code:?}"
            );
        }
    }
}
