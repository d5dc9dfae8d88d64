//! Content by digest and size.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// SHA-256 and size of some content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// In hex.
    pub sha256: String,
    /// How much it was.
    pub bytes: u64,
}

impl Digest {
    /// Of `content`.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self {
            sha256: sha256_hex(content),
            bytes: content.len() as u64,
        }
    }
}

/// SHA-256 of `content` in hex.
#[must_use]
pub fn sha256_hex(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
