//! The listed functions: one table of names and parameters. A function is never a value.

pub(crate) mod known;
mod list;
mod number;
mod statistic;
mod text;
mod time;

use crate::error::Fallible;
use crate::eval::Machine;
use crate::kind::Type;
use crate::value::Value;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Any,
    /// A string, a list or a map.
    Sized,
    List,
    Numbers,
    Map,
    Str,
    Int,
    Number,
    /// A date or a datetime.
    Day,
    /// A datetime.
    Moment,
    /// An int or a duration.
    Days,
}

impl Class {
    fn phrase(self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::Sized => "a string, a list or a map",
            Self::List => "a list",
            Self::Numbers => "a list of numbers",
            Self::Map => "a map",
            Self::Str => "a string",
            Self::Int => "an int",
            Self::Number => "a number",
            Self::Day => "a date or a datetime",
            Self::Moment => "a datetime",
            Self::Days => "an int or a duration",
        }
    }

    /// Whether a value of the type may be one.
    fn admits(self, kind: &Type) -> bool {
        let kind = kind.present();
        match self {
            _ if *kind == Type::Any => true,
            Self::Any => true,
            Self::Sized => {
                matches!(
                    kind,
                    Type::Str(_) | Type::List(..) | Type::Map(..) | Type::Record(_)
                )
            }
            Self::List => matches!(kind, Type::List(..)),
            Self::Numbers => match kind {
                Type::List(item, _) => {
                    let item = item.present();
                    item.is_number() || matches!(item, Type::Any | Type::Null | Type::Duration)
                }
                _ => false,
            },
            Self::Map => matches!(kind, Type::Map(..) | Type::Record(_)),
            Self::Str => matches!(kind, Type::Str(_)),
            Self::Int => matches!(kind, Type::Int | Type::Number),
            Self::Number => kind.is_number(),
            Self::Day => matches!(kind, Type::Date | Type::DateTime),
            Self::Moment => matches!(kind, Type::DateTime),
            Self::Days => matches!(kind, Type::Int | Type::Number | Type::Duration),
        }
    }
}

/// Declares the functions once.
macro_rules! functions {
    ($($(#[doc = $doc:literal])+ $id:ident => $name:literal,
       [$($need:ident),*], [$($may:ident),*] $(, more $more:ident)?;)+) => {
        /// A function of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function { $($(#[doc = $doc])+ $id,)+ }

        impl Function {
            /// Every function, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$id,)+];

            /// The name in formulas.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)+ }
            }

            /// What it does, in a sentence.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self { $(Self::$id => concat!($($doc),+),)+ }
            }

            /// The function called `name`.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$id),)+ _ => None }
            }

            /// Parameters that must be there, those that may, and what follows any number of times.
            pub(crate) fn parameters(self) -> (&'static [Class], &'static [Class], Option<Class>) {
                match self {
                    $(Self::$id => {
                        #[allow(unused_mut, unused_assignments, reason = "some have no more")]
                        let mut more = None;
                        $(more = Some(Class::$more);)?
                        (&[$(Class::$need),*], &[$(Class::$may),*], more)
                    })+
                }
            }
        }
    };
}

functions! {
    /// Characters of a string, items of a list, entries of a map.
    Len => "len", [Sized], [];
    /// The sum of the items; 0 without items.
    Sum => "sum", [Numbers], [];
    /// The least of the items, or of the arguments.
    Min => "min", [Any], [], more Any;
    /// The greatest of the items, or of the arguments.
    Max => "max", [Any], [], more Any;
    /// Without its sign.
    Abs => "abs", [Any], [];
    /// Rounded half even, to an int or to so many places.
    Round => "round", [Number], [Int];
    /// As an int: a number towards zero, a string as it is read.
    Int => "int", [Any], [];
    /// As a float.
    Float => "float", [Any], [];
    /// As a decimal; a float by its shortest digits.
    Decimal => "decimal", [Any], [];
    /// As a string.
    Str => "str", [Any], [];
    /// Whether it is not `None`, `False`, zero or empty.
    Bool => "bool", [Any], [];
    /// Whether one of the items counts as true.
    Any => "any", [List], [];
    /// Whether all items count as true.
    All => "all", [List], [];
    /// The items in order, or maps in the order of a field.
    Sorted => "sorted", [List], [Str];
    /// Whole numbers up to a bound, from a start, by a step.
    Range => "range", [Int], [Int, Int];
    /// The keys of a map.
    Keys => "keys", [Map], [];
    /// The values of a map.
    Values => "values", [Map], [];
    /// The value at a key, or a default, or `None`.
    Get => "get", [Map, Str], [Any];
    /// In capitals.
    Upper => "upper", [Str], [];
    /// In small letters.
    Lower => "lower", [Str], [];
    /// Without white space, or the characters given, at both ends.
    Strip => "strip", [Str], [Str];
    /// The parts between white space, or between the separators given.
    Split => "split", [Str], [Str];
    /// The strings of a list, with a separator between.
    Join => "join", [List], [Str];
    /// With each occurrence of a text replaced.
    Replace => "replace", [Str, Str, Str], [];
    /// Whether it begins so.
    StartsWith => "startswith", [Str, Str], [];
    /// Whether it ends so.
    EndsWith => "endswith", [Str, Str], [];
    /// Whether a text, an item or a key is in it.
    Contains => "contains", [Sized, Any], [];
    /// Where a text is, in characters from 0; -1 where it is not.
    Find => "find", [Str, Str], [];
    /// Whole days of a duration, rounded down; or a duration of so many days.
    Days => "days", [Days], [];
    /// A date from a text, a datetime, or year, month and day.
    Date => "date", [Any], [Int, Int];
    /// A datetime from a text, or year, month, day, hour, minute, second in UTC.
    DateTime => "datetime", [Any], [Int, Int, Int, Int, Int];
    /// A duration from a text, or from days, hours, minutes, seconds.
    Duration => "duration", [Any], [Int, Int, Int];
    /// The year.
    Year => "year", [Day], [];
    /// The month, from 1.
    Month => "month", [Day], [];
    /// The day of the month, from 1.
    Day => "day", [Day], [];
    /// The hour, as written with its offset.
    Hour => "hour", [Moment], [];
    /// The minute.
    Minute => "minute", [Moment], [];
    /// The day of the week; 0 is Monday.
    Weekday => "weekday", [Day], [];
    /// The first argument that is not `None`; the others are not looked at.
    Coalesce => "coalesce", [Any], [], more Any;
    /// The arithmetic mean.
    Mean => "mean", [Numbers], [];
    /// The middle item, or the mean of the two in the middle.
    Median => "median", [Numbers], [];
    /// The standard deviation of a sample, as a float.
    Stdev => "stdev", [Numbers], [];
    /// The value below which such a part of the items is, between two items in proportion.
    Quantile => "quantile", [Numbers, Number], [];
    /// How many items are not `None`, or are equal to a value.
    Count => "count", [List], [Any];
    /// Each item once, in the order in which they first appear.
    Unique => "unique", [List], [];
    /// For maps: the sums of one field for each text in another.
    GroupSum => "group_sum", [List, Str, Str], [];
}

impl Function {
    /// Its parameters as one writes them.
    #[must_use]
    pub fn usage(self) -> String {
        let (need, may, more) = self.parameters();
        let mut parts: Vec<String> = need.iter().map(|class| class.phrase().to_owned()).collect();
        parts.extend(may.iter().map(|class| format!("[{}]", class.phrase())));
        if more.is_some() {
            parts.push("…".to_owned());
        }
        format!("{}({})", self.name(), parts.join(", "))
    }

    /// What the parameter at `index` takes.
    pub(crate) fn class(self, index: usize) -> Option<Class> {
        let (need, may, more) = self.parameters();
        need.iter().chain(may).nth(index).copied().or(more)
    }

    pub(crate) fn takes(self, count: usize) -> bool {
        let (need, may, more) = self.parameters();
        count >= need.len() && (more.is_some() || count <= need.len() + may.len())
    }

    /// Whether an argument of the type may be given.
    pub(crate) fn admits(self, index: usize, kind: &Type) -> Result<(), &'static str> {
        match self.class(index) {
            Some(class) if !class.admits(kind) => Err(class.phrase()),
            Some(_) | None => Ok(()),
        }
    }

    /// Calls it. The arguments are as many as it takes, of any kinds.
    pub(crate) fn call(self, m: &Machine<'_>, arguments: &[&Value]) -> Fallible<Value> {
        match self {
            Self::Len
            | Self::Any
            | Self::All
            | Self::Sorted
            | Self::Range
            | Self::Keys
            | Self::Values
            | Self::Get
            | Self::Contains
            | Self::Unique
            | Self::Count
            | Self::Min
            | Self::Max => list::call(self, m, arguments),
            Self::Sum
            | Self::Mean
            | Self::Median
            | Self::Stdev
            | Self::Quantile
            | Self::GroupSum => statistic::call(self, m, arguments),
            Self::Abs | Self::Round | Self::Int | Self::Float | Self::Decimal | Self::Bool => {
                number::call(self, m, arguments)
            }
            Self::Str
            | Self::Upper
            | Self::Lower
            | Self::Strip
            | Self::Split
            | Self::Join
            | Self::Replace
            | Self::StartsWith
            | Self::EndsWith
            | Self::Find => text::call(self, m, arguments),
            Self::Days
            | Self::Date
            | Self::DateTime
            | Self::Duration
            | Self::Year
            | Self::Month
            | Self::Day
            | Self::Hour
            | Self::Minute
            | Self::Weekday => time::call(self, m, arguments),
            // Evaluated argument by argument, never called.
            Self::Coalesce => Ok(Value::Null),
        }
    }

    /// An argument that it is not for.
    #[cold]
    pub(crate) fn unfit(self, index: usize, value: &Value) -> Box<crate::error::Fault> {
        let wanted = self.class(index).map_or("less", Class::phrase);
        let kind = value.kind().phrase();
        let name = self.name();
        let message = match self.parameters() {
            ([_], [], None) => format!("`{name}` takes {wanted}, not {kind}"),
            _ => format!(
                "`{name}` takes {wanted} as argument {}, not {kind}",
                index + 1
            ),
        };
        crate::error::Fault::new(crate::error::Code::ArgumentMet, message)
            .hint(format!("as in `{}`", self.usage()))
    }
}

pub(crate) use known::Known;
pub(crate) use list::better;
pub(crate) use statistic::Total;
pub(crate) use text::shared;
