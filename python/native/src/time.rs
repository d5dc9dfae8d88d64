//! Dates and durations, read from Python's objects and made as such.

#[cfg(feature = "abi3")]
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDelta, PyType};
#[cfg(not(feature = "abi3"))]
use pyo3::types::{PyDateAccess, PyDeltaAccess};
use stockade_formula::{Date, Duration};

const SECOND_MICROS: i64 = 1_000_000;
const DAY_SECONDS: i64 = 86_400;

/// Finds the classes once, so that a module of another name in the place of `datetime` is an error
/// of the import; later it would end the process.
pub(crate) fn find_classes(py: Python<'_>) -> PyResult<()> {
    let datetime = py.import("datetime")?;
    for class in ["date", "timedelta"] {
        datetime.getattr(class)?.cast_into::<PyType>()?;
    }
    PyDate::new(py, 1, 1, 1).map(drop)
}

/// The day of a `datetime.date`.
#[cfg(not(feature = "abi3"))]
pub(crate) fn date(object: &Bound<'_, PyDate>) -> Option<Date> {
    let (year, month, day) = (object.get_year(), object.get_month(), object.get_day());
    Date::from_parts(year.into(), month.into(), day.into())
}

/// The day of a `datetime.date`. By the stable ABI a field is a call: this is one, not three.
#[cfg(feature = "abi3")]
pub(crate) fn date(object: &Bound<'_, PyDate>) -> Option<Date> {
    let ordinal = object.call_method0(intern!(object.py(), "toordinal"));
    Date::from_ordinal(ordinal.ok()?.extract().ok()?)
}

/// The length of a `datetime.timedelta`, where 64 bits hold its microseconds.
pub(crate) fn duration(object: &Bound<'_, PyDelta>) -> Option<Duration> {
    let [days, seconds, micros] = parts(object)?;
    // At most 2^47 seconds.
    (i64::from(days) * DAY_SECONDS + i64::from(seconds))
        .checked_mul(SECOND_MICROS)?
        .checked_add(micros.into())
        .map(Duration::from_micros)
}

/// Days, seconds and microseconds.
#[cfg(not(feature = "abi3"))]
#[allow(clippy::unnecessary_wraps, reason = "by the stable ABI it can fail")]
fn parts(object: &Bound<'_, PyDelta>) -> Option<[i32; 3]> {
    Some([
        object.get_days(),
        object.get_seconds(),
        object.get_microseconds(),
    ])
}

/// Days, seconds and microseconds.
#[cfg(feature = "abi3")]
fn parts(object: &Bound<'_, PyDelta>) -> Option<[i32; 3]> {
    let py = object.py();
    let part = |name| object.getattr(name).ok()?.extract().ok();
    Some([
        part(intern!(py, "days"))?,
        part(intern!(py, "seconds"))?,
        part(intern!(py, "microseconds"))?,
    ])
}

/// A `datetime.date`.
pub(crate) fn to_date(py: Python<'_>, date: Date) -> PyResult<Bound<'_, PyDate>> {
    let (year, month, day) = date.parts();
    PyDate::new(py, year.try_into()?, month.try_into()?, day.try_into()?)
}

/// A `datetime.timedelta`.
pub(crate) fn to_delta(py: Python<'_>, duration: Duration) -> PyResult<Bound<'_, PyDelta>> {
    let micros = duration.micros();
    let seconds = micros.div_euclid(SECOND_MICROS);
    let days = seconds.div_euclid(DAY_SECONDS).try_into()?;
    let seconds = seconds.rem_euclid(DAY_SECONDS).try_into()?;
    let micros = micros.rem_euclid(SECOND_MICROS).try_into()?;
    PyDelta::new(py, days, seconds, micros, false)
}
