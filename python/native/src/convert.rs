//! Values of Python to those of the language, and back. Nothing of an object is called but the
//! methods of the built-in kinds themselves.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyDate, PyDelta, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType,
};
use stockade_formula::{Scalar, Type, VALUE_DEPTH_MAX, Value};

use crate::shape::Shape;
use crate::time;

/// A class that is looked up once.
type Kept = PyOnceLock<Py<PyType>>;
static DECIMAL: Kept = PyOnceLock::new();
static DATETIME: Kept = PyOnceLock::new();

/// Reads the scalar that an object is. Nothing for a list and a map, and for what is no value of
/// the language: [`to_value`] says why.
///
/// Written where it stays: a copy of what was just written in parts waits for all of them.
#[inline]
pub(crate) fn read<'a>(object: &'a Bound<'_, PyAny>, into: &mut Scalar<'a>) -> Option<()> {
    *into = if let Ok(float) = object.cast_exact::<PyFloat>() {
        let value = float.value();
        value.is_finite().then_some(())?;
        Scalar::Float(value)
    } else if let Ok(text) = object.cast_exact::<PyString>() {
        Scalar::Str(text.to_str().ok()?)
    } else if let Ok(date) = object.cast_exact::<PyDate>() {
        Scalar::Date(time::date(date)?)
    } else if object.is_exact_instance_of::<PyInt>() {
        Scalar::Int(object.extract().ok()?)
    } else if let Ok(value) = object.cast_exact::<PyBool>() {
        Scalar::Bool(value.is_true())
    } else if let Ok(delta) = object.cast_exact::<PyDelta>() {
        Scalar::Duration(time::duration(delta)?)
    } else if object.is_none() {
        Scalar::Null
    } else {
        match written(object) {
            Ok(Some(Value::Decimal(value))) => Scalar::Decimal(value),
            Ok(Some(Value::DateTime(value))) => Scalar::DateTime(value),
            Ok(_) | Err(_) => return None,
        }
    };
    Some(())
}

/// The value of a Python object, converted as `shape` says where it is a record.
#[inline]
pub(crate) fn to_value(object: &Bound<'_, PyAny>, shape: &Shape, depth: u8) -> PyResult<Value> {
    let mut scalar = Scalar::Null;
    match read(object, &mut scalar) {
        Some(()) => Ok(scalar.to_value()),
        None => nested(object, shape, depth),
    }
}

/// A list or a map, or why an object is no value.
fn nested(object: &Bound<'_, PyAny>, shape: &Shape, depth: u8) -> PyResult<Value> {
    if depth > VALUE_DEPTH_MAX {
        return Err(PyValueError::new_err(format!(
            "the input is nested deeper than {VALUE_DEPTH_MAX}, or holds itself"
        )));
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
        return Err(no_value(object));
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

/// What is handed over as its text, if the object is of these.
fn written(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let (kind, text) = if is(object, &DECIMAL, "decimal", "Decimal")? {
        let text = object.call_method1("__format__", ("f",))?;
        (Type::Decimal, text)
    } else if is(object, &DATETIME, "datetime", "datetime")? {
        (Type::DateTime, object.call_method0("isoformat")?)
    } else {
        return Ok(None);
    };
    let text: String = text.extract()?;
    let value = Value::from_text(&text, &kind);
    value
        .map(Some)
        .map_err(|error| crate::raise(object.py(), &error))
}

/// Why an object is no value of the language.
fn no_value(object: &Bound<'_, PyAny>) -> PyErr {
    if object.is_exact_instance_of::<PyFloat>() {
        return PyValueError::new_err("a float of the input is not finite");
    }
    if object.is_exact_instance_of::<PyInt>() {
        return PyOverflowError::new_err("an int of the input does not fit into 64 bits");
    }
    if let Ok(text) = object.cast_exact::<PyString>()
        && let Err(error) = text.to_str()
    {
        return error;
    }
    if object.is_exact_instance_of::<PyDelta>() {
        return PyOverflowError::new_err("a timedelta is out of range");
    }
    if let Err(error) = written(object) {
        return error;
    }
    match object.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("a `{name}` is no value of the formula language")),
        Err(error) => error,
    }
}

/// The Python object of a value.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match Scalar::of(value) {
        Some(scalar) => of_scalar(py, scalar),
        None => Keys::default().nested(py, value),
    }
}

/// The Python object of a scalar.
#[inline]
pub(crate) fn of_scalar<'py>(py: Python<'py>, scalar: Scalar<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match scalar {
        Scalar::Null => py.None().into_bound(py),
        Scalar::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Scalar::Int(value) => value.into_pyobject(py)?.into_any(),
        Scalar::Float(value) => PyFloat::new(py, value).into_any(),
        Scalar::Str(text) => PyString::new(py, text).into_any(),
        Scalar::Date(value) => time::to_date(py, value)?.into_any(),
        Scalar::Duration(value) => time::to_delta(py, value)?.into_any(),
        Scalar::Decimal(value) => {
            let class = DECIMAL.import(py, "decimal", "Decimal")?;
            class.call1((value.to_string(),))?
        }
        Scalar::DateTime(value) => {
            let class = DATETIME.import(py, "datetime", "datetime")?;
            class.call_method1("fromisoformat", (value.to_string(),))?
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
