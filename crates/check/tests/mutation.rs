//! Programs with parts cut, doubled and swapped: whatever comes of it ends with a report whose
//! places are in the file, on the stack that is promised, and twice the same.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use stockade_check::{Checked, Policy, Profile, check, json, sarif};

const STACK_BYTES: usize = 2 << 20;
/// More are tried by `cargo xtask fuzz`.
const ROUNDS: u64 = 4_000;
/// What parsers and lexers trip over.
const PIECES: [&str; 30] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "f'{",
    "}'",
    "t\"{",
    "'",
    "\"\"\"",
    "\\\n",
    "\n",
    "\n    ",
    "\t",
    ":",
    ",",
    ";",
    "@",
    "**",
    "lambda ",
    "not ",
    "async ",
    "match x:\n case ",
    "\u{a0}",
    "\u{300}",
    "1if ",
    "0x",
    "rb'",
    "é",
];

/// A generator of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % most.max(1)
    }
}

fn sources() -> Vec<Vec<u8>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in ["../../escape/escape", "tests/bypass", "../../examples"] {
        let entries = fs::read_dir(here.join(folder)).unwrap();
        found.extend(entries.map(|entry| entry.unwrap().path()));
    }
    found.retain(|path| path.extension().is_some_and(|end| end == "py"));
    found.sort();
    found.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn mutated(sources: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = sources[numbers.below(sources.len())].clone();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len());
        match numbers.below(5) {
            0 => {
                let end = (at + numbers.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            1 => {
                let piece = PIECES[numbers.below(PIECES.len())];
                let times = 1 << numbers.below(10);
                bytes.splice(at..at, piece.repeat(times).into_bytes());
            }
            2 => {
                let other = &sources[numbers.below(sources.len())];
                let from = numbers.below(other.len());
                let end = (from + numbers.below(200)).min(other.len());
                bytes.splice(at..at, other[from..end].iter().copied());
            }
            3 => bytes.truncate(at),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = u8::try_from(numbers.below(128)).unwrap();
                }
            }
        }
    }
    bytes
}

#[test]
fn whatever_becomes_of_a_program_ends_with_a_report() {
    let run = || {
        let policy = Policy::profile(Profile::NotebookPure).unwrap();
        let sources = sources();
        assert!(sources.len() > 50, "{}", sources.len());
        let mut numbers = Numbers(0x5107_cade);
        let (mut clean, mut parsed) = (0, 0);
        for _ in 0..ROUNDS {
            let bytes = mutated(&sources, &mut numbers);
            let report = check("mutated.py", &bytes, &policy);
            for one in &report.findings {
                let text = String::from_utf8_lossy(&bytes);
                assert!(
                    one.span.start <= one.span.end && one.span.end <= bytes.len(),
                    "{text}"
                );
                assert!(one.start <= one.end && one.start.line > 0, "{text}");
            }
            clean += usize::from(report.findings.is_empty());
            let stops = report.findings.iter().any(|one| one.rule.stops_reading());
            parsed += usize::from(!stops);
            assert_eq!(check("mutated.py", &bytes, &policy), report);
            let file = [Checked {
                name: "mutated.py".to_owned(),
                report,
            }];
            assert!(json(&file).is_object() && sarif(&file).is_object());
        }
        (clean, parsed)
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(run);
    let (clean, parsed) = thread.unwrap().join().unwrap();
    // Neither all are nonsense nor none is.
    assert!(clean > 0 && parsed > 100, "{clean} clean, {parsed} parsed");
}
