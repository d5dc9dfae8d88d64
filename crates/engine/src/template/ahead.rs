//! The template that most runs use, looked for before anybody asks.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use stockade_core::template::Template;

use super::{Search, current, hold, python_manifest};

/// The name that a policy has when nobody names another.
const NAME: &str = "python";

/// The answer to come.
#[derive(Debug)]
pub(crate) struct Ahead {
    cache: PathBuf,
    found: Receiver<Option<Template>>,
}

/// Where the answer comes from, and what finds it, for another thread to call. It builds nothing:
/// a template that is not there is the run's to build, which can say what goes wrong.
pub(crate) fn ahead(cache: PathBuf, search: Search) -> (Ahead, impl FnOnce() + Send + 'static) {
    let (give, found) = sync_channel(1);
    let place = cache.clone();
    let look = move || {
        let manifest = python_manifest(&place, &search).ok();
        // Without an answer, or without anybody who waits for it, the run looks itself.
        let _ = give.send(manifest.and_then(|manifest| current(NAME, &manifest)));
    };
    (Ahead { cache, found }, look)
}

impl Ahead {
    /// The template called `name` of `cache`, if that is the one that was looked for, was found,
    /// and is still there.
    pub(crate) fn take(self, name: &str, cache: &Path) -> Option<Template> {
        if name != NAME || cache != self.cache {
            return None;
        }
        let template = self.found.recv().ok().flatten()?;
        hold(&template.root).ok()?.then_some(template)
    }
}
