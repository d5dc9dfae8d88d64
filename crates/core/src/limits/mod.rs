//! Every limit the engine knows, each with a finite range. There is no "unlimited".

mod amount;
mod table;

pub use amount::{Amount, Unit};
pub use table::{COUNT, LimitId, LimitSpec, SPECS, Scope};

use crate::error::{Error, ErrorKind};

/// One finite value for every limit.
///
/// Holding one proves that every value is within its row's range, not that this host can
/// enforce it: that is the plan's business.
#[derive(Clone, Debug)]
pub struct Limits {
    values: [u64; COUNT],
    /// Which were set, and are not the table's defaults.
    set: [bool; COUNT],
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            values: std::array::from_fn(|i| SPECS[i].default),
            set: [false; COUNT],
        }
    }
}

/// Equal are limits that allow the same, whether they were set or not.
impl PartialEq for Limits {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Eq for Limits {}

impl Limits {
    /// The same limits with `id` set to `amount`.
    ///
    /// # Errors
    /// `InvalidPolicy` when the unit is another or the value is out of the row's range; nothing is
    /// clamped.
    ///
    /// ```
    /// use stockade_core::limits::{Amount, LimitId, Limits};
    /// let limits = Limits::default().with(LimitId::Cpu, Amount::millis(500))?;
    /// assert_eq!(limits.get(LimitId::Cpu), 500);
    /// assert!(Limits::default().with(LimitId::Cpu, Amount::bytes(500)).is_err());
    /// # Ok::<(), stockade_core::error::Error>(())
    /// ```
    pub fn with(mut self, id: LimitId, amount: Amount) -> Result<Self, Error> {
        let spec = id.spec();
        if amount.unit != spec.unit {
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!(
                    "limit `{}` is {}, not {}",
                    spec.name,
                    spec.unit.noun(),
                    amount.unit.noun()
                ),
            )
            .hint(format!(
                "write it as `{}={}`",
                spec.name,
                Amount::of(id, spec.default)
            )));
        }
        if amount.value < spec.min || amount.value > spec.max {
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!(
                    "limit `{}` must be from {} to {}, not {amount}",
                    spec.name,
                    Amount::of(id, spec.min),
                    Amount::of(id, spec.max),
                ),
            ));
        }
        self.values[id as usize] = amount.value;
        self.set[id as usize] = true;
        Ok(self)
    }

    /// The same limits; those that were not set are as in `defaults`.
    ///
    /// ```
    /// use stockade_core::limits::{LimitId, Limits};
    /// let template = Limits::default().parse("memory=2GiB")?.parse("wall=60s")?;
    /// let asked = Limits::default().parse("wall=5s")?;
    /// let both = asked.or(&template);
    /// assert_eq!(both.get(LimitId::Wall), 5_000);
    /// assert_eq!(both.get(LimitId::Memory), 2 << 30);
    /// # Ok::<(), stockade_core::error::Error>(())
    /// ```
    #[must_use]
    pub fn or(mut self, defaults: &Self) -> Self {
        for index in 0..COUNT {
            if !self.set[index] {
                self.values[index] = defaults.values[index];
                self.set[index] = defaults.set[index];
            }
        }
        self
    }

    /// The same limits with one set from text as on the command line, `NAME=VALUE`.
    ///
    /// # Errors
    /// `InvalidPolicy` for an unknown name, a value without its unit, or one out of range.
    ///
    /// ```
    /// use stockade_core::limits::{LimitId, Limits};
    /// let limits = Limits::default().parse("memory=256MiB")?;
    /// assert_eq!(limits.get(LimitId::Memory), 256 << 20);
    /// let refused = Limits::default().parse("memory=256").unwrap_err();
    /// assert!(refused.to_string().contains("unit"));
    /// # Ok::<(), stockade_core::error::Error>(())
    /// ```
    pub fn parse(self, text: &str) -> Result<Self, Error> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!("`{text}` is not a limit: it must read NAME=VALUE"),
            )
            .hint("for example `--limit memory=256MiB`; `stockade limits` lists them"));
        };
        let Some(id) = LimitId::named(name) else {
            let names: Vec<_> = SPECS.iter().map(|spec| spec.name).collect();
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!("there is no limit `{name}`"),
            )
            .hint(format!("the limits are {}", names.join(", "))));
        };
        let amount = Amount::parse(id, value)?;
        self.with(id, amount)
    }

    /// The value of `id`, in its row's unit: milliseconds, bytes or a count.
    #[must_use]
    pub fn get(&self, id: LimitId) -> u64 {
        self.values[id as usize]
    }

    /// The value of `id` with its unit.
    #[must_use]
    pub fn amount(&self, id: LimitId) -> Amount {
        Amount::of(id, self.get(id))
    }

    /// Every limit with its value, in table order.
    pub fn iter(&self) -> impl Iterator<Item = (LimitId, u64)> + '_ {
        LimitId::ALL.into_iter().map(|id| (id, self.get(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_out_of_range_names_limit_value_and_range() {
        let refused = Limits::default().parse("memory=1KiB").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidPolicy);
        assert_eq!(
            refused.to_string(),
            "limit `memory` must be from 16MiB to 1TiB, not 1KiB"
        );
    }

    #[test]
    fn an_unknown_limit_lists_the_known_ones() {
        let refused = Limits::default().parse("ram=1GiB").unwrap_err();
        assert_eq!(refused.to_string(), "there is no limit `ram`");
        assert!(refused.hint_text().unwrap_or_default().contains("memory"));
    }

    #[test]
    fn a_bare_number_is_refused_with_the_units() {
        for (text, unit) in [("wall=20", "20s"), ("memory=100", "MiB")] {
            let refused = Limits::default().parse(text).unwrap_err();
            assert!(refused.to_string().contains("unit"), "{refused}");
            assert!(
                refused.hint_text().unwrap_or_default().contains(unit),
                "{refused:?}"
            );
        }
    }
}
