//! Formulas that hang, fill memory or crash elsewhere, and variations of each. Shared by the test
//! of their memory and by `cargo xtask bench formula`, which measures their time.

/// As they were found.
pub(crate) fn found() -> Vec<String> {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(4000), close.repeat(4000));
    let mut sources: Vec<String> = [
        "9**9**9",
        "9.0**9**9",
        "'%999999999d' % x",
        "'a' * 999999999",
        "[0] * 999999999",
        "range(999999999)",
        "f'{1:>999999999}'",
        "[a for a in range(4000) for b in range(4000)]",
        "[a for a in range(40) for b in range(40) for c in range(40) for d in range(40)]",
        "sum(a for a in range(4000) for b in range(4000))",
        "sorted(range(90000))",
        "sorted([f'{a % 7:>200}' for a in range(2000)])",
        "join([f'{a:200}' for a in range(3000)])",
        "[replace(replace(t, '', t), '', t) for t in [f'{1:200}'] for n in range(999)]",
        "str([[a] for a in range(20000)])",
        "unique([a % 9 for a in range(9000)])",
        "{str(a): a for a in range(9000)}",
        "[str(a) in [str(b) for b in range(300)] for a in range(300)]",
        "decimal('999999999999.999') ** 999999999",
        "1.0 ** 1e300",
        "(1 + 1e-16) ** 1e300",
        "strip(f'{1:200}', f'{2:200}') + strip(f'{1:200}', f'{2:200}')",
        "[median(range(2000)) for n in range(99)]",
        "[f'{1e308:,.30f}' for a in range(9000)]",
        "[contains(f'{1:200}' + 'b', f'{1:199}') for a in range(9000)]",
        "().__class__.__mro__",
        "[decimal(a) / 7 for a in range(9000)]",
        "[0.1 == decimal('0.1') for a in range(20000)]",
        "[1e-300 < decimal('0.1') for a in range(20000)]",
        "[int(str(a)) for a in range(20000)]",
        "[upper('ßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßß') for a in range(20000)]",
    ]
    .map(str::to_owned)
    .to_vec();
    sources.extend([
        deep("(", ")"),
        deep("[", "]"),
        deep("-", ""),
        deep("not ", ""),
        deep("1+", ""),
    ]);
    sources.push(format!("x{}", " + x".repeat(2000)));
    sources.push("'".repeat(8000));
    sources
}

/// Those, and each with its numbers larger and smaller, as an item, doubled, in a loop and as text.
pub(crate) fn all() -> Vec<String> {
    let found = found();
    let mut all = found.clone();
    for source in &found {
        all.extend([
            scaled(source, "99", "9"),
            scaled(source, "9", "99"),
            scaled(source, "00", "000"),
            format!("[{source}, {source}]"),
            format!("str({source})"),
            format!("[({source}) for q in range(99)]"),
            format!("({source}) if x else 0"),
        ]);
    }
    all.sort();
    all.dedup();
    all
}

/// With other digits, where the source is not longer than a formula may be.
fn scaled(source: &str, from: &str, to: &str) -> String {
    if source.len() > 2_000 {
        return source.to_owned();
    }
    source.replace(from, to)
}
