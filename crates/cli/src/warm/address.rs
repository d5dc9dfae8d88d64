//! Where the daemon of this user is, and whether it is one that can run for us.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use stockade::{Error, ErrorKind, Paths};
use stockade_sys::{process, socket};

/// Where its files are: a directory that is its user's alone.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    directory: PathBuf,
}

impl Address {
    /// Below the state directory that the environment names; nothing is made.
    pub(crate) fn from_environment() -> Self {
        Self {
            directory: absolute(&Paths::state_from_environment()).join("daemon"),
        }
    }

    /// The directory, made if it is missing.
    ///
    /// # Errors
    /// `Host` when it cannot be made, or is not its user's alone.
    pub(crate) fn made() -> Result<Self, Error> {
        // Makes the directory above, and sees that it is ours.
        let paths = Paths::from_environment()?;
        let directory = absolute(paths.state()).join("daemon");
        let failed = |why: String| {
            let text = format!("cannot use {} for the daemon: {why}", directory.display());
            Error::new(ErrorKind::Host, text)
                .hint("name another directory of your own: `STOCKADE_STATE_DIR=DIR`")
        };
        let made = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&directory);
        made.map_err(|error| failed(error.to_string()))?;
        let found = fs::symlink_metadata(&directory).map_err(|error| failed(error.to_string()))?;
        if !found.is_dir() || found.uid() != process::effective_uid() || found.mode() & 0o077 != 0 {
            return Err(failed(format!(
                "it belongs to uid {} with mode {:o}",
                found.uid(),
                found.mode() & 0o7777
            )));
        }
        Ok(Self { directory })
    }

    /// The state directory that it is in.
    pub(super) fn state(&self) -> &Path {
        self.directory.parent().unwrap_or(&self.directory)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.directory.join("socket")
    }

    /// What the daemon has to say.
    pub(crate) fn log(&self) -> PathBuf {
        self.directory.join("log")
    }

    /// A file of which the daemon that can be found holds the lock.
    ///
    /// # Errors
    /// `Host` when it cannot be opened.
    pub(crate) fn lock(&self) -> Result<File, Error> {
        self.open("lock")
    }

    /// A file whose lock is held while a daemon starts.
    ///
    /// # Errors
    /// `Host` when it cannot be opened.
    pub(crate) fn start(&self) -> Result<File, Error> {
        self.open("start")
    }

    fn open(&self, name: &str) -> Result<File, Error> {
        let path = self.directory.join(name);
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path);
        opened.map_err(|error| {
            let text = format!("cannot open {}", path.display());
            Error::new(ErrorKind::Host, text).because(error)
        })
    }

    /// A connection to the daemon, if there is one and it is this user's.
    pub(crate) fn connect(&self) -> Option<UnixStream> {
        connect(&self.socket()).ok().flatten()
    }
}

/// `None` when somebody else listens there: a path below `/tmp` may be anybody's.
fn connect(path: &Path) -> io::Result<Option<UnixStream>> {
    let stream = socket::connect(path)?;
    let ours = socket::peer_uid(&stream)? == process::effective_uid();
    Ok(ours.then(|| UnixStream::from(stream)))
}

/// The version of this program and the file that it is: a daemon whose file was replaced is of
/// another build, though its version be the same.
pub(crate) fn build() -> String {
    let file = fs::metadata("/proc/self/exe").map_or_else(
        |_| String::new(),
        |found| {
            let path = fs::read_link("/proc/self/exe").unwrap_or_default();
            let path = path.to_string_lossy();
            let path = path.trim_end_matches(" (deleted)");
            let (inode, s, ns) = (found.ino(), found.mtime(), found.mtime_nsec());
            format!("{path} {inode} {s}.{ns}")
        },
    );
    format!("{} {file}", env!("CARGO_PKG_VERSION"))
}

/// What a run depends on besides what its caller sends: a daemon that has others would find other
/// templates, or run with other rights.
pub(crate) fn surroundings() -> String {
    let mut parts: Vec<_> = DIRECTORIES
        .iter()
        .map(|name| format!("{name}={}", text(name)))
        .collect();
    if text("STOCKADE_CACHE_DIR").is_empty() && process::effective_uid() != 0 {
        parts.extend(["XDG_CACHE_HOME", "HOME"].map(|name| format!("{name}={}", text(name))));
    }
    let search = stockade::template::Search::from_env();
    // Then the interpreter is looked for along these.
    if search.chosen.is_none() && !search.usual.iter().any(|path| path.exists()) {
        parts.extend(["PATH", "HOME"].map(|name| format!("{name}={}", text(name))));
    }
    for namespace in ["mnt", "user", "net", "pid", "cgroup"] {
        let link = fs::read_link(format!("/proc/self/ns/{namespace}"));
        parts.push(link.unwrap_or_default().to_string_lossy().into_owned());
    }
    // None can be asked only where there are none.
    let capabilities = process::effective_capabilities().unwrap_or(0);
    parts.push(format!("capabilities {capabilities:x}"));
    parts.join("\n")
}

/// Variables with paths that runs depend on.
pub(super) const DIRECTORIES: [&str; 3] =
    ["STOCKADE_CACHE_DIR", "STOCKADE_PYTHON", "STOCKADE_CGROUP"];

/// What a variable says; a path of [`DIRECTORIES`] from the root on, because the daemon is not
/// where its caller is.
pub(super) fn text(name: &str) -> String {
    let value = env::var_os(name).unwrap_or_default();
    if value.is_empty() || !DIRECTORIES.contains(&name) {
        return value.to_string_lossy().into_owned();
    }
    absolute(Path::new(&value)).to_string_lossy().into_owned()
}

/// Only an empty path, or a working directory that is gone, has no absolute one.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nobody_listens_there_is_no_daemon() {
        let dir = tempfile::tempdir().unwrap();
        let address = Address {
            directory: dir.path().to_owned(),
        };
        assert!(address.connect().is_none());
        // What a daemon that was killed leaves.
        drop(std::os::unix::net::UnixListener::bind(address.socket()).unwrap());
        assert!(address.connect().is_none());
        fs::remove_file(address.socket()).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(address.socket()).unwrap();
        assert!(address.connect().is_some());
    }
}
