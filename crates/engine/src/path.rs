//! The directories that the engine uses on the host.

use std::env;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use stockade_core::error::{Error, ErrorKind};

/// Where things are kept on the host.
#[derive(Clone, Debug)]
pub struct Paths {
    cache: PathBuf,
    state: PathBuf,
    scratch: PathBuf,
}

impl Paths {
    /// `STOCKADE_CACHE_DIR`, else `/var/cache/stockade` for root, else `stockade` in
    /// `XDG_CACHE_HOME` or `~/.cache`; `STOCKADE_STATE_DIR`, else `/run/stockade` for root, else
    /// `stockade` in `XDG_RUNTIME_DIR`, else `stockade-<uid>` in the temporary directory.
    ///
    /// # Errors
    /// `Host` when the state directory cannot be made, or is not ours alone.
    pub fn from_environment() -> Result<Self, Error> {
        let uid = stockade_sys::process::effective_uid();
        let cache = Self::cache_from_environment();
        let state = Self::state_from_environment();
        own(&state, uid)?;
        let scratch = state.join("scratch");
        Ok(Self {
            cache,
            state,
            scratch,
        })
    }

    /// The cache directory of [`Paths::from_environment`], which may not be there.
    pub(crate) fn cache_from_environment() -> PathBuf {
        let uid = stockade_sys::process::effective_uid();
        var("STOCKADE_CACHE_DIR").unwrap_or_else(|| match uid {
            0 => PathBuf::from("/var/cache/stockade"),
            _ => var("XDG_CACHE_HOME")
                .or_else(|| var("HOME").map(|home| home.join(".cache")))
                .map_or_else(
                    || temporary(uid).join("cache"),
                    |base| base.join("stockade"),
                ),
        })
    }

    /// The state directory of [`Paths::from_environment`], which may not be there, or be somebody
    /// else's.
    #[must_use]
    pub fn state_from_environment() -> PathBuf {
        let uid = stockade_sys::process::effective_uid();
        var("STOCKADE_STATE_DIR").unwrap_or_else(|| match uid {
            0 => PathBuf::from("/run/stockade"),
            _ => var("XDG_RUNTIME_DIR")
                .filter(|base| base.is_dir())
                .map_or_else(|| temporary(uid), |base| base.join("stockade")),
        })
    }

    /// Prepared templates; can be removed at any time when nothing runs.
    #[must_use]
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Locks of running supervisors.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Directories of runs on rungs without a mount namespace of their own root.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }
}

fn var(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn temporary(uid: u32) -> PathBuf {
    env::temp_dir().join(format!("stockade-{uid}"))
}

/// Makes the directory if it is missing, and makes sure that nobody else can write to it: others
/// may write to its parent (`/tmp`).
fn own(path: &Path, uid: u32) -> Result<(), Error> {
    let failed = |why: String| {
        Error::new(
            ErrorKind::Host,
            format!("cannot use {} for state: {why}", path.display()),
        )
        .hint("name another directory of your own: `STOCKADE_STATE_DIR=DIR`")
        .hint("it must be on a file system that can be written, and writable by nobody else")
    };
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o711)
        .create(path);
    made.map_err(|error| failed(error.to_string()))?;
    let found = fs::symlink_metadata(path).map_err(|error| failed(error.to_string()))?;
    if !found.is_dir() {
        return Err(failed("it is not a directory".to_owned()));
    }
    if found.uid() != uid || found.mode() & 0o022 != 0 {
        return Err(failed(format!(
            "it belongs to uid {} with mode {:o}",
            found.uid(),
            found.mode() & 0o7777
        )));
    }
    Ok(())
}
