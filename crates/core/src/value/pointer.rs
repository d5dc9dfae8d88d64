//! JSON pointers (RFC 6901) into a hostile document: bounded and printable.

use std::fmt::Write as _;

use super::excerpt::push_printable;

/// Characters in a pointer at most; a longer one ends in `…`.
pub const POINTER_CHARS_MAX: usize = 256;

/// A pointer under construction, from the root down.
pub(super) struct Pointer {
    text: String,
    chars: usize,
    cut: bool,
}

impl Pointer {
    /// The whole document.
    pub(super) fn root() -> Self {
        Self {
            text: String::new(),
            chars: 0,
            cut: false,
        }
    }

    /// Goes into the member `key`.
    pub(super) fn key(&mut self, key: &str) {
        self.push("/");
        let mut piece = String::new();
        for c in key.chars() {
            if self.cut {
                return;
            }
            piece.clear();
            match c {
                '~' => piece.push_str("~0"),
                '/' => piece.push_str("~1"),
                c => push_printable(&mut piece, c),
            }
            self.push(&piece);
        }
    }

    /// Goes into the item at `index`.
    pub(super) fn index(&mut self, index: usize) {
        let mut piece = String::new();
        // Writing to a `String` cannot fail.
        let _ = write!(piece, "/{index}");
        self.push(&piece);
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn push(&mut self, piece: &str) {
        let chars = piece.chars().count();
        if self.cut {
            return;
        }
        // One character is kept free for the mark.
        if self.chars + chars >= POINTER_CHARS_MAX {
            self.cut = true;
            self.text.push('…');
        } else {
            self.text.push_str(piece);
            self.chars += chars;
        }
    }
}

/// A pointer that somebody else wrote, under the same bound.
pub(super) fn bounded(pointer: &str) -> String {
    super::excerpt::printable(pointer, POINTER_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slash_and_tilde_are_escaped_as_the_rfc_says() {
        let mut pointer = Pointer::root();
        pointer.key("a/b~c");
        pointer.index(3);
        pointer.key("");
        assert_eq!(pointer.finish(), "/a~1b~0c/3/");
    }

    #[test]
    fn a_long_key_is_cut() {
        let mut pointer = Pointer::root();
        pointer.key(&"k".repeat(10_000));
        pointer.key("below");
        let text = pointer.finish();
        assert_eq!(text.chars().count(), POINTER_CHARS_MAX);
        assert!(text.ends_with('…'));
    }

    #[test]
    fn a_key_cannot_drive_a_terminal() {
        let mut pointer = Pointer::root();
        pointer.key("\x1b[2J");
        assert_eq!(pointer.finish(), "/\\u001b[2J");
    }
}
