//! How much a template may hold.

use std::path::Path;

use stockade_core::error::{Error, ErrorKind};

/// Bytes of a template whose file says nothing.
pub(super) const BYTES: u64 = 4 << 30;
/// Files, directories and links of a template whose file says nothing.
pub(super) const ENTRIES: u64 = 400_000;

/// Of an archive, around the content of an entry: headers, long names, filling.
const ENTRY_BYTES_MAX: u64 = 16 << 10;

/// What is left of the sizes that a template's file allows.
#[derive(Clone, Debug)]
pub(super) struct Room {
    bytes_max: u64,
    entries_max: u64,
    bytes_left: u64,
    entries_left: u64,
}

impl Room {
    pub(super) fn new(bytes: u64, entries: u64) -> Self {
        Self {
            bytes_max: bytes,
            entries_max: entries,
            bytes_left: bytes,
            entries_left: entries,
        }
    }

    /// Takes room for one more entry of so many bytes.
    ///
    /// # Errors
    /// `InvalidPolicy` when there is none.
    pub(super) fn take(&mut self, path: &Path, bytes: u64) -> Result<(), Error> {
        let Some(entries_left) = self.entries_left.checked_sub(1) else {
            return Err(too_much(path, &format!("{} entries", self.entries_max))
                .hint("raise `entries` in `[size]`"));
        };
        let Some(bytes_left) = self.bytes_left.checked_sub(bytes) else {
            return Err(too_much(path, &format!("{} bytes", self.bytes_max))
                .hint("raise `bytes` in `[size]`, as in `bytes = \"8GiB\"`"));
        };
        (self.entries_left, self.bytes_left) = (entries_left, bytes_left);
        Ok(())
    }

    /// Bytes that may still be taken.
    pub(super) fn bytes_left(&self) -> u64 {
        self.bytes_left
    }

    /// How long an archive of what still fits can be: each entry has headers and is filled up.
    pub(super) fn archive_bytes_max(&self) -> u64 {
        let around = self.entries_left.saturating_mul(ENTRY_BYTES_MAX);
        self.bytes_left.saturating_add(around)
    }

    /// Bytes taken so far.
    pub(super) fn bytes_used(&self) -> u64 {
        self.bytes_max - self.bytes_left
    }
}

impl Default for Room {
    fn default() -> Self {
        Self::new(BYTES, ENTRIES)
    }
}

fn too_much(path: &Path, most: &str) -> Error {
    let text = format!(
        "`{}` does not fit: a template of this size holds {most}",
        path.display()
    );
    Error::new(ErrorKind::InvalidPolicy, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_and_takes_nothing() {
        let mut room = Room::new(10, 2);
        room.take(Path::new("/a"), 6).unwrap();
        let error = room.take(Path::new("/b"), 5).unwrap_err();
        assert!(error.to_string().contains("10 bytes"), "{error}");
        room.take(Path::new("/c"), 4).unwrap();
        let error = room.take(Path::new("/d"), 0).unwrap_err();
        assert!(error.to_string().contains("2 entries"), "{error}");
        assert_eq!((room.bytes_used(), room.bytes_left()), (10, 0));
    }
}
