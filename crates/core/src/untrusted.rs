//! Bytes from inside a boundary, which must be validated before anything else is done with them.

/// A value the guest chose. No `Display`, no `Deref`, no `PartialEq`: the only way out is to
/// validate it.
pub struct Untrusted<T>(T);

impl<T> Untrusted<T> {
    /// Marks `value` as chosen by the guest.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Turns the value into a trusted one, or says why not.
    pub fn validate<U, E>(self, check: impl FnOnce(T) -> Result<U, E>) -> Result<U, E> {
        check(self.0)
    }
}

impl<T> std::fmt::Debug for Untrusted<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Untrusted(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untrusted_value_is_not_shown() {
        assert_eq!(format!("{:?}", Untrusted::new("secret")), "Untrusted(..)");
    }
}
