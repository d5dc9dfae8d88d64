//! A schema, a line end, and a value: compiling and checking end, in bounds, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stockade_core::value::{Rule, Rules, Schema, is_unsafe_to_print, read};

const RULES: Rules = Rules {
    bytes_max: 64 << 10,
    depth_max: 64,
};

fuzz_target!(|bytes: &[u8]| {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        return;
    };
    let (schema, value) = bytes.split_at(end);
    let schema = match Schema::compile(schema) {
        Ok(schema) => schema,
        Err(message) => {
            assert!(!message.contains(is_unsafe_to_print), "{message}");
            return;
        }
    };
    let Ok(value) = read(value, &RULES) else {
        return;
    };
    let verdict = schema.check(&value);
    assert_eq!(verdict, schema.check(&value), "the same answer each time");
    if let Err(rejection) = verdict {
        assert_eq!(rejection.rule, Rule::Schema);
        assert!(!rejection.to_string().contains(is_unsafe_to_print));
    }
});
