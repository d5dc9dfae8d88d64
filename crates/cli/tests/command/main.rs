//! The `stockade` command as people run it: the real binary, real jails.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod audit;
mod check;
mod code;
mod explain;
mod formula;
mod image;
mod input;
mod leaks;
mod prove;
mod shop;
mod signal;
mod template;
mod terminal;
mod user;
mod value;
mod warm;
mod workshop;
