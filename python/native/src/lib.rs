//! The formula language in Python's own process: what `stockade.formula` is made of.
#![forbid(unsafe_code)]

mod convert;
mod direct;
mod shape;
mod time;

use std::cell::Cell;
use std::sync::Arc;

use direct::Direct;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFloat, PyString, PyType};
use shape::Shape;
use stockade_formula::{Budget, Formula, Inputs, Signature, Value};

/// Compiles a formula. Without a signature any name is an input of any type.
#[pyfunction]
#[pyo3(signature = (source, signature=None))]
fn compile(py: Python<'_>, source: &str, signature: Option<&str>) -> PyResult<Compiled> {
    let raise = |error: stockade_formula::FormulaError| raise(py, &error);
    let signature = signature.map_or_else(|| Ok(Signature::open()), Signature::parse);
    let formula = Formula::compile(source, &signature.map_err(raise)?).map_err(raise)?;
    let names = formula.names().map(|(name, kind, used)| {
        used.then(|| (PyString::intern(py, name).unbind(), Shape::of(py, kind)))
    });
    let mut names: Vec<_> = names.collect();
    while let Some(None) = names.last() {
        names.pop();
    }
    Ok(Compiled {
        names,
        direct: Direct::new(py, &formula),
        formula: Arc::new(formula),
    })
}

/// A formula that is in the language and fits its signature.
#[pyclass(frozen, module = "stockade.formula")]
struct Compiled {
    formula: Arc<stockade_formula::Compiled>,
    /// The inputs in order, up to the last that is used; nothing for those that are not.
    names: Vec<Option<(Py<PyString>, Shape)>>,
    /// For dicts of which scalars alone are read.
    direct: Option<Direct>,
}

/// Inputs that were converted and checked, for many evaluations.
#[pyclass(frozen, module = "stockade.formula")]
struct Prepared(Inputs);

#[pymethods]
impl Compiled {
    /// The value for `inputs`: a dict, or what `prepare` gave.
    #[pyo3(signature = (inputs=None, *, cost_max=None))]
    fn eval<'py>(
        &self,
        py: Python<'py>,
        inputs: Option<&Bound<'py, PyAny>>,
        cost_max: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let cost = &mut 0;
        match inputs {
            Some(given) => match given.cast_exact::<PyDict>() {
                Ok(dict) => self.once(py, Some(dict), cost_max, cost),
                Err(_) => match given.cast::<Prepared>() {
                    Ok(prepared) => self.run(py, &prepared.get().0, cost_max, cost),
                    Err(_) => self.once(py, Some(given.cast::<PyDict>()?), cost_max, cost),
                },
            },
            None => self.once(py, None, cost_max, cost),
        }
    }

    /// Value and cost units for `inputs`.
    #[pyo3(signature = (inputs, *, cost_max=None))]
    fn eval_with_cost<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyDict>,
        cost_max: Option<u64>,
    ) -> PyResult<(Bound<'py, PyAny>, u64)> {
        let mut cost = 0;
        let value = self.once(py, Some(inputs), cost_max, &mut cost)?;
        Ok((value, cost))
    }

    /// Converts and checks inputs once.
    fn prepare(&self, py: Python<'_>, inputs: &Bound<'_, PyDict>) -> PyResult<Prepared> {
        let mut values = Inputs::default();
        self.fill(py, &mut values, Some(inputs))?;
        Ok(Prepared(values))
    }

    /// The source.
    #[getter]
    fn source(&self) -> &str {
        self.formula.source()
    }

    /// What is known of the value.
    #[getter]
    fn kind(&self) -> String {
        self.formula.kind().to_string()
    }

    /// Most cost units that an evaluation can take, where the signature declares the sizes.
    #[getter]
    fn cost_max(&self) -> Option<u64> {
        self.formula.cost_max()
    }

    fn __repr__(&self) -> String {
        format!("<formula {:?}>", self.formula.source())
    }
}

thread_local! {
    /// Room for inputs, which is used again by the next evaluation.
    static ROOM: Cell<Inputs> = const { Cell::new(Inputs::new()) };
}

impl Compiled {
    /// An evaluation of inputs that are not kept; `cost` is then what it took.
    #[inline]
    fn once<'py>(
        &self,
        py: Python<'py>,
        given: Option<&Bound<'py, PyDict>>,
        cost_max: Option<u64>,
        cost: &mut u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let (Some(direct), Some(given)) = (&self.direct, given)
            && let Some(value) = direct.eval(given, budget(cost_max), cost)
        {
            return Ok(value);
        }
        self.usual(py, given, cost_max, cost)
    }

    /// An evaluation of inputs that are converted first.
    #[inline(never)]
    fn usual<'py>(
        &self,
        py: Python<'py>,
        given: Option<&Bound<'py, PyDict>>,
        cost_max: Option<u64>,
        cost: &mut u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut room = ROOM.take();
        let result = self
            .fill(py, &mut room, given)
            .and_then(|()| self.run(py, &room, cost_max, cost));
        room.clear();
        ROOM.set(room);
        result
    }

    fn fill(
        &self,
        py: Python<'_>,
        inputs: &mut Inputs,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        for name in &self.names {
            let (Some((name, shape)), Some(given)) = (name, given) else {
                self.push(py, inputs, None)?;
                continue;
            };
            match given.get_item(name.bind_borrowed(py))? {
                Some(object) => {
                    // The commonest input, without a value on the way.
                    if let Ok(float) = object.cast_exact::<PyFloat>()
                        && self.formula.push_float(inputs, float.value())
                    {
                        continue;
                    }
                    self.push(py, inputs, Some(convert::to_value(&object, shape, 0)?))?;
                }
                None => self.push(py, inputs, None)?,
            }
        }
        Ok(())
    }

    fn push(&self, py: Python<'_>, inputs: &mut Inputs, value: Option<Value>) -> PyResult<()> {
        self.formula
            .push(inputs, value)
            .map_err(|error| raise(py, &error))
    }

    #[inline]
    fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: &Inputs,
        cost_max: Option<u64>,
        cost: &mut u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let made = |value: &Value, units| {
            *cost = units;
            convert::to_python(py, value)
        };
        self.formula
            .eval_with(inputs, budget(cost_max), made)
            .map_err(|error| raise(py, &error))?
    }
}

fn budget(cost_max: Option<u64>) -> Budget {
    let mut budget = Budget::default();
    budget.cost_max = cost_max.unwrap_or(budget.cost_max);
    budget
}

/// The error as an exception of `stockade.formula.FormulaError`.
pub(crate) fn raise(py: Python<'_>, error: &stockade_formula::FormulaError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = match CLASS.import(py, "stockade._error", "FormulaError") {
        Ok(class) => class,
        Err(missing) => return missing,
    };
    let span = error.span();
    let fields = (
        error.code().slug(),
        error.family().slug(),
        error.message(),
        error.hint(),
        (span.start, span.end),
        (error.line(), error.column()),
        error.cost(),
    );
    match class.call1(fields) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

#[pymodule]
fn _formula(module: &Bound<'_, PyModule>) -> PyResult<()> {
    time::find_classes(module.py())?;
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_class::<Compiled>()?;
    module.add_class::<Prepared>()?;
    module.add("LANGUAGE_VERSION", stockade_formula::LANGUAGE_VERSION)
}
