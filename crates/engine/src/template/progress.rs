//! What is told of long steps while they go on.

/// Whoever shows how far it is.
pub trait Progress {
    /// A step begins, of so many parts.
    fn begin(&mut self, step: &str, parts: u64);

    /// The next part of the step begins.
    fn next(&mut self, part: &str);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _: &str, _: u64) {}

    fn next(&mut self, _: &str) {}
}
