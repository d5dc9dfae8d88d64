//! Keeps `prune` and `remove` of other processes away from trees that this one uses.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use stockade_core::error::{Error, ErrorKind};

use super::failed;

/// Shared locks of trees, kept until this process ends: which runs still use one is not asked.
static HELD: Mutex<BTreeMap<PathBuf, File>> = Mutex::new(BTreeMap::new());

/// Holds the tree of which `root` is a part. Says whether it was still there.
///
/// # Errors
/// `Host` when it cannot be locked.
pub(super) fn hold(root: &Path) -> Result<bool, Error> {
    let tree = root.parent().unwrap_or(root);
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.get(tree).is_some_and(|file| is_still(file, tree)) {
        return Ok(true);
    }
    let Ok(file) = File::open(tree) else {
        return Ok(false);
    };
    match file.try_lock_shared() {
        Ok(()) => {}
        // Whoever has it to itself takes it away, or is about to have it finished.
        Err(TryLockError::WouldBlock) => file
            .lock_shared()
            .map_err(|error| failed("lock", tree, &error))?,
        Err(TryLockError::Error(error)) => return Err(failed("lock", tree, &error)),
    }
    if !is_still(&file, tree) {
        return Ok(false);
    }
    held.insert(tree.to_path_buf(), file);
    Ok(true)
}

fn is_still(file: &File, tree: &Path) -> bool {
    match (file.metadata(), tree.metadata()) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// The template went away between two looks, again and again.
pub(super) fn gone(name: &str) -> Error {
    let text = format!("template `{name}` is taken away while it is prepared");
    Error::new(ErrorKind::Busy, text).hint("another process removes or prunes it; try again")
}
