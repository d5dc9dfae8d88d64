//! Attacks on the jail by its submission, beyond those that the handed cases name: on init's
//! clocks, on what is counted as memory, on what other runs show, on the account of an exception.
//!
//! Like the cases they need a cgroup: run them as root, or in a scope of your own
//! (`systemd-run --user --scope -p Delegate=yes cargo test -p stockade --test attack`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

mod account;
mod clock;
#[path = "../twin/ended.rs"]
mod ended;
mod memory;
mod run;
#[path = "../twin/mod.rs"]
mod twin;
mod view;
