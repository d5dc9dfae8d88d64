//! Dates, moments and durations by the proleptic Gregorian calendar, years 1 to 9999. No clock.

use std::fmt;

use crate::error::{Code, Fallible, Fault};

const DAY_MICROS: i64 = 86_400_000_000;
const SECOND_MICROS: i64 = 1_000_000;
const MINUTE_MICROS: i64 = 60 * SECOND_MICROS;
/// 9999-12-31, in days from 1970-01-01.
const DAY_MAX: i64 = 2_932_896;
/// 0001-01-01.
const DAY_MIN: i64 = -719_162;

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(i64);

/// A moment, and the offset from UTC in which it is written. Two are equal when they are the same
/// moment.
#[derive(Clone, Copy, Debug)]
pub struct DateTime {
    micros: i64,
    offset_minutes: i16,
}

/// A length of time in microseconds; it may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i64);

fn calendar(message: String) -> Box<Fault> {
    Fault::new(Code::Calendar, message)
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cold]
fn no_day(year: i64, month: i64, day: i64) -> Box<Fault> {
    calendar(format!(
        "there is no day {day} of month {month} in the year {year}"
    ))
    .hint("years are 1 to 9999; `date(2024, 2, 29)` is year, month, day")
}

impl Date {
    /// The day of a year from 1 to 9999, where the calendar has it.
    #[must_use]
    #[inline]
    pub fn from_parts(year: i64, month: i64, day: i64) -> Option<Self> {
        Self::new(year, month, day).ok()
    }

    /// The day, where the calendar has it.
    #[inline]
    pub(crate) fn new(year: i64, month: i64, day: i64) -> Fallible<Self> {
        let fits = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && 1 <= day
            && (day <= 28 || day <= month_days(year, month));
        if !fits {
            return Err(no_day(year, month, day));
        }
        // Days from civil, by Howard Hinnant: years begin in March, and here none is negative.
        let (year, month) = if month <= 2 {
            (year - 1, month + 9)
        } else {
            (year, month - 3)
        };
        let day_of_year = (153 * month + 2) / 5 + day - 1;
        let leap_days = year / 4 - year / 100 + year / 400;
        Ok(Self(year * 365 + leap_days + day_of_year - 719_468))
    }

    pub(crate) fn from_days(days: i64) -> Fallible<Self> {
        (DAY_MIN..=DAY_MAX)
            .contains(&days)
            .then_some(Self(days))
            .ok_or_else(|| calendar("the date is outside the years 1 to 9999".to_owned()))
    }

    /// The day of a number that counts 0001-01-01 as 1, as Python's `toordinal` does.
    #[must_use]
    pub fn from_ordinal(ordinal: i64) -> Option<Self> {
        let days = ordinal.checked_add(DAY_MIN - 1)?;
        Self::from_days(days).ok()
    }

    /// Days from 1970-01-01.
    #[must_use]
    pub fn days(self) -> i64 {
        self.0
    }

    /// Year, month and day of the month.
    #[must_use]
    pub fn parts(self) -> (i64, i64, i64) {
        let days = self.days() + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_of_year = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_of_year + 2) / 5 + 1;
        let month = if month_of_year < 10 {
            month_of_year + 3
        } else {
            month_of_year - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, month, day)
    }

    /// 0 is Monday.
    #[must_use]
    pub fn weekday(self) -> i64 {
        (self.days() + 3).rem_euclid(7)
    }

    pub(crate) fn add(self, duration: Duration) -> Fallible<Self> {
        if duration.0 % DAY_MICROS != 0 {
            return Err(
                Fault::new(Code::OperandsMet, "a date moves by whole days only")
                    .hint("use a datetime, or `days(n)`"),
            );
        }
        Self::from_days(self.days() + duration.0 / DAY_MICROS)
    }

    pub(crate) fn since(self, other: Self) -> Duration {
        // Seven digits of days are far below the range.
        Duration((self.days() - other.days()) * DAY_MICROS)
    }

    /// Reads `YYYY-MM-DD`.
    pub(crate) fn parse(text: &str) -> Fallible<Self> {
        let mut reader = Reader(text.as_bytes());
        let date = reader.date().filter(|_| reader.0.is_empty());
        let (year, month, day) = date.ok_or_else(|| unreadable("date", text, "`2024-02-29`"))?;
        Self::new(year, month, day)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl PartialEq for DateTime {
    fn eq(&self, other: &Self) -> bool {
        self.micros == other.micros
    }
}

impl Eq for DateTime {}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.micros.cmp(&other.micros)
    }
}

impl DateTime {
    fn from_local(micros: i64, offset_minutes: i64) -> Fallible<Self> {
        let offset = i16::try_from(offset_minutes)
            .ok()
            .filter(|offset| (-1_439..=1_439).contains(offset))
            .ok_or_else(|| calendar(format!("an offset of {offset_minutes} minutes")))?;
        Self::from_utc(micros - offset_minutes * MINUTE_MICROS, offset)
    }

    fn from_utc(micros: i64, offset_minutes: i16) -> Fallible<Self> {
        let local = micros + i64::from(offset_minutes) * MINUTE_MICROS;
        Date::from_days(local.div_euclid(DAY_MICROS))?;
        Ok(Self {
            micros,
            offset_minutes,
        })
    }

    /// Of a day and the time on it.
    pub(crate) fn new(date: Date, time: [i64; 3], offset_minutes: i64) -> Fallible<Self> {
        let [hour, minute, second] = time;
        let fits =
            (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
        if !fits {
            return Err(calendar(format!(
                "there is no time {hour}:{minute}:{second}"
            )));
        }
        let seconds = (hour * 60 + minute) * 60 + second;
        let local = date.days() * DAY_MICROS + seconds * SECOND_MICROS;
        Self::from_local(local, offset_minutes)
    }

    /// Microseconds from 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.micros
    }

    /// Minutes east of UTC.
    #[must_use]
    pub fn offset_minutes(self) -> i16 {
        self.offset_minutes
    }

    fn local(self) -> i64 {
        self.micros + i64::from(self.offset_minutes) * MINUTE_MICROS
    }

    /// The day, as written with its offset.
    #[must_use]
    pub fn date(self) -> Date {
        Date::from_days(self.local().div_euclid(DAY_MICROS)).unwrap_or(Date(0))
    }

    /// Hour, minute, second and microsecond, as written with its offset.
    #[must_use]
    pub fn time(self) -> (i64, i64, i64, i64) {
        let micros = self.local().rem_euclid(DAY_MICROS);
        let seconds = micros / SECOND_MICROS;
        (
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60,
            micros % SECOND_MICROS,
        )
    }

    pub(crate) fn add(self, duration: Duration) -> Fallible<Self> {
        let micros = self.micros.checked_add(duration.0).ok_or_else(overflow)?;
        // Before the bounds are looked at, the offset must be addable.
        if micros.checked_add(DAY_MICROS).is_none() || micros.checked_sub(DAY_MICROS).is_none() {
            return Err(overflow());
        }
        Self::from_utc(micros, self.offset_minutes)
    }

    pub(crate) fn since(self, other: Self) -> Duration {
        Duration(self.micros - other.micros)
    }

    /// Reads `YYYY-MM-DDThh:mm[:ss[.ffffff]]` and then `Z` or `±hh:mm`.
    pub(crate) fn parse(text: &str) -> Fallible<Self> {
        let bad = || unreadable("datetime", text, "`2024-02-29T12:30:00+01:00` or `…Z`");
        let mut reader = Reader(text.as_bytes());
        let (year, month, day) = reader.date().ok_or_else(bad)?;
        let (time, micros, offset) = reader.time().ok_or_else(bad)?;
        if !reader.0.is_empty() {
            return Err(bad());
        }
        let moment = Self::new(Date::new(year, month, day)?, time, offset)?;
        moment.add(Duration(micros))
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute, second, micros) = self.time();
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}", self.date())?;
        if micros != 0 {
            write!(f, ".{micros:06}")?;
        }
        let offset = self.offset_minutes.unsigned_abs();
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        write!(f, "{sign}{:02}:{:02}", offset / 60, offset % 60)
    }
}

impl Duration {
    /// So many microseconds.
    #[must_use]
    pub fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// In microseconds.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.0
    }

    pub(crate) fn from_parts(days: i64, hours: i64, minutes: i64, seconds: i64) -> Fallible<Self> {
        let sum = i128::from(days) * 86_400
            + i128::from(hours) * 3_600
            + i128::from(minutes) * 60
            + i128::from(seconds);
        i64::try_from(sum * i128::from(SECOND_MICROS))
            .map(Self)
            .map_err(|_| overflow())
    }

    /// Whole days, rounded down.
    #[must_use]
    pub fn days(self) -> i64 {
        self.0.div_euclid(DAY_MICROS)
    }

    pub(crate) fn checked(micros: Option<i64>) -> Fallible<Self> {
        micros.map(Self).ok_or_else(overflow)
    }

    /// Reads `[-]P[nD][T[nH][nM][n[.ffffff]S]]`.
    pub(crate) fn parse(text: &str) -> Fallible<Self> {
        Reader(text.as_bytes())
            .duration()
            .map(Self)
            .ok_or_else(|| unreadable("duration", text, "`P3DT4H30M` or `PT90S`"))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let micros = self.0.unsigned_abs();
        let day = DAY_MICROS.unsigned_abs();
        let (days, rest) = (micros / day, micros % day);
        f.write_str("P")?;
        if days > 0 {
            write!(f, "{days}D")?;
        }
        if rest == 0 {
            return f.write_str(if days > 0 { "" } else { "T0S" });
        }
        let second = SECOND_MICROS.unsigned_abs();
        let (seconds, part) = (rest / second, rest % second);
        f.write_str("T")?;
        for (amount, unit) in [(seconds / 3_600, 'H'), (seconds / 60 % 60, 'M')] {
            if amount > 0 {
                write!(f, "{amount}{unit}")?;
            }
        }
        match (seconds % 60, part) {
            (0, 0) => Ok(()),
            (seconds, 0) => write!(f, "{seconds}S"),
            (seconds, part) => write!(f, "{seconds}.{part:06}S"),
        }
    }
}

fn overflow() -> Box<Fault> {
    Fault::new(Code::Overflow, "the time is beyond the range")
}

fn unreadable(what: &str, text: &str, example: &str) -> Box<Fault> {
    let shown = crate::value::text::excerpt(text);
    Fault::new(Code::Unreadable, format!("`{shown}` is no {what}"))
        .hint(format!("write it as {example}"))
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn skip(&mut self, byte: u8) -> bool {
        let there = self.0.first() == Some(&byte);
        if there {
            self.0 = &self.0[1..];
        }
        there
    }

    /// Exactly so many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let digits = self
            .0
            .get(..count)
            .filter(|d| d.iter().all(u8::is_ascii_digit))?;
        self.0 = &self.0[count..];
        Some(
            digits
                .iter()
                .fold(0, |sum, d| sum * 10 + i64::from(d - b'0')),
        )
    }

    /// As many digits as there are, at least one and at most twelve.
    fn number(&mut self) -> Option<i64> {
        let count = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        (1..=12).contains(&count).then(|| self.digits(count))?
    }

    fn date(&mut self) -> Option<(i64, i64, i64)> {
        let year = self.digits(4)?;
        let month = self.skip(b'-').then(|| self.digits(2))??;
        let day = self.skip(b'-').then(|| self.digits(2))??;
        Some((year, month, day))
    }

    /// The fraction after the point, in microseconds; up to six digits.
    fn fraction(&mut self) -> Option<i64> {
        let count = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let scale = 10_i64.pow(u32::try_from(6_usize.checked_sub(count)?).ok()?);
        (count > 0)
            .then(|| self.digits(count))?
            .map(|part| part * scale)
    }

    fn time(&mut self) -> Option<([i64; 3], i64, i64)> {
        if !self.skip(b'T') && !self.skip(b' ') {
            return None;
        }
        let hour = self.digits(2)?;
        let minute = self.skip(b':').then(|| self.digits(2))??;
        let (mut second, mut micros) = (0, 0);
        if self.skip(b':') {
            second = self.digits(2)?;
            if self.skip(b'.') {
                micros = self.fraction()?;
            }
        }
        let time = [hour, minute, second];
        if self.skip(b'Z') {
            return Some((time, micros, 0));
        }
        let sign = if self.skip(b'-') {
            -1
        } else {
            i64::from(self.skip(b'+'))
        };
        if sign == 0 {
            return None;
        }
        let hours = self.digits(2)?;
        let minutes = self.skip(b':').then(|| self.digits(2))??;
        (minutes < 60).then_some((time, micros, sign * (hours * 60 + minutes)))
    }

    fn duration(&mut self) -> Option<i64> {
        let sign = if self.skip(b'-') { -1 } else { 1 };
        if !self.skip(b'P') || self.0.is_empty() {
            return None;
        }
        let mut sum: i64 = 0;
        let (mut timed, mut units): (bool, &[(u8, i64)]) = (false, &[(b'D', DAY_MICROS)]);
        while !self.0.is_empty() {
            if !timed && self.skip(b'T') {
                timed = true;
                units = &[
                    (b'H', 60 * MINUTE_MICROS),
                    (b'M', MINUTE_MICROS),
                    (b'S', SECOND_MICROS),
                ];
                if self.0.is_empty() {
                    return None;
                }
            }
            let amount = self.number()?;
            let part = if self.skip(b'.') { self.fraction()? } else { 0 };
            let (unit, rest) = self.0.split_first()?;
            self.0 = rest;
            let at = units.iter().position(|(name, _)| name == unit)?;
            if part != 0 && *unit != b'S' {
                return None;
            }
            sum = amount
                .checked_mul(units[at].1)?
                .checked_add(part)?
                .checked_add(sum)?;
            units = &units[at + 1..];
        }
        Some(sign * sum)
    }
}

/// Declares reading by `str::parse`.
macro_rules! from_str {
    ($($kind:ident),+) => {$(
        impl std::str::FromStr for $kind {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::parse(text).map_err(|fault| fault.message)
            }
        }
    )+};
}

from_str!(Date, DateTime, Duration);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_reads_back() {
        for days in (DAY_MIN..=DAY_MAX).step_by(13) {
            let date = Date::from_days(days).unwrap();
            let (year, month, day) = date.parts();
            assert_eq!(Date::new(year, month, day).unwrap(), date);
        }
        assert_eq!(Date::new(1, 1, 1).unwrap().days(), DAY_MIN);
        assert_eq!(Date::new(9999, 12, 31).unwrap().days(), DAY_MAX);
        assert_eq!(Date::new(2024, 2, 29).unwrap().weekday(), 3);
    }

    #[test]
    fn days_that_the_calendar_does_not_have_are_refused() {
        for (year, month, day) in [(2023, 2, 29), (2024, 13, 1), (0, 1, 1), (10_000, 1, 1)] {
            assert_eq!(
                Date::new(year, month, day).unwrap_err().code,
                Code::Calendar
            );
        }
    }

    #[test]
    fn moments_read_back_and_compare_as_moments() {
        let a = DateTime::parse("2024-02-29T23:30:00.250000-01:30").unwrap();
        assert_eq!(a.to_string(), "2024-02-29T23:30:00.250000-01:30");
        assert_eq!(a, DateTime::parse("2024-03-01T01:00:00.25Z").unwrap());
        assert!(DateTime::parse("2024-02-29T23:30:00").is_err());
        assert!(DateTime::parse("2024-02-29T24:00Z").is_err());
        assert!(DateTime::parse("2024-02-29T23:30Zx").is_err());
        assert!(DateTime::parse("0001-01-01T00:00+23:59").is_ok());
    }

    #[test]
    fn durations_read_back() {
        for text in ["P1D", "PT1H30M", "-P2DT3S", "PT0.500000S", "PT0S"] {
            assert_eq!(Duration::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "P",
            "PT",
            "P1H",
            "PT1D",
            "PT1M1H",
            "P1.5D",
            "1D",
            "P999999999999D",
        ] {
            assert!(Duration::parse(text).is_err(), "{text}");
        }
    }
}
