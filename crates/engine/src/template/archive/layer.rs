//! One tar archive over a directory: a layer of an image, or all of a root file system.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, linkat, unlinkat};
use rustix::io::Errno;
use stockade_core::error::{Error, ErrorKind};
use stockade_sys::fs::{self as sys, Kind, Open};
use tar::EntryType;

use super::super::room::Room;
use super::super::tree::plain_mode;
use super::refused;
use super::stream::{Capped, unreadable};

const WHITEOUT: &str = ".wh.";
const OPAQUE: &str = ".wh..wh..opq";
/// As deep as any path that the kernel takes is likely to be meant.
const DEPTH_MAX: usize = 128;
const PATH_BYTES_MAX: usize = 4095;

/// Where entries are made: nothing is looked up by the host's root.
struct Ground<'a> {
    root: OwnedFd,
    space: &'a mut Room,
}

/// What `whole` gives, twice: it takes away first and puts in then, so that the order of entries
/// does not matter.
pub(super) fn apply(
    whole: &mut dyn FnMut() -> Result<Box<dyn Read>, Error>,
    root: &Path,
    space: &mut Room,
) -> Result<(), Error> {
    let root = sys::open_directory(root).map_err(|errno| unmade("/", errno))?;
    let mut capped = || Ok(Capped::new(whole()?, space));
    let (first, second) = (capped()?, capped()?);
    let mut ground = Ground { root, space };
    each(first, &mut |path, _| ground.whiteout(path))?;
    each(second, &mut |path, entry| ground.entry(path, entry))
}

type Source = Capped<Box<dyn Read>>;
type Entry<'a> = tar::Entry<'a, Source>;

fn each(
    source: Source,
    act: &mut dyn FnMut(&Path, &mut Entry<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut archive = tar::Archive::new(source);
    let entries = archive.entries().map_err(|error| unreadable(&error))?;
    for entry in entries {
        let mut entry = entry.map_err(|error| unreadable(&error))?;
        if entry.header().entry_type() == EntryType::XGlobalHeader {
            // A comment, of those who export from git.
            continue;
        }
        let path = relative(&entry.path_bytes())?;
        if !path.as_os_str().is_empty() {
            act(&path, &mut entry)?;
        }
    }
    Ok(())
}

/// The path of an entry, without the `./` that it may begin with.
fn relative(bytes: &[u8]) -> Result<PathBuf, Error> {
    let shown = String::from_utf8_lossy(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(refused(&shown, "has a name that is not UTF-8"));
    };
    if text.len() > PATH_BYTES_MAX || text.contains('\0') {
        return Err(refused(&shown, "has a name that no file can have"));
    }
    let mut path = PathBuf::new();
    for part in Path::new(text).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::ParentDir | Component::Prefix(_) => {
                return Err(refused(text, "leads out of the archive"));
            }
        }
    }
    if path.components().count() > DEPTH_MAX {
        return Err(refused(text, "lies too deep"));
    }
    Ok(path)
}

impl Ground<'_> {
    /// Takes away what a layer says is gone from those below it.
    fn whiteout(&mut self, path: &Path) -> Result<(), Error> {
        let name = name_of(path)?;
        let Some(gone) = name.strip_prefix(WHITEOUT) else {
            return Ok(());
        };
        let Some(above) = self.parent(path, Missing::Stays)? else {
            return Ok(());
        };
        if name == OPAQUE {
            return empty(&above).map_err(|errno| unmade(&name, errno));
        }
        if gone.is_empty() || gone == "." || gone == ".." || gone.starts_with(WHITEOUT) {
            return Err(refused(
                &path.to_string_lossy(),
                "is no whiteout of anything",
            ));
        }
        remove(&above, gone).map_err(|errno| unmade(gone, errno))
    }

    fn entry(&mut self, path: &Path, entry: &mut Entry<'_>) -> Result<(), Error> {
        let shown = path.to_string_lossy().into_owned();
        let name = name_of(path)?;
        if name.starts_with(WHITEOUT) {
            return Ok(());
        }
        let Some(above) = self.parent(path, Missing::Made)? else {
            return Err(refused(&shown, "lies below what is no directory"));
        };
        self.space.take(path, 0)?;
        let made = |errno| unmade(&shown, errno);
        let kind = entry.header().entry_type();
        if kind.is_dir() {
            directory(&above, &name).map_err(made)
        } else if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() {
            remove(&above, &name).map_err(made)?;
            self.file(&above, &name, &shown, entry)
        } else if kind.is_symlink() {
            let target = target(entry, &shown)?;
            remove(&above, &name).map_err(made)?;
            sys::make_symlink(&target, &above, &name).map_err(made)
        } else if kind.is_hard_link() {
            let target = relative(target(entry, &shown)?.as_bytes())?;
            self.link(&target, &above, &name, &shown)
        } else if kind.is_character_special() || kind.is_block_special() {
            Err(refused(&shown, "is a device").hint("leave it out: each run has its own `/dev`"))
        } else if kind.is_fifo() {
            Err(refused(&shown, "is a FIFO"))
        } else {
            Err(refused(&shown, "is of a kind that is not known"))
        }
    }

    fn file(
        &mut self,
        above: &OwnedFd,
        name: &str,
        shown: &str,
        entry: &mut Entry<'_>,
    ) -> Result<(), Error> {
        let mode = entry.header().mode().map_err(|error| unreadable(&error))?;
        let size = entry.size();
        // Refused by what it says of itself, before anything is written.
        if size > self.space.bytes_left() {
            return self.space.take(Path::new(shown), size);
        }
        let opened = sys::open_beneath(above, name, Open::New { mode: 0o600 });
        let file = opened.map_err(|errno| unmade(shown, errno))?;
        let mut file = File::from(file);
        let most = self.space.bytes_left();
        let written = io::copy(&mut entry.take(most.saturating_add(1)), &mut file);
        let written = written.map_err(|error| unreadable(&error))?;
        self.space.take(Path::new(shown), written)?;
        // Neither set-user-id nor writable by others.
        sys::set_mode(&file, plain_mode(mode)).map_err(|errno| unmade(shown, errno))
    }

    fn link(&self, target: &Path, above: &OwnedFd, name: &str, shown: &str) -> Result<(), Error> {
        let made = |errno| unmade(shown, errno);
        let missing = || {
            refused(
                shown,
                &format!("is a link to `{}`, which is no file here", target.display()),
            )
        };
        let there = self.parent(target, Missing::Stays)?.ok_or_else(missing)?;
        let target_name = name_of(target)?;
        let facts = sys::facts_at(&there, &zero_ended(&target_name)?).map_err(|_| missing())?;
        // A hard link to a symbolic link would be followed by some and not by others.
        if facts.kind != Kind::Plain {
            return Err(missing());
        }
        let ours = sys::facts_at(above, &zero_ended(name)?);
        if ours.is_ok_and(|ours| (ours.device, ours.inode) == (facts.device, facts.inode)) {
            return Ok(());
        }
        remove(above, name).map_err(made)?;
        linkat(&there, target_name.as_str(), above, name, AtFlags::empty()).map_err(made)
    }

    /// The directory that an entry lies in. Links on the way lead to where they would with the
    /// ground as the root directory; `None` where there is no such directory.
    fn parent(&self, path: &Path, missing: Missing) -> Result<Option<OwnedFd>, Error> {
        let shown = path.to_string_lossy();
        let mut here = self.open(Path::new("."), &shown)?;
        let mut done = PathBuf::new();
        for part in path.parent().unwrap_or(Path::new("")) {
            done.push(part);
            let found = sys::open_in_root(&self.root, &*done, Open::Directory);
            here = match (found, missing) {
                (Ok(found), _) => found,
                (Err(Errno::NOENT), Missing::Made) => {
                    let name = name_of(&done)?;
                    directory(&here, &name).map_err(|errno| unmade(&shown, errno))?;
                    self.open(&done, &shown)?
                }
                (Err(Errno::NOENT | Errno::NOTDIR), _) => return Ok(None),
                (Err(errno), _) => return Err(unmade(&shown, errno)),
            };
        }
        Ok(Some(here))
    }

    fn open(&self, path: &Path, shown: &str) -> Result<OwnedFd, Error> {
        sys::open_in_root(&self.root, path, Open::Directory).map_err(|errno| unmade(shown, errno))
    }
}

#[derive(Clone, Copy)]
enum Missing {
    Made,
    Stays,
}

fn name_of(path: &Path) -> Result<String, Error> {
    let name = path.file_name().and_then(OsStr::to_str);
    name.map(str::to_owned)
        .ok_or_else(|| refused(&path.to_string_lossy(), "has no name"))
}

fn target(entry: &Entry<'_>, shown: &str) -> Result<String, Error> {
    let bytes = entry.link_name_bytes().unwrap_or_default().into_owned();
    let text = String::from_utf8(bytes).ok();
    let good =
        |text: &String| !text.is_empty() && text.len() <= PATH_BYTES_MAX && !text.contains('\0');
    text.filter(good)
        .ok_or_else(|| refused(shown, "is a link to nothing that has a name"))
}

fn zero_ended(name: &str) -> Result<CString, Error> {
    CString::new(OsStr::new(name).as_bytes())
        .map_err(|_| refused(name, "has a name that no file can have"))
}

/// Makes a directory, unless it is there; what else is there goes away.
fn directory(above: &OwnedFd, name: &str) -> rustix::io::Result<()> {
    if sys::open_beneath(above, name, Open::Directory).is_ok() {
        return Ok(());
    }
    remove(above, name)?;
    sys::make_directory(above, name, 0o755)?;
    sys::set_mode_at(above, name, 0o755)
}

/// Takes away an entry and all below it, following nothing. What is not there is away.
fn remove(above: &OwnedFd, name: &str) -> rustix::io::Result<()> {
    match unlinkat(above, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {
            let below = sys::open_beneath(above, name, Open::Directory)?;
            empty(&below)?;
            unlinkat(above, name, AtFlags::REMOVEDIR)
        }
        Err(errno) => Err(errno),
    }
}

fn empty(folder: &OwnedFd) -> rustix::io::Result<()> {
    let readable = sys::open_beneath(folder, ".", Open::Read)?;
    let names: rustix::io::Result<Vec<CString>> = rustix::fs::Dir::new(readable)?
        .map(|entry| Ok(entry?.file_name().to_owned()))
        .collect();
    for name in names? {
        if name.as_bytes() != b"." && name.as_bytes() != b".." {
            let name = name.to_str().map_err(|_| Errno::ILSEQ)?;
            remove(folder, name)?;
        }
    }
    Ok(())
}

fn unmade(what: &str, errno: Errno) -> Error {
    let error = io::Error::from(errno);
    let text = format!("cannot make `{what}`: {error}");
    let made = Error::new(ErrorKind::Host, text);
    match errno {
        Errno::NOSPC | Errno::DQUOT => made.hint("the file system of the cache is full (`df`)"),
        _ => made,
    }
}
