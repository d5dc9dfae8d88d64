//! Values of Python to those of the language, and back. Nothing of an object is called but the
//! methods of the built-in kinds themselves.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use stockade_formula::{Type, VALUE_DEPTH_MAX, Value};

/// A class that is looked up once.
type Kept = PyOnceLock<Py<PyType>>;
static DECIMAL: Kept = PyOnceLock::new();
static DATE: Kept = PyOnceLock::new();
static DATETIME: Kept = PyOnceLock::new();
static DURATION: Kept = PyOnceLock::new();

/// The value of a Python object, converted as `kind` says where it is a record.
pub(crate) fn to_value(object: &Bound<'_, PyAny>, kind: &Type, depth: u8) -> PyResult<Value> {
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
    if let Ok(float) = object.cast_exact::<PyFloat>() {
        return Value::float(float.value())
            .ok_or_else(|| PyValueError::new_err("a float of the input is not finite"));
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
        return map(dict, kind, depth);
    }
    let any = Type::Any;
    let item = if let Type::List(item, _) = present(kind) {
        item
    } else {
        &any
    };
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

/// The type of what is there, where there may be nothing.
fn present(kind: &Type) -> &Type {
    if let Type::Optional(inner) = kind {
        inner
    } else {
        kind
    }
}

fn too_deep() -> PyErr {
    PyValueError::new_err(format!("the input is nested deeper than {VALUE_DEPTH_MAX}"))
}

fn map(dict: &Bound<'_, PyDict>, kind: &Type, depth: u8) -> PyResult<Value> {
    let kind = present(kind);
    let mut entries = Vec::with_capacity(dict.len());
    if let Type::Record(fields) = kind {
        for (name, kind) in fields.iter() {
            let value = match dict.get_item(&**name)? {
                Some(object) => to_value(&object, kind, depth + 1)?,
                // Where it may not be, the check says so.
                None => Value::Null,
            };
            entries.push((Arc::clone(name), value));
        }
    } else {
        let any = Type::Any;
        let item = if let Type::Map(item, _) = kind {
            item
        } else {
            &any
        };
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

/// What is handed over as its text: dates and decimals.
fn written(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = object.py();
    let class = object.get_type();
    let is = |kept: &'static Kept, module, name| -> PyResult<bool> {
        Ok(class.is(kept.import(py, module, name)?))
    };
    let text = |kind: Type, text: String| {
        Value::from_text(&text, &kind).map_err(|error| crate::raise(py, &error))
    };
    if is(&DECIMAL, "decimal", "Decimal")? {
        return text(
            Type::Decimal,
            object.call_method1("__format__", ("f",))?.extract()?,
        );
    }
    if is(&DATETIME, "datetime", "datetime")? {
        return text(Type::DateTime, object.call_method0("isoformat")?.extract()?);
    }
    if is(&DATE, "datetime", "date")? {
        return text(Type::Date, object.call_method0("isoformat")?.extract()?);
    }
    if is(&DURATION, "datetime", "timedelta")? {
        let part = |name| -> PyResult<i64> { object.getattr(name)?.extract() };
        let seconds = part("days")?
            .checked_mul(86_400)
            .and_then(|n| n.checked_add(part("seconds").ok()?));
        let micros = seconds.and_then(|n| n.checked_mul(1_000_000));
        let micros = micros.and_then(|n| n.checked_add(part("microseconds").ok()?));
        let micros =
            micros.ok_or_else(|| PyOverflowError::new_err("a timedelta is out of range"))?;
        return Ok(Value::Duration(stockade_formula::Duration::from_micros(
            micros,
        )));
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
        Value::List(list) => {
            let items = list.items().iter().map(|item| to_python(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Map(map) => {
            let dict = PyDict::new(py);
            for (key, item) in map.entries() {
                dict.set_item(&**key, to_python(py, item)?)?;
            }
            dict.into_any()
        }
        Value::Decimal(value) => DECIMAL
            .import(py, "decimal", "Decimal")?
            .call1((value.to_string(),))?,
        Value::Date(value) => DATE
            .import(py, "datetime", "date")?
            .call_method1("fromisoformat", (value.to_string(),))?,
        Value::DateTime(value) => DATETIME
            .import(py, "datetime", "datetime")?
            .call_method1("fromisoformat", (value.to_string(),))?,
        Value::Duration(value) => {
            DURATION
                .import(py, "datetime", "timedelta")?
                .call1((0, 0, value.micros()))?
        }
    })
}
