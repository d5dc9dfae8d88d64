//! Writes, or with `--check` compares, every file that is generated from the tables in `core`.
#![forbid(unsafe_code)]

fn main() {}
