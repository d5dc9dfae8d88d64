//! What a run is, and every decision about it. No I/O, no clock, no `unsafe`: everything here can
//! be tested in a microsecond and proved by reading.
//!
//! Read in the order the data flows: [`submission`], [`policy`], [`limits`], [`mod@plan`],
//! [`fence`], [`wire`], [`report`], [`judge()`], [`outcome`], [`record`], [`audit`].
#![forbid(unsafe_code)]

pub mod error;
pub mod fence;
pub mod guarantee;
pub mod host;
pub mod limits;
pub mod rung;
pub mod submission;
pub mod template;
pub mod untrusted;
pub mod wire;

#[cfg(feature = "validate")]
pub mod audit;
#[cfg(feature = "validate")]
mod judge;
#[cfg(feature = "validate")]
pub mod outcome;
#[cfg(feature = "validate")]
pub mod plan;
#[cfg(feature = "validate")]
pub mod policy;
#[cfg(feature = "validate")]
pub mod record;
#[cfg(feature = "validate")]
pub mod report;
#[cfg(feature = "validate")]
pub mod value;

#[cfg(feature = "validate")]
pub use judge::{CLAIM_BYTES_MAX, judge};
