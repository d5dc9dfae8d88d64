//! The formula language in Python's own process: what `stockade.formula` is made of.
#![forbid(unsafe_code)]

mod convert;

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};
use stockade_formula::{Budget, Evaluated, Formula, Inputs, Signature, Type, Value};

/// Compiles a formula. Without a signature any name is an input of any type.
#[pyfunction]
#[pyo3(signature = (source, signature=None))]
fn compile(py: Python<'_>, source: &str, signature: Option<&str>) -> PyResult<Compiled> {
    let raise = |error: stockade_formula::FormulaError| raise(py, &error);
    let signature = signature.map_or_else(|| Ok(Signature::open()), Signature::parse);
    let formula = Formula::compile(source, &signature.map_err(raise)?).map_err(raise)?;
    let names = formula.names().map(|(name, kind, used)| {
        used.then(|| (PyString::intern(py, name).unbind(), kind.clone()))
    });
    Ok(Compiled {
        names: names.collect(),
        formula: Arc::new(formula),
    })
}

/// A formula that is in the language and fits its signature.
#[pyclass(frozen, module = "stockade.formula")]
struct Compiled {
    formula: Arc<stockade_formula::Compiled>,
    /// The inputs in order; nothing for those that are not used.
    names: Vec<Option<(Py<PyString>, Type)>>,
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
        let evaluated = match inputs {
            Some(given) => match given.cast::<PyDict>() {
                Ok(dict) => self.run(py, &self.inputs(py, dict)?, cost_max)?,
                Err(_) => self.run(py, &given.cast::<Prepared>()?.get().0, cost_max)?,
            },
            None => self.run(py, &self.inputs(py, &PyDict::new(py))?, cost_max)?,
        };
        convert::to_python(py, &evaluated.value)
    }

    /// Value and cost units for `inputs`.
    #[pyo3(signature = (inputs, *, cost_max=None))]
    fn eval_with_cost<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyDict>,
        cost_max: Option<u64>,
    ) -> PyResult<(Bound<'py, PyAny>, u64)> {
        let evaluated = self.run(py, &self.inputs(py, inputs)?, cost_max)?;
        Ok((convert::to_python(py, &evaluated.value)?, evaluated.cost))
    }

    /// Converts and checks inputs once.
    fn prepare(&self, py: Python<'_>, inputs: &Bound<'_, PyDict>) -> PyResult<Prepared> {
        self.inputs(py, inputs).map(Prepared)
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

impl Compiled {
    fn inputs(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Inputs> {
        let mut slots: Vec<Option<Value>> = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let found = match name {
                Some((name, kind)) => match given.get_item(name.bind(py))? {
                    Some(value) => Some(convert::to_value(&value, kind, 0)?),
                    None => None,
                },
                None => None,
            };
            slots.push(found);
        }
        self.formula.check(slots).map_err(|error| raise(py, &error))
    }

    fn run(&self, py: Python<'_>, inputs: &Inputs, cost_max: Option<u64>) -> PyResult<Evaluated> {
        let mut budget = Budget::default();
        budget.cost_max = cost_max.unwrap_or(budget.cost_max);
        self.formula
            .eval(inputs, budget)
            .map_err(|error| raise(py, &error))
    }
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
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_class::<Compiled>()?;
    module.add_class::<Prepared>()?;
    module.add("LANGUAGE_VERSION", stockade_formula::LANGUAGE_VERSION)
}
