//! Builds a root file system from files of the host, at the same places.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};
use stockade_core::error::{Error, ErrorKind};

use super::failed;
use super::index::Index;
use super::manifest::Source;
use super::room::Room;

/// As many as the kernel follows.
const SYMLINKS_MAX: usize = 40;

/// Whose symbolic links a path goes through on its way into the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// The host's, which are repeated.
    Host,
    /// Those that are in the tree.
    Own,
}

/// A tree under construction. Paths are absolute and as the guest will see them.
pub(super) struct Tree {
    root: PathBuf,
    links: Links,
    /// A directory that is bound over another which is not in the tree: where in the guest, and
    /// where here.
    overlay: Option<(PathBuf, PathBuf)>,
    space: Room,
    /// Links in the root directory itself: name to target. Whoever makes the root makes them.
    top_links: BTreeMap<String, String>,
    sources: Vec<Source>,
    /// Whether a change of what is copied makes the template another.
    watching: bool,
    /// Where a file of the host went: several names of one file stay one file.
    copies: HashMap<(u64, u64), PathBuf>,
    /// What is hashed: a description of each entry by its path.
    entries: BTreeMap<PathBuf, String>,
}

impl Tree {
    /// An empty tree in a new directory.
    pub(super) fn new(root: PathBuf, space: Room) -> Result<Self, Error> {
        make_dir(&root).map_err(|error| failed("make", &root, &error))?;
        Ok(Self {
            root,
            links: Links::Host,
            overlay: None,
            space,
            top_links: BTreeMap::new(),
            sources: Vec::new(),
            watching: true,
            copies: HashMap::new(),
            entries: BTreeMap::new(),
        })
    }

    /// The tree that lies in `root`, where an image was unpacked. Links of its top directory are
    /// taken out: whoever makes the root makes them.
    pub(super) fn of_image(root: PathBuf, space: Room) -> Result<Self, Error> {
        let mut tree = Self {
            root,
            links: Links::Own,
            overlay: None,
            space,
            top_links: BTreeMap::new(),
            sources: Vec::new(),
            watching: true,
            copies: HashMap::new(),
            entries: BTreeMap::new(),
        };
        for entry in sorted_entries(&tree.root)? {
            let (path, name) = (entry.path(), entry.file_name());
            let place = Path::new("/").join(&name);
            let found = lstat(&path)?;
            if found.is_symlink() {
                let target = read_link(&path)?;
                let text = utf8(&target)?.to_owned();
                fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))?;
                tree.top_links
                    .insert(utf8(&place)?.to_owned(), text.clone());
                tree.entries.insert(place, format!("link {text}"));
            } else if found.is_dir() {
                tree.describe_all(&path, &place)?;
            } else {
                // What is bound into a guest's root are directories.
                fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))?;
            }
        }
        Ok(tree)
    }

    /// From now on, what goes below `guest` goes below `here`, outside of the tree's root.
    pub(super) fn overlay(&mut self, guest: &Path, here: PathBuf) -> Result<(), Error> {
        make_dir(&here).map_err(|error| failed("make", &here, &error))?;
        self.entries
            .insert(guest.to_path_buf(), "directory".to_owned());
        self.overlay = Some((guest.to_path_buf(), here));
        Ok(())
    }

    /// Moves all that is in the directory `staged` to below `path`, whose links are followed and
    /// below which there are none.
    pub(super) fn adopt(&mut self, staged: &Path, path: &Path) -> Result<(), Error> {
        let below = self.place(&path.join("entry"))?;
        let below = below.parent().unwrap_or(&below).to_path_buf();
        self.merge(staged, &below)
    }

    fn merge(&mut self, staged: &Path, below: &Path) -> Result<(), Error> {
        for entry in sorted_entries(staged)? {
            let place = below.join(entry.file_name());
            let target = self.host(&place);
            let there = self.entries.get(&place).map(String::as_str);
            if there == Some("directory") && lstat(&entry.path())?.is_dir() {
                self.merge(&entry.path(), &place)?;
                continue;
            }
            if there.is_some() || target.symlink_metadata().is_ok() {
                let text = format!("two things want to be `{}`", place.display());
                return Err(Error::new(ErrorKind::InvalidPolicy, text)
                    .hint("a package may not bring what is there already"));
            }
            fs::rename(entry.path(), &target)
                .map_err(|error| failed("move", &entry.path(), &error))?;
            self.describe_all(&target, &place)?;
        }
        Ok(())
    }

    /// Takes note of what is at `here`, and of all below it, and gives it the modes that files of
    /// a template have: everybody reads, nobody writes but the owner, no set-user-id.
    fn describe_all(&mut self, here: &Path, place: &Path) -> Result<(), Error> {
        let found = lstat(here)?;
        let entry = if found.is_symlink() {
            self.space.take(here, 0)?;
            let target = read_link(here)?;
            format!("link {}", utf8(&target)?)
        } else if found.is_dir() {
            self.space.take(here, 0)?;
            set_mode(here, 0o755)?;
            for entry in sorted_entries(here)? {
                self.describe_all(&entry.path(), &place.join(entry.file_name()))?;
            }
            "directory".to_owned()
        } else if found.is_file() {
            self.space.take(here, found.len())?;
            let mode = plain_mode(found.mode());
            set_mode(here, mode)?;
            let hash = hash_file(here).map_err(|error| failed("read", here, &error))?;
            format!("file {mode:o} {hash}")
        } else {
            let text = format!("`{}` is no file, directory or link", place.display());
            return Err(Error::new(ErrorKind::InvalidPolicy, text));
        };
        utf8(place)?;
        self.entries.insert(place.to_path_buf(), entry);
        Ok(())
    }

    /// Copies a file of the host to the same path. Directories on the way that are symbolic links
    /// on the host are so here too.
    pub(super) fn copy(&mut self, path: &Path) -> Result<(), Error> {
        self.copy_as(path, path)
    }

    /// Copies a file of the host to another path.
    pub(super) fn copy_as(&mut self, source: &Path, path: &Path) -> Result<(), Error> {
        let place = self.place(path)?;
        if self.entries.contains_key(&place) {
            return Ok(());
        }
        let target = self.host(&place);
        let bytes = source.metadata().map_or(0, |found| found.len());
        self.space.take(&target, bytes)?;
        let copied = self.copy_file(source, &target);
        let entry = copied.map_err(|error| {
            failed("copy", source, &error).hint("a template copies it: it must be readable")
        })?;
        self.entries.insert(place, entry);
        Ok(())
    }

    /// Copies a file or directory of the host to where nothing is yet.
    pub(super) fn copy_new(&mut self, source: &Path, path: &Path) -> Result<(), Error> {
        let place = self.place(path)?;
        if self.has(&place) || self.host(&place).symlink_metadata().is_ok() {
            let text = format!("the template has something at `{}` already", path.display());
            return Err(Error::new(ErrorKind::InvalidPolicy, text)
                .hint("put the file elsewhere, such as below `/opt` or `/srv`"));
        }
        if !source.is_dir() {
            return self.copy_as(source, path);
        }
        self.directory(path)?;
        for entry in sorted_entries(source)? {
            self.copy_new(&entry.path(), &path.join(entry.file_name()))?;
        }
        Ok(())
    }

    /// Copies a directory of the host with all that is below it.
    pub(super) fn copy_all(&mut self, folder: &Path) -> Result<(), Error> {
        for entry in sorted_entries(folder)? {
            let path = entry.path();
            if path.is_dir() {
                self.copy_all(&path)?;
            } else {
                self.copy(&path)?;
            }
        }
        Ok(())
    }

    fn copy_file(&mut self, source: &Path, target: &Path) -> io::Result<String> {
        let mut from = File::open(source)?;
        let found = from.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if self.watching {
            self.sources.push(Source::of(source, &found));
        }
        let mode = plain_mode(found.mode());
        if let Some(copy) = self.copies.get(&(found.dev(), found.ino())) {
            fs::hard_link(copy, target)?;
        } else {
            let mut to = new_file(target)?;
            io::copy(&mut from, &mut to)?;
            to.set_permissions(Permissions::from_mode(mode))?;
            self.copies
                .insert((found.dev(), found.ino()), target.to_path_buf());
        }
        Ok(format!("file {mode:o} {}", hash_file(target)?))
    }

    /// Writes a file that the host does not have.
    pub(super) fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let place = self.place(path)?;
        let target = self.host(&place);
        write_file(&target, bytes).map_err(|error| failed("write", &target, &error))?;
        self.entries
            .insert(place, format!("file 644 {}", hex(&Sha256::digest(bytes))));
        Ok(())
    }

    /// Makes a directory, to mount on or to be found empty.
    pub(super) fn directory(&mut self, path: &Path) -> Result<(), Error> {
        let place = self.place(&path.join("entry"))?;
        debug_assert!(place.parent().is_some(), "`place` made the directory above");
        Ok(())
    }

    /// Makes a symbolic link unless something is there already.
    pub(super) fn symlink(&mut self, target: &str, link: &Path) -> Result<(), Error> {
        let place = self.place(link)?;
        if !self.entries.contains_key(&place) {
            let here = self.host(&place);
            symlink(target, &here).map_err(|error| failed("make", &here, &error))?;
            self.entries.insert(place, format!("link {target}"));
        }
        Ok(())
    }

    /// Repeats one entry of the host's root where that is a symbolic link (`/lib` to `usr/lib`).
    pub(super) fn top_link(&mut self, name: &str) -> Result<(), Error> {
        if Path::new("/").join(name).is_symlink() {
            self.directory(&Path::new("/").join(name))?;
        }
        Ok(())
    }

    /// Where a file of the tree is on the host.
    pub(super) fn host(&self, place: &Path) -> PathBuf {
        host(&self.root, self.overlay.as_ref(), place)
    }

    /// What is copied from now on may change or go: the template has it.
    pub(super) fn stop_watching(&mut self) {
        self.watching = false;
    }

    /// Writes a file, in place of what file or link is there.
    pub(super) fn replace(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let place = self.place(path)?;
        if self.entries.remove(&place).is_some() {
            let here = self.host(&place);
            fs::remove_file(&here).map_err(|error| failed("replace", &here, &error))?;
        }
        self.write(&place, bytes)
    }

    /// What a path leads to, through the links of the tree; `None` where there is nothing.
    pub(super) fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let mut left = parts(path).ok()?;
        let mut done = PathBuf::from("/");
        let mut followed = 0;
        while !left.is_empty() {
            let part = left.remove(0);
            if part == ".." {
                done.pop();
                continue;
            }
            let here = done.join(&part);
            let entry = self.entries.get(&here)?;
            let Some(target) = entry.strip_prefix("link ").map(Path::new) else {
                done = here;
                continue;
            };
            followed += 1;
            if followed > SYMLINKS_MAX {
                return None;
            }
            if target.is_absolute() {
                done = PathBuf::from("/");
            }
            let mut through = parts(target).ok()?;
            through.append(&mut left);
            left = through;
        }
        Some(done)
    }

    /// Whether a path without links is a file.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        let entry = self.entries.get(path);
        entry.is_some_and(|entry| entry.starts_with("file "))
    }

    /// Links of the root directory, target and name.
    pub(super) fn top_links(&self) -> Vec<(String, String)> {
        let links = self.top_links.iter();
        links
            .map(|(link, target)| (target.clone(), link.clone()))
            .collect()
    }

    /// Bytes of its own files.
    pub(super) fn bytes(&self) -> u64 {
        self.space.bytes_used()
    }

    /// Whether there is something at a path.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.entries.contains_key(path)
    }

    /// Adds to what is hashed something that is not in the tree.
    pub(super) fn describe(&mut self, path: &Path, text: String) {
        self.entries.insert(path.to_path_buf(), text);
    }

    /// Adds something of the host whose change must be noticed, though it is not copied.
    pub(super) fn watch(&mut self, path: &Path) -> Result<(), Error> {
        let found = path
            .metadata()
            .map_err(|error| failed("look at", path, &error))?;
        self.sources.push(Source::of(path, &found));
        Ok(())
    }

    /// What it all is: the index, whose digest is the template's, the links of the root (target
    /// and link), and what it came from. Leaves nothing.
    pub(super) fn take(&mut self) -> (Index, Vec<(String, String)>, Vec<Source>) {
        let links = self.top_links();
        let mut seen = HashSet::new();
        let mut sources = std::mem::take(&mut self.sources);
        sources.retain(|source| seen.insert(source.path().to_path_buf()));
        let index = Index {
            entries: std::mem::take(&mut self.entries),
            overlay: self.overlay.take().map(|(guest, _)| guest),
        };
        (index, links, sources)
    }

    /// The path without symbolic links on the way to its last part, whose directory is made. The
    /// host's links are repeated on the way.
    fn place(&mut self, path: &Path) -> Result<PathBuf, Error> {
        let mut left = parts(path)?;
        let mut done = PathBuf::from("/");
        let mut followed = 0;
        while left.len() > 1 {
            let part = left.remove(0);
            if part == ".." {
                done.pop();
                continue;
            }
            let here = done.join(&part);
            let Some(target) = self.link_at(&here) else {
                self.make_dir(&here)?;
                done = here;
                continue;
            };
            followed += 1;
            if followed > SYMLINKS_MAX {
                let text = format!("`{}` goes through too many symbolic links", path.display());
                return Err(Error::new(ErrorKind::Host, text));
            }
            self.repeat_link(&here, &target)?;
            if target.is_absolute() {
                done = PathBuf::from("/");
            }
            let mut through = parts(&target)?;
            through.append(&mut left);
            left = through;
        }
        match left.pop() {
            Some(last) if last != ".." => Ok(done.join(last)),
            Some(_) | None => {
                let text = format!("`{}` does not name a file", path.display());
                Err(Error::new(ErrorKind::Host, text))
            }
        }
    }

    /// What the link at a path points to, if there is one.
    fn link_at(&self, here: &Path) -> Option<PathBuf> {
        let below = |(guest, _): &(PathBuf, PathBuf)| here.starts_with(guest);
        if self.links == Links::Own || self.overlay.as_ref().is_some_and(below) {
            let target = self.entries.get(here)?.strip_prefix("link ")?;
            return Some(PathBuf::from(target));
        }
        // A mount point may have no counterpart on the host.
        fs::read_link(here).ok()
    }

    fn repeat_link(&mut self, here: &Path, target: &Path) -> Result<(), Error> {
        let text = utf8(target)?.to_owned();
        if self.entries.contains_key(here) {
            return Ok(());
        }
        if here.parent() == Some(Path::new("/")) {
            self.top_links.insert(utf8(here)?.to_owned(), text.clone());
        } else {
            let link = self.host(here);
            symlink(target, &link).map_err(|error| failed("make", &link, &error))?;
        }
        self.entries
            .insert(here.to_path_buf(), format!("link {text}"));
        Ok(())
    }

    fn make_dir(&mut self, here: &Path) -> Result<(), Error> {
        if self.entries.contains_key(here) {
            return Ok(());
        }
        let target = self.host(here);
        make_dir(&target).map_err(|error| failed("make", &target, &error))?;
        self.entries
            .insert(here.to_path_buf(), "directory".to_owned());
        Ok(())
    }
}

/// Where the guest's `place` is on the host.
pub(super) fn host(root: &Path, overlay: Option<&(PathBuf, PathBuf)>, place: &Path) -> PathBuf {
    if let Some((guest, here)) = overlay
        && let Ok(rest) = place.strip_prefix(guest)
    {
        return here.join(rest);
    }
    root.join(place.strip_prefix("/").unwrap_or(place))
}

/// The digest of what is below a directory that is bound and not copied: names, sizes and times
/// to the second. The content is not read: a standard library is 50 MB and more.
pub(super) fn describe_bound(folder: &Path, except: &[PathBuf]) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(here) = waiting.pop() {
        for entry in sorted_entries(&here)? {
            let path = entry.path();
            if except.contains(&path) || entry.file_name() == "__pycache__" {
                continue;
            }
            let found = entry
                .metadata()
                .map_err(|error| failed("look at", &path, &error))?;
            if found.is_dir() {
                waiting.push(path);
                continue;
            }
            hash.update(path.as_os_str().as_encoded_bytes());
            hash.update([0]);
            hash.update(found.len().to_le_bytes());
            hash.update(found.mtime().to_le_bytes());
        }
    }
    Ok(hex(&hash.finalize()))
}

pub(super) fn sorted_entries(folder: &Path) -> Result<Vec<fs::DirEntry>, Error> {
    let listed = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = listed.map_err(|error| failed("list", folder, &error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    Ok(entries)
}

/// Writes a new file that everybody may read. Not to the disk yet: whoever finishes a tree does
/// that for all of it at once.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = new_file(path)?;
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(0o644))
}

/// Makes a directory that everybody may read, whatever the umask.
pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// The path as text.
pub(super) fn utf8(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| {
        let text = format!(
            "the path `{}` of the host's Python is not UTF-8",
            path.display()
        );
        Error::new(ErrorKind::Refused, text)
            .hint("name a Python elsewhere with `STOCKADE_PYTHON=/absolute/path/to/python3`")
    })
}

fn parts(path: &Path) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => found.push(utf8(Path::new(name))?.to_owned()),
            Component::ParentDir => found.push("..".to_owned()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Ok(found)
}

fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// The mode of a template's file: whoever could execute it still can.
pub(super) fn plain_mode(mode: u32) -> u32 {
    if mode & 0o111 == 0 { 0o644 } else { 0o755 }
}

fn lstat(path: &Path) -> Result<fs::Metadata, Error> {
    path.symlink_metadata()
        .map_err(|error| failed("look at", path, &error))
}

fn read_link(path: &Path) -> Result<PathBuf, Error> {
    fs::read_link(path).map_err(|error| failed("read", path, &error))
}

fn set_mode(path: &Path, mode: u32) -> Result<(), Error> {
    fs::set_permissions(path, Permissions::from_mode(mode))
        .map_err(|error| failed("set the mode of", path, &error))
}

pub(crate) fn hash_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let mut chunk = vec![0; 64 << 10];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&chunk[..length]),
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;

    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
