//! The directory that prepared templates are kept in.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use std::time::Duration;

use crate::lock::lock_within;
use stockade_core::error::{Error, ErrorKind};

use super::failed;
use super::tree::hex;

const BUILDING: &str = ".build-";

/// How long another process may take to build a template; one takes half a second on an idle
/// machine.
const BUILT_WITHIN: Duration = Duration::from_mins(2);

/// Holding one proves that, when it was opened, only this user and root could write in it.
pub(super) struct Cache {
    folder: PathBuf,
}

/// The right to build: one process of a host has it at a time.
pub(super) struct Building {
    folder: PathBuf,
    // The kernel drops the lock with the descriptor, also when the process is killed.
    _lock: File,
}

impl Cache {
    pub(super) fn open(cache: &Path) -> Result<Self, Error> {
        let folder = cache.join("templates");
        if !folder.is_dir() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o755)
                .create(&folder)
                .map_err(|error| unusable(&folder, &error))?;
        }
        let user = rustix::process::geteuid().as_raw();
        for folder in [cache, &folder] {
            let found = folder
                .metadata()
                .map_err(|error| unusable(folder, &error))?;
            let loose = found.mode() & 0o022 != 0;
            if found.uid() != user || loose {
                let text = format!(
                    "the template cache `{}` may be writable by others: owner {}, mode {:o}",
                    folder.display(),
                    found.uid(),
                    found.mode() & 0o7777
                );
                return Err(Error::new(ErrorKind::Host, text).hint(format!(
                    "make it yours alone (`chown {user}` and `chmod go-w`), or choose another with \
                     `STOCKADE_CACHE_DIR`"
                )));
            }
        }
        Ok(Self { folder })
    }

    /// Where the manifest of a template of one interpreter is.
    pub(super) fn manifest(&self, name: &str, interpreter: &Path) -> PathBuf {
        let digest = Sha256::digest(interpreter.as_os_str().as_encoded_bytes());
        let short = hex(&digest[..6]);
        self.folder.join(format!("{name}-{short}.json"))
    }

    /// Waits for whoever builds, then takes away what a killed builder left.
    pub(super) fn lock(&self) -> Result<Building, Error> {
        let place = self.folder.join(".lock");
        let lock = File::create(&place).map_err(|error| unusable(&place, &error))?;
        lock_within(&lock, &place, BUILT_WITHIN)?;
        let entries = fs::read_dir(&self.folder).map_err(|error| unusable(&self.folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unusable(&self.folder, &error))?;
            if entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(BUILDING.as_bytes())
            {
                let left = entry.path();
                fs::remove_dir_all(&left).map_err(|error| failed("remove", &left, &error))?;
            }
        }
        Ok(Building {
            folder: self.folder.clone(),
            _lock: lock,
        })
    }
}

impl Building {
    /// An empty directory to build in.
    pub(super) fn start(&self) -> Result<PathBuf, Error> {
        let place = self
            .folder
            .join(format!("{BUILDING}{}", std::process::id()));
        fs::create_dir(&place)
            .and_then(|()| fs::set_permissions(&place, Permissions::from_mode(0o755)))
            .map_err(|error| unusable(&place, &error))?;
        Ok(place)
    }

    /// Puts what was built in its place, where it appears whole or not at all.
    pub(super) fn finish(&self, built: &Path, digest: &str) -> Result<PathBuf, Error> {
        let place = self.folder.join(digest);
        if place.join("root").is_dir() {
            // The same content, from an earlier build, and perhaps in use.
            fs::remove_dir_all(built).map_err(|error| failed("remove", built, &error))?;
            return Ok(place);
        }
        if place.is_dir() {
            fs::remove_dir_all(&place).map_err(|error| failed("remove", &place, &error))?;
        }
        fs::rename(built, &place).map_err(|error| failed("rename", built, &error))?;
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| failed("write", &self.folder, &error))?;
        Ok(place)
    }
}

fn unusable(path: &Path, error: &io::Error) -> Error {
    failed("use the template cache", path, error)
        .hint("choose a directory that you may write to with `STOCKADE_CACHE_DIR`")
        .hint("it is some 30 MB: the file system may be read-only or full (`df`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_that_others_may_write_to_is_refused() {
        let cache = std::env::temp_dir().join(format!("stockade-cache-{}", std::process::id()));
        fs::create_dir(&cache).unwrap();
        assert!(Cache::open(&cache).is_ok(), "the control");
        for mode in [0o777, 0o775] {
            fs::set_permissions(&cache, Permissions::from_mode(mode)).unwrap();
            let error = Cache::open(&cache).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Host);
            assert!(
                error.to_string().contains(&format!("mode {mode:o}")),
                "{error}"
            );
        }
        fs::remove_dir_all(&cache).unwrap();
    }
}
