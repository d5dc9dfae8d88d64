//! Safe wrappers over the kernel: the only crate with `unsafe`. No policy, no default, no log line.

pub mod tool;
