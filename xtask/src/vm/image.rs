//! The virtual machine's first root file system: a cpio archive in the kernel's `newc` format.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;

/// An archive being written. Directories come by themselves; a name that is there already is left.
#[derive(Debug)]
pub(crate) struct Image {
    file: BufWriter<File>,
    names: BTreeSet<PathBuf>,
}

impl Image {
    /// An empty archive at `path`, with Debian's links of `/bin`, `/sbin`, `/lib` and `/lib64`.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut image = Self {
            file: BufWriter::new(File::create_new(path)?),
            names: BTreeSet::new(),
        };
        for name in ["bin", "sbin", "lib", "lib64"] {
            image.directory(&Path::new("/usr").join(name))?;
            image.symlink(&Path::new("/").join(name), &Path::new("usr").join(name))?;
        }
        for name in ["/dev", "/proc", "/sys", "/run", "/root", "/var", "/etc"] {
            image.directory(Path::new(name))?;
        }
        Ok(image)
    }

    /// A directory, with its parents.
    pub(crate) fn directory(&mut self, name: &Path) -> io::Result<()> {
        if name.parent().is_none() || self.names.contains(name) {
            return Ok(());
        }
        self.parents(name)?;
        self.entry(name, DIRECTORY | 0o755, 0, &[])
    }

    /// A symbolic link at `name` to `target`.
    pub(crate) fn symlink(&mut self, name: &Path, target: &Path) -> io::Result<()> {
        if self.names.contains(name) {
            return Ok(());
        }
        self.parents(name)?;
        self.entry(name, SYMLINK | 0o777, 0, target.as_os_str().as_bytes())
    }

    /// A file of these bytes.
    pub(crate) fn bytes(&mut self, name: &Path, mode: u32, content: &[u8]) -> io::Result<()> {
        if self.names.contains(name) {
            return Ok(());
        }
        self.parents(name)?;
        self.entry(name, REGULAR | mode, 0, content)
    }

    /// The host's file `from` under the name `name`. The time is kept: Python compares it.
    pub(crate) fn file(&mut self, from: &Path, name: &Path) -> io::Result<()> {
        if self.names.contains(name) {
            return Ok(());
        }
        self.parents(name)?;
        let about = fs::metadata(from)?;
        let time = u32::try_from(about.mtime()).map_err(io::Error::other)?;
        self.entry(
            name,
            REGULAR | (about.mode() & 0o777),
            time,
            &fs::read(from)?,
        )
    }

    /// The host's file `path` under its own name, with the links that lead to it.
    pub(crate) fn same(&mut self, path: &Path) -> io::Result<()> {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::other(format!(
                "`{}` names no file",
                path.display()
            )));
        };
        let place = directory.canonicalize()?.join(name);
        if !place.is_symlink() {
            return self.file(&place, &place);
        }
        let target = fs::read_link(&place)?;
        self.symlink(&place, &target)?;
        self.same(&place.parent().unwrap_or(Path::new("/")).join(target))
    }

    /// The host's directory `from` as `name`, but for the entries called one of `without`.
    pub(crate) fn tree(&mut self, from: &Path, name: &Path, without: &[&str]) -> io::Result<()> {
        self.directory(name)?;
        let mut entries: Vec<_> = fs::read_dir(from)?.collect::<io::Result<_>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if without.iter().any(|skipped| entry.file_name() == *skipped) {
                continue;
            }
            let (path, place) = (entry.path(), name.join(entry.file_name()));
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.tree(&path, &place, without)?;
            } else if kind.is_symlink() {
                self.symlink(&place, &fs::read_link(&path)?)?;
            } else if kind.is_file() {
                self.file(&path, &place)?;
            } else {
                return Err(io::Error::other(format!("`{}` is no file", path.display())));
            }
        }
        Ok(())
    }

    /// Ends the archive; returns its length in bytes.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.write("TRAILER!!!".as_bytes(), 0, 0, &[])?;
        self.file.flush()?;
        Ok(self.file.get_ref().metadata()?.len())
    }

    fn parents(&mut self, name: &Path) -> io::Result<()> {
        let plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
        if !name.is_absolute() || !name.components().all(plain) {
            return Err(io::Error::other(format!(
                "`{}` is no name in an image",
                name.display()
            )));
        }
        match name.parent() {
            Some(parent) => self.directory(parent),
            None => Ok(()),
        }
    }

    fn entry(&mut self, name: &Path, mode: u32, time: u32, content: &[u8]) -> io::Result<()> {
        self.names.insert(name.to_path_buf());
        let relative = name.strip_prefix("/").unwrap_or(name);
        self.write(relative.as_os_str().as_bytes(), mode, time, content)
    }

    fn write(&mut self, name: &[u8], mode: u32, time: u32, content: &[u8]) -> io::Result<()> {
        let size = u32::try_from(content.len()).map_err(io::Error::other)?;
        let length = u32::try_from(name.len() + 1).map_err(io::Error::other)?;
        let inode = u32::try_from(self.names.len()).map_err(io::Error::other)?;
        // Inode, mode, uid, gid, links, time, size, two device numbers twice, name length, check.
        let fields = [inode, mode, 0, 0, 1, time, size, 0, 0, 0, 0, length, 0];
        let mut head = b"070701".to_vec();
        for field in fields {
            head.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        head.extend_from_slice(name);
        head.push(0);
        pad(&mut head);
        self.file.write_all(&head)?;
        self.file.write_all(content)?;
        self.file
            .write_all(&[0; 3][..content.len().wrapping_neg() % 4])
    }
}

/// Fills up to a multiple of four bytes, where the content begins.
fn pad(bytes: &mut Vec<u8>) {
    while !bytes.len().is_multiple_of(4) {
        bytes.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_name_that_climbs_is_refused() {
        let scratch = Scratch::under(&std::env::temp_dir()).unwrap();
        let mut image = Image::create(&scratch.path().join("cpio")).unwrap();
        let error = image.bytes(Path::new("/a/../b"), 0o644, b"").unwrap_err();
        assert!(error.to_string().contains("no name in an image"), "{error}");
    }
}
