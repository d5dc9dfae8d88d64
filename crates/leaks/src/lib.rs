//! Why no restriction inside an interpreter is a boundary, as a demonstration: each in-process
//! technique of the corpus against the sandboxes that people write, and against each rung here.
//!
//! [`Demonstration::of`] runs it, and [`page`] makes a file of it to show. All values are harmless:
//! what is shown to be reached is counted or named, and never used.
#![forbid(unsafe_code)]

mod canary;
mod child;
mod demonstration;
mod figure;
mod package;
pub mod page;
mod request;
mod rung;
mod sandbox;
mod technique;
mod verdict;

pub use demonstration::{Column, Demonstration, Install, Place, Row, Wanted};
pub use figure::Figures;
pub use sandbox::Sandbox;
pub use technique::Technique;
pub use verdict::{Cell, Through, Verdict};
