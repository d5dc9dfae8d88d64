//! The guest's init as something that can be executed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use stockade_core::error::{Error, ErrorKind};

/// A file of ours that is kept below the cache. The digest of its content names its directory, so
/// that versions live side by side.
struct Embedded {
    bytes: &'static [u8],
    digest: &'static str,
    name: &'static str,
    /// Whether the kernel executes it.
    executed: bool,
}

static INIT: Embedded = Embedded {
    bytes: include_bytes!(env!("STOCKADE_GUEST")),
    digest: env!("STOCKADE_GUEST_DIGEST"),
    // What init is called in a list of processes.
    name: "stockade-guest",
    executed: true,
};

static ZYGOTE: Embedded = Embedded {
    bytes: include_bytes!(env!("STOCKADE_ZYGOTE")),
    digest: env!("STOCKADE_ZYGOTE_DIGEST"),
    name: "stockade-zygote.so",
    executed: false,
};

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
        match stockade_sys::memfd::sealed(c"stockade-guest", INIT.bytes) {
            Ok(fd) => Ok(Self(fd)),
            Err(errno) => Err(Error::new(
                ErrorKind::Host,
                format!(
                    "cannot hold the guest's init of {} bytes in a memfd",
                    INIT.bytes.len()
                ),
            )
            .because(std::io::Error::from(errno))),
        }
    }

    /// The same from a file below `cache`, which is written when it is missing: to copy the program
    /// into memory takes a third of a millisecond, which a command that runs once pays each time.
    /// Where there can be no such file, or none yet, it is in memory.
    ///
    /// # Errors
    /// As [`Guest::load`].
    pub fn load_kept(cache: &Path) -> Result<Self, Error> {
        let uid = stockade_sys::process::effective_uid();
        match INIT.open(cache, uid).or_else(|_| INIT.keep(cache, uid)) {
            Ok(file) => Ok(Self(file.into())),
            Err(_) => Self::load(),
        }
    }

    /// Where the zygote's library is, below `cache`: written when it is missing.
    ///
    /// # Errors
    /// `Host` when it cannot be kept where nobody else can write to.
    pub fn zygote(cache: &Path) -> Result<PathBuf, Error> {
        let uid = stockade_sys::process::effective_uid();
        let opened = ZYGOTE.open(cache, uid).or_else(|_| ZYGOTE.keep(cache, uid));
        let path = ZYGOTE.path(cache);
        opened.map(|_| path.clone()).map_err(|error| {
            Error::new(
                ErrorKind::Host,
                format!("cannot keep the zygote's library in {}", path.display()),
            )
            .because(error)
            .hint("its directories must be ours, and writable by nobody else")
        })
    }

    /// Its descriptor.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A name that no other thread has, and no process had that was killed when it wrote.
fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let pid = stockade_sys::process::pid();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let now = stockade_sys::clock::monotonic().as_nanos();
    format!(".{pid}-{number}-{now}")
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

impl Embedded {
    /// The directories above the kept file, outermost first.
    fn directories(&self, cache: &Path) -> [PathBuf; 3] {
        let guest = cache.join("guest");
        let version = guest.join(self.digest);
        [cache.to_owned(), guest, version]
    }

    fn path(&self, cache: &Path) -> PathBuf {
        let [.., directory] = self.directories(cache);
        directory.join(self.name)
    }

    /// Opens the kept file if it can be trusted: in directories that nobody else can write to, a
    /// file of ours that nobody else can write to, of the right size.
    fn open(&self, cache: &Path, uid: u32) -> io::Result<File> {
        self.directories(cache)
            .iter()
            .try_for_each(|directory| trust(directory, uid))?;
        let file = File::open(self.path(cache))?;
        let found = file.metadata()?;
        let ours = found.uid() == uid && found.mode() & 0o7777 == MODE && found.is_file();
        if ours && found.len() == self.bytes.len() as u64 {
            Ok(file)
        } else {
            Err(untrusted())
        }
    }

    /// Writes the file whole or not at all, then opens it. Nothing is made in a directory that
    /// cannot be trusted.
    fn keep(&self, cache: &Path, uid: u32) -> io::Result<File> {
        let directories = self.directories(cache);
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
        let partial = directories[2].join(unique());
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(MODE)
            .open(&partial)?;
        let written = file
            .write_all(self.bytes)
            .and_then(|()| file.set_permissions(fs::Permissions::from_mode(MODE)))
            .and_then(|()| file.sync_all());
        // An open file that can be written to cannot be executed.
        drop(file);
        let kept = written
            .and_then(|()| self.settled(&partial))
            .and_then(|()| fs::rename(&partial, self.path(cache)));
        if let Err(error) = kept {
            // What cannot be removed is removed with the cache.
            let _ = fs::remove_file(&partial);
            return Err(error);
        }
        self.open(cache, uid)
    }

    /// Fails if a child that another thread forked meanwhile has the written file open still: it
    /// would be found under its name, and could not be executed yet.
    fn settled(&self, partial: &Path) -> io::Result<()> {
        if !self.executed || stockade_sys::fs::is_written_by_nobody(File::open(partial)?) {
            Ok(())
        } else {
            Err(io::Error::from(io::ErrorKind::ExecutableFileBusy))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_the_embedded_program_and_is_found_again() {
        let cache = tempfile::tempdir().unwrap();
        let uid = stockade_sys::process::effective_uid();
        assert!(INIT.open(cache.path(), uid).is_err());
        Guest::load_kept(cache.path()).unwrap();
        assert_eq!(fs::read(INIT.path(cache.path())).unwrap(), INIT.bytes);
        assert!(INIT.open(cache.path(), uid).is_ok());
    }

    #[test]
    fn many_may_keep_it_at_once() {
        for _ in 0..8 {
            let cache = tempfile::tempdir().unwrap();
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        let path = Guest::zygote(cache.path()).unwrap();
                        assert_eq!(fs::read(path).unwrap(), ZYGOTE.bytes);
                    });
                }
            });
            let [.., directory] = ZYGOTE.directories(cache.path());
            assert_eq!(fs::read_dir(directory).unwrap().count(), 1);
        }
    }

    #[test]
    fn what_is_kept_can_be_executed_at_once_whoever_forks_meanwhile() {
        let forks = || {
            let done = stockade_sys::tool::run(&stockade_sys::tool::Tool {
                program: Path::new("/bin/true"),
                args: &[],
                env: &[],
                stdin: &[],
                within: std::time::Duration::from_mins(1),
                output_bytes_max: 0,
            });
            assert!(done.unwrap().status.success());
        };
        let uid = stockade_sys::process::effective_uid();
        let over = std::sync::atomic::AtomicBool::new(false);
        let kept = std::thread::scope(|scope| {
            let busy = || {
                while !over.load(Ordering::Relaxed) {
                    forks();
                }
            };
            scope.spawn(busy);
            scope.spawn(busy);
            let keep = || {
                let cache = tempfile::tempdir().unwrap();
                Guest::load_kept(cache.path()).unwrap();
                let kept = INIT.open(cache.path(), uid).ok()?;
                Some(stockade_sys::fs::is_written_by_nobody(kept))
            };
            let kept: Vec<bool> = (0..64).filter_map(|_| keep()).collect();
            over.store(true, Ordering::Relaxed);
            kept
        });
        assert!(!kept.is_empty());
        assert!(kept.iter().all(|settled| *settled), "{kept:?}");
    }

    #[test]
    fn a_kept_file_that_others_could_have_changed_is_not_used() {
        let cache = tempfile::tempdir().unwrap();
        let uid = stockade_sys::process::effective_uid();
        Guest::load_kept(cache.path()).unwrap();
        let [top, guest, directory] = INIT.directories(cache.path());
        let path = INIT.path(cache.path());
        for (place, open_mode, closed_mode) in [
            (&path, 0o757, MODE),
            (&directory, 0o777, 0o755),
            (&guest, 0o777, 0o755),
            (&top, 0o777, 0o700),
        ] {
            fs::set_permissions(place, fs::Permissions::from_mode(open_mode)).unwrap();
            assert!(INIT.open(cache.path(), uid).is_err(), "{}", place.display());
            fs::set_permissions(place, fs::Permissions::from_mode(closed_mode)).unwrap();
            assert!(INIT.open(cache.path(), uid).is_ok(), "{}", place.display());
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
