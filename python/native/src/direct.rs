//! Formulas over scalars: what the formula reads is read where it is, and what stands beside it is
//! only looked at.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use stockade_formula::{Budget, Scalar, Type, Value};

use crate::convert;
use crate::shape::Shape;

/// The direct form of a formula, and how a dict is walked for it.
pub(crate) struct Direct {
    formula: stockade_formula::Direct,
    /// Each input that the formula uses.
    inputs: Vec<(Py<PyString>, Probe)>,
    /// The texts that the formula has itself, as Python's.
    texts: Vec<(Arc<str>, Py<PyString>)>,
}

/// So many scalars are read without room from the heap.
const READS: usize = 8;

/// What is done at a key.
enum Probe {
    /// The scalar is what the formula reads, at this place.
    Read(usize),
    /// The dict has these keys, in the order in which the type has them.
    Record(Vec<(Py<PyString>, Probe)>),
    /// The formula does not read this; it must be of the type all the same.
    Check(Type),
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
        let texts = direct.texts().map(|text| {
            let object = PyString::new(py, text).unbind();
            (Arc::clone(text), object)
        });
        Some(Self {
            inputs,
            texts: texts.collect(),
            formula: direct,
        })
    }

    /// The value for `given`; `cost` is then what it took. Nothing where the usual way must find
    /// out; what is wrong is found there again, and said.
    pub(crate) fn eval<'py>(
        &self,
        given: &Bound<'py, PyDict>,
        budget: Budget,
        cost: &mut u64,
    ) -> Option<Bound<'py, PyAny>> {
        let reads = self.formula.reads().len();
        if reads <= READS {
            let mut objects = [const { None }; READS];
            let mut scalars = [Scalar::Null; READS];
            let (objects, scalars) = (&mut objects[..reads], &mut scalars[..reads]);
            self.eval_in(given, budget, cost, objects, scalars)
        } else {
            let mut scalars = vec![Scalar::Null; reads];
            self.eval_in(given, budget, cost, &mut vec![None; reads], &mut scalars)
        }
    }

    #[inline]
    fn eval_in<'py, 'o>(
        &self,
        given: &Bound<'py, PyDict>,
        budget: Budget,
        cost: &mut u64,
        objects: &'o mut [Option<Bound<'py, PyAny>>],
        scalars: &mut [Scalar<'o>],
    ) -> Option<Bound<'py, PyAny>> {
        walk(given, &self.inputs, objects)?;
        let objects: &'o [_] = objects;
        for ((object, scalar), read) in objects.iter().zip(&mut *scalars).zip(self.formula.reads())
        {
            match (object, &read.kind) {
                (Some(object), _) => convert::read(object, scalar)?,
                (None, Type::Optional(_)) => {}
                // Whether that is an error, the usual way knows.
                (None, _) => return None,
            }
        }
        let made = |scalar: Scalar<'_>, units| {
            *cost = units;
            if let Scalar::Str(text) = scalar {
                Some(self.text(given.py(), text))
            } else {
                convert::of_scalar(given.py(), scalar).ok()
            }
        };
        self.formula.eval_with(scalars, budget, made)?
    }

    /// A text; of the formula's own the object that is there already.
    fn text<'py>(&self, py: Python<'py>, text: &str) -> Bound<'py, PyAny> {
        let own = self
            .texts
            .iter()
            .find(|(own, _)| std::ptr::eq(&raw const **own, text));
        match own {
            Some((_, object)) => object.bind(py).clone().into_any(),
            None => PyString::new(py, text).into_any(),
        }
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

fn walk<'py>(
    dict: &Bound<'py, PyDict>,
    probes: &[(Py<PyString>, Probe)],
    objects: &mut [Option<Bound<'py, PyAny>>],
) -> Option<()> {
    let py = dict.py();
    for (key, probe) in probes {
        let object = dict.get_item(key.bind_borrowed(py)).ok()?;
        match (probe, object) {
            (Probe::Read(at), object) => *objects.get_mut(*at)? = object,
            (Probe::Record(probes), Some(object)) => {
                walk(object.cast_exact::<PyDict>().ok()?, probes, objects)?;
            }
            (Probe::Record(_), None) => return None,
            (Probe::Check(kind), Some(object)) => fits(&object, kind).then_some(())?,
            (Probe::Check(kind), None) => kind.fits(&Value::Null).then_some(())?,
        }
    }
    Some(())
}

/// Whether an object is a value of the type, without making the value where it is a scalar.
fn fits(object: &Bound<'_, PyAny>, kind: &Type) -> bool {
    let mut scalar = Scalar::Null;
    if convert::read(object, &mut scalar).is_some() {
        return kind.takes(&scalar);
    }
    // By all the rules for the others.
    let shape = Shape::of(object.py(), kind);
    convert::to_value(object, &shape, 0).is_ok_and(|value| kind.fits(&value))
}
