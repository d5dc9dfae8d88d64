//! Numbers by their value, exact at any size, in time that grows with what is written.
//!
//! The validator's library compares by fractions of big integers, which take the square of the
//! digits that an exponent stands for: 3 ms for `1e-9000`.

use std::cmp::Ordering;

use serde_json::Number;

/// Zeros after which more change nothing about divisibility: no divisor of
/// [`super::NUMBER_DIGITS_MAX`] digits has as many factors of two.
const ZEROS_MAX: usize = 15_000;

/// `digits` times ten to the `exponent`. The digits, as numbers, have no zero at either end;
/// zero has none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    exponent: i128,
}

impl Decimal {
    pub(super) fn new(number: &Number) -> Self {
        let written = number.as_str();
        let (mantissa, exponent) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
        let unsigned = mantissa.trim_start_matches('-');
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let mut digits: Vec<u8> = whole
            .bytes()
            .chain(fraction.bytes())
            .map(|digit| digit.wrapping_sub(b'0'))
            .skip_while(|digit| *digit == 0)
            .collect();
        let mut exponent = exponent.parse::<i128>().unwrap_or_else(|_| {
            // Beyond any other exponent that can be written here, and the value is next to zero.
            if exponent.starts_with('-') {
                i128::MIN / 2
            } else {
                i128::MAX / 2
            }
        });
        exponent = exponent.saturating_sub_unsigned(fraction.len() as u128);
        while digits.last() == Some(&0) {
            digits.pop();
            exponent = exponent.saturating_add(1);
        }
        if digits.is_empty() {
            return Self {
                is_negative: false,
                digits,
                exponent: 0,
            };
        }
        Self {
            is_negative: unsigned.len() < mantissa.len(),
            digits,
            exponent,
        }
    }

    /// Whether this is a whole number, as `1.0` and `1e5` are.
    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Appends bytes that are the same for equal numbers and for no others.
    pub(super) fn push_key(&self, out: &mut Vec<u8>) {
        out.push(if self.is_negative { b'-' } else { b'+' });
        out.extend_from_slice(self.exponent.to_string().as_bytes());
        out.push(b'e');
        out.extend(self.digits.iter().map(|digit| digit + b'0'));
        out.push(b'.');
    }

    /// Whether this divided by `divisor` is a whole number. Nothing divides by zero.
    pub(super) fn is_multiple_of(&self, divisor: &Self) -> bool {
        if divisor.digits.is_empty() {
            return false;
        }
        if self.digits.is_empty() {
            return true;
        }
        // The digits end in no zero, so a larger power of ten cannot divide them.
        let Ok(zeros) = usize::try_from(self.exponent.saturating_sub(divisor.exponent)) else {
            return false;
        };
        let zeros = std::iter::repeat_n(0, zeros.min(ZEROS_MAX));
        let digits = self.digits.iter().copied().chain(zeros);
        let small = divisor.digits.iter().try_fold(0_u64, |value, digit| {
            value.checked_mul(10)?.checked_add(u64::from(*digit))
        });
        match small {
            Some(divisor) => {
                let divisor = u128::from(divisor);
                digits.fold(0, |rest, digit| (rest * 10 + u128::from(digit)) % divisor) == 0
            }
            None => remainder(digits, &divisor.digits).is_empty(),
        }
    }

    /// Steps that [`Self::is_multiple_of`] takes, about 16 digits each.
    pub(super) fn division_steps(&self, divisor: &Self) -> usize {
        let zeros = usize::try_from(self.exponent.saturating_sub(divisor.exponent));
        let length = self.digits.len() + zeros.unwrap_or(0).min(ZEROS_MAX);
        let width = if divisor.digits.len() < 19 {
            1
        } else {
            10 * divisor.digits.len()
        };
        1 + length * width / 16
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        let top = |number: &Self| number.exponent.saturating_add(number.digits.len() as i128);
        top(self)
            .cmp(&top(other))
            .then_with(|| self.digits.cmp(&other.digits))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) if other.is_negative => return Ordering::Greater,
            (true, false) => return Ordering::Less,
            (false, true) if self.is_negative => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        match (self.is_negative, other.is_negative) {
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What is left of `digits` divided by `divisor`, as one does it on paper. No leading zeros.
fn remainder(digits: impl Iterator<Item = u8>, divisor: &[u8]) -> Vec<u8> {
    let mut rest: Vec<u8> = Vec::new();
    for digit in digits {
        if !rest.is_empty() || digit != 0 {
            rest.push(digit);
        }
        while rest.len() > divisor.len() || (rest.len() == divisor.len() && *rest >= *divisor) {
            subtract(&mut rest, divisor);
        }
    }
    rest
}

/// Takes `less` off `number`, which is not smaller.
fn subtract(number: &mut Vec<u8>, less: &[u8]) {
    let mut borrow = 0;
    let less = less.iter().rev().copied().chain(std::iter::repeat(0));
    for (digit, less) in number.iter_mut().rev().zip(less) {
        let take = less + borrow;
        borrow = u8::from(*digit < take);
        *digit = *digit + 10 * borrow - take;
    }
    let zeros = number.iter().take_while(|digit| **digit == 0).count();
    number.drain(..zeros);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(written: &str) -> Decimal {
        Decimal::new(&written.parse().unwrap())
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let ordered = [
            "-1e300",
            "-1180591620717411303425",
            "-1180591620717411303424",
            "-2",
            "-1.5",
            "-1e-5",
            "-1e-99999999999999999999999999999999999999999",
            "0",
            "1e-99999999999999999999999999999999999999999",
            "1e-9000",
            "0.1",
            "0.11",
            "1",
            "1.5",
            "2",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1180591620717411303424",
            "1e300",
        ];
        for (left, a) in ordered.iter().enumerate() {
            for (right, b) in ordered.iter().enumerate() {
                assert_eq!(decimal(a).cmp(&decimal(b)), left.cmp(&right), "{a} and {b}");
            }
        }
    }

    #[test]
    fn the_same_number_written_differently_is_equal() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0", "-0.0"),
            ("0.10", "1e-1"),
            ("0e5", "0"),
        ] {
            assert_eq!(decimal(a), decimal(b));
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (number, divisor) in [
            ("0.3", "0.1"),
            ("19.99", "0.01"),
            ("1e307", "0.01"),
            ("0", "7"),
            ("-9", "3"),
            ("1180591620717411303424", "1024"),
            ("1e300", "1180591620717411303424"),
            ("2361183241434822606848", "1180591620717411303424"),
            ("4.5", "1.5"),
            ("10", "0.5"),
        ] {
            assert!(
                decimal(number).is_multiple_of(&decimal(divisor)),
                "{number} by {divisor}"
            );
        }
        for (number, divisor) in [
            ("0.35", "0.1"),
            ("1e-9000", "1"),
            ("9007199254740993", "2"),
            ("10", "3"),
            ("1180591620717411303425", "1180591620717411303424"),
            ("1", "10"),
            ("1", "0"),
        ] {
            assert!(
                !decimal(number).is_multiple_of(&decimal(divisor)),
                "{number} by {divisor}"
            );
        }
    }
}
