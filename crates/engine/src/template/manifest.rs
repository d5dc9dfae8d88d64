//! What a prepared template was made from, so that a change of it is noticed.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stockade_core::error::Error;
use stockade_core::template::{Bind, BindKind, Origin, Symlink, Template};

use super::{failed, module};

/// Changes with the meaning of the file or the layout of what it names.
const FORMAT: u32 = 4;

/// The stored form of a template and of the identity of every file that it came from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// Of the modules that this build of Stockade puts into the guest.
    modules: String,
    sources: Vec<Source>,
    /// The tree as it was when its content had the digest. Another inode or time of change is
    /// another tree, such as a copy.
    verified: Source,
    pub(super) prepared: Prepared,
    /// How it was built; `None` for what this build makes by itself.
    pub(super) recipe: Option<Recipe>,
}

/// How a template was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Recipe {
    /// A sentence, for lists.
    pub(super) description: String,
    /// Of the template's file, of its lock and of what these name.
    pub(super) inputs: String,
    /// SHA-256 of each wheel.
    pub(super) wheels: Vec<String>,
    /// Name, version of each package.
    pub(super) packages: Vec<(String, String)>,
    /// Bytes of its own files.
    pub(super) bytes: u64,
    /// Defaults of limits, name and value.
    pub(super) limits: Vec<(String, String)>,
}

/// What is known of a stored template without preparing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Building now would give the same.
    Current,
    /// A file of the host that it came from has changed.
    SourceChanged,
    /// Another version of Stockade made it.
    OtherBuild,
    /// Its tree is gone, or is another than the one that was verified.
    TreeChanged,
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
    /// Whether it was asked to be built, and holds more than the host has.
    pub(super) built: bool,
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
    /// Target and name of links in the run's home directory.
    #[serde(default)]
    pub(super) home: Vec<(String, String)>,
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
    /// Of a tree whose content was just read and has the digest.
    pub(super) fn new(
        sources: Vec<Source>,
        prepared: Prepared,
        recipe: Option<Recipe>,
    ) -> Result<Self, Error> {
        let root = &prepared.root;
        let found = root
            .metadata()
            .map_err(|error| failed("look at", root, &error))?;
        Ok(Self {
            format: FORMAT,
            modules: module::mark(),
            sources,
            verified: Source::of(root, &found),
            prepared,
            recipe,
        })
    }

    /// The same, of the tree that is there now and whose content was just read.
    pub(super) fn verified_again(self) -> Result<Self, Error> {
        Self::new(self.sources, self.prepared, self.recipe)
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

    /// Whether it is still what building now would give.
    pub(super) fn state(&self) -> State {
        if self.format != FORMAT || self.modules != module::mark() {
            State::OtherBuild
        } else if !self.sources.iter().all(Source::is_unchanged) {
            State::SourceChanged
        } else if !self.verified.is_unchanged() {
            State::TreeChanged
        } else {
            State::Current
        }
    }

    /// The file of the host that has changed, for messages.
    pub(super) fn changed_source(&self) -> Option<&Path> {
        let mut changed = self.sources.iter().filter(|source| !source.is_unchanged());
        changed.next().map(Source::path)
    }

    /// The template, if it is still what building now would give.
    pub(super) fn current(&self, name: &str) -> Option<Template> {
        match self.state() {
            State::Current => Some(self.prepared.template(name)),
            State::SourceChanged | State::OtherBuild | State::TreeChanged => None,
        }
    }
}

impl Prepared {
    pub(super) fn template(&self, name: &str) -> Template {
        let prepared = self;
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
            origin: if prepared.built {
                Origin::Built
            } else {
                Origin::Host
            },
            version: prepared.version,
            interpreter: prepared.interpreter.clone(),
            site_dir: prepared.site_dir.clone(),
            root: prepared.root.clone(),
            binds: prepared.binds.iter().map(bind).collect(),
            symlinks: prepared.symlinks.iter().map(symlink).collect(),
            env: prepared.env.clone(),
            preload: prepared.preload.clone(),
            home: prepared.home.iter().map(symlink).collect(),
        }
    }
}
