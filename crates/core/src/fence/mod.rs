//! The fence as data: steps in an order that a test can check without a kernel.

mod check;
mod step;

pub use check::{Disorder, in_order};
pub use step::{Access, Directory, Resource, Rlimit, Step};
