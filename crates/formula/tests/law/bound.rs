//! No formula costs more than what is known before there is data.

use stockade_formula::{Budget, Compiled, Formula, FormulaError, Signature, Value};

use crate::generator::{Generator, INPUTS, SIGNATURE};

const TRIED: u64 = 30_000;

#[test]
fn no_generated_formula_costs_more_than_its_bound() {
    let signature = Signature::parse(SIGNATURE).unwrap();
    let budget = Budget {
        cost_max: u64::MAX,
        built_bytes_max: 64 << 20,
        ..Budget::default()
    };
    let mut bounded = 0;
    for seed in 0..TRIED {
        let source = Generator::new(seed + 1_000_000).formula(1 + u32::try_from(seed % 4).unwrap());
        let Ok(formula) = Formula::compile(&source, &signature) else {
            continue;
        };
        let Some(bound) = formula.cost_max() else {
            continue;
        };
        bounded += 1;
        let inputs = formula.inputs_from_json(INPUTS.as_bytes()).unwrap();
        let cost = match formula.eval(&inputs, budget) {
            Ok(evaluated) => evaluated.cost,
            Err(error) => error.cost(),
        };
        assert!(cost <= bound, "{source}: {cost}, and {bound} is the bound");
    }
    assert!(bounded > TRIED * 2 / 3, "{bounded} of {TRIED} have a bound");
}

/// A formula for each function, operator and shape.
const LARGE: &[&str] = &[
    "len(s)",
    "sum(xs)",
    "min(fs)",
    "max(ws)",
    "min(s, s, 'b')",
    "abs(f)",
    "round(f, 5)",
    "int(f)",
    "float(n)",
    "decimal(n)",
    "str(s)",
    "str(rows)",
    "str(m)",
    "str(fs)",
    "str([s, s])",
    "bool(m)",
    "any(xs)",
    "all(xs)",
    "sorted(xs)",
    "sorted(ws)",
    "sorted(rows, 'k')",
    "range(0, 1000, 3)",
    "keys(m)",
    "values(m)",
    "get(m, s)",
    "get(m, s, 1)",
    "upper(s)",
    "lower(s)",
    "strip(s)",
    "strip(s, s)",
    "split(s)",
    "split(s, ' ')",
    "split(s, 'a')",
    "join(ws, s)",
    "replace(s, '', s)",
    "replace(s, 'a', s)",
    "startswith(s, s)",
    "contains(xs, 777)",
    "contains(m, s)",
    "contains(s, s)",
    "find(s, 'zz')",
    "days(day - day)",
    "date(at)",
    "coalesce(o, o, n)",
    "mean(fs)",
    "median(xs)",
    "stdev(fs)",
    "quantile(fs, 0.77)",
    "count(xs)",
    "count(rows, rows[0])",
    "unique(ws)",
    "group_sum(rows, 'k', 'v')",
    "f'{s}{rows}{f:>200.30f}{n:,}{m}'",
    "f'{fs}'",
    "[x for x in xs for y in ws if x > 3 if y]",
    "{k: m[k] for k in m}",
    "{w: w + w for w in ws}",
    "sum(r['v'] * 2 for r in rows if r['k'] > s)",
    "max(r['k'] for r in rows)",
    "[c + c for c in s]",
    "s[::-1] + s[3:]",
    "xs[::-1] + xs[3:]",
    "s[7]",
    "rows == rows[:]",
    "[rows, rows] == [rows[:], rows[:]]",
    "rows[5] in rows[::-1]",
    "m == m",
    "s < s + s",
    "[{'a': x, 'b': [x, s]} for x in xs]",
    "[d * 2, d / 3, d // 2, d ** 2]",
    "day + days(3) > day",
    "count(r['k'] for r in rows)",
    "any(x == 7 for x in xs)",
    "[[x] for x in xs] == [[x] for x in xs]",
    "{'a': s, 'b': rows}['b'][0]['k'] == s",
    "join([f'{x:08d}' for x in xs], ',')",
    "not (xs and ws)",
    "1 < n < 2 or f > 1 and d != 2",
    "(n if o else f) == 1",
    "-f + +f - 2 * f / 3",
    "range(150) + xs",
];

/// A signature with sizes, and inputs that use them up.
fn largest() -> (Signature, Vec<(&'static str, Value)>) {
    let signature = Signature::parse(
        "s: str[300], n: int, f: float, d: decimal, xs: list[int, 200], fs: list[float, 200], \
         ws: list[str[100], 50], rows: list[{k: str[70], v: int, t: date}, 100], m: map[int, 30], \
         day: date, at: datetime, o: int?",
    )
    .unwrap();
    let word = |n: i64| Value::str(&format!("{n:x>70}"));
    let list = |count: i64, make: &dyn Fn(i64) -> Value| {
        Value::list((0..count).map(make).collect()).unwrap()
    };
    let map = |entries: Vec<(&str, Value)>| {
        Value::map(
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
        .unwrap()
    };
    let day = Value::Date("2024-02-29".parse().unwrap());
    let keys: Vec<String> = (0..30).map(|n| format!("{n:k>256}")).collect();
    let pairs = vec![
        ("s", Value::str(&"aß ".repeat(75))),
        ("n", Value::Int(i64::MIN)),
        ("f", Value::Float(-1.234_567_890_123_456_7e-300)),
        ("d", Value::Int(123)),
        ("xs", list(200, &|n| Value::Int((n * 7919) % 200))),
        (
            "fs",
            list(200, &|n| {
                Value::Float(f64::from(u32::try_from(n).unwrap()) * -1.1e-200)
            }),
        ),
        ("ws", list(50, &|n| word(n % 7))),
        (
            "rows",
            list(100, &|n| {
                map(vec![
                    ("k", word(n % 9)),
                    ("v", Value::Int(n)),
                    ("t", day.clone()),
                ])
            }),
        ),
        (
            "m",
            map(keys
                .iter()
                .map(|key| (key.as_str(), Value::Int(1)))
                .collect()),
        ),
        ("day", day.clone()),
        (
            "at",
            Value::DateTime("2024-02-29T23:59:59.999999+13:30".parse().unwrap()),
        ),
        ("o", Value::Null),
    ];
    (signature, pairs)
}

#[test]
fn each_function_keeps_its_bound_on_the_largest_inputs() {
    let (signature, pairs) = largest();
    for source in LARGE {
        let run = |formula: &Compiled| -> Result<u64, FormulaError> {
            let inputs = formula.inputs(pairs.clone())?;
            let budget = Budget {
                cost_max: u64::MAX,
                ..Budget::default()
            };
            match formula.eval(&inputs, budget) {
                Ok(evaluated) => Ok(evaluated.cost),
                // It went wrong on its way: that was within the bound as well.
                Err(error) => Ok(error.cost()),
            }
        };
        let formula = Formula::compile(source, &signature)
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        let bound = formula
            .cost_max()
            .unwrap_or_else(|| panic!("{source} has no bound"));
        let cost = run(&formula).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert!(cost <= bound, "{source}: {cost}, and {bound} is the bound");
        assert!(
            bound <= 1_000 + cost.saturating_mul(400),
            "{source}: {bound} is far from {cost}"
        );
    }
}
