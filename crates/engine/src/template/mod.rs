//! Templates: what a submission finds around it, prepared once and then only looked at.
//!
//! [`prepare`] answers from the cache after about a hundred `stat` calls; where a file that the
//! template `python` came from has changed, it builds again. Other templates are built when that
//! is asked for. One process builds, the others wait.

mod ahead;
mod archive;
mod build;
mod builtin;
mod cache;
mod content;
mod draft;
mod hold;
mod index;
mod manifest;
mod module;
mod pin;
mod pip;
mod private;
mod probe;
mod progress;
mod room;
mod rootfs;
mod search;
mod spec;
mod store;
mod tree;
mod trial;
mod warm;

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use stockade_core::error::{Error, ErrorKind};
use stockade_core::limits::Limits;
use stockade_core::policy::Policy;
use stockade_core::template::Template;

pub(crate) use ahead::{Ahead, ahead};
pub use build::Built;
use build::Shop;
pub use builtin::NAMES;
use cache::Cache;
use draft::Additions;
use hold::{gone, hold};
use manifest::Manifest;
pub use private::{HostPython, PinnedWheel};
pub use progress::{Progress, Silent};
use room::Room;
pub use search::Search;
use spec::Spec;
pub use store::{Details, Listed, Pruned, Standing};
pub(crate) use tree::hash_file;

use crate::engine::Engine;

/// How often a template is looked for that goes away meanwhile.
const LOOKS_MAX: usize = 3;

/// Prepares a template, or finds it prepared. The process holds it from then on: it is not taken
/// away by others.
///
/// `cache` is made where it is missing.
///
/// # Errors
/// `InvalidPolicy` for a name that is not known; `Refused` when this host has no interpreter that
/// fits, or the template must be built first; `Host` when the cache cannot be used or a file cannot
/// be copied.
pub fn prepare(name: &str, cache: &Path, search: &Search) -> Result<Template, Error> {
    if builtin::canonical(name) != "python" {
        return store::prepared(name, cache);
    }
    let interpreter = search.interpreter()?;
    let cache = Cache::open(cache)?;
    let place = cache.manifest("python", &interpreter);
    for _ in 0..LOOKS_MAX {
        let template = match current(name, &place) {
            Some(template) => template,
            None => python(name, &cache, &interpreter, &place)?,
        };
        if hold(&template.root)? {
            return Ok(template);
        }
    }
    Err(gone(name))
}

/// The template `python` under one of its names, if its manifest is at `place` and nothing that it
/// came from has changed.
fn current(name: &str, place: &Path) -> Option<Template> {
    Manifest::read(place).and_then(|found| found.current(name))
}

/// Where the manifest of the template `python` is, if it was made.
fn python_manifest(cache: &Path, search: &Search) -> Result<PathBuf, Error> {
    Ok(Cache::open(cache)?.manifest("python", &search.interpreter()?))
}

/// Builds `python`.
fn python(name: &str, cache: &Cache, interpreter: &Path, place: &Path) -> Result<Template, Error> {
    let lock = cache.lock()?;
    // Another process may have built it while this one waited for the lock.
    if let Some(template) = current(name, place) {
        return Ok(template);
    }
    let report = probe::ask(interpreter)?;
    let building = cache.start(&lock)?;
    let mut draft = content::draft(building, interpreter, &report, Room::default())?;
    let preload = builtin::PRELOAD.map(str::to_owned);
    draft.add(
        Some(&report.interpreter),
        &Additions {
            preload: &preload,
            ..Additions::default()
        },
    )?;
    let manifest = draft.finish(None)?;
    manifest.write(place)?;
    manifest.current(name).ok_or_else(|| {
        Error::new(
            ErrorKind::Host,
            format!("the files of template `{name}` change while they are copied"),
        )
        .hint("wait for the installation that is going on, then try again")
    })
}

/// Limits that a run with this template has where nobody asks for others; `None` for the table's.
///
/// # Errors
/// `Host` when the cache cannot be used.
pub fn defaults(name: &str, cache: &Path) -> Result<Option<Limits>, Error> {
    store::defaults(name, cache)
}

/// The description of a template that comes with this build, as a file would have it.
#[must_use]
pub fn source(name: &str) -> Option<&'static str> {
    builtin::source(name).map(|(text, _)| text)
}

impl Engine {
    /// Builds the template that the file `what` describes, or one that comes with this build, by
    /// its name. What was built before of the same is found. Wheels come from the directory
    /// `links`, or else from the index.
    ///
    /// # Errors
    /// `InvalidPolicy` for a description with a mistake; `Refused` for a package that has no wheel
    /// or another digest, or for what cannot be imported; `Busy` while another process builds it;
    /// `Host` for the rest. Nothing is left of a template that could not be built.
    pub fn build_template(
        &self,
        what: &Path,
        links: Option<&Path>,
        progress: &mut dyn Progress,
    ) -> Result<Built, Error> {
        if let Some("python") = what.to_str().map(builtin::canonical) {
            return found(&prepare("python", self.paths().cache(), &self.search)?);
        }
        let spec = described(what)?;
        let links = links.map(absolute).transpose()?;
        Shop {
            engine: self,
            spec: &spec,
            links: links.as_deref(),
            progress,
        }
        .build()
        .map_err(hinted)
    }

    /// Resolves the packages of the template that the file `what` describes, and writes versions
    /// and digests into its lock: where that is, and how many there are.
    ///
    /// # Errors
    /// As [`Engine::build_template`].
    pub fn lock_template(
        &self,
        what: &Path,
        links: Option<&Path>,
        progress: &mut dyn Progress,
    ) -> Result<(PathBuf, usize), Error> {
        let spec = Spec::read(what)?;
        let links = links.map(absolute).transpose()?;
        Shop {
            engine: self,
            spec: &spec,
            links: links.as_deref(),
            progress,
        }
        .lock()
        .map_err(hinted)
    }

    /// Every template that can be asked for.
    ///
    /// # Errors
    /// `Host` when the cache cannot be used.
    pub fn templates(&self) -> Result<Vec<Listed>, Error> {
        store::list(self.paths().cache())
    }

    /// One of them.
    ///
    /// # Errors
    /// `InvalidPolicy` for a name that is not known; `Host` when the cache cannot be used.
    pub fn template_named(&self, name: &str) -> Result<Listed, Error> {
        store::show(name, self.paths().cache())
    }

    /// Reads all of a template: what is not as its digest says, the first few.
    ///
    /// # Errors
    /// As [`Engine::template_named`], and `Refused` for one that is not built.
    pub fn verify_template(&self, name: &str) -> Result<Vec<String>, Error> {
        store::verify(name, self.paths().cache())
    }

    /// Removes a template that was built. Says whether its files are gone as well: another
    /// template may have the same, or a process may use them.
    ///
    /// # Errors
    /// As [`Engine::template_named`].
    pub fn remove_template(&self, name: &str) -> Result<bool, Error> {
        store::remove(name, self.paths().cache())
    }

    /// Takes away what no template refers to.
    ///
    /// # Errors
    /// `Host` when the cache cannot be used.
    pub fn prune_templates(&self) -> Result<Pruned, Error> {
        store::prune(self.paths().cache())
    }

    /// The policy, with the limits of its template where it names none itself.
    pub(crate) fn settled<'a>(&self, policy: &'a Policy) -> Result<Cow<'a, Policy>, Error> {
        Ok(
            match defaults(policy.template_name(), self.paths().cache())? {
                Some(defaults) => {
                    let limits = policy.limits_ref().clone().or(&defaults);
                    Cow::Owned(policy.clone().limits(limits))
                }
                None => Cow::Borrowed(policy),
            },
        )
    }
}

fn found(template: &Template) -> Result<Built, Error> {
    Ok(Built {
        name: template.name.clone(),
        digest: template.digest.clone(),
        version: template.version,
        bytes: store::size(template.root.parent().unwrap_or(&template.root))?,
        found: true,
    })
}

/// The template of a file, or of a name that comes with this build.
fn described(what: &Path) -> Result<Spec, Error> {
    let name = what.to_str().unwrap_or_default();
    if builtin::source(name).is_some() {
        return builtin::spec(name);
    }
    let spec = Spec::read(what)?;
    if NAMES.contains(&spec.name.as_str()) {
        let text = format!("template `{}` comes with Stockade", spec.name);
        return Err(Error::new(ErrorKind::InvalidPolicy, text)
            .hint("give yours another name: `name = \"…\"`"));
    }
    Ok(spec)
}

/// A tool is run in another directory.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    path.canonicalize()
        .map_err(|error| failed("open", path, &error))
}

/// The same error; one that a full disk made says so.
fn hinted(error: Error) -> Error {
    if error.to_string().contains("No space left on device") && error.hints().is_empty() {
        return error
            .hint("the file system of the cache is full (`df`); `stockade template prune` may help")
            .hint("choose another with `STOCKADE_CACHE_DIR`");
    }
    error
}

/// What was attempted, on what, and why it failed.
fn failed(attempt: &str, path: &Path, error: &io::Error) -> Error {
    let text = format!("cannot {attempt} `{}`: {error}", path.display());
    Error::new(ErrorKind::Host, text)
}
