//! What programs do with the packages of `code-interpreter`, which `cargo xtask test interpreter`
//! builds before.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod data;
mod leak;
mod start;
mod system;
