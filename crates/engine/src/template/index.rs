//! The list of all that a template holds, whose digest is the template's.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use stockade_core::error::{Error, ErrorKind};

use super::tree::{describe_bound, hash_file, hex, host, sorted_entries};
use super::{failed, tree};

/// The index beside a prepared tree.
pub(super) const FILE: &str = "index";
/// What is shown of a tree that is not what it was.
const FAULTS_MAX: usize = 20;

/// Each entry's description by its path in the guest.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) entries: BTreeMap<PathBuf, String>,
    /// The directory that lies beside the tree and is bound over another, if there is one.
    pub(super) overlay: Option<PathBuf>,
}

impl Index {
    /// SHA-256 over every path and description, in hex.
    pub(super) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (path, text) in &self.entries {
            let path = path.as_os_str().as_encoded_bytes();
            hash.update((path.len() as u64).to_le_bytes());
            hash.update(path);
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        hex(&hash.finalize())
    }

    /// Writes it beside the tree that is being built in `place`.
    pub(super) fn write(&self, place: &Path) -> Result<(), Error> {
        let path = place.join(FILE);
        let text = serde_json::to_vec(self).map_err(std::io::Error::other);
        text.and_then(|text| tree::write_file(&path, &text))
            .map_err(|error| failed("write", &path, &error))
    }

    /// The index of the template in `place`.
    pub(super) fn read(place: &Path) -> Result<Self, Error> {
        let path = place.join(FILE);
        let read = fs::read(&path).map_err(|error| failed("read", &path, &error))?;
        serde_json::from_slice(&read).map_err(|error| {
            let text = format!("`{}` is not an index: {error}", path.display());
            Error::new(ErrorKind::Host, text)
        })
    }

    /// What in `place` is not as the index says, the first few.
    pub(super) fn faults(&self, place: &Path) -> Result<Vec<String>, Error> {
        let overlay = self
            .overlay
            .as_ref()
            .map(|guest| (guest.clone(), place.join("site")));
        let root = place.join("root");
        let mut faults = Vec::new();
        for (path, text) in &self.entries {
            if let Some(fault) = fault(path, text, &host(&root, overlay.as_ref(), path))? {
                faults.push(format!("`{}` {fault}", path.display()));
            }
        }
        self.extra(&root, Path::new("/"), &mut faults)?;
        if let Some((guest, here)) = &overlay {
            self.extra(here, guest, &mut faults)?;
        }
        faults.truncate(FAULTS_MAX);
        Ok(faults)
    }

    /// Notes what is there and not in the index.
    fn extra(&self, here: &Path, guest: &Path, faults: &mut Vec<String>) -> Result<(), Error> {
        for entry in sorted_entries(here)? {
            let path = guest.join(entry.file_name());
            if !self.entries.contains_key(&path) {
                faults.push(format!("`{}` was not there", path.display()));
                continue;
            }
            let kind = entry
                .file_type()
                .map_err(|error| failed("look at", &entry.path(), &error))?;
            if kind.is_dir() {
                self.extra(&entry.path(), &path, faults)?;
            }
        }
        Ok(())
    }
}

/// What is wrong with one entry.
fn fault(path: &Path, text: &str, here: &Path) -> Result<Option<String>, Error> {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    let missing = || Some("is missing".to_owned());
    let fault = match kind {
        "file" => match here.symlink_metadata() {
            Ok(found) if found.is_file() => {
                let hash = hash_file(here).map_err(|error| failed("read", here, &error))?;
                let mode = found.permissions().mode() & 0o7777;
                (format!("{mode:o} {hash}") != rest).then(|| "has changed".to_owned())
            }
            Ok(_) => Some("is no file any more".to_owned()),
            Err(_) => missing(),
        },
        // A link of the root directory is made by whoever makes the root.
        "link" if path.parent() == Some(Path::new("/")) => None,
        "link" => match fs::read_link(here) {
            Ok(target) => {
                (target != Path::new(rest)).then(|| format!("leads to `{}`", target.display()))
            }
            Err(_) => missing(),
        },
        "directory" => {
            let there = here.symlink_metadata().is_ok_and(|found| found.is_dir());
            (!there).then(|| "is no directory any more".to_owned())
        }
        "bound" => {
            let mut lines = rest.split('\n');
            let then = lines.next();
            let except: Vec<_> = lines.map(PathBuf::from).collect();
            let now = describe_bound(path, &except)?;
            (then != Some(&now)).then(|| "of the host has changed".to_owned())
        }
        // What is no file: settings, which the digest covers.
        _ => None,
    };
    Ok(fault)
}
