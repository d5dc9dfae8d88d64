//! What broke for others, as tests: each file of the handed cases that applies to one run, with
//! its own input and the right behaviour, and the ways around a boundary that belong beside them.
//!
//! The tests need a cgroup: run them as root, or in a scope of your own
//! (`systemd-run --user --scope -p Delegate=yes cargo test -p stockade --test case`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

mod end;
mod environment;
mod host;
mod json;
mod leak;
mod library;
mod memory;
mod network;
mod output;
mod process;
mod result;
mod run;
mod secret;
mod time;
#[path = "../twin/mod.rs"]
mod twin;
