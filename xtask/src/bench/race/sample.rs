//! Times that were measured, and what is said of them.

use std::time::Duration;

use serde_json::{Value, json};

/// Times in µs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample(Vec<u64>);

impl Sample {
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(micros(took));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The least of the times that `percent` of all do not exceed: one that was measured. `None`
    /// of nothing.
    pub(crate) fn percentile(&self, percent: usize) -> Option<u64> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied()
    }

    pub(crate) fn p50(&self) -> Option<u64> {
        self.percentile(50)
    }

    pub(crate) fn p99(&self) -> Option<u64> {
        self.percentile(99)
    }

    /// As members of an object.
    pub(crate) fn json(&self) -> Value {
        json!({
            "least": self.percentile(0),
            "p50": self.p50(),
            "p99": self.p99(),
            "samples": self.count(),
        })
    }

    /// A line of a table.
    pub(crate) fn line(&self, name: &str) -> String {
        let show = |percent| match self.percentile(percent) {
            Some(us) => format!("{:>9.3}", milliseconds(us)),
            None => format!("{:>9}", "-"),
        };
        format!(
            "  {name:<22} least {}  p50 {}  p99 {} ms  of {}",
            show(0),
            show(50),
            show(99),
            self.count()
        )
    }
}

/// Whole µs.
pub(crate) fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

/// µs as ms.
pub(crate) fn milliseconds(us: u64) -> f64 {
    count(us) / 1e3
}

/// A count, for dividing.
pub(crate) fn count(number: u64) -> f64 {
    // Beyond an hour of µs nothing here is measured.
    u32::try_from(number).map_or(f64::INFINITY, f64::from)
}

/// How many times `small` is contained in `large`.
pub(crate) fn ratio(large: Option<u64>, small: Option<u64>) -> Option<f64> {
    match (large, small) {
        (Some(large), Some(small)) if small > 0 => Some(count(large) / count(small)),
        (Some(_), Some(_) | None) | (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(times: impl IntoIterator<Item = u64>) -> Sample {
        let mut sample = Sample::default();
        for us in times {
            sample.add(Duration::from_micros(us));
        }
        sample
    }

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let sample = sample((1..=200).rev());
        for (percent, time) in [(0, 1), (50, 100), (99, 198), (100, 200)] {
            assert_eq!(sample.percentile(percent), Some(time), "p{percent}");
        }
    }

    #[test]
    fn of_nothing_nothing_is_said() {
        let none = Sample::default();
        assert_eq!((none.p50(), none.p99()), (None, None));
        assert_eq!(none.json()["p50"], Value::Null);
        assert!(none.line("empty").contains('-'));
    }

    #[test]
    fn one_time_is_all_of_its_percentiles() {
        let one = sample([7]);
        assert_eq!(
            one.json(),
            json!({"least": 7, "p50": 7, "p99": 7, "samples": 1})
        );
    }

    #[test]
    fn a_ratio_needs_both_and_no_zero() {
        assert_eq!(ratio(Some(9), Some(3)), Some(3.0));
        assert_eq!(ratio(Some(9), Some(0)), None);
        assert_eq!(ratio(None, Some(3)), None);
        assert_eq!(ratio(Some(9), None), None);
    }
}
