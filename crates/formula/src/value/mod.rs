//! What a formula computes with: values without identity, cheap to clone, without a clock.

mod decimal;
mod map;
pub(crate) mod order;
mod scalar;
pub(crate) mod text;
mod time;

use std::sync::Arc;

pub use decimal::{DECIMAL_PLACES, Decimal};
pub(crate) use map::ENTRY_BYTES;
pub use map::Map;
pub use scalar::Scalar;
pub use time::{Date, DateTime, Duration};

use crate::error::{Code, Fallible, Fault};

/// Deepest nesting of lists and maps in a value.
pub const VALUE_DEPTH_MAX: u8 = 64;

/// Bytes that one item of a list takes.
pub(crate) const VALUE_BYTES: u64 = size_of::<Value>() as u64;

/// A value of the language.
//
// The tag has eight bytes, so that what it stands before is copied in whole words: with a flag
// beside a tag of one byte, copies went in pieces that the processor had to wait for.
#[derive(Clone, Debug)]
#[repr(u64)]
pub enum Value {
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
    Str(Arc<str>),
    /// A list.
    List(Arc<List>),
    /// A map with text keys, in the order in which they were first put.
    Map(Arc<Map>),
    /// A day.
    Date(Date),
    /// A moment with an offset.
    DateTime(DateTime),
    /// A length of time.
    Duration(Duration),
}

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `None`.
    Null,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `decimal`.
    Decimal,
    /// `float`.
    Float,
    /// `str`.
    Str,
    /// `list`.
    List,
    /// `map`.
    Map,
    /// `date`.
    Date,
    /// `datetime`.
    DateTime,
    /// `duration`.
    Duration,
}

impl Kind {
    /// The name, with its article, as messages use it.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Null => "None",
            Self::Bool => "a bool",
            Self::Int => "an int",
            Self::Decimal => "a decimal",
            Self::Float => "a float",
            Self::Str => "a string",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Date => "a date",
            Self::DateTime => "a datetime",
            Self::Duration => "a duration",
        }
    }
}

/// Items, and how deep and how large they are.
#[derive(Debug)]
pub struct List {
    extent: Extent,
    items: Vec<Value>,
}

impl List {
    pub(crate) fn new(items: Vec<Value>) -> Fallible<Arc<Self>> {
        let extent = Extent::of(items.iter())?;
        Ok(Arc::new(Self { extent, items }))
    }

    /// The items.
    #[must_use]
    pub fn items(&self) -> &[Value] {
        &self.items
    }
}

/// How deep a value is nested, and how many bytes it has: what is shared counts each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    depth: u8,
    bytes: u64,
}

impl Extent {
    /// That of what holds `items`.
    fn of<'a>(items: impl Iterator<Item = &'a Value>) -> Fallible<Self> {
        let mut sum = Self {
            depth: 0,
            bytes: VALUE_BYTES,
        };
        for item in items {
            let inside = item.extent();
            sum.depth = sum.depth.max(inside.depth);
            sum.bytes = sum.bytes.saturating_add(inside.bytes);
        }
        if sum.depth >= VALUE_DEPTH_MAX {
            return Err(Fault::new(
                Code::ValueDepth,
                format!("the value is nested deeper than {VALUE_DEPTH_MAX}"),
            ));
        }
        sum.depth += 1;
        Ok(sum)
    }
}

impl Value {
    /// A text.
    #[must_use]
    pub fn str(text: &str) -> Self {
        Self::Str(Arc::from(text))
    }

    /// A finite float.
    #[must_use]
    pub fn float(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self::Float(value))
    }

    /// A list, unless it is nested deeper than [`VALUE_DEPTH_MAX`].
    #[must_use]
    pub fn list(items: Vec<Self>) -> Option<Self> {
        List::new(items).ok().map(Self::List)
    }

    /// A map, unless it is nested deeper than [`VALUE_DEPTH_MAX`]. Of two equal keys the last
    /// value counts.
    #[must_use]
    pub fn map(entries: Vec<(Arc<str>, Self)>) -> Option<Self> {
        Map::new(entries).ok().map(|map| Self::Map(Arc::new(map)))
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Decimal(_) => Kind::Decimal,
            Self::Float(_) => Kind::Float,
            Self::Str(_) => Kind::Str,
            Self::List(_) => Kind::List,
            Self::Map(_) => Kind::Map,
            Self::Date(_) => Kind::Date,
            Self::DateTime(_) => Kind::DateTime,
            Self::Duration(_) => Kind::Duration,
        }
    }

    fn extent(&self) -> Extent {
        match self {
            Self::List(list) => list.extent,
            Self::Map(map) => map.extent(),
            Self::Str(text) => Extent {
                depth: 0,
                bytes: VALUE_BYTES + text.len() as u64,
            },
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Decimal(_)
            | Self::Float(_)
            | Self::Date(_)
            | Self::DateTime(_)
            | Self::Duration(_) => Extent {
                depth: 0,
                bytes: VALUE_BYTES,
            },
        }
    }

    /// Bytes of the whole value; a part that is there twice counts twice.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.extent().bytes
    }

    /// Whether it counts as true: not `None`, `False`, zero or empty.
    #[must_use]
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Decimal(value) => *value != Decimal::ZERO,
            Self::Float(value) => *value != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(list) => !list.items.is_empty(),
            Self::Map(map) => !map.is_empty(),
            Self::Date(_) | Self::DateTime(_) => true,
            Self::Duration(value) => value.micros() != 0,
        }
    }
}

impl PartialEq for Value {
    /// As `==` in the language: numbers by value, everything else by kind and content.
    fn eq(&self, other: &Self) -> bool {
        order::equal(self, other, &mut order::free).unwrap_or(false)
    }
}

const _: () = assert!(size_of::<Value>() == 24);
