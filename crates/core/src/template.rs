//! A prepared template, as data: what a rung mounts and starts.

use std::path::PathBuf;

use crate::submission::Language;

/// A root file system and an interpreter, prepared on this host.
///
/// Holding one proves that it was prepared, not that the files are still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The name it was asked for by.
    pub name: String,
    /// SHA-256 over the prepared content and the identity of what is bound, in hex.
    pub digest: String,
    /// Where its files come from.
    pub origin: Origin,
    /// Version of the interpreter.
    pub version: (u32, u32, u32),
    /// The interpreter, absolute in the guest.
    pub interpreter: String,
    /// Directory of Stockade's own modules, absolute in the guest.
    pub site_dir: String,
    /// Prepared tree on the host; its top-level directories are bound into the guest's root.
    pub root: PathBuf,
    /// Directories and files of the host that are bound beside them, read-only.
    pub binds: Vec<Bind>,
    /// Symbolic links in the guest's root.
    pub symlinks: Vec<Symlink>,
    /// Environment variables that the template needs.
    pub env: Vec<(String, String)>,
    /// Modules that a warm start has imported before the submission comes, in this order. The
    /// digest covers them.
    pub preload: Vec<String>,
    /// Links in the run's home directory to files of the template (a cache made ahead); `link` is
    /// a name there.
    pub home: Vec<Symlink>,
}

impl Template {
    /// What its version is of, as records name it, and the text: the formula language alone has no
    /// interpreter.
    #[must_use]
    pub fn version_entry(&self) -> (&'static str, String) {
        let language = if self.interpreter.is_empty() {
            Language::Formula
        } else {
            Language::Python
        };
        language.version(self.version)
    }
}

/// Where a template's files come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The host has them at the same paths, Stockade's own modules excepted.
    Host,
    /// Some are in the template alone: packages, other files, or all of an image.
    Built,
}

/// One read-only bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// Where it is on the host.
    pub source: PathBuf,
    /// Where it appears, absolute in the guest.
    pub target: String,
    /// What it is.
    pub kind: BindKind,
}

/// What a bind's source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindKind {
    /// A directory.
    Directory,
    /// A file.
    File,
}

/// A symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symlink {
    /// What it points to, as written.
    pub target: String,
    /// Where it is: absolute in the guest, or a name in the directory that the list is of.
    pub link: String,
}
