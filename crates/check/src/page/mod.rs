//! A page a rule: what it is for, what fires, what to write instead, what it does not catch.
//! Examples are tests: the bad one fires its rule and the good one fires nothing.

pub(crate) mod control;
pub(crate) mod definition;
pub(crate) mod module;
pub(crate) mod name;
pub(crate) mod source;

/// What a person should know of a rule. In sentences and examples; Markdown.
#[derive(Debug)]
pub struct Page {
    /// In one line, what fires it.
    pub summary: &'static str,
    /// Why that is not wanted.
    pub why: &'static str,
    /// Fires it under the profile `notebook-pure`.
    pub bad: Sample,
    /// Does the same, and fires nothing.
    pub good: &'static str,
    /// What it does not catch.
    pub blind: &'static str,
}

/// A source, possibly of one part many times.
#[derive(Debug)]
pub struct Sample {
    /// The part. Bytes, because some are no text.
    pub part: &'static [u8],
    /// How often it stands there.
    pub times: usize,
}

impl Sample {
    const fn of(part: &'static str) -> Self {
        Self {
            part: part.as_bytes(),
            times: 1,
        }
    }

    /// The whole source.
    #[must_use]
    pub fn source(&self) -> Vec<u8> {
        self.part.repeat(self.times)
    }

    /// As it may be shown: what is no printable text as an escape.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut text = String::new();
        for chunk in self.part.utf8_chunks() {
            for c in chunk.valid().chars() {
                if c == '\n' || c == ' ' || !(c.is_control() || crate::source::is_bidi(c)) {
                    text.push(c);
                } else {
                    text.extend(c.escape_unicode());
                }
            }
            text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
        }
        if self.times > 1 {
            text = format!("{}  # {} times\n", text.trim_end(), self.times);
        }
        text
    }
}
