//! Which of several calls failed.

use rustix::io::Errno;
use std::fmt;

/// A system call that failed, where a function makes more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The call, with the argument that matters.
    pub call: &'static str,
    /// Its error.
    pub errno: Errno,
}

impl Failure {
    /// For `map_err`.
    pub fn of(call: &'static str) -> impl FnOnce(Errno) -> Self {
        move |errno| Self { call, errno }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, self.errno)
    }
}

impl std::error::Error for Failure {}
