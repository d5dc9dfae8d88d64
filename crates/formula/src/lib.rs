//! A total expression language with Python's syntax.
//!
//! Every formula ends within a bound known before it starts: there is no recursion, and iteration
//! only over a value that exists. It reads nothing, knows no clock and calls nothing but listed
//! functions. Value and cost are a function of source, inputs and [`LANGUAGE_VERSION`].
//!
//! Read in the order the data flows: [`formula`](Formula), `parse`, `tree`, `compile`, `program`,
//! `eval`, `function`. `docs/formula.md` is the language on one page.
#![forbid(unsafe_code)]
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "an operator and a function are for few of many kinds, and refuse the rest: the arm \
              that is right for a new kind"
)]
#![allow(
    clippy::unnecessary_box_returns,
    reason = "a fault is boxed where it is made, so that what every node returns stays small"
)]

mod bound;
mod compile;
mod data;
mod direct;
mod error;
mod eval;
mod format;
mod formula;
mod function;
mod kind;
mod parse;
mod program;
mod signature;
mod tree;
mod value;

pub use bound::{Bounds, Budget};
pub use direct::{Direct, Read};
pub use error::{Code, Family, FormulaError};
pub use formula::{Compiled, Evaluated, Formula, Inputs, LANGUAGE_VERSION};
pub use function::Function;
pub use kind::Type;
pub use signature::{HostCall, HostFunction, INPUTS_MAX, Signature};
pub use value::{
    DECIMAL_PLACES, Date, DateTime, Decimal, Duration, Kind, List, Map, Scalar, VALUE_DEPTH_MAX,
    Value,
};
