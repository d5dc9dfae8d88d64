//! Warm starts: that they end as cold ones do, that copies of one interpreter differ and find
//! nothing of each other, that whatever is killed takes nothing along, that nothing stays.
//!
//! Like the cases they need a cgroup: run them as root, or in a scope of your own
//! (`systemd-run --user --scope -p Delegate=yes cargo test -p stockade --test warm`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

mod apart;
mod bury;
mod census;
mod end;
#[path = "../twin/ended.rs"]
mod ended;
mod hunt;
mod kill;
mod limit;
mod run;
mod soak;
mod step;
#[path = "../twin/mod.rs"]
mod twin;
mod unique;
mod user;
