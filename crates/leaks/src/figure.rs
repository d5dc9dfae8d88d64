//! Figures that are often quoted, measured on the interpreter at hand.

use std::path::Path;

use serde::{Deserialize, Serialize};
use stockade::{Error, ErrorKind};

use crate::canary::Canary;
use crate::child;
use crate::request::Request;

/// What an interpreter shows to code that was given nothing.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Figures {
    /// `3.11.2`
    pub version: String,
    /// `cpython`
    pub implementation: String,
    /// `().__class__.__base__.__subclasses__().__len__()` inside `exec` with
    /// `{"__builtins__": {}}`.
    pub subclasses: u64,
    /// Whether `fetch_row.__globals__["__builtins__"]` of a helper that was handed in is the
    /// host's own.
    pub helper_builtins_are_real: bool,
    /// Whether that of a generator made inside is.
    pub generator_builtins_are_real: bool,
    /// Whether `ctypes.CDLL(None)` resolves `syscall` and `getpid`.
    pub libc_symbols: Symbols,
    /// Whether that `getpid` says what `os.getpid` does.
    pub libc_getpid_is_ours: bool,
}

/// Symbols of the C library.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Symbols {
    /// Any system call, by its number.
    pub syscall: bool,
    /// The process's own number.
    pub getpid: bool,
}

impl Figures {
    pub(crate) fn measure(python: &Path, canary: &Canary) -> Result<Self, Error> {
        child::ask(python, &Request::figures(canary.word())).map_err(|why| {
            Error::new(
                ErrorKind::Host,
                format!("cannot measure with `{}`: {why}", python.display()),
            )
            .hint("name another interpreter with `STOCKADE_PYTHON=/absolute/path/to/python3`")
        })
    }

    /// The figures in sentences, with what was typed in back-ticks.
    #[must_use]
    pub fn sentences(&self) -> [String; 4] {
        let Self { subclasses, .. } = self;
        let are = |yes: bool| if yes { "is" } else { "is not" };
        let resolved = match (self.libc_symbols.syscall, self.libc_symbols.getpid) {
            (true, true) => "resolves `syscall` and `getpid`",
            (true, false) => "resolves `syscall` and not `getpid`",
            (false, true) => "resolves `getpid` and not `syscall`",
            (false, false) => "resolves neither `syscall` nor `getpid`",
        };
        [
            format!(
                "`().__class__.__base__.__subclasses__().__len__()` inside `exec` with \
                 `{{\"__builtins__\": {{}}}}` is {subclasses}: below these classes is every other \
                 that is loaded"
            ),
            format!(
                "`fetch_row.__globals__[\"__builtins__\"]` of a helper that was handed in {} the \
                 host's own",
                are(self.helper_builtins_are_real)
            ),
            format!(
                "the same of a generator made inside {}: what is handed in is the way out",
                are(self.generator_builtins_are_real)
            ),
            format!(
                "`ctypes.CDLL(None)` {resolved}: any system call, from pure Python ({})",
                if self.libc_getpid_is_ours {
                    "its `getpid()` is `os.getpid()`"
                } else {
                    "its `getpid()` is not `os.getpid()`"
                }
            ),
        ]
    }
}
