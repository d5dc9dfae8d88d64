//! Runs Python that you did not write and gives back a value.
#![forbid(unsafe_code)]

pub mod template;
