//! Saying where a value breaks its schema, at a cost that the value cannot raise.
//!
//! The validator explains a failed `anyOf` or `oneOf` by the faults of every alternative, each in
//! turn explained by its own alternatives. Where alternatives refer back to the schema that
//! doubles with every level of the value: 60 nested brackets took 13 GB. So the validator that
//! explains has its own `anyOf` and `oneOf`, which only ask each alternative whether it fits.

use std::sync::Arc;

use jsonschema::{Keyword, ValidationError, ValidationOptions, Validator, ValidatorMap};
use serde_json::Value as Tree;

use super::meter::{Metered, View};

/// Options for a validator of this project.
pub(super) type Options = ValidationOptions<'static, Arc<dyn jsonschema::Retrieve>, Metered>;

/// Compiles the validator that explains. `None` if the library does not take the schema in this
/// form, in which case faults have no place.
pub(super) fn explainer(options: &Options, schema: &Tree) -> Option<Validator<Metered>> {
    let parts = Arc::new(options.build_map(schema).ok()?);
    let mut options = options.clone();
    for quantity in [Quantity::Some, Quantity::One] {
        let parts = Arc::clone(&parts);
        options = options.with_keyword(quantity.keyword(), move |_, alternatives, path| {
            let count = alternatives.as_array().map_or(0, Vec::len);
            let pointers = (0..count).map(|index| format!("#{path}/{index}")).collect();
            Ok(Box::new(Alternatives {
                parts: Arc::clone(&parts),
                pointers,
                quantity,
            }))
        });
    }
    options.build(schema).ok()
}

/// How many alternatives must fit.
#[derive(Clone, Copy)]
enum Quantity {
    Some,
    One,
}

impl Quantity {
    const fn keyword(self) -> &'static str {
        match self {
            Self::Some => "anyOf",
            Self::One => "oneOf",
        }
    }
}

struct Alternatives {
    parts: Arc<ValidatorMap<Metered>>,
    pointers: Vec<String>,
    quantity: Quantity,
}

impl Alternatives {
    /// What is wrong with how many alternatives fit.
    fn fault(&self, instance: View<'_>) -> Option<String> {
        let mut fitting = None;
        for (index, pointer) in self.pointers.iter().enumerate() {
            // An alternative that cannot be looked up is taken to fit: the verdict is not ours.
            if !self
                .parts
                .get(pointer)
                .is_none_or(|part| part.is_valid(instance))
            {
                continue;
            }
            match (self.quantity, fitting) {
                (Quantity::Some, _) => return None,
                (Quantity::One, None) => fitting = Some(index),
                (Quantity::One, Some(first)) => {
                    return Some(format!(
                        "alternatives {first} and {index} both fit, where one must"
                    ));
                }
            }
        }
        match fitting {
            Some(_) => None,
            None => Some(format!("none of {} alternatives fits", self.pointers.len())),
        }
    }
}

impl<'i> Keyword<'i, Metered> for Alternatives {
    fn validate(&self, instance: View<'i>) -> Result<(), ValidationError<'i>> {
        self.fault(instance)
            .map_or(Ok(()), |message| Err(ValidationError::custom(message)))
    }

    fn is_valid(&self, instance: View<'i>) -> bool {
        self.fault(instance).is_none()
    }
}
