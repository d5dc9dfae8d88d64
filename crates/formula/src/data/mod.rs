//! Values from JSON and from texts, read as a type says; and as JSON again.

mod cell;
mod reader;
mod writer;

use std::sync::Arc;

use crate::error::{Fallible, FormulaError};
use crate::formula::{Compiled, Inputs};
use crate::kind::Type;
use crate::value::Value;

impl Value {
    /// Reads one JSON document as a value of `kind`: dates, decimals and the like from their
    /// texts, fields that a record does not declare left out.
    ///
    /// # Errors
    /// `types-input`, with the byte in the document in its message.
    pub fn from_json(json: &[u8], kind: &Type) -> Result<Self, FormulaError> {
        let mut reader = reader::Reader::new(json).map_err(unplaced)?;
        let value = reader
            .document(|reader| reader.value(kind, 0))
            .map_err(unplaced)?;
        kind.check(&value, &mut "value".to_owned())
            .map_err(unplaced)?;
        Ok(value)
    }

    /// Reads a text, as of a table's cell, as a value of `kind`. For `any`, a text that is written
    /// as a number is one, an empty text is `None`, and the rest are strings.
    ///
    /// # Errors
    /// `types-input`.
    pub fn from_text(text: &str, kind: &Type) -> Result<Self, FormulaError> {
        cell::read(text, kind).map_err(unplaced)
    }

    /// The value as JSON: decimals as numbers with all their digits, dates, datetimes and
    /// durations as texts of ISO 8601.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    /// Appends the value as JSON.
    pub fn write_json(&self, out: &mut String) {
        writer::write(out, self);
    }
}

impl Compiled {
    /// Inputs from one JSON object: its keys are the names. What the formula does not use is
    /// stepped over.
    ///
    /// # Errors
    /// `types-input`, `eval-missing-input`.
    pub fn inputs_from_json(&self, json: &[u8]) -> Result<Inputs, FormulaError> {
        let mut reader = reader::Reader::new(json).map_err(unplaced)?;
        let names: Vec<(&str, &Type, bool)> = self.names().collect();
        let slots = reader
            .document(|reader| reader.inputs(&names))
            .map_err(unplaced)?;
        self.check(slots)
    }

    /// The documents of a JSON array, as the bytes of each, found without reading them as values.
    ///
    /// # Errors
    /// `types-input` when it is no array of JSON.
    pub fn items_of_json(json: &[u8]) -> Result<Vec<std::ops::Range<usize>>, FormulaError> {
        let mut reader = reader::Reader::new(json).map_err(unplaced)?;
        reader.document(reader::Reader::ranges).map_err(unplaced)
    }
}

fn unplaced(fault: Box<crate::error::Fault>) -> FormulaError {
    FormulaError::locate(fault, "", 0)
}

/// The value of `kind` that a text stands for, where the kind is written as a text.
fn from_text(text: &str, kind: &Type) -> Fallible<Option<Value>> {
    use crate::value::{Date, DateTime, Decimal, Duration};
    Ok(match kind {
        Type::Date => Some(Value::Date(Date::parse(text)?)),
        Type::DateTime => Some(Value::DateTime(DateTime::parse(text)?)),
        Type::Duration => Some(Value::Duration(Duration::parse(text)?)),
        Type::Decimal => Decimal::parse(text).map(Value::Decimal),
        Type::Str(_) | Type::Any => Some(Value::Str(Arc::from(text))),
        Type::Optional(inner) => from_text(text, inner)?,
        Type::Null
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Number
        | Type::List(..)
        | Type::Map(..)
        | Type::Record(_) => None,
    })
}
