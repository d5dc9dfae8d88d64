//! The hostile corpus (`escape/`), and what comes of it on a rung of this host.
//!
//! A [`Probe`] is a program that attacks guarantees or limits, with the outcome that it must have.
//! [`Corpus::embedded`] has all of them.
#![forbid(unsafe_code)]

mod corpus;
mod expect;
mod header;
mod probe;

pub use corpus::Corpus;
pub use expect::{Ended, Expect};
pub use header::Fault;
pub use probe::{Attack, Context, Control, Kind, Need, Probe};
