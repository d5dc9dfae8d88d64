//! Saying where a value breaks its schema, at a cost that the value cannot raise.
//!
//! The validator explains a failed `anyOf` or `oneOf` by the faults of every alternative, each in
//! turn explained by its own alternatives. Where alternatives refer back to the schema that
//! doubles with every level of the value: 60 nested brackets took 13 GB. So the validator that
//! explains has its own `anyOf` and `oneOf`, which only ask each alternative whether it fits.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use jsonschema::{Keyword, Retrieve, Uri, ValidationError, ValidationOptions, Validator};
use serde_json::Value as Tree;

use super::meter::{Metered, View};
use super::writer;

/// Options for a validator of this project.
pub(super) type Options = ValidationOptions<'static, Arc<dyn Retrieve>, Metered>;

/// Bytes of schema that are compiled again at most, for its alternatives. Each one that refers to
/// other parts of the schema may take the whole of it.
const BYTES_MAX: usize = 4 << 20;

/// The name under which an alternative reaches the schema that it is a part of.
const WHOLE: &str = "stockade:/schema";

/// Compiles the validator that explains. `None` if the library does not take the schema in this
/// form, in which case faults have no place.
pub(super) fn explainer(options: &Options, schema: &Tree) -> Option<Validator<Metered>> {
    let parts = Arc::new(Parts::new(options, schema));
    let mut options = options.clone();
    for quantity in [Quantity::Some, Quantity::One] {
        let parts = Arc::clone(&parts);
        options = options.with_keyword(quantity.keyword(), move |_, alternatives, path| {
            let count = alternatives.as_array().map_or(0, Vec::len);
            let pointers = (0..count).map(|index| format!("{path}/{index}")).collect();
            Ok(Box::new(Alternatives {
                parts: Arc::clone(&parts),
                pointers,
                quantity,
            }))
        });
    }
    options.build(schema).ok()
}

/// Compiled parts of a schema, by their pointer in it.
struct Parts {
    schema: Arc<Tree>,
    schema_bytes: usize,
    options: Options,
    compiled: Mutex<Compiled>,
}

struct Compiled {
    /// Missing where a part cannot be compiled, or no more bytes are left.
    validators: HashMap<String, Option<Arc<Validator<Metered>>>>,
    bytes_left: usize,
}

impl Parts {
    fn new(options: &Options, schema: &Tree) -> Self {
        let schema = Arc::new(schema.clone());
        Self {
            schema_bytes: writer::compact(&schema).len(),
            options: options.clone().with_retriever(Own(Arc::clone(&schema))),
            compiled: Mutex::new(Compiled {
                validators: HashMap::new(),
                bytes_left: BYTES_MAX,
            }),
            schema,
        }
    }

    /// The validator for the part at `pointer`, compiled when it is first asked for.
    fn get(&self, pointer: &str) -> Option<Arc<Validator<Metered>>> {
        // Poisoned only if compiling panicked; then there is nothing to explain with.
        let mut compiled = self.compiled.lock().ok()?;
        if let Some(known) = compiled.validators.get(pointer) {
            return known.clone();
        }
        let validator = self
            .compile(pointer, &mut compiled.bytes_left)
            .map(Arc::new);
        compiled
            .validators
            .insert(pointer.to_owned(), validator.clone());
        validator
    }

    fn compile(&self, pointer: &str, bytes_left: &mut usize) -> Option<Validator<Metered>> {
        let part = self.schema.pointer(pointer)?;
        let text = writer::compact(part);
        // Every keyword that refers to another part ends in this, whatever the draft.
        let refers = text.contains("Ref\":") || text.contains("\"$ref\":");
        let bytes = if refers {
            self.schema_bytes
        } else {
            text.len()
        };
        *bytes_left = bytes_left.checked_sub(bytes)?;
        if refers {
            let reference = format!("{WHOLE}#{}", fragment(pointer));
            self.options
                .build(&serde_json::json!({ "$ref": reference }))
                .ok()
        } else {
            self.options.build(part).ok()
        }
    }
}

/// A pointer as the fragment of a URI.
fn fragment(pointer: &str) -> String {
    let mut out = String::new();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~$".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Knows one document: the schema itself.
struct Own(Arc<Tree>);

impl Retrieve for Own {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Tree, Box<dyn std::error::Error + Send + Sync>> {
        if uri.as_str() == WHOLE {
            Ok(Tree::clone(&self.0))
        } else {
            Err("not this schema".into())
        }
    }
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
    parts: Arc<Parts>,
    pointers: Vec<String>,
    quantity: Quantity,
}

impl Alternatives {
    /// What is wrong with how many alternatives fit.
    fn fault(&self, instance: View<'_>) -> Option<String> {
        let mut fitting = None;
        for (index, pointer) in self.pointers.iter().enumerate() {
            // Without the alternative there is nothing to say: the verdict is not ours.
            if !self.parts.get(pointer)?.is_valid(instance) {
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
