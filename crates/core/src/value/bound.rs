//! The keywords of JSON Schema that compare with a value, exact and in linear time.

use std::cmp::Ordering;

use jsonschema::json::Node as _;
use jsonschema::{Keyword, ValidationError};
use serde_json::Value as Tree;

use super::decimal::Decimal;
use super::excerpt::{EXCERPT_CHARS_MAX, printable};
use super::explain::Options;
use super::meter::{Metered, View};
use super::writer;

/// How a number must stand to that of the schema.
#[derive(Clone, Copy)]
enum Relation {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
}

impl Relation {
    const ALL: [Self; 5] = [
        Self::Minimum,
        Self::Maximum,
        Self::ExclusiveMinimum,
        Self::ExclusiveMaximum,
        Self::MultipleOf,
    ];

    const fn keyword(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
            Self::MultipleOf => "multipleOf",
        }
    }

    /// Completes "the number must be".
    const fn words(self) -> &'static str {
        match self {
            Self::Minimum => "at least",
            Self::Maximum => "at most",
            Self::ExclusiveMinimum => "more than",
            Self::ExclusiveMaximum => "less than",
            Self::MultipleOf => "a multiple of",
        }
    }
}

/// The options with our own keywords in place of the library's.
pub(super) fn with_exact_comparison(options: Options) -> Options {
    let options = options.with_keyword("const", |_, value, _| {
        Ok(Box::new(Constant {
            value: value.clone(),
        }))
    });
    Relation::ALL
        .into_iter()
        .fold(options, |options, relation| {
            options.with_keyword(relation.keyword(), move |_, limit, _| match limit {
                Tree::Number(number) => {
                    let written = number.as_str().to_owned();
                    Ok(Box::new(Bound {
                        relation,
                        limit: Decimal::new(number),
                        written,
                    }))
                }
                Tree::Null | Tree::Bool(_) | Tree::String(_) | Tree::Array(_) | Tree::Object(_) => {
                    Err(ValidationError::schema("the limit must be a number"))
                }
            })
        })
}

struct Bound {
    relation: Relation,
    limit: Decimal,
    written: String,
}

impl<'i> Keyword<'i, Metered> for Bound {
    fn validate(&self, instance: View<'i>) -> Result<(), ValidationError<'i>> {
        if Keyword::is_valid(self, instance) {
            return Ok(());
        }
        let Self {
            relation, written, ..
        } = self;
        Err(ValidationError::custom(format!(
            "must be {} {written}",
            relation.words()
        )))
    }

    fn is_valid(&self, instance: View<'i>) -> bool {
        let Some(number) = instance.decimal() else {
            return true;
        };
        match self.relation {
            Relation::Minimum => number >= self.limit,
            Relation::Maximum => number <= self.limit,
            Relation::ExclusiveMinimum => number.cmp(&self.limit) == Ordering::Greater,
            Relation::ExclusiveMaximum => number.cmp(&self.limit) == Ordering::Less,
            Relation::MultipleOf => {
                instance.spend(number.division_steps(&self.limit))
                    && number.is_multiple_of(&self.limit)
            }
        }
    }
}

struct Constant {
    value: Tree,
}

impl<'i> Keyword<'i, Metered> for Constant {
    fn validate(&self, instance: View<'i>) -> Result<(), ValidationError<'i>> {
        if Keyword::is_valid(self, instance) {
            return Ok(());
        }
        let value = writer::start(&self.value, EXCERPT_CHARS_MAX);
        Err(ValidationError::custom(format!(
            "must be {}",
            printable(&value, EXCERPT_CHARS_MAX)
        )))
    }

    fn is_valid(&self, instance: View<'i>) -> bool {
        instance.equals_value(&self.value)
    }
}
