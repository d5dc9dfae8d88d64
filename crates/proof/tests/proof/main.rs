//! The hostile corpus against every rung of this host that runs Python, and the proof itself:
//! against boundaries that lack a fence.
//!
//! Needs a cgroup, as the engine's attacks do.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

mod boxed;
mod cover;
mod place;
mod rung;
mod weakened;
