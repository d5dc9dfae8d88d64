//! The command's own standard output and standard error.

use std::io::{self, ErrorKind as Io, IsTerminal, Write};

use stockade::{Error, ErrorKind};

use crate::json;
use crate::trouble::Failure;

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_one() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub(crate) fn stderr_is_one() -> bool {
    io::stderr().is_terminal()
}

/// Prints `text` on standard output, at once and whole.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(unwritten)
}

/// What it means that standard output does not take what we write.
pub(crate) fn unwritten(error: io::Error) -> Failure {
    if error.kind() == Io::BrokenPipe {
        return Failure::Unread;
    }
    Failure::Error(
        Error::new(ErrorKind::Host, "cannot write to standard output")
            .because(error)
            .hint("what is missing there cannot be had again without another run"),
    )
}

/// Prints one JSON document and a line end; laid out for a person on a terminal.
pub(crate) fn print_json(tree: &serde_json::Value) -> Result<(), Failure> {
    print_json_text(&tree.to_string())
}

/// [`print_json`] of a document that is text already.
pub(crate) fn print_json_text(compact: &str) -> Result<(), Failure> {
    let mut text = json::printable(compact);
    if stdout_is_one() {
        text = json::laid_out(&text);
    }
    text.push('\n');
    print(&text)
}

/// Says `text` on standard error. Where nobody listens there is nobody to tell.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Colours, for terminals whose owner has not asked for none (`NO_COLOR`, `TERM=dumb`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(bool);

impl Paint {
    /// For what is said on standard error.
    pub(crate) fn for_stderr() -> Self {
        Self(stderr_is_one() && Self::wanted())
    }

    /// For what is printed on standard output.
    pub(crate) fn for_stdout() -> Self {
        Self(stdout_is_one() && Self::wanted())
    }

    /// As somebody else has found.
    pub(crate) fn when(on: bool) -> Self {
        Self(on)
    }

    /// Whether there are colours.
    pub(crate) fn is_on(self) -> bool {
        self.0
    }

    fn wanted() -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("\x1b[32m", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("\x1b[31m", text)
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.wrap("\x1b[1m", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("{code}{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
