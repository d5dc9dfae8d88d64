//! Templates: what a submission finds around it, prepared once and then only looked at.
//!
//! [`prepare`] answers from the cache after about a hundred `stat` calls; where a file that the
//! template came from has changed, it builds again. One process builds, the others wait.

mod builtin;
mod cache;
mod content;
mod draft;
mod index;
mod manifest;
mod module;
mod probe;
mod room;
mod search;
mod tree;

use std::io;
use std::path::Path;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::template::Template;

use cache::Cache;
use draft::Additions;
use manifest::Manifest;
use room::Room;
pub use search::Search;

pub use builtin::NAMES;

/// Prepares a template, or finds it prepared.
///
/// `cache` is made where it is missing.
///
/// # Errors
/// `InvalidPolicy` for a name that is not in [`NAMES`]; `Refused` when this host has no
/// interpreter that fits; `Host` when the cache cannot be used or a file cannot be copied.
pub fn prepare(name: &str, cache: &Path, search: &Search) -> Result<Template, Error> {
    if builtin::canonical(name) != "python" {
        let known = NAMES.map(|name| format!("`{name}`")).join(", ");
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            format!("no template named `{name}`"),
        )
        .hint(format!("this build knows {known}")));
    }
    let interpreter = search.interpreter()?;
    let cache = Cache::open(cache)?;
    let place = cache.manifest("python", &interpreter);
    if let Some(template) = Manifest::read(&place).and_then(|found| found.current(name)) {
        return Ok(template);
    }
    let lock = cache.lock()?;
    // Another process may have built it while this one waited for the lock.
    if let Some(template) = Manifest::read(&place).and_then(|found| found.current(name)) {
        return Ok(template);
    }
    let report = probe::ask(&interpreter)?;
    let building = cache.start(&lock)?;
    let mut draft = content::draft(building, &interpreter, &report, Room::default())?;
    let preload = builtin::PRELOAD.map(str::to_owned);
    draft.add(
        &report.interpreter,
        &Additions {
            preload: &preload,
            ..Additions::default()
        },
    )?;
    let manifest = draft.finish(None)?;
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
