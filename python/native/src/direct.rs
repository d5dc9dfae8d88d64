//! Formulas over scalars of nested dicts: what the formula reads is converted, what stands beside
//! it is only looked at.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString};
use stockade_formula::{Budget, Type, Value};

use crate::convert;
use crate::shape::Shape;

/// The direct form of a formula, and how a dict is walked for it.
pub(crate) struct Direct {
    formula: stockade_formula::Direct,
    /// Each input that the formula uses.
    inputs: Vec<(Py<PyString>, Probe)>,
}

/// What is done at a key.
enum Probe {
    /// The scalar is what the formula reads, at this place.
    Read(usize),
    /// The dict has these keys, in the order in which the type has them.
    Record(Vec<(Py<PyString>, Probe)>),
    /// The formula does not read this; it must be of the type all the same.
    Check(Type),
}

thread_local! {
    /// Room for what is read, which is used again by the next evaluation.
    static ROOM: Cell<Vec<Value>> = const { Cell::new(Vec::new()) };
}

impl Direct {
    pub(crate) fn new(py: Python<'_>, formula: &stockade_formula::Compiled) -> Option<Self> {
        let direct = formula.direct()?;
        let mut inputs = Vec::new();
        for (at, (name, kind, used)) in formula.names().enumerate() {
            if used {
                let probe = Probe::of(py, &direct, at, &mut Vec::new(), kind);
                inputs.push((PyString::intern(py, name).unbind(), probe));
            }
        }
        Some(Self {
            formula: direct,
            inputs,
        })
    }

    /// Has the value for `given` looked at, and its cost units. Nothing where the usual way must
    /// find out; what is wrong with the inputs is found there again, and said.
    pub(crate) fn eval_with<T>(
        &self,
        given: &Bound<'_, PyDict>,
        budget: Budget,
        look: impl FnOnce(&Value, u64) -> T,
    ) -> Option<T> {
        let mut room = ROOM.take();
        room.resize(self.formula.reads().len(), Value::Null);
        let evaluated = walk(given, &self.inputs, &mut room)
            .and_then(|()| self.formula.eval_with(&room, budget, look));
        room.clear();
        ROOM.set(room);
        evaluated
    }
}

impl Probe {
    fn of<'t>(
        py: Python<'_>,
        direct: &stockade_formula::Direct,
        input: usize,
        path: &mut Vec<&'t str>,
        kind: &'t Type,
    ) -> Self {
        let on_path = |keys: &[std::sync::Arc<str>]| {
            keys.len() >= path.len() && keys.iter().zip(&*path).all(|(a, b)| **a == **b)
        };
        let mut reads = direct.reads().iter().enumerate();
        let first = reads.find(|(_, read)| read.input == input && on_path(&read.path));
        match (first, kind) {
            (Some((at, read)), _) if read.path.len() == path.len() => Self::Read(at),
            (Some(_), Type::Record(fields)) => {
                let mut probes = Vec::with_capacity(fields.len());
                for (name, kind) in fields.iter() {
                    path.push(name);
                    let probe = Self::of(py, direct, input, path, kind);
                    path.pop();
                    probes.push((PyString::intern(py, name).unbind(), probe));
                }
                Self::Record(probes)
            }
            (Some(_) | None, _) => Self::Check(kind.clone()),
        }
    }
}

fn walk(
    dict: &Bound<'_, PyDict>,
    probes: &[(Py<PyString>, Probe)],
    values: &mut [Value],
) -> Option<()> {
    let py = dict.py();
    for (key, probe) in probes {
        let object = dict.get_item(key.bind_borrowed(py)).ok()?;
        match (probe, object) {
            (Probe::Read(at), Some(object)) => {
                *values.get_mut(*at)? = convert::to_value(&object, &Shape::Plain, 0).ok()?;
            }
            // Where it may not be, the formula's direct form refuses it.
            (Probe::Read(_), None) => {}
            (Probe::Record(probes), Some(object)) => {
                walk(object.cast_exact::<PyDict>().ok()?, probes, values)?;
            }
            (Probe::Record(_), None) => return None,
            (Probe::Check(kind), Some(object)) => fits(&object, kind).then_some(())?,
            (Probe::Check(kind), None) => kind.fits(&Value::Null).then_some(())?,
        }
    }
    Some(())
}

/// Whether an object is a value of the type, without making the value where that is easily seen.
fn fits(object: &Bound<'_, PyAny>, kind: &Type) -> bool {
    if let (Type::Str(max), Ok(text)) = (kind, object.cast_exact::<PyString>()) {
        let fit = |len: usize| max.is_none_or(|max| len <= max as usize);
        return text.to_cow().is_ok_and(|text| fit(text.len()));
    }
    if let (Type::Float, Ok(float)) = (kind, object.cast_exact::<PyFloat>()) {
        return float.value().is_finite();
    }
    // By all the rules for the others.
    let shape = Shape::of(object.py(), kind);
    convert::to_value(object, &shape, 0).is_ok_and(|value| kind.fits(&value))
}
