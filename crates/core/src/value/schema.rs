//! What the caller says a value must be: JSON Schema.

use std::sync::OnceLock;

use jsonschema::{
    Draft, PatternOptions, Retrieve, Uri, ValidationError, Validator, error::ValidationErrorKind,
};
use serde_json::Value as Tree;
use sha2::{Digest as _, Sha256};

use super::bound::with_exact_comparison;
use super::excerpt::{EXCERPT_CHARS_MAX, printable};
use super::explain::{Options, explainer};
use super::meter::{Meter, Metered, View};
use super::{Rejection, Rule, Rules, Value, pointer, reader, writer};

/// Bytes of a schema at most.
pub const SCHEMA_BYTES_MAX: usize = 1 << 20;

/// Nesting of a schema at most.
pub const SCHEMA_DEPTH_MAX: usize = 128;

/// Steps that checking one value may take, and again that finding its first fault may take. A step
/// is about one look at one item, member or short text: up to 200 ns in a build without
/// optimisation. A value of 1 MiB against a plain schema takes under five million.
pub const SCHEMA_STEPS_MAX: u64 = 20_000_000;

/// Steps spent on counting faults after the first. Each fault counted takes memory.
const COUNT_STEPS_MAX: u64 = 50_000;

/// What 16 bytes of a text cost where no pattern looks at them.
const TEXT_WEIGHT: usize = 1;

/// What 16 bytes of a text cost where no compiled pattern takes more than so many bytes. At worst
/// the engine visits every state of the pattern for every byte (measured: 6 ns a state).
const PATTERN_WEIGHTS: [(usize, usize); 3] = [
    (32 << 10, 64),
    (256 << 10, 1_024),
    (PATTERN_KIB_MAX << 10, 8_192),
];

/// The most that a pattern may take when it is compiled.
const PATTERN_KIB_MAX: usize = 2_048;

/// Characters of a message at most.
const MESSAGE_CHARS_MAX: usize = 300;

/// A compiled schema.
///
/// JSON Schema 2020-12, or the older draft that its `$schema` names (2019-09, 7, 6). What to know
/// of it:
/// - Nothing is ever fetched. `$ref` works within the document, `$id` and anchors included.
/// - `format` is an annotation and checks nothing, as 2020-12 says; use `pattern`.
/// - Patterns run in linear time: those with look-around or back-references are refused.
/// - Numbers are exact: integers of any size keep to `minimum`, `const` or `multipleOf`, and
///   `1.0` is an integer.
/// - The work of a check is bounded, whatever the schema and the value ask for together.
pub struct Schema {
    tree: Tree,
    options: Options,
    validator: Validator<Metered>,
    /// Compiled when the first value is refused.
    explainer: OnceLock<Option<Validator<Metered>>>,
    text_weight: usize,
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
        let (options, validator, pattern_weight) = build(draft, schema.tree())?;
        let has_patterns = ["\"pattern\":", "\"patternProperties\":"]
            .iter()
            .any(|keyword| schema.text().contains(keyword));
        Ok(Self {
            options,
            validator,
            explainer: OnceLock::new(),
            text_weight: if has_patterns {
                pattern_weight
            } else {
                TEXT_WEIGHT
            },
            digest: Sha256::digest(bytes).into(),
            tree: schema.tree,
        })
    }

    /// SHA-256 of the bytes that were compiled: what `sha256sum` says of the file.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Checks a value. Takes little more than 1 MiB of stack at most.
    ///
    /// # Errors
    /// The first fault, and how many more there are; or that the check takes more than
    /// [`SCHEMA_STEPS_MAX`].
    pub fn check(&self, value: &Value) -> Result<(), Rejection> {
        self.check_within(value, SCHEMA_STEPS_MAX)
    }

    fn check_within(&self, value: &Value, steps_max: u64) -> Result<(), Rejection> {
        let meter = Meter::new(steps_max, self.text_weight);
        let is_valid = self.validator.is_valid(View::new(value.tree(), &meter));
        if meter.is_spent() {
            return Err(Rejection::whole(
                Rule::Schema,
                format!(
                    "checking against the schema takes more than {steps_max} steps or 1 MiB of \
                     stack; return less, or use fewer alternatives, less nesting and smaller \
                     patterns in the schema"
                ),
            ));
        }
        if is_valid {
            return Ok(());
        }
        let meter = Meter::new(steps_max, self.text_weight);
        let explainer = self
            .explainer
            .get_or_init(|| explainer(&self.options, &self.tree));
        let fault = explainer
            .as_ref()
            .and_then(|explainer| explainer.validate(View::new(value.tree(), &meter)).err());
        match (explainer, fault) {
            (Some(explainer), Some(error)) if !meter.is_spent() => {
                Err(rejection(value, &error, self.count(explainer, value)))
            }
            (Some(_) | None, Some(_) | None) => Err(Rejection::whole(
                Rule::Schema,
                "not what the schema allows; finding out where takes too long",
            )),
        }
    }

    /// How many faults there are, unless counting them takes too long.
    fn count(&self, explainer: &Validator<Metered>, value: &Value) -> Option<usize> {
        let meter = Meter::new(COUNT_STEPS_MAX, self.text_weight);
        let count = explainer
            .iter_errors(View::new(value.tree(), &meter))
            .count();
        (!meter.is_spent()).then_some(count)
    }
}

fn rejection(value: &Value, error: &ValidationError<'_>, count: Option<usize>) -> Rejection {
    let place = error.instance_path().as_str();
    let keyword = printable(error.schema_path().as_str(), pointer::POINTER_CHARS_MAX);
    let more = match count {
        Some(0 | 1) => String::new(),
        Some(count) => format!("; {} more", count - 1),
        None => "; and more".to_owned(),
    };
    let message = printable(&sentence(error), MESSAGE_CHARS_MAX);
    Rejection {
        pointer: pointer::bounded(place),
        rule: Rule::Schema,
        message: format!("{message} (`{keyword}` in the schema{more})"),
        excerpt: value
            .tree()
            .pointer(place)
            .map_or_else(String::new, excerpt),
        offset: None,
    }
}

/// Compiles with the smallest of the bounds on patterns that the schema keeps.
fn build(draft: Draft, schema: &Tree) -> Result<(Options, Validator<Metered>, usize), String> {
    let mut message = String::new();
    for (pattern_bytes, weight) in PATTERN_WEIGHTS {
        let patterns = PatternOptions::regex()
            .size_limit(pattern_bytes)
            .dfa_size_limit(2 * pattern_bytes);
        let options = jsonschema::options_for::<Metered>()
            .with_draft(draft)
            .with_retriever(Nothing)
            .with_pattern_options(patterns)
            .should_validate_formats(false);
        let options = with_exact_comparison(options);
        match options.build(schema) {
            Ok(validator) => return Ok((options, validator, weight)),
            Err(error) => message = compile_message(schema, &error),
        }
    }
    Err(message)
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
            "`{}` is outside the schema and nothing is fetched",
            printable(uri.as_str(), EXCERPT_CHARS_MAX)
        )
        .into())
    }
}

fn compile_message(schema: &Tree, error: &ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    let shown = schema.pointer(place).map_or_else(String::new, excerpt);
    let message = if let ValidationErrorKind::Referencing(cause) = error.kind() {
        format!("a reference that leads nowhere: {cause}; put what it means under `$defs`")
    } else if error.kind().keyword() == "format" {
        // The one format that schemas are checked for is that of patterns.
        format!(
            "not a pattern that runs in linear time (`{shown}`): look-around and back-references \
             are not taken, nor what compiles to more than {PATTERN_KIB_MAX} KiB"
        )
    } else if place.ends_with("/type") {
        format!("not a type of JSON Schema, nor a list of them (`{shown}`)")
    } else {
        format!("{} (`{shown}`)", sentence(error))
    };
    let message = printable(&message, MESSAGE_CHARS_MAX);
    let place = pointer::bounded(place);
    if place.is_empty() {
        message
    } else {
        format!("{place}: {message}")
    }
}

/// The validator's message without the value, in our form.
fn sentence(error: &ValidationError<'_>) -> String {
    let message = if let ValidationErrorKind::AdditionalItems { limit } = error.kind() {
        format!("more than {limit} items")
    } else if matches!(error.kind(), ValidationErrorKind::FalseSchema) {
        "nothing is allowed here".to_owned()
    } else {
        error.masked().to_string()
    };
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

fn excerpt(value: &Tree) -> String {
    printable(
        &writer::start(value, EXCERPT_CHARS_MAX * 4),
        EXCERPT_CHARS_MAX,
    )
}
