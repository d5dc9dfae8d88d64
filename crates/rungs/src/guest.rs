//! The guest's init as something that can be executed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use stockade_core::error::{Error, ErrorKind};

static INIT: &[u8] = include_bytes!(env!("STOCKADE_GUEST"));

/// What init is called in a list of processes.
const NAME: &str = "stockade-guest";

/// Permission bits of the kept file.
const MODE: u32 = 0o555;

/// The guest's init, ready to be executed any number of times.
///
/// Nothing that runs it can change it. A memfd is sealed. A kept file is in a directory that only we
/// and root can write to: as root, no guest has either of these ids; as an ordinary user every guest
/// has ours on the host, but no name for the file, because no mount of the guest shows the directory
/// that it is in, and init is not dumpable, so what `/proc/1/exe` leads to does not open.
#[derive(Debug)]
pub struct Guest(OwnedFd);

impl Guest {
    /// Copies the embedded program into memory and seals it.
    ///
    /// # Errors
    /// `Host` when the kernel has no memfd or no memory.
    pub fn load() -> Result<Self, Error> {
        match stockade_sys::memfd::sealed(c"stockade-guest", INIT) {
            Ok(fd) => Ok(Self(fd)),
            Err(errno) => Err(Error::new(
                ErrorKind::Host,
                format!(
                    "cannot hold the guest's init of {} bytes in a memfd",
                    INIT.len()
                ),
            )
            .because(std::io::Error::from(errno))),
        }
    }

    /// The same from a file below `cache`, which is written when it is missing: to copy the program
    /// into memory takes a third of a millisecond, which a command that runs once pays each time.
    /// Where there can be no such file it is in memory.
    ///
    /// # Errors
    /// As [`Guest::load`].
    pub fn load_kept(cache: &Path) -> Result<Self, Error> {
        let uid = stockade_sys::process::effective_uid();
        let directory = cache.join("guest").join(env!("STOCKADE_GUEST_DIGEST"));
        // Named by its content's digest, so that versions live side by side.
        let path = directory.join(NAME);
        match open(&directory, &path, uid).or_else(|_| keep(&directory, &path, uid)) {
            Ok(file) => Ok(Self(file.into())),
            Err(_) => Self::load(),
        }
    }

    /// Its descriptor.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Opens the kept file if it can be trusted: in a directory that nobody else can write to, a file
/// of ours that nobody else can write to, of the right size.
fn open(directory: &Path, path: &Path, uid: u32) -> io::Result<File> {
    let untrusted = || io::Error::from(io::ErrorKind::PermissionDenied);
    let holder = fs::symlink_metadata(directory)?;
    if !holder.is_dir() || holder.uid() != uid || holder.mode() & 0o022 != 0 {
        return Err(untrusted());
    }
    let file = File::open(path)?;
    let found = file.metadata()?;
    let ours = found.uid() == uid && found.mode() & 0o7777 == MODE && found.is_file();
    if ours && found.len() == INIT.len() as u64 {
        Ok(file)
    } else {
        Err(untrusted())
    }
}

/// Writes the file whole or not at all, then opens it.
fn keep(directory: &Path, path: &Path, uid: u32) -> io::Result<File> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(directory)?;
    let partial = directory.join(format!(".{}", stockade_sys::process::pid()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(MODE)
        .open(&partial)?;
    let written = file
        .write_all(INIT)
        .and_then(|()| file.set_permissions(fs::Permissions::from_mode(MODE)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&partial, path));
    if let Err(error) = written {
        // What cannot be removed is removed with the cache.
        let _ = fs::remove_file(&partial);
        return Err(error);
    }
    // An open file that can be written to cannot be executed.
    drop(file);
    open(directory, path, uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_the_embedded_program_and_is_found_again() {
        let cache = tempfile::tempdir().unwrap();
        let uid = stockade_sys::process::effective_uid();
        let directory = cache
            .path()
            .join("guest")
            .join(env!("STOCKADE_GUEST_DIGEST"));
        let path = directory.join(NAME);
        assert!(open(&directory, &path, uid).is_err());
        Guest::load_kept(cache.path()).unwrap();
        assert_eq!(fs::read(&path).unwrap(), INIT);
        assert!(open(&directory, &path, uid).is_ok());
    }

    #[test]
    fn a_kept_file_that_others_could_have_changed_is_not_used() {
        let cache = tempfile::tempdir().unwrap();
        let uid = stockade_sys::process::effective_uid();
        Guest::load_kept(cache.path()).unwrap();
        let directory = cache
            .path()
            .join("guest")
            .join(env!("STOCKADE_GUEST_DIGEST"));
        let path = directory.join(NAME);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o757)).unwrap();
        assert!(open(&directory, &path, uid).is_err());
        fs::set_permissions(&path, fs::Permissions::from_mode(MODE)).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(open(&directory, &path, uid).is_err());
    }
}
