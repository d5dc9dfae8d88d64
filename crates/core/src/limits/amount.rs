//! A number that knows its unit, and how it is written.

use super::LimitId;
use crate::error::{Error, ErrorKind};
use std::fmt;

/// The unit a limit is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Millis,
    /// Bytes.
    Bytes,
    /// A plain count.
    Count,
}

impl Unit {
    /// What values of this unit are called in a sentence.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Millis => "a duration",
            Self::Bytes => "a size",
            Self::Count => "a count",
        }
    }

    /// The suffixes that are accepted, largest first, with their size in this unit.
    #[must_use]
    pub fn suffixes(self) -> &'static [(&'static str, u64)] {
        match self {
            Self::Millis => &[("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)],
            Self::Bytes => &[
                ("TiB", 1 << 40),
                ("GiB", 1 << 30),
                ("MiB", 1 << 20),
                ("KiB", 1 << 10),
                ("B", 1),
            ],
            Self::Count => &[("", 1)],
        }
    }
}

/// A number that knows its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// How many.
    pub value: u64,
    /// Of what.
    pub unit: Unit,
}

impl Amount {
    /// `value` milliseconds.
    #[must_use]
    pub const fn millis(value: u64) -> Self {
        Self {
            value,
            unit: Unit::Millis,
        }
    }

    /// `value` seconds; saturates at `u64::MAX` milliseconds.
    #[must_use]
    pub const fn seconds(value: u64) -> Self {
        Self::millis(value.saturating_mul(1_000))
    }

    /// `value` bytes.
    #[must_use]
    pub const fn bytes(value: u64) -> Self {
        Self {
            value,
            unit: Unit::Bytes,
        }
    }

    /// `value` mebibytes; saturates at `u64::MAX` bytes.
    #[must_use]
    pub const fn mebibytes(value: u64) -> Self {
        Self::bytes(value.saturating_mul(1 << 20))
    }

    /// `value` of something countable.
    #[must_use]
    pub const fn count(value: u64) -> Self {
        Self {
            value,
            unit: Unit::Count,
        }
    }

    /// `value` in the unit of limit `id`.
    #[must_use]
    pub fn of(id: LimitId, value: u64) -> Self {
        Self {
            value,
            unit: id.spec().unit,
        }
    }

    /// Reads `text` as a value of limit `id`: a whole number and a suffix, without a sign,
    /// fraction or space (`500ms`, `20s`, `256MiB`, `64`).
    pub(super) fn parse(id: LimitId, text: &str) -> Result<Self, Error> {
        let unit = id.spec().unit;
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, suffix) = text.split_at(digits);
        let bad = |why: String| {
            Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!("limit `{}`: {why}", id.name()),
            )
            .hint(format!(
                "write it as `{}={}`{}",
                id.name(),
                Self::of(id, id.spec().default),
                units(unit)
            )))
        };
        if number.is_empty() {
            return bad(format!("`{text}` is not {}", unit.noun()));
        }
        let Some((_, size)) = unit.suffixes().iter().find(|(name, _)| *name == suffix) else {
            return bad(if suffix.is_empty() {
                format!("`{text}` has no unit")
            } else {
                format!("`{suffix}` in `{text}` is not a unit of {}", unit.noun())
            });
        };
        match number
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(*size))
        {
            Some(value) => Ok(Self { value, unit }),
            None => bad(format!("`{text}` is larger than any value that can be set")),
        }
    }
}

fn units(unit: Unit) -> String {
    let names: Vec<_> = unit
        .suffixes()
        .iter()
        .map(|(name, _)| *name)
        .filter(|n| !n.is_empty())
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("; the units are {}", names.join(", "))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self
            .unit
            .suffixes()
            .iter()
            .find(|(_, size)| self.value != 0 && self.value.is_multiple_of(*size));
        match whole {
            Some((name, size)) => write!(f, "{}{name}", self.value / size),
            // Zero is a multiple of everything: show it in the smallest unit.
            None => write!(
                f,
                "0{}",
                self.unit.suffixes().last().map_or("", |(name, _)| name)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_reads_back() {
        for id in LimitId::ALL {
            for value in [id.spec().min, id.spec().default, id.spec().max, 1_234_567] {
                let shown = Amount::of(id, value).to_string();
                assert_eq!(
                    Amount::parse(id, &shown).map(|a| a.value).ok(),
                    Some(value),
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn signs_fractions_spaces_and_foreign_units_are_refused() {
        for text in [
            "-1s",
            "+1s",
            "1.5s",
            "1 s",
            "1sec",
            "1MiB",
            "",
            "s",
            "١s",
            "99999999999999999999s",
        ] {
            assert!(Amount::parse(LimitId::Wall, text).is_err(), "{text}");
        }
    }
}
