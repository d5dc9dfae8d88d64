//! How Python's objects become values of a type: its records with their keys as Python has them,
//! so that a look into a dict makes nothing.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyString;
use stockade_formula::Type;

/// A type, as far as it says how objects are converted.
pub(crate) enum Shape {
    /// By what the object is.
    Plain,
    /// A list or a map with such items.
    Items(Box<Shape>),
    /// A dict of which these keys are looked at.
    Record(Vec<Field>),
}

/// A key of a record.
pub(crate) struct Field {
    pub(crate) name: Arc<str>,
    pub(crate) key: Py<PyString>,
    pub(crate) shape: Shape,
}

impl Shape {
    pub(crate) fn of(py: Python<'_>, kind: &Type) -> Self {
        match kind {
            Type::Optional(inner) => Self::of(py, inner),
            Type::List(item, _) | Type::Map(item, _) => match Self::of(py, item) {
                Self::Plain => Self::Plain,
                item @ (Self::Items(_) | Self::Record(_)) => Self::Items(Box::new(item)),
            },
            Type::Record(fields) => {
                let field = |(name, kind): &(Arc<str>, Type)| Field {
                    name: Arc::clone(name),
                    key: PyString::intern(py, name).unbind(),
                    shape: Self::of(py, kind),
                };
                Self::Record(fields.iter().map(field).collect())
            }
            Type::Any
            | Type::Null
            | Type::Bool
            | Type::Int
            | Type::Decimal
            | Type::Float
            | Type::Number
            | Type::Str(_)
            | Type::Date
            | Type::DateTime
            | Type::Duration => Self::Plain,
        }
    }

    /// That of the items.
    pub(crate) fn item(&self) -> &Self {
        match self {
            Self::Items(item) => item,
            Self::Plain | Self::Record(_) => &Self::Plain,
        }
    }
}
