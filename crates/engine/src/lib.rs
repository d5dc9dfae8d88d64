//! Runs Python that you did not write and gives back a value: bytes go in, they run somewhere
//! disposable under fences that the kernel enforces, one JSON value comes out, checked against
//! your schema, and the place is destroyed.
//!
//! ```
//! use stockade::{Engine, Host, Policy, Schema, Submission};
//!
//! let engine = Engine::new(Host::probe()?)?;
//! let schema = Schema::compile(br#"{ "type": "integer", "maximum": 100 }"#)?;
//! let job = Submission::python("import stockade_guest as g\ng.emit(sum(g.input()))")
//!     .input("[1, 2, 39]");
//! match engine.run(&job, &Policy::default().schema(schema)) {
//!     // Whatever the submission did is a record.
//!     Ok(record) => assert_eq!(record.outcome.value().map(|value| value.text()), Some("42")),
//!     // An error is ours or the request's: this host has no cgroup for an ordinary user, say.
//!     Err(error) => eprintln!("{error}: {:?}", error.hints()),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Start reading at [`Engine::run_watched`]: it is the whole path of a submission.
#![forbid(unsafe_code)]

mod admission;
mod audit;
mod engine;
mod explain;
mod gate;
mod grave;
mod host;
mod identity;
mod lock;
mod path;
mod pipeline;
mod place;
mod proof;
mod reaper;
pub mod template;
mod undertaker;
mod warm;

pub use admission::{Admission, Bounded, Seat};
pub use audit::{Sink, audit_file, each_line, verify};
pub use engine::Engine;
pub use explain::Explanation;
pub use grave::Teardown;
pub use host::Host;
pub use path::Paths;
pub use stockade_core::audit as chain;
pub use stockade_core::error::{Error, ErrorKind};
pub use stockade_core::fence::Step;
pub use stockade_core::guarantee::Guarantee;
pub use stockade_core::host as facts;
pub use stockade_core::limits::{self, Amount, LimitId, Limits};
pub use stockade_core::outcome::Outcome;
pub use stockade_core::plan::{BASELINE, Plan};
pub use stockade_core::policy::{Grants, Policy, ValueMode};
pub use stockade_core::record::{self, Record};
pub use stockade_core::report::{self, Captured};
pub use stockade_core::rung::{Enforcement, RungSpec};
pub use stockade_core::submission::{Language, Submission};
pub use stockade_core::template::Template;
pub use stockade_core::value::{self, Rejection, Rule, Rules, Schema, Value};
pub use stockade_core::wire::{Stream, VERSION as PROTOCOL_VERSION};
pub use stockade_rungs::{Guest, Job, LADDER, Prepared, Rung, Watch};
pub use warm::Kept;
