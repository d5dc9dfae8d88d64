//! What a prepared template was made from, so that a change of it is noticed.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stockade_core::error::Error;
use stockade_core::template::{Bind, BindKind, Symlink, Template};

use super::{content, failed};

/// Changes with the meaning of the file or the layout of what it names.
const FORMAT: u32 = 2;

/// The stored form of a template and of the identity of every file that it came from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// Of the modules that this build of Stockade puts into the guest.
    modules: String,
    sources: Vec<Source>,
    prepared: Prepared,
}

/// A file of the host. Its content is taken to be the same while all of this is.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Source {
    path: PathBuf,
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// A template but for its name.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Prepared {
    pub(super) digest: String,
    pub(super) version: (u32, u32, u32),
    pub(super) interpreter: String,
    pub(super) site_dir: String,
    pub(super) root: PathBuf,
    /// Source and target of each directory.
    pub(super) binds: Vec<(PathBuf, String)>,
    /// Target and link.
    pub(super) symlinks: Vec<(String, String)>,
    pub(super) env: Vec<(String, String)>,
    pub(super) preload: Vec<String>,
}

impl Source {
    /// The identity of a file that was already looked at.
    pub(super) fn of(path: &Path, found: &fs::Metadata) -> Self {
        Self {
            path: path.to_path_buf(),
            device: found.dev(),
            inode: found.ino(),
            bytes: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn is_unchanged(&self) -> bool {
        self.path
            .metadata()
            .is_ok_and(|found| *self == Self::of(&self.path, &found))
    }
}

impl Manifest {
    pub(super) fn new(sources: Vec<Source>, prepared: Prepared) -> Self {
        Self {
            format: FORMAT,
            modules: content::modules_mark(),
            sources,
            prepared,
        }
    }

    /// What is stored; `None` when nothing is, or nothing that this build can read: both are
    /// mended by building.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Stores it where it appears whole or not at all.
    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        let partial = path.with_extension("partial");
        let text = serde_json::to_vec(self).map_err(std::io::Error::other);
        text.and_then(|text| {
            let mut file = File::create(&partial)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&partial, path)
        })
        .map_err(|error| failed("write", path, &error))
    }

    /// The template, if it is still what building now would give.
    pub(super) fn current(&self, name: &str) -> Option<Template> {
        let same = self.format == FORMAT
            && self.modules == content::modules_mark()
            && self.prepared.root.is_dir()
            && self.sources.iter().all(Source::is_unchanged);
        same.then(|| self.template(name))
    }

    fn template(&self, name: &str) -> Template {
        let prepared = &self.prepared;
        let bind = |(source, target): &(PathBuf, String)| Bind {
            source: source.clone(),
            target: target.clone(),
            kind: BindKind::Directory,
        };
        let symlink = |(target, link): &(String, String)| Symlink {
            target: target.clone(),
            link: link.clone(),
        };
        Template {
            name: name.to_owned(),
            digest: prepared.digest.clone(),
            version: prepared.version,
            interpreter: prepared.interpreter.clone(),
            site_dir: prepared.site_dir.clone(),
            root: prepared.root.clone(),
            binds: prepared.binds.iter().map(bind).collect(),
            symlinks: prepared.symlinks.iter().map(symlink).collect(),
            env: prepared.env.clone(),
            preload: prepared.preload.clone(),
        }
    }
}
