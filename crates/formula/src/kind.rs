//! Static types: what is known of a value before there is one, the largest sizes included.

use std::fmt;
use std::sync::Arc;

use crate::error::{Code, Fallible, Fault};
use crate::value::{Scalar, Value};

/// What is known of a value. Sizes are `None` where no bound is declared.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Type {
    /// Nothing.
    #[default]
    Any,
    /// `None`.
    Null,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `decimal`; an int is one too.
    Decimal,
    /// `float`; an int is one too.
    Float,
    /// `int`, `decimal` or `float`.
    Number,
    /// `str`, of so many bytes at most.
    Str(Option<u32>),
    /// `list`, of so many items at most.
    List(Arc<Type>, Option<u32>),
    /// `map`, of so many entries at most.
    Map(Arc<Type>, Option<u32>),
    /// A map with exactly these keys.
    Record(Arc<[(Arc<str>, Type)]>),
    /// `date`.
    Date,
    /// `datetime`.
    DateTime,
    /// `duration`.
    Duration,
    /// The type, or `None`.
    Optional(Arc<Type>),
}

/// Longest key of a map that declares a number of entries, bytes.
pub(crate) const KEY_BYTES_MAX: u64 = 256;

impl Type {
    pub(crate) fn list(item: Type, len_max: Option<u64>) -> Self {
        Self::List(Arc::new(item), narrow(len_max))
    }

    pub(crate) fn str(bytes_max: Option<u64>) -> Self {
        Self::Str(narrow(bytes_max))
    }

    /// The type or `None`, once.
    #[must_use]
    pub fn optional(self) -> Self {
        match self {
            Self::Any | Self::Null | Self::Optional(_) => self,
            other => Self::Optional(Arc::new(other)),
        }
    }

    /// Without `None`.
    #[must_use]
    pub fn present(&self) -> &Self {
        match self {
            Self::Optional(inner) => inner,
            other => other,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        match self {
            Self::Int | Self::Decimal | Self::Float | Self::Number => true,
            Self::Any
            | Self::Null
            | Self::Bool
            | Self::Str(_)
            | Self::List(..)
            | Self::Map(..)
            | Self::Record(_)
            | Self::Date
            | Self::DateTime
            | Self::Duration
            | Self::Optional(_) => false,
        }
    }

    /// What both are.
    pub(crate) fn join(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Null, b) => b.optional(),
            (a, Self::Null) => a.optional(),
            (a, b) if a.is_number() && b.is_number() => Self::Number,
            (Self::Str(a), Self::Str(b)) => Self::Str(a.zip(b).map(|(a, b)| a.max(b))),
            (Self::List(a, n), Self::List(b, m)) => Self::List(
                Arc::new(Self::clone(&a).join(Self::clone(&b))),
                n.zip(m).map(|(n, m)| n.max(m)),
            ),
            (Self::Optional(a), Self::Optional(b)) => {
                Self::clone(&a).join(Self::clone(&b)).optional()
            }
            (Self::Optional(a), b) => Self::clone(&a).join(b).optional(),
            (a, Self::Optional(b)) => a.join(Self::clone(&b)).optional(),
            _ => Self::Any,
        }
    }

    /// Whether values of the two can be equal.
    pub(crate) fn can_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any | Self::Null, _) | (_, Self::Any | Self::Null) => true,
            (Self::Optional(a), b) | (b, Self::Optional(a)) => a.can_equal(b),
            (a, b) if a.is_number() => b.is_number(),
            (Self::List(a, _), Self::List(b, _)) => a.can_equal(b),
            (Self::Str(_), Self::Str(_))
            | (Self::Map(..) | Self::Record(_), Self::Map(..) | Self::Record(_)) => true,
            (a, b) => a == b,
        }
    }

    /// An upper bound of the steps of a walk through a value, each 64 bytes of text a step more.
    pub(crate) fn steps(&self) -> Option<u64> {
        Some(match self {
            Self::Any => return None,
            Self::Null
            | Self::Bool
            | Self::Int
            | Self::Decimal
            | Self::Float
            | Self::Number
            | Self::Date
            | Self::DateTime
            | Self::Duration => 1,
            Self::Str(bytes) => 1 + u64::from((*bytes)?) / 64,
            Self::List(item, len) => {
                1_u64.saturating_add(u64::from((*len)?).saturating_mul(1 + item.steps()?))
            }
            Self::Map(item, len) => {
                let entry = (3 + KEY_BYTES_MAX / 64).saturating_add(item.steps()?);
                1_u64.saturating_add(u64::from((*len)?).saturating_mul(entry))
            }
            Self::Record(fields) => fields.iter().try_fold(1_u64, |sum, (name, field)| {
                Some(
                    sum.saturating_add(3 + name.len() as u64 / 64)
                        .saturating_add(field.steps()?),
                )
            })?,
            Self::Optional(inner) => inner.steps()?,
        })
    }

    /// An upper bound of the bytes that a value is charged as text.
    pub(crate) fn text_bytes(&self) -> Option<u64> {
        Some(match self {
            Self::Any => return None,
            Self::Null
            | Self::Bool
            | Self::Int
            | Self::Decimal
            | Self::Float
            | Self::Number
            | Self::Date
            | Self::DateTime
            | Self::Duration => crate::value::text::SCALAR_BYTES,
            Self::Str(bytes) => u64::from((*bytes)?).saturating_mul(4) + 2,
            Self::List(item, len) => {
                2_u64.saturating_add(u64::from((*len)?).saturating_mul(2 + item.text_bytes()?))
            }
            Self::Map(item, len) => {
                let entry = (6 + KEY_BYTES_MAX * 4).saturating_add(item.text_bytes()?);
                2_u64.saturating_add(u64::from((*len)?).saturating_mul(entry))
            }
            Self::Record(fields) => fields.iter().try_fold(2_u64, |sum, (name, field)| {
                let entry = (6 + name.len() as u64 * 4).saturating_add(field.text_bytes()?);
                Some(sum.saturating_add(entry))
            })?,
            Self::Optional(inner) => inner.text_bytes()?.max(crate::value::text::SCALAR_BYTES),
        })
    }

    /// Whether a scalar is plainly of the kind that is declared: what [`Type::check`] says of most
    /// inputs.
    #[inline]
    pub(crate) fn is_plainly(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Float, Value::Float(_))
            | (Self::Int, Value::Int(_))
            | (Self::Any, _)
            | (Self::Bool, Value::Bool(_))
            | (Self::Date, Value::Date(_))
            | (Self::Duration, Value::Duration(_)) => true,
            (Self::Str(max), Value::Str(text)) => max.is_none_or(|max| text.len() <= max as usize),
            _ => false,
        }
    }

    /// Whether a value is of this type, all the way down.
    #[inline]
    #[must_use]
    pub fn fits(&self, value: &Value) -> bool {
        self.is_plainly(value) || self.check(value, &mut String::new()).is_ok()
    }

    /// Whether a scalar is of this type.
    #[inline]
    #[must_use]
    pub fn takes(&self, scalar: &Scalar<'_>) -> bool {
        match (self, scalar) {
            (Self::Any, _)
            | (Self::Null | Self::Optional(_), Scalar::Null)
            | (Self::Bool, Scalar::Bool(_))
            | (Self::Int | Self::Decimal | Self::Float | Self::Number, Scalar::Int(_))
            | (Self::Decimal | Self::Number, Scalar::Decimal(_))
            | (Self::Float | Self::Number, Scalar::Float(_))
            | (Self::Date, Scalar::Date(_))
            | (Self::DateTime, Scalar::DateTime(_))
            | (Self::Duration, Scalar::Duration(_)) => true,
            (Self::Optional(inner), scalar) => inner.takes(scalar),
            (Self::Str(max), Scalar::Str(text)) => max.is_none_or(|max| text.len() <= max as usize),
            _ => false,
        }
    }

    /// Checks a value all the way down.
    ///
    /// # Errors
    /// `types-input`, naming the place.
    pub(crate) fn check(&self, value: &Value, place: &mut String) -> Fallible<()> {
        let fits = match (self, value) {
            (Self::Any, _) | (Self::Optional(_), Value::Null) => true,
            (Self::Optional(inner), other) => return inner.check(other, place),
            (Self::Str(max), Value::Str(text)) => return size(place, "bytes", text.len(), *max),
            (Self::List(item, max), Value::List(list)) => {
                size(place, "items", list.items().len(), *max)?;
                return each(place, list.items().iter().enumerate(), |inner, place| {
                    item.check(inner, place)
                });
            }
            (Self::Map(item, max), Value::Map(map)) => {
                size(place, "entries", map.len(), *max)?;
                if max.is_some() {
                    for (key, _) in map.entries() {
                        size(
                            place,
                            "bytes in a key",
                            key.len(),
                            narrow(Some(KEY_BYTES_MAX)),
                        )?;
                    }
                }
                let entries = map.entries().iter().map(|(key, value)| (&**key, value));
                return each(place, entries, |inner, place| item.check(inner, place));
            }
            (Self::Record(fields), Value::Map(map)) => return record(fields, map, place),
            (kind, value) => Scalar::of(value).is_some_and(|scalar| kind.takes(&scalar)),
        };
        if fits {
            return Ok(());
        }
        let kind = value.kind().phrase();
        Err(Fault::new(
            Code::Input,
            format!("input `{place}` is {kind}, and must be `{self}`"),
        ))
    }
}

fn each<'a, K: fmt::Display>(
    place: &mut String,
    items: impl Iterator<Item = (K, &'a Value)>,
    mut check: impl FnMut(&Value, &mut String) -> Fallible<()>,
) -> Fallible<()> {
    // The place is written only where something is wrong: rows come by the thousand.
    for (key, item) in items {
        if let Err(mut fault) = check(item, &mut String::new()) {
            let inner = fault
                .message
                .strip_prefix("input `")
                .unwrap_or(&fault.message);
            fault.message = format!("input `{place}[{key}]{inner}");
            return Err(fault);
        }
    }
    Ok(())
}

fn record(
    fields: &[(Arc<str>, Type)],
    map: &crate::value::Map,
    place: &mut String,
) -> Fallible<()> {
    for (name, field) in fields {
        let Some(value) = map.get(name) else {
            return Err(Fault::new(
                Code::Input,
                format!("input `{place}` has no `{name}`"),
            ));
        };
        each(place, std::iter::once((name, value)), |inner, place| {
            field.check(inner, place)
        })?;
    }
    if map.len() > fields.len() {
        let more = map
            .entries()
            .iter()
            .find(|(key, _)| !fields.iter().any(|(n, _)| n == key));
        let more = more.map_or("", |(key, _)| &**key);
        let more = crate::value::text::excerpt(more);
        return Err(Fault::new(
            Code::Input,
            format!("input `{place}` has `{more}`, which the signature does not"),
        ));
    }
    Ok(())
}

fn size(place: &str, unit: &str, len: usize, max: Option<u32>) -> Fallible<()> {
    match max {
        Some(max) if len > max as usize => Err(Fault::new(
            Code::Input,
            format!("input `{place}` has {len} {unit}, and at most {max} are declared"),
        )),
        Some(_) | None => Ok(()),
    }
}

/// A size that does not fit is as good as none.
fn narrow(max: Option<u64>) -> Option<u32> {
    max.and_then(|max| u32::try_from(max).ok())
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Null => f.write_str("none"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Decimal => f.write_str("decimal"),
            Self::Float => f.write_str("float"),
            Self::Number => f.write_str("number"),
            Self::Str(None) => f.write_str("str"),
            Self::Str(Some(max)) => write!(f, "str[{max}]"),
            Self::List(item, None) => write!(f, "list[{item}]"),
            Self::List(item, Some(max)) => write!(f, "list[{item}, {max}]"),
            Self::Map(item, None) => write!(f, "map[{item}]"),
            Self::Map(item, Some(max)) => write!(f, "map[{item}, {max}]"),
            Self::Record(fields) => {
                f.write_str("{")?;
                for (at, (name, field)) in fields.iter().enumerate() {
                    write!(f, "{}{name}: {field}", if at > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Self::Date => f.write_str("date"),
            Self::DateTime => f.write_str("datetime"),
            Self::Duration => f.write_str("duration"),
            Self::Optional(inner) => write!(f, "{inner}?"),
        }
    }
}
