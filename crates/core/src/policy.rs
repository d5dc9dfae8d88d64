//! What the caller requires. Deny by default: an empty policy grants nothing.

use crate::error::{Error, ErrorKind};
use crate::guarantee::Guarantee;
use crate::limits::Limits;
use crate::value::Schema;
use std::sync::Arc;

/// Which rung the caller wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RungChoice {
    /// The cheapest on this host that gives the baseline and everything required.
    #[default]
    Auto,
    /// This one or a refusal; its own guarantees are enough unless more are required.
    Named(String),
}

/// Whether a run owes a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueMode {
    /// No value is `result_rejected`.
    #[default]
    Required,
    /// The result file is not read.
    None,
}

/// Whether content is written into the record, besides its digest and size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retain {
    /// Digest and size only.
    #[default]
    Digest,
    /// The content as well.
    Content,
}

/// What the boundary lets through that it keeps closed otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// `127.0.0.1` and `::1` of the run's own, empty network namespace.
    pub loopback: bool,
}

/// Requirements on a run.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) required: Vec<Guarantee>,
    pub(crate) limits: Limits,
    pub(crate) rung: RungChoice,
    pub(crate) template: String,
    pub(crate) schema: Option<Arc<Schema>>,
    pub(crate) value: ValueMode,
    pub(crate) call: Option<String>,
    pub(crate) grants: Grants,
    pub(crate) retain: Retain,
    pub(crate) cold: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            required: Vec::new(),
            limits: Limits::default(),
            rung: RungChoice::default(),
            template: "python".to_owned(),
            schema: None,
            value: ValueMode::default(),
            call: None,
            grants: Grants::default(),
            retain: Retain::default(),
            cold: false,
        }
    }
}

impl Policy {
    /// The same policy, also requiring `guarantee`.
    #[must_use]
    pub fn require(mut self, guarantee: Guarantee) -> Self {
        if !self.required.contains(&guarantee) {
            self.required.push(guarantee);
        }
        self
    }

    /// The same policy with these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same policy on the rung called `name`, or on any rung for `auto`. An unknown name is
    /// refused by the plan, which knows the ladder.
    #[must_use]
    pub fn rung(mut self, name: &str) -> Self {
        self.rung = match name {
            "auto" => RungChoice::Auto,
            _ => RungChoice::Named(name.to_owned()),
        };
        self
    }

    /// The same policy with the template called `name`.
    #[must_use]
    pub fn template(mut self, name: &str) -> Self {
        name.clone_into(&mut self.template);
        self
    }

    /// The same policy with results checked against `schema`.
    #[must_use]
    pub fn schema(mut self, schema: Schema) -> Self {
        self.schema = Some(Arc::new(schema));
        self
    }

    /// The same policy without a value: the result file is not read.
    #[must_use]
    pub fn no_value(mut self) -> Self {
        self.value = ValueMode::None;
        self
    }

    /// The same policy, calling the submission's function `name` with the input.
    ///
    /// # Errors
    /// `InvalidPolicy` when `name` is not a plain identifier.
    pub fn call(mut self, name: &str) -> Result<Self, Error> {
        let mut chars = name.chars();
        let plain = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && chars.all(|c| c.is_alphanumeric() || c == '_')
            && name.len() <= 255;
        if !plain {
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!("cannot call {name:?}: it is not the name of a function"),
            )
            .hint("give the bare name, as in `--call main`"));
        }
        self.call = Some(name.to_owned());
        Ok(self)
    }

    /// The same policy with `grants` let through.
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Self {
        self.grants = grants;
        self
    }

    /// The same policy with source and value written into the record as well.
    #[must_use]
    pub fn retain_content(mut self) -> Self {
        self.retain = Retain::Content;
        self
    }

    /// The same policy, in a boundary that is built when the submission is there, though one be
    /// kept warm.
    #[must_use]
    pub fn cold(mut self) -> Self {
        self.cold = true;
        self
    }

    /// The guarantees asked for, in the order given.
    #[must_use]
    pub fn required(&self) -> &[Guarantee] {
        &self.required
    }

    /// The schema, if results are checked against one.
    #[must_use]
    pub fn schema_ref(&self) -> Option<&Schema> {
        self.schema.as_deref()
    }

    /// The limits.
    #[must_use]
    pub fn limits_ref(&self) -> &Limits {
        &self.limits
    }

    /// The template's name.
    #[must_use]
    pub fn template_name(&self) -> &str {
        &self.template
    }

    /// Whether a value is owed.
    #[must_use]
    pub fn value_mode(&self) -> ValueMode {
        self.value
    }

    /// What the record keeps of source and value.
    #[must_use]
    pub fn retention(&self) -> Retain {
        self.retain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_can_be_called() {
        for name in ["main", "_x1", "größe"] {
            assert!(Policy::default().call(name).is_ok(), "{name}");
        }
        for name in ["", "1x", "a.b", "a()", "a b", "__import__('os')"] {
            assert!(Policy::default().call(name).is_err(), "{name}");
        }
    }
}
