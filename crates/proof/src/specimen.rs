//! Demonstrations within one interpreter, as programs that say what they reached.

use serde_json::json;
use stockade_core::record::sha256_hex;

use crate::probe::{Context, Probe};

/// Runs the demonstration and looks at what it reached.
const DRIVER: &str = include_str!("specimen.py");

/// Which process the demonstration is run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// One that holds the secret, which it reads from its standard input.
    Trusted,
    /// One behind a fence.
    Fence,
}

/// The program for `probe`; `secret` is 64 characters, of which it gets the digest alone.
pub(crate) fn program(probe: &Probe, secret: &str, within: Within) -> Vec<u8> {
    let (context, names): (&str, &[String]) = match &probe.context {
        Context::Bare => ("bare", &[]),
        Context::Helper => ("helper", &[]),
        Context::Object(_) => ("object", &[]),
        Context::Builtins(names) => ("builtins", names),
        Context::Import(names) => ("import", names),
        Context::File => ("file", &[]),
        Context::Job => ("job", &[]),
    };
    // A byte is a character, so that an encoding of its own passes.
    let source: String = probe.source.iter().copied().map(char::from).collect();
    let parameters = json!([
        probe.id,
        context,
        names,
        sha256_hex(secret.as_bytes()),
        source,
        within == Within::Trusted,
    ]);
    // A string of JSON is a string of Python.
    let literal = json!(parameters.to_string()).to_string();
    format!("PARAMETERS = {literal}\n{DRIVER}").into_bytes()
}
