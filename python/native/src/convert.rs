//! Values of Python to those of the language, and back. Nothing of an object is called but the
//! methods of the built-in kinds themselves.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use stockade_formula::{Date, Duration, Type, VALUE_DEPTH_MAX, Value};

use crate::shape::Shape;

/// A class that is looked up once.
type Kept = PyOnceLock<Py<PyType>>;
static DECIMAL: Kept = PyOnceLock::new();
static DATE: Kept = PyOnceLock::new();
static DATETIME: Kept = PyOnceLock::new();
static DURATION: Kept = PyOnceLock::new();

/// The value of a Python object, converted as `shape` says where it is a record.
#[inline]
pub(crate) fn to_value(object: &Bound<'_, PyAny>, shape: &Shape, depth: u8) -> PyResult<Value> {
    if let Ok(float) = object.cast_exact::<PyFloat>() {
        return Value::float(float.value())
            .ok_or_else(|| PyValueError::new_err("a float of the input is not finite"));
    }
    other(object, shape, depth)
}

fn other(object: &Bound<'_, PyAny>, shape: &Shape, depth: u8) -> PyResult<Value> {
    if matches!(shape, Shape::Timed)
        && let Some(value) = timed(object)?
    {
        return Ok(value);
    }
    if depth > VALUE_DEPTH_MAX {
        return Err(PyValueError::new_err(format!(
            "the input is nested deeper than {VALUE_DEPTH_MAX}, or holds itself"
        )));
    }
    if object.is_exact_instance_of::<PyInt>() {
        let int = object.extract::<i64>();
        return int.map(Value::Int).map_err(|_| {
            PyOverflowError::new_err("an int of the input does not fit into 64 bits")
        });
    }
    if let Ok(text) = object.cast_exact::<PyString>() {
        return Ok(Value::str(text.to_cow()?.as_ref()));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(value) = object.cast_exact::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        return map(dict, shape, depth);
    }
    let item = shape.item();
    let items = if let Ok(list) = object.cast_exact::<PyList>() {
        list.iter()
            .map(|object| to_value(&object, item, depth + 1))
            .collect::<PyResult<Vec<_>>>()?
    } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        tuple
            .iter()
            .map(|object| to_value(&object, item, depth + 1))
            .collect::<PyResult<Vec<_>>>()?
    } else {
        return written(object);
    };
    Value::list(items).ok_or_else(too_deep)
}

fn too_deep() -> PyErr {
    PyValueError::new_err(format!("the input is nested deeper than {VALUE_DEPTH_MAX}"))
}

fn map(dict: &Bound<'_, PyDict>, shape: &Shape, depth: u8) -> PyResult<Value> {
    let py = dict.py();
    let mut entries = Vec::with_capacity(dict.len());
    if let Shape::Record(fields) = shape {
        for field in fields {
            let value = match dict.get_item(field.key.bind_borrowed(py))? {
                Some(object) => to_value(&object, &field.shape, depth + 1)?,
                // Where it may not be, the check says so.
                None => Value::Null,
            };
            entries.push((Arc::clone(&field.name), value));
        }
    } else {
        let item = shape.item();
        for (key, object) in dict.iter() {
            let Ok(key) = key.cast_exact::<PyString>() else {
                return Err(PyTypeError::new_err("a key of the input is no str"));
            };
            entries.push((
                Arc::from(key.to_cow()?.as_ref()),
                to_value(&object, item, depth + 1)?,
            ));
        }
    }
    Value::map(entries).ok_or_else(too_deep)
}

/// Whether an object is of exactly this class.
#[inline]
fn is(object: &Bound<'_, PyAny>, kept: &Kept, module: &str, name: &str) -> PyResult<bool> {
    let class = kept.import(object.py(), module, name)?.as_ptr();
    Ok(class == object.get_type_ptr().cast())
}

/// A date or a duration, if it is one.
fn timed(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    if is(object, &DATE, "datetime", "date")? {
        // One call, where year, month and day are three.
        let ordinal = object.call_method0(intern!(py, "toordinal"))?;
        return Date::from_ordinal(ordinal.extract()?)
            .map(|date| Some(Value::Date(date)))
            .ok_or_else(|| PyValueError::new_err("a date of the input is no day"));
    }
    if is(object, &DURATION, "datetime", "timedelta")? {
        let part = |name: &Bound<'_, PyString>| object.getattr(name)?.extract::<i64>();
        let (days, seconds) = (part(intern!(py, "days"))?, part(intern!(py, "seconds"))?);
        let micros = part(intern!(py, "microseconds"))?;
        return days
            .checked_mul(86_400)
            .and_then(|sum| sum.checked_add(seconds)?.checked_mul(1_000_000))
            .and_then(|sum| sum.checked_add(micros))
            .map(|micros| Some(Value::Duration(Duration::from_micros(micros))))
            .ok_or_else(|| PyOverflowError::new_err("a timedelta is out of range"));
    }
    Ok(None)
}

/// What is no plain object: dates, durations, and what is handed over as its text.
fn written(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = object.py();
    if let Some(value) = timed(object)? {
        return Ok(value);
    }
    let text = |kind: Type, text: String| {
        Value::from_text(&text, &kind).map_err(|error| crate::raise(py, &error))
    };
    if is(object, &DECIMAL, "decimal", "Decimal")? {
        return text(
            Type::Decimal,
            object.call_method1("__format__", ("f",))?.extract()?,
        );
    }
    if is(object, &DATETIME, "datetime", "datetime")? {
        return text(Type::DateTime, object.call_method0("isoformat")?.extract()?);
    }
    let name = object.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "a `{name}` is no value of the formula language"
    )))
}

/// The Python object of a value.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Int(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => PyFloat::new(py, *value).into_any(),
        Value::Str(text) => PyString::new(py, text).into_any(),
        Value::List(_) | Value::Map(_) => Keys::default().nested(py, value)?,
        Value::Decimal(value) => {
            let class = DECIMAL.import(py, "decimal", "Decimal")?;
            class.call1((value.to_string(),))?
        }
        Value::Date(value) => {
            let class = DATE.import(py, "datetime", "date")?;
            class.call1(value.parts())?
        }
        Value::DateTime(value) => {
            let class = DATETIME.import(py, "datetime", "datetime")?;
            class.call_method1("fromisoformat", (value.to_string(),))?
        }
        Value::Duration(value) => {
            let class = DURATION.import(py, "datetime", "timedelta")?;
            class.call1((0, 0, value.micros()))?
        }
    })
}

/// The keys of the maps before: those of rows are the same texts, mostly in the same places.
#[derive(Default)]
struct Keys<'py>(Vec<(Arc<str>, Bound<'py, PyString>)>);

/// Most keys that are remembered; maps with more have the others made each time.
const KEYS_MAX: usize = 32;

impl<'py> Keys<'py> {
    fn nested(&mut self, py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Value::List(list) => {
                let items = list.items().iter().map(|item| self.nested(py, item));
                Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            Value::Map(map) => {
                let dict = PyDict::new(py);
                for (at, (name, item)) in map.entries().iter().enumerate() {
                    let item = self.nested(py, item)?;
                    let key = self.key(py, at, name);
                    dict.set_item(key, item)?;
                }
                Ok(dict.into_any())
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Decimal(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::Date(_)
            | Value::DateTime(_)
            | Value::Duration(_) => to_python(py, value),
        }
    }

    fn key(&mut self, py: Python<'py>, at: usize, name: &Arc<str>) -> Bound<'py, PyString> {
        match self.0.get_mut(at) {
            Some((known, key)) if Arc::ptr_eq(known, name) => key.clone(),
            Some(slot) => {
                *slot = (Arc::clone(name), PyString::new(py, name));
                slot.1.clone()
            }
            None => {
                let key = PyString::new(py, name);
                if self.0.len() == at && at < KEYS_MAX {
                    self.0.push((Arc::clone(name), key.clone()));
                }
                key
            }
        }
    }
}
