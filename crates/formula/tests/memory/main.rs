//! What formulas allocate, counted by the allocator: a bound for the hostile ones, and what is
//! charged for the others.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

mod hostile;

use std::sync::{Mutex, PoisonError};

use peak_alloc::PeakAlloc;
use stockade_formula::{Budget, Evaluated, Formula, FormulaError, Signature};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// The counters are those of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// What the issue promises of each hostile formula, bytes.
const HOSTILE_BYTES_MAX: usize = 64 << 20;
/// What an evaluation takes besides what it is charged for: buffers of a sort, an error's texts.
const SPARE_BYTES: usize = 64 << 10;

/// Most bytes that `run` had allocated at once, and what it gave.
fn peak<T>(run: impl FnOnce() -> T) -> (usize, T) {
    ALLOCATED.reset_peak_usage();
    let before = ALLOCATED.current_usage();
    let given = run();
    (ALLOCATED.peak_usage().saturating_sub(before), given)
}

fn evaluated(source: &str) -> Result<Evaluated, FormulaError> {
    let formula = Formula::compile(source, &Signature::open())?;
    let inputs = formula.inputs_from_json(b"{\"x\": 1}")?;
    formula.eval(&inputs, Budget::default())
}

#[test]
fn no_hostile_formula_or_variation_takes_more_than_64_mib() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sources = hostile::all();
    assert!(hostile::found().len() >= 35 && sources.len() >= 200);
    let (mut refused, mut worst) = (0, 0);
    for source in &sources {
        let (bytes, ended) = peak(|| evaluated(source));
        let shown: String = source.chars().take(80).collect();
        assert!(bytes <= HOSTILE_BYTES_MAX, "{bytes} bytes: {shown}");
        worst = worst.max(bytes);
        refused += usize::from(ended.is_err());
    }
    // The counter counts: lists of some MiB are built before the budget is over.
    assert!(worst > 1 << 20, "{worst}");
    assert!(
        refused > sources.len() / 2,
        "{refused} of {}",
        sources.len()
    );
}

#[test]
fn what_is_allocated_at_once_is_at_most_twice_what_is_charged() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let roomy = Budget {
        cost_max: 10_000_000,
        built_bytes_max: 64 << 20,
        result_bytes_max: 64 << 20,
    };
    for source in [
        "range(9000)",
        "[a for a in range(9000)]",
        "[[a] for a in range(9000)]",
        "[str(a) for a in range(4000)]",
        "{str(a): a for a in range(3000)}",
        "join([f'{a:200}' for a in range(2000)])",
        "sorted([a % 7 for a in range(5000)])",
        "unique([a % 99 for a in range(900)])",
        "split(join([str(a) for a in range(3000)], ' '))",
        "replace(join([str(a) for a in range(3000)]), '1', 'eleven')",
        "[a for a in 'abc' + join(['x' for b in range(3000)])]",
        "group_sum([{'g': str(a % 50), 'v': a} for a in range(1500)], 'g', 'v')",
        "median([a for a in range(5000)])",
        "[x for x in range(5000)][::2] + [x for x in range(900)]",
        "upper(join([str(a) for a in range(3000)]))",
    ] {
        let formula = Formula::compile(source, &Signature::open()).unwrap();
        let inputs = formula.inputs_from_json(b"{}").unwrap();
        let (bytes, ended) = peak(|| formula.eval(&inputs, roomy));
        let charged = usize::try_from(ended.unwrap().built).unwrap();
        assert!(
            bytes <= charged * 2 + SPARE_BYTES,
            "{bytes} bytes for {charged} charged: {source}"
        );
        assert!(charged > SPARE_BYTES, "{charged}: {source}");
    }
}
