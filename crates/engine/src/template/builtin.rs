//! What can be asked for without a file.

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
