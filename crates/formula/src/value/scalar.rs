//! Scalars that are not kept: what a formula reads one by one, and what it gives then.

use super::{Date, DateTime, Decimal, Duration, VALUE_BYTES, Value};

/// A value that is neither a list nor a map, and takes no room of its own: a text is borrowed from
/// whoever has it.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a> {
    /// `None`.
    Null,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A decimal of twelve places.
    Decimal(Decimal),
    /// A finite float.
    Float(f64),
    /// Text.
    Str(&'a str),
    /// A day.
    Date(Date),
    /// A moment with an offset.
    DateTime(DateTime),
    /// A length of time.
    Duration(Duration),
}

impl<'a> Scalar<'a> {
    /// That of a value, where it is no list and no map.
    #[must_use]
    #[inline]
    pub fn of(value: &'a Value) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Decimal(value) => Self::Decimal(*value),
            Value::Float(value) => Self::Float(*value),
            Value::Str(text) => Self::Str(text),
            Value::Date(value) => Self::Date(*value),
            Value::DateTime(value) => Self::DateTime(*value),
            Value::Duration(value) => Self::Duration(*value),
            Value::List(_) | Value::Map(_) => return None,
        })
    }

    /// The same, to be kept: a text is copied.
    #[must_use]
    #[inline]
    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Decimal(value) => Value::Decimal(value),
            Self::Float(value) => Value::Float(value),
            Self::Str(text) => Value::str(text),
            Self::Date(value) => Value::Date(value),
            Self::DateTime(value) => Value::DateTime(value),
            Self::Duration(value) => Value::Duration(value),
        }
    }

    /// Bytes of the value that it is when it is kept.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Str(text) => VALUE_BYTES + text.len() as u64,
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Decimal(_)
            | Self::Float(_)
            | Self::Date(_)
            | Self::DateTime(_)
            | Self::Duration(_) => VALUE_BYTES,
        }
    }
}

const _: () = assert!(size_of::<Scalar<'_>>() == 24);
