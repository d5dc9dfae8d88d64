//! What holds for every formula, tried on generated ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

mod bound;
mod generator;
mod python;
