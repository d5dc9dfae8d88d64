//! Errors, as they are told.

use stockade::{Error, ErrorKind};

use crate::flag::Format;
use crate::screen;
use crate::terminal::{self, Paint};

/// Exit code when nobody read standard output: what a shell shows of a program that SIGPIPE ended.
pub(crate) const UNREAD: u8 = 141;

/// Why a command did not do what it was for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be told.
    Error(Error),
    /// Nobody reads standard output any more. Whoever closed it knows.
    Unread,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Tells an error, and gives its exit code. In the JSON form standard output gets a document too,
/// so that whoever reads it always finds one.
pub(crate) fn report(error: &Error, format: Format) -> u8 {
    let paint = Paint::for_stderr();
    let mut text = format!(
        "{} {}\n",
        paint.bad("error:"),
        screen::line(&error.to_string())
    );
    for hint in error.hints() {
        text.extend([format!(
            "{} {}\n",
            paint.strong("hint:"),
            screen::line(hint)
        )]);
    }
    terminal::say(&text);
    match format {
        Format::Human => {}
        Format::Json => {
            // The error was told, and its code stands.
            let _ = terminal::print_json(&document(error));
        }
    }
    error.kind().exit_code()
}

fn document(error: &Error) -> serde_json::Value {
    serde_json::json!({
        "error": {
            "kind": error.kind().slug(),
            "message": error.to_string(),
            "hints": error.hints(),
            "exit_code": error.kind().exit_code(),
        }
    })
}

/// Tells what clap makes of the arguments: help and version on standard output, a mistake on
/// standard error.
pub(crate) fn usage(error: &clap::Error) -> u8 {
    // Our own word for it.
    let text = error.render().to_string().replace("\n  tip: ", "\nhint: ");
    if !error.use_stderr() {
        return match terminal::print(&text) {
            Ok(()) => 0,
            Err(Failure::Unread) => UNREAD,
            Err(Failure::Error(error)) => report(&error, Format::Human),
        };
    }
    terminal::say(&text);
    let kind = ErrorKind::InvalidPolicy;
    if wants_json() {
        let message = text.lines().next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        // The error was told, and its code stands.
        let hints = text.lines().filter_map(|line| line.strip_prefix("hint: "));
        let error = hints.fold(Error::new(kind, message), Error::hint);
        let _ = terminal::print_json(&document(&error));
    }
    kind.exit_code()
}

/// Whether the arguments that clap could not read ask for JSON.
fn wants_json() -> bool {
    let args: Vec<_> = std::env::args_os().collect();
    args.iter().any(|arg| arg == "--format=json")
        || args
            .windows(2)
            .any(|pair| pair[0] == "--format" && pair[1] == "json")
}
