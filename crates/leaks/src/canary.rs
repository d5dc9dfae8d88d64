//! A secret that is worth nothing: whoever shows it has reached whoever held it.

use std::fs::File;
use std::io::Read;

use stockade::{Error, ErrorKind};

/// A word that nobody can guess, made for one demonstration.
#[derive(Clone, Debug)]
pub(crate) struct Canary(String);

impl Canary {
    /// A new one.
    ///
    /// # Errors
    /// `Host` when there is no randomness.
    pub(crate) fn new() -> Result<Self, Error> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")
            .and_then(|mut source| source.read_exact(&mut bytes))
            .map_err(|error| {
                Error::new(ErrorKind::Host, "cannot read from `/dev/urandom`").because(error)
            })?;
        Ok(Self(format!("canary-{:032x}", u128::from_le_bytes(bytes))))
    }

    /// The word.
    pub(crate) fn word(&self) -> &str {
        &self.0
    }

    /// Whether `text` has it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        text.contains(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_canaries_differ_and_each_is_found() {
        let (one, other) = (Canary::new().unwrap(), Canary::new().unwrap());
        assert_ne!(one.word(), other.word());
        assert!(one.is_in(&format!("x{}y", one.word())));
        assert!(!one.is_in(other.word()));
        assert_eq!(one.word().len(), "canary-".len() + 32);
    }
}
