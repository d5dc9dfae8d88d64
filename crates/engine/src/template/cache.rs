//! The directory that prepared templates are kept in.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use sha2::{Digest, Sha256};
use std::time::Duration;

use crate::lock::lock_within;
use stockade_core::error::{Error, ErrorKind};

use super::failed;
use super::index::Index;
use super::tree::hex;

const FOLDER: &str = "templates";
const BUILDING: &str = ".build-";
const GOING: &str = ".gone-";
/// Ends the names of manifests of templates that were asked to be built.
const BUILT: &str = ".template.json";

/// How long another process may take to build `python`; it takes half a second on an idle machine.
const BUILT_WITHIN: Duration = Duration::from_mins(2);
/// How long another process may take to download and build a template.
const NAMED_WITHIN: Duration = Duration::from_hours(1);

/// Holding one proves that, when it was opened, only this user and root could write in it.
#[derive(Clone)]
pub(super) struct Cache {
    folder: PathBuf,
    wheels: PathBuf,
}

/// The right to build something: one process of a host has it at a time. The kernel drops the
/// lock with the descriptor, also when the process is killed.
pub(super) struct Lock {
    _file: File,
}

/// A directory to build in. It goes away with its owner, unless it was put in its place.
pub(super) struct Building {
    cache: PathBuf,
    place: PathBuf,
    // Says to others that somebody is at work here.
    _lock: File,
}

impl Cache {
    pub(super) fn open(cache: &Path) -> Result<Self, Error> {
        let folder = cache.join(FOLDER);
        let wheels = cache.join("wheels");
        for made in [&folder, &wheels] {
            if !made.is_dir() {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o755)
                    .create(made)
                    .map_err(|error| unusable(made, &error))?;
            }
        }
        for folder in [cache, &folder, &wheels] {
            refuse_shared(folder)?;
        }
        Ok(Self { folder, wheels })
    }

    /// Where downloaded wheels are kept, each in a directory named by its digest.
    pub(super) fn wheels(&self) -> &Path {
        &self.wheels
    }

    /// Where the tree of a digest is.
    pub(super) fn tree(&self, digest: &str) -> PathBuf {
        self.folder.join(digest)
    }

    /// Where the manifest of `python` of one interpreter is.
    pub(super) fn manifest(&self, name: &str, interpreter: &Path) -> PathBuf {
        let digest = Sha256::digest(interpreter.as_os_str().as_encoded_bytes());
        let short = hex(&digest[..6]);
        self.folder.join(format!("{name}-{short}.json"))
    }

    /// Where the manifest of a template is that was asked to be built.
    pub(super) fn named(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{BUILT}"))
    }

    /// [`Cache::named`] of a cache that was not opened yet.
    pub(super) fn named_below(cache: &Path, name: &str) -> PathBuf {
        cache.join(FOLDER).join(format!("{name}{BUILT}"))
    }

    /// Every manifest, with the name of its template where it was asked to be built.
    pub(super) fn manifests(&self) -> Result<Vec<(Option<String>, PathBuf)>, Error> {
        let mut found = Vec::new();
        for path in self.paths()? {
            let name = file_name(&path);
            if let Some(name) = name.strip_suffix(BUILT) {
                found.push((Some(name.to_owned()), path.clone()));
            } else if path.extension() == Some(OsStr::new("json")) {
                found.push((None, path));
            }
        }
        found.sort();
        Ok(found)
    }

    /// Every tree that was put in its place.
    pub(super) fn trees(&self) -> Result<Vec<PathBuf>, Error> {
        let mut found = self.paths()?;
        found.retain(|path| !file_name(path).starts_with('.') && path.is_dir());
        found.sort();
        Ok(found)
    }

    fn paths(&self) -> Result<Vec<PathBuf>, Error> {
        let listed = fs::read_dir(&self.folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        listed.map_err(|error| unusable(&self.folder, &error))
    }

    /// Waits for whoever changes the cache, then takes away what a killed one left.
    pub(super) fn lock(&self) -> Result<Lock, Error> {
        let lock = self.lock_file(".lock", BUILT_WITHIN)?;
        for path in self.paths()? {
            let name = file_name(&path);
            let left = name.starts_with(GOING) || name.starts_with(BUILDING) && is_left(&path);
            if left {
                fs::remove_dir_all(&path).map_err(|error| failed("remove", &path, &error))?;
            }
        }
        Ok(lock)
    }

    /// Waits for whoever builds the template of this name.
    pub(super) fn lock_name(&self, name: &str) -> Result<Lock, Error> {
        self.lock_file(&format!(".lock-{name}"), NAMED_WITHIN)
    }

    fn lock_file(&self, name: &str, within: Duration) -> Result<Lock, Error> {
        let place = self.folder.join(name);
        let file = File::create(&place).map_err(|error| unusable(&place, &error))?;
        lock_within(&file, &place, within)?;
        Ok(Lock { _file: file })
    }

    /// An empty directory to build in. Under the lock, so that nobody takes it for left.
    pub(super) fn start(&self, _: &Lock) -> Result<Building, Error> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{BUILDING}{}-{number}", std::process::id());
        let place = self.folder.join(name);
        let lock = fs::create_dir(&place)
            .and_then(|()| fs::set_permissions(&place, Permissions::from_mode(0o755)))
            .and_then(|()| File::open(&place))
            .and_then(|lock| lock.try_lock().map_err(Into::into).map(|()| lock))
            .map_err(|error| unusable(&place, &error))?;
        Ok(Building {
            cache: self.folder.clone(),
            place,
            _lock: lock,
        })
    }

    /// Takes a tree away, unless a process uses it. Says whether it did.
    pub(super) fn remove_tree(&self, _: &Lock, tree: &Path) -> Result<bool, Error> {
        let lock = File::open(tree).map_err(|error| failed("open", tree, &error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(failed("lock", tree, &error)),
        }
        // Gone at once: nobody finds half of it.
        let going = self.folder.join(format!("{GOING}{}", file_name(tree)));
        fs::rename(tree, &going)
            .and_then(|()| fs::remove_dir_all(&going))
            .map_err(|error| failed("remove", tree, &error))?;
        Ok(true)
    }
}

impl Building {
    /// Where to build.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Where the tree of a digest will be.
    pub(super) fn destination(&self, digest: &str) -> PathBuf {
        self.cache.join(digest)
    }

    /// Writes all of it to the disk and puts the tree in its place, where it appears whole or not
    /// at all.
    pub(super) fn finish(self, index: &Index, digest: &str) -> Result<(), Error> {
        let place = self.destination(digest);
        // Else what a power failure left would be taken for the whole.
        File::open(&self.place)
            .and_then(|built| Ok(rustix::fs::syncfs(built)?))
            .map_err(|error| failed("write", &self.place, &error))?;
        match fs::rename(&self.place, &place) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                // An earlier build: perhaps in use, perhaps not what it was.
                if index.faults(&place).is_ok_and(|faults| faults.is_empty()) {
                    return Ok(());
                }
                let going = self.cache.join(format!("{GOING}{digest}"));
                fs::rename(&place, &going)
                    .and_then(|()| fs::rename(&self.place, &place))
                    .and_then(|()| fs::remove_dir_all(&going))
                    .map_err(|error| failed("replace", &place, &error))?;
            }
            Err(error) => return Err(failed("rename", &self.place, &error)),
        }
        File::open(&self.cache)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| failed("write", &self.cache, &error))
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        // Missing where it was put in its place; what cannot be removed is left for the next
        // builder, who finds it unlocked.
        let _ = fs::remove_dir_all(&self.place);
    }
}

fn is_left(path: &Path) -> bool {
    // Whoever works there holds its lock; what cannot be opened is not ours to judge.
    File::open(path).is_ok_and(|folder| folder.try_lock().is_ok())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn refuse_shared(folder: &Path) -> Result<(), Error> {
    let user = rustix::process::geteuid().as_raw();
    let found = folder
        .metadata()
        .map_err(|error| unusable(folder, &error))?;
    let loose = found.mode() & 0o022 != 0;
    if found.uid() == user && !loose {
        return Ok(());
    }
    let text = format!(
        "the template cache `{}` may be writable by others: owner {}, mode {:o}",
        folder.display(),
        found.uid(),
        found.mode() & 0o7777
    );
    Err(Error::new(ErrorKind::Host, text).hint(format!(
        "make it yours alone (`chown {user}` and `chmod go-w`), or choose another with \
         `STOCKADE_CACHE_DIR`"
    )))
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
