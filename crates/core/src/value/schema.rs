//! What the caller says a value must be: JSON Schema.

use jsonschema::{
    Draft, PatternOptions, Retrieve, Uri, ValidationError, Validator, error::ValidationErrorKind,
};
use serde_json::Value as Tree;
use sha2::{Digest as _, Sha256};

use super::excerpt::{EXCERPT_CHARS_MAX, printable};
use super::meter::{Meter, Metered, View};
use super::{Rejection, Rule, Rules, Value, pointer, reader, writer};

/// Bytes of a schema at most.
pub const SCHEMA_BYTES_MAX: usize = 1 << 20;

/// Nesting of a schema at most.
pub const SCHEMA_DEPTH_MAX: usize = 128;

/// Steps that checking one value may take. A step is about one look at one item or member, or at
/// 16 bytes of a text; a value of 1 MiB against a plain schema takes under two million.
pub const SCHEMA_STEPS_MAX: u64 = 20_000_000;

/// Steps spent on counting faults after the first.
const COUNT_STEPS_MAX: u64 = 200_000;

/// Bytes of a compiled pattern at most; of its transitions as many again.
const PATTERN_BYTES_MAX: usize = 2 << 20;

/// Characters of a message at most.
const MESSAGE_CHARS_MAX: usize = 300;

/// A compiled schema.
///
/// JSON Schema 2020-12, or the older draft that its `$schema` names (2019-09, 7, 6, 4). What to
/// know of it:
/// - Nothing is ever fetched. `$ref` works within the document, `$id` and anchors included.
/// - `format` is an annotation and checks nothing, as 2020-12 says; use `pattern`.
/// - Patterns run in linear time: those with look-around or back-references are refused.
/// - Numbers are exact: integers of any size keep to `minimum`, `const` or `multipleOf`, and
///   `1.0` is an integer.
pub struct Schema {
    validator: Validator<Metered>,
    digest: [u8; 32],
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema")
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

impl Schema {
    /// Compiles a schema of at most [`SCHEMA_BYTES_MAX`] and [`SCHEMA_DEPTH_MAX`].
    ///
    /// # Errors
    /// What is wrong and where in the schema, as one line.
    pub fn compile(bytes: &[u8]) -> Result<Self, String> {
        let rules = Rules {
            bytes_max: SCHEMA_BYTES_MAX,
            depth_max: SCHEMA_DEPTH_MAX,
        };
        let schema = reader::read(bytes, &rules).map_err(|rejection| rejection.to_string())?;
        let draft = draft(schema.tree())?;
        let patterns = PatternOptions::regex()
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX);
        let validator = jsonschema::options_for::<Metered>()
            .with_draft(draft)
            .with_retriever(Nothing)
            .with_pattern_options(patterns)
            .should_validate_formats(false)
            .build(schema.tree())
            .map_err(|error| compile_message(&error))?;
        Ok(Self {
            validator,
            digest: Sha256::digest(bytes).into(),
        })
    }

    /// SHA-256 of the bytes that were compiled: what `sha256sum` says of the file.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Checks a value. Needs stack in proportion to its depth: at most 2 KiB a level for each
    /// keyword of the schema that applies another.
    ///
    /// # Errors
    /// The first fault, and how many more there are; or that the check takes more than
    /// [`SCHEMA_STEPS_MAX`].
    pub fn check(&self, value: &Value) -> Result<(), Rejection> {
        self.check_within(value, SCHEMA_STEPS_MAX)
    }

    fn check_within(&self, value: &Value, steps_max: u64) -> Result<(), Rejection> {
        let meter = Meter::new(steps_max);
        let is_valid = self.validator.is_valid(View::new(value.tree(), &meter));
        if meter.is_spent() {
            return Err(Rejection::whole(
                Rule::Schema,
                format!(
                    "checking against the schema takes more than {steps_max} steps; \
                     return less, or give the schema fewer alternatives"
                ),
            ));
        }
        if is_valid {
            return Ok(());
        }
        // Explaining a fault visits every alternative, and may cost what deciding did not.
        let first = self.validator.validate(View::new(value.tree(), &meter));
        match first {
            Err(error) if !meter.is_spent() => Err(self.rejection(value, &error)),
            Ok(()) | Err(_) => Err(Rejection::whole(
                Rule::Schema,
                "not what the schema allows; finding out where takes too many steps",
            )),
        }
    }

    fn rejection(&self, value: &Value, error: &ValidationError<'_>) -> Rejection {
        let keyword = printable(error.schema_path().as_str(), pointer::POINTER_CHARS_MAX);
        let message = printable(&sentence(error), MESSAGE_CHARS_MAX);
        let more = match self.count(value) {
            Some(0 | 1) => String::new(),
            Some(count) => format!("; {} more", count - 1),
            None => "; and more".to_owned(),
        };
        Rejection {
            pointer: pointer::bounded(error.instance_path().as_str()),
            rule: Rule::Schema,
            message: format!("{message} (`{keyword}` in the schema{more})"),
            excerpt: excerpt(error.instance()),
            offset: None,
        }
    }

    /// How many faults there are, unless counting them takes too long.
    fn count(&self, value: &Value) -> Option<usize> {
        let meter = Meter::new(COUNT_STEPS_MAX);
        let count = self
            .validator
            .iter_errors(View::new(value.tree(), &meter))
            .count();
        (!meter.is_spent()).then_some(count)
    }
}

/// The draft that the schema is written in.
fn draft(schema: &Tree) -> Result<Draft, String> {
    let Some(declared) = schema.get("$schema") else {
        return Ok(Draft::Draft202012);
    };
    let known = match declared.as_str().map(|uri| uri.trim_end_matches('#')) {
        Some("https://json-schema.org/draft/2020-12/schema") => Some(Draft::Draft202012),
        Some("https://json-schema.org/draft/2019-09/schema") => Some(Draft::Draft201909),
        Some("http://json-schema.org/draft-07/schema") => Some(Draft::Draft7),
        Some("http://json-schema.org/draft-06/schema") => Some(Draft::Draft6),
        Some("http://json-schema.org/draft-04/schema") => Some(Draft::Draft4),
        Some(_) | None => None,
    };
    known.ok_or_else(|| {
        format!(
            "/$schema: no draft that is known here (`{}`); leave `$schema` out for 2020-12",
            excerpt(declared)
        )
    })
}

/// Refuses whatever lies outside the schema.
struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Tree, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!(
            "`{}` is outside the schema and nothing is fetched; put it under `$defs`",
            printable(uri.as_str(), EXCERPT_CHARS_MAX)
        )
        .into())
    }
}

fn compile_message(error: &ValidationError<'_>) -> String {
    let place = pointer::bounded(error.instance_path().as_str());
    let message = match error.kind() {
        ValidationErrorKind::Referencing(referencing) => {
            let cause = std::error::Error::source(referencing)
                .map_or_else(String::new, |cause| format!(": {cause}"));
            format!("a reference cannot be resolved: {referencing}{cause}")
        }
        _ => format!("{} (`{}`)", sentence(error), excerpt(error.instance())),
    };
    let message = printable(&message, MESSAGE_CHARS_MAX);
    if place.is_empty() {
        message
    } else {
        format!("{place}: {message}")
    }
}

/// The validator's message without the value, in our form.
fn sentence(error: &ValidationError<'_>) -> String {
    let message = error.masked().to_string();
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| {
        first
            .to_lowercase()
            .chain(chars)
            .collect::<String>()
            .trim_end_matches('.')
            .to_owned()
    })
}

fn excerpt(value: &Tree) -> String {
    printable(
        &writer::start(value, EXCERPT_CHARS_MAX * 4),
        EXCERPT_CHARS_MAX,
    )
}
