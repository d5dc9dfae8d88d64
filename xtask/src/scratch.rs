//! A directory of one's own that goes when it is no longer needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A new directory; dropping it removes it and what is in it.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// One under `parent`, which exists.
    pub(crate) fn under(parent: &Path) -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("stockade-xtask-{}-{number}", std::process::id()));
        fs::create_dir(&path).map_err(|e| format!("cannot make `{}`: {e}", path.display()))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Best effort: what stays lies where it is looked for, under a name that says whose it was.
        let _ = fs::remove_dir_all(&self.0);
    }
}
