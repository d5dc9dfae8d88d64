//! Any bytes as a program, on a small stack: no panic, places that are in the file, and the same
//! report twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stockade_check::{Checked, Policy, Profile, json, json_lines, sarif};

/// The sanitizer's frames are several times as large as those that are promised 2 MiB.
const STACK_BYTES: usize = 16 << 20;

fn check(data: &[u8]) {
    let policy = Policy::profile(Profile::NotebookPure).unwrap();
    let report = stockade_check::check("fuzz.py", data, &policy);
    for one in &report.findings {
        assert!(one.span.start <= one.span.end && one.span.end <= data.len());
        assert!(one.start <= one.end && one.start.line > 0 && one.start.column > 0);
    }
    assert_eq!(stockade_check::check("fuzz.py", data, &policy), report);
    let files = [Checked {
        name: "fuzz.py".to_owned(),
        report,
    }];
    assert!(json(&files).is_object() && sarif(&files).is_object());
    assert!(!json_lines(&files).is_empty());
}

fuzz_target!(|data: &[u8]| {
    let data = data.to_vec();
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || check(&data))
        .unwrap()
        .join()
        .unwrap();
});
