//! Decimal numbers of one fixed scale: twelve places, exact sums and products' rounding half even.

use std::fmt;

use crate::error::{Code, Fallible, Fault};

/// Places after the point.
pub const DECIMAL_PLACES: u32 = 12;

const ONE: i128 = 1_000_000_000_000;

/// Largest magnitude in units of the last place: 10^24 whole units, so that a division's
/// remainder times 100 stays within 128 bits.
const UNITS_MAX: i128 = ONE * 1_000_000_000_000 * 1_000_000_000_000;

/// A number with twelve decimal places, below 10^24 in magnitude.
///
/// Halves keep the alignment of a value at eight bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    high: i64,
    low: u64,
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.units().cmp(&other.units())
    }
}

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self { high: 0, low: 0 };

    #[allow(clippy::cast_possible_truncation, reason = "the halves of 128 bits")]
    #[allow(clippy::cast_sign_loss, reason = "the low half has no sign")]
    pub(crate) fn from_units(units: i128) -> Fallible<Self> {
        if !(-UNITS_MAX..=UNITS_MAX).contains(&units) {
            return Err(overflow());
        }
        Ok(Self {
            high: (units >> 64) as i64,
            low: units as u64,
        })
    }

    /// In units of the last place, 10^-12.
    #[must_use]
    pub fn units(self) -> i128 {
        (i128::from(self.high) << 64) | i128::from(self.low)
    }

    pub(crate) fn from_int(value: i64) -> Self {
        let units = i128::from(value) * ONE;
        // 2^63 * 10^12 is below the bound.
        Self::from_units(units).unwrap_or(Self::ZERO)
    }

    /// Reads digits with at most one point, and no exponent.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        let places = DECIMAL_PLACES as usize;
        if whole.is_empty() && part.is_empty()
            || !plain(whole)
            || !plain(part)
            || whole.len() > 30
            || part.len() > places && part.bytes().skip(places).any(|b| b != b'0')
        {
            return None;
        }
        let mut units: i128 = 0;
        let padded = part.bytes().chain(std::iter::repeat(b'0')).take(places);
        for digit in whole.bytes().chain(padded) {
            units = units
                .checked_mul(10)?
                .checked_add(i128::from(digit - b'0'))?;
        }
        if text.starts_with('-') {
            units = -units;
        }
        Self::from_units(units).ok()
    }

    pub(crate) fn add(self, other: Self) -> Fallible<Self> {
        Self::from_units(self.units() + other.units())
    }

    pub(crate) fn sub(self, other: Self) -> Fallible<Self> {
        Self::from_units(self.units() - other.units())
    }

    pub(crate) fn neg(self) -> Self {
        Self::from_units(-self.units()).unwrap_or(Self::ZERO)
    }

    /// The product, rounded half even to the last place.
    pub(crate) fn mul(self, other: Self) -> Fallible<Self> {
        let (a, b) = (self.units(), other.units());
        if let Some(product) = a.checked_mul(b) {
            return Self::from_units(rounded(
                product.div_euclid(ONE),
                product.rem_euclid(ONE),
                ONE,
            ));
        }
        let (ah, al) = (a.div_euclid(ONE), a.rem_euclid(ONE));
        let (bh, bl) = (b.div_euclid(ONE), b.rem_euclid(ONE));
        let low = al * bl;
        let units = ah
            .checked_mul(bh)
            .and_then(|high| high.checked_mul(ONE))
            .and_then(|sum| sum.checked_add(ah.checked_mul(bl)?))
            .and_then(|sum| sum.checked_add(bh.checked_mul(al)?))
            .and_then(|sum| sum.checked_add(low / ONE))
            .ok_or_else(overflow)?;
        Self::from_units(rounded(units, low % ONE, ONE))
    }

    /// The quotient, rounded half even to the last place.
    pub(crate) fn div(self, other: Self) -> Fallible<Self> {
        let (a, b) = (self.units(), other.units());
        if b == 0 {
            return Err(Fault::new(Code::DivisionByZero, "division by zero"));
        }
        let negative = (a < 0) != (b < 0);
        let (a, b) = (a.abs(), b.abs());
        let (mut quotient, mut rest) = (a / b, a % b);
        for _ in 0..DECIMAL_PLACES / 2 {
            rest *= 100;
            quotient = quotient
                .checked_mul(100)
                .and_then(|q| q.checked_add(rest / b))
                .ok_or_else(overflow)?;
            rest %= b;
        }
        let magnitude = rounded(quotient, rest, b);
        Self::from_units(if negative { -magnitude } else { magnitude })
    }

    /// The quotient, rounded down, as a decimal without places.
    pub(crate) fn floor_div(self, other: Self) -> Fallible<Self> {
        let (a, b) = (self.units(), other.units());
        if b == 0 {
            return Err(Fault::new(Code::DivisionByZero, "division by zero"));
        }
        let floor = a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
        Self::from_units(floor.checked_mul(ONE).ok_or_else(overflow)?)
    }

    /// What is left of the division rounded down; it has the sign of the divisor.
    pub(crate) fn rem(self, other: Self) -> Fallible<Self> {
        let (a, b) = (self.units(), other.units());
        if b == 0 {
            return Err(Fault::new(Code::DivisionByZero, "division by zero"));
        }
        let rest = a % b;
        let rest = if rest != 0 && (rest < 0) != (b < 0) {
            rest + b
        } else {
            rest
        };
        Self::from_units(rest)
    }

    /// Rounded half even to `places` after the point, at most all.
    pub(crate) fn round(self, places: u32) -> Fallible<Self> {
        if places >= DECIMAL_PLACES {
            return Ok(self);
        }
        let step = 10_i128.pow(DECIMAL_PLACES - places);
        let units = self.units();
        let kept = rounded(units.div_euclid(step), units.rem_euclid(step), step);
        Self::from_units(kept * step)
    }

    /// The whole part, towards zero.
    pub(crate) fn trunc(self) -> i128 {
        self.units() / ONE
    }

    /// The nearest float.
    pub(crate) fn to_float(self) -> f64 {
        // Through the digits: a quotient of two rounded floats would be rounded twice.
        self.to_string().parse().unwrap_or(0.0)
    }

    /// With exactly `places` after the point, rounded half even.
    pub(crate) fn fixed(self, places: u32) -> Fallible<String> {
        let units = self.round(places)?.units();
        let magnitude = units.unsigned_abs();
        let one = ONE.unsigned_abs();
        let sign = if units < 0 { "-" } else { "" };
        let mut text = format!("{sign}{}", magnitude / one);
        if places > 0 {
            let digits = format!("{:012}", magnitude % one);
            let wanted = places as usize;
            text.push('.');
            text.push_str(&digits[..wanted.min(digits.len())]);
            text.extend(std::iter::repeat_n(
                '0',
                wanted.saturating_sub(digits.len()),
            ));
        }
        Ok(text)
    }
}

/// `quotient` plus `rest / of`, rounded half even; `rest` is not negative.
fn rounded(quotient: i128, rest: i128, of: i128) -> i128 {
    let twice = rest * 2;
    let up = twice > of || twice == of && quotient % 2 != 0;
    quotient + i128::from(up)
}

fn overflow() -> Box<Fault> {
    Fault::new(
        Code::Overflow,
        "the decimal is beyond 24 digits before the point",
    )
}

impl fmt::Display for Decimal {
    /// All places that are not zero at the end, and at least one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.units();
        let magnitude = units.unsigned_abs();
        let one = ONE.unsigned_abs();
        if units < 0 {
            f.write_str("-")?;
        }
        let digits = format!("{:012}", magnitude % one);
        let kept = digits.trim_end_matches('0');
        let kept = if kept.is_empty() { "0" } else { kept };
        write!(f, "{}.{kept}", magnitude / one)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decimal({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn tenths_add_up() {
        assert_eq!(d("0.1").add(d("0.2")).unwrap(), d("0.3"));
        assert_eq!(d("-0.1").to_string(), "-0.1");
        assert_eq!(d("12").to_string(), "12.0");
    }

    #[test]
    fn products_and_quotients_round_half_even() {
        assert_eq!(d("0.000000000001").mul(d("0.5")).unwrap(), d("0"));
        assert_eq!(
            d("0.000000000003").mul(d("0.5")).unwrap(),
            d("0.000000000002")
        );
        assert_eq!(d("1").div(d("3")).unwrap(), d("0.333333333333"));
        assert_eq!(d("-2").div(d("3")).unwrap(), d("-0.666666666667"));
        assert_eq!(
            d("99999999999.5").mul(d("100000000.25")).unwrap(),
            d("10000000024949999999.875")
        );
    }

    #[test]
    fn division_rounds_down_and_the_rest_has_the_sign_of_the_divisor() {
        assert_eq!(d("-7").floor_div(d("2")).unwrap(), d("-4"));
        assert_eq!(d("7").floor_div(d("-2")).unwrap(), d("-4"));
        assert_eq!(d("-7").floor_div(d("-2")).unwrap(), d("3"));
        assert_eq!(d("-7").rem(d("2")).unwrap(), d("1"));
        assert_eq!(d("7").rem(d("-2")).unwrap(), d("-1"));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for text in [
            "",
            ".",
            "1e5",
            "1.0000000000001",
            "9999999999999999999999999",
            "١",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        let large = d("999999999999999999999999");
        assert!(large.mul(large).is_err() && large.add(large).is_err());
        assert!(large.div(d("0.000000000001")).is_err() && large.div(d("0")).is_err());
    }

    #[test]
    fn fixed_places_are_padded_and_rounded() {
        assert_eq!(d("2.345").fixed(2).unwrap(), "2.34");
        assert_eq!(d("-0.5").fixed(0).unwrap(), "0");
        assert_eq!(d("1").fixed(14).unwrap(), "1.00000000000000");
    }
}
