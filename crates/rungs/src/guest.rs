//! The guest's init as something that can be executed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use stockade_core::error::{Error, ErrorKind};

static INIT: &[u8] = include_bytes!(env!("STOCKADE_GUEST"));

/// What init is called in a list of processes.
const NAME: &str = "stockade-guest";

/// Permission bits of the kept file.
const MODE: u32 = 0o555;

/// The guest's init, ready to be executed any number of times.
///
/// Nothing that runs it can change it. A memfd is sealed. A kept file is in a directory that only
/// we and root can write to: as root, no guest has either of these ids; as an ordinary user every
/// guest has ours on the host, but no name for the file, because no mount of the guest shows the
/// directory that it is in, and init is not dumpable, so what `/proc/1/exe` leads to does not
/// open.
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
        match open(cache, uid).or_else(|_| keep(cache, uid)) {
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

/// The directories above the kept file, outermost first. The last is named by the content's digest,
/// so that versions live side by side.
fn directories(cache: &Path) -> [PathBuf; 3] {
    let guest = cache.join("guest");
    let version = guest.join(env!("STOCKADE_GUEST_DIGEST"));
    [cache.to_owned(), guest, version]
}

fn untrusted() -> io::Error {
    io::Error::from(io::ErrorKind::PermissionDenied)
}

/// Fails unless `directory` is one of ours that nobody else can write to.
fn trust(directory: &Path, uid: u32) -> io::Result<()> {
    let found = fs::symlink_metadata(directory)?;
    let ours = found.is_dir() && found.uid() == uid && found.mode() & 0o022 == 0;
    if ours { Ok(()) } else { Err(untrusted()) }
}

/// Opens the kept file if it can be trusted: in directories that nobody else can write to, a file
/// of ours that nobody else can write to, of the right size.
fn open(cache: &Path, uid: u32) -> io::Result<File> {
    let directories = directories(cache);
    directories
        .iter()
        .try_for_each(|directory| trust(directory, uid))?;
    let file = File::open(directories[2].join(NAME))?;
    let found = file.metadata()?;
    let ours = found.uid() == uid && found.mode() & 0o7777 == MODE && found.is_file();
    if ours && found.len() == INIT.len() as u64 {
        Ok(file)
    } else {
        Err(untrusted())
    }
}

/// Writes the file whole or not at all, then opens it. Nothing is made in a directory that cannot
/// be trusted.
fn keep(cache: &Path, uid: u32) -> io::Result<File> {
    let directories = directories(cache);
    for directory in &directories {
        let recursive = directory == cache;
        match fs::DirBuilder::new()
            .recursive(recursive)
            .mode(0o755)
            .create(directory)
        {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => trust(directory, uid)?,
        }
    }
    let directory = &directories[2];
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
        .and_then(|()| fs::rename(&partial, directory.join(NAME)));
    if let Err(error) = written {
        // What cannot be removed is removed with the cache.
        let _ = fs::remove_file(&partial);
        return Err(error);
    }
    // An open file that can be written to cannot be executed.
    drop(file);
    open(cache, uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_the_embedded_program_and_is_found_again() {
        let cache = tempfile::tempdir().unwrap();
        let uid = stockade_sys::process::effective_uid();
        assert!(open(cache.path(), uid).is_err());
        Guest::load_kept(cache.path()).unwrap();
        let [.., directory] = directories(cache.path());
        assert_eq!(fs::read(directory.join(NAME)).unwrap(), INIT);
        assert!(open(cache.path(), uid).is_ok());
    }

    #[test]
    fn a_kept_file_that_others_could_have_changed_is_not_used() {
        let cache = tempfile::tempdir().unwrap();
        let uid = stockade_sys::process::effective_uid();
        Guest::load_kept(cache.path()).unwrap();
        let [top, guest, directory] = directories(cache.path());
        let path = directory.join(NAME);
        for (place, open_mode, closed_mode) in [
            (&path, 0o757, MODE),
            (&directory, 0o777, 0o755),
            (&guest, 0o777, 0o755),
            (&top, 0o777, 0o700),
        ] {
            fs::set_permissions(place, fs::Permissions::from_mode(open_mode)).unwrap();
            assert!(open(cache.path(), uid).is_err(), "{}", place.display());
            fs::set_permissions(place, fs::Permissions::from_mode(closed_mode)).unwrap();
            assert!(open(cache.path(), uid).is_ok(), "{}", place.display());
        }
    }

    #[test]
    fn nothing_is_kept_below_a_link_that_somebody_left() {
        let cache = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), cache.path().join("guest")).unwrap();
        Guest::load_kept(cache.path()).unwrap();
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
