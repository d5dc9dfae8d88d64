//! Result validation: any bytes are read or refused, and what is read is what others read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stockade_core::value::{EXCERPT_CHARS_MAX, POINTER_CHARS_MAX, Rules, is_unsafe_to_print, read};

const RULES: Rules = Rules {
    bytes_max: 64 << 10,
    depth_max: 64,
};

/// The canonical text is at most six times as long as the document.
const AGAIN: Rules = Rules {
    bytes_max: 6 * RULES.bytes_max,
    depth_max: RULES.depth_max,
};

fuzz_target!(|bytes: &[u8]| {
    match read(bytes, &RULES) {
        Ok(value) => {
            assert!(!value.text().contains(is_unsafe_to_print));
            let again = read(value.text().as_bytes(), &AGAIN).expect("our own text is read");
            assert_eq!(again.text(), value.text());
            let pretty = value.pretty();
            if let Ok(pretty) = read(pretty.as_bytes(), &AGAIN) {
                assert_eq!(pretty.text(), value.text());
            } else {
                assert!(pretty.len() > AGAIN.bytes_max);
            }
            // The usual reader takes an object with this key for a number, or fails on it.
            if !value.text().contains("$serde_json::private::") {
                let other: serde_json::Value =
                    serde_json::from_slice(bytes).expect("what we take is JSON");
                assert_eq!(&other, value.tree());
            }
        }
        Err(rejection) => {
            assert!(rejection.pointer.chars().count() <= POINTER_CHARS_MAX);
            assert!(rejection.excerpt.chars().count() <= EXCERPT_CHARS_MAX);
            assert!(rejection.message.chars().count() <= 300);
            assert!(!rejection.to_string().contains(is_unsafe_to_print));
            assert!(rejection.offset.is_none_or(|offset| offset <= bytes.len()));
        }
    }
});
