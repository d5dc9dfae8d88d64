//! Templates: what a submission finds around it, prepared once and then only looked at.
//!
//! [`prepare`] answers from the cache after about a hundred `stat` calls; where a file that the
//! template came from has changed, it builds again. One process builds, the others wait.

mod cache;
mod content;
mod manifest;
mod probe;
mod search;
mod tree;

use std::io;
use std::path::Path;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::template::Template;

use cache::Cache;
use manifest::Manifest;
pub use search::Search;

/// Every template that can be asked for by name.
pub const NAMES: [&str; 1] = ["python"];

/// Prepares a template, or finds it prepared.
///
/// `cache` is made where it is missing.
///
/// # Errors
/// `InvalidPolicy` for a name that is not in [`NAMES`]; `Refused` when this host has no
/// interpreter that fits; `Host` when the cache cannot be used or a file cannot be copied.
pub fn prepare(name: &str, cache: &Path, search: &Search) -> Result<Template, Error> {
    if !NAMES.contains(&name) {
        let known = NAMES.map(|name| format!("`{name}`")).join(", ");
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            format!("no template named `{name}`"),
        )
        .hint(format!("this build knows {known}")));
    }
    let interpreter = search.interpreter()?;
    let cache = Cache::open(cache)?;
    let place = cache.manifest(name, &interpreter);
    if let Some(template) = Manifest::read(&place).and_then(|found| found.current(name)) {
        return Ok(template);
    }
    let building = cache.lock()?;
    // Another process may have built it while this one waited for the lock.
    if let Some(template) = Manifest::read(&place).and_then(|found| found.current(name)) {
        return Ok(template);
    }
    let report = probe::ask(&interpreter)?;
    let manifest = content::build(&building, &interpreter, &report)?;
    manifest.write(&place)?;
    manifest.current(name).ok_or_else(|| {
        Error::new(
            ErrorKind::Host,
            format!("the files of template `{name}` change while they are copied"),
        )
        .hint("wait for the installation that is going on, then try again")
    })
}

/// What was attempted, on what, and why it failed.
fn failed(attempt: &str, path: &Path, error: &io::Error) -> Error {
    let text = format!("cannot {attempt} `{}`: {error}", path.display());
    Error::new(ErrorKind::Host, text)
}
