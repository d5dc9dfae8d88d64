//! What can be asked for without a file.

use std::path::Path;

use stockade_core::error::{Error, ErrorKind};

use super::spec::Spec;

/// Every name that is there from the start.
pub const NAMES: [&str; 4] = ["python", "code-interpreter", "ubuntu-24.04", "base"];

/// The template that a name stands for: two are other names of `python`, for clients that ask for
/// a bare system.
pub(super) fn canonical(name: &str) -> &str {
    match name {
        "base" | "ubuntu-24.04" => "python",
        other => other,
    }
}

/// What a warm start of `python` has imported: 25 modules that small programs use, 18 ms and 5 MB
/// together. Not `asyncio`, `multiprocessing` or `hashlib` (OpenSSL): each costs as much as several
/// of these, and every clone pays for what is mapped.
pub(super) const PRELOAD: [&str; 25] = [
    "json",
    "stockade_guest",
    "math",
    "random",
    "collections",
    "itertools",
    "functools",
    "re",
    "datetime",
    "decimal",
    "fractions",
    "statistics",
    "dataclasses",
    "typing",
    "enum",
    "csv",
    "io",
    "time",
    "string",
    "textwrap",
    "base64",
    "copy",
    "bisect",
    "heapq",
    "pathlib",
];

const CODE_INTERPRETER: (&str, &str) = (
    include_str!("../../template/code-interpreter.toml"),
    include_str!("../../template/code-interpreter.lock"),
);

/// The description and the lock of a template that has them.
pub(super) fn source(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "code-interpreter" => Some(CODE_INTERPRETER),
        _ => None,
    }
}

/// The same, read.
pub(super) fn spec(name: &str) -> Result<Spec, Error> {
    let Some((text, lock)) = source(name) else {
        let text = format!("template `{name}` has no description");
        return Err(Error::new(ErrorKind::InvalidPolicy, text));
    };
    let mut spec = Spec::parse(Path::new(&format!("{name}.toml")), text)?;
    spec.builtin = Some(lock);
    Ok(spec)
}
