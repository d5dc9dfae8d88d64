//! The hostile corpus (`escape/`), and what comes of it on a rung of this host.
//!
//! A [`Probe`] is a program that attacks guarantees or limits, with the outcome that it must have.
//! [`Corpus::embedded`] has all of them. A [`Prover`] first shows that an attack is real, where
//! that can be done without harm, then runs it on a [`Ground`] and writes down on a [`Card`] what
//! came of it.
#![forbid(unsafe_code)]

mod card;
mod control;
mod corpus;
mod expect;
mod ground;
mod header;
mod probe;
mod prove;
mod specimen;
mod verdict;

pub use card::{Card, Finding, Row};
pub use control::Controlled;
pub use corpus::Corpus;
pub use expect::{Ended, Expect};
pub use ground::{End, Ground, Job, OnRung, Ran};
pub use header::Fault;
pub use probe::{Attack, Context, Control, Kind, Need, Probe};
pub use prove::Prover;
pub use verdict::Verdict;
