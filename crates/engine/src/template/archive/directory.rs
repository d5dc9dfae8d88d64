//! A directory that holds a root file system.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use stockade_core::error::{Error, ErrorKind};

use super::super::failed;
use super::super::room::Room;
use super::super::tree::{make_dir, plain_mode, sorted_entries};
use super::refused;

/// What each run has by itself, and the kernel's own file systems: not looked into.
const LEFT_OUT: [&str; 6] = super::super::content::TAKEN;

/// Copies all below `source` into the empty directory `root`. Links are copied, not followed.
pub(super) fn copy(source: &Path, root: &Path, space: &mut Room) -> Result<(), Error> {
    let found = fs::symlink_metadata(source).map_err(|error| failed("open", source, &error))?;
    if !found.is_dir() {
        let text = format!("`{}` is no directory", source.display());
        return Err(Error::new(ErrorKind::InvalidPolicy, text));
    }
    let mut copier = Copier {
        root,
        space,
        copies: HashMap::new(),
    };
    copier.below(source, Path::new(""))
}

struct Copier<'a> {
    root: &'a Path,
    space: &'a mut Room,
    /// Where a file with several names went first.
    copies: HashMap<(u64, u64), PathBuf>,
}

impl Copier<'_> {
    fn below(&mut self, from: &Path, path: &Path) -> Result<(), Error> {
        for entry in sorted_entries(from)? {
            let name = entry.file_name();
            let top = path.as_os_str().is_empty();
            if top && LEFT_OUT.iter().any(|taken| name == *taken) {
                continue;
            }
            let (source, path) = (entry.path(), path.join(&name));
            let found = fs::symlink_metadata(&source)
                .map_err(|error| failed("look at", &source, &error))?;
            let target = self.root.join(&path);
            self.space.take(&path, 0)?;
            if found.is_dir() {
                make_dir(&target).map_err(|error| failed("make", &target, &error))?;
                self.below(&source, &path)?;
            } else if found.is_symlink() {
                fs::read_link(&source)
                    .and_then(|to| symlink(to, &target))
                    .map_err(|error| failed("copy", &source, &error))?;
            } else if found.is_file() {
                self.file(&source, &path, &target)?;
            } else {
                let shown = path.to_string_lossy();
                return Err(refused(&shown, "is a device, a FIFO or a socket"));
            }
        }
        Ok(())
    }

    fn file(&mut self, source: &Path, path: &Path, target: &Path) -> Result<(), Error> {
        let copied = || -> io::Result<(File, fs::Metadata)> {
            // What it was a moment ago may be a link by now.
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
            let from = OpenOptions::new()
                .read(true)
                .custom_flags(flags)
                .open(source)?;
            let found = from.metadata()?;
            Ok((from, found))
        };
        let (mut from, found) = copied().map_err(|error| failed("copy", source, &error))?;
        let key = (found.dev(), found.ino());
        if let Some(copy) = self.copies.get(&key) {
            return fs::hard_link(copy, target).map_err(|error| failed("link", target, &error));
        }
        self.space.take(path, found.len())?;
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(target)
            .and_then(|mut to| {
                io::copy(&mut from, &mut to)?;
                to.set_permissions(Permissions::from_mode(plain_mode(found.mode())))
            });
        written.map_err(|error| failed("copy", source, &error))?;
        if found.nlink() > 1 {
            self.copies.insert(key, target.to_path_buf());
        }
        Ok(())
    }
}
