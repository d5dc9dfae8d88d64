//! Files of the submission, written before it starts.

use std::os::fd::OwnedFd;
use stockade_sys::Errno;
use stockade_sys::fs::{self, Open};

/// Permission bits of directories that are made on the way.
const DIRECTORY_MODE: u32 = 0o700;

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileError {
    /// The message does not fit those before it.
    Unexpected,
    /// The kernel refused.
    Failed {
        /// The call, and on what.
        step: String,
        /// Its error.
        errno: Errno,
    },
}

/// The file that is being received.
#[derive(Default)]
pub(crate) struct Incoming {
    file: Option<OwnedFd>,
    left: u64,
}

impl Incoming {
    /// Whether all content of the last file has come.
    pub(crate) fn is_complete(&self) -> bool {
        self.left == 0
    }

    /// Makes a file at `path`, absolute, with its directories; through no symbolic link, and not
    /// over one that exists.
    pub(crate) fn open(&mut self, path: &str, mode: u32, bytes: u64) -> Result<(), FileError> {
        if !self.is_complete() {
            return Err(FileError::Unexpected);
        }
        let failed = |step: &str| {
            let step = format!("{step} {path}");
            move |errno| FileError::Failed { step, errno }
        };
        let (parents, name) = split(path).ok_or(FileError::Unexpected)?;
        let mut directory = fs::root().map_err(failed("open / for"))?;
        for parent in parents {
            directory = match fs::open_beneath(&directory, parent, Open::Directory) {
                Err(Errno::NOENT) => {
                    fs::make_directory(&directory, parent, DIRECTORY_MODE)
                        .map_err(failed("mkdir for"))?;
                    fs::open_beneath(&directory, parent, Open::Directory)
                }
                opened => opened,
            }
            .map_err(failed("open directory for"))?;
        }
        let file =
            fs::open_beneath(&directory, name, Open::New { mode }).map_err(failed("open"))?;
        fs::set_mode(&file, mode).map_err(failed("fchmod"))?;
        self.file = (bytes > 0).then_some(file);
        self.left = bytes;
        Ok(())
    }

    /// Writes the next piece.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let left = self
            .left
            .checked_sub(bytes.len() as u64)
            .ok_or(FileError::Unexpected)?;
        let file = self.file.as_ref().ok_or(FileError::Unexpected)?;
        fs::write_all(file, bytes).map_err(|errno| FileError::Failed {
            step: "write a file".to_owned(),
            errno,
        })?;
        self.left = left;
        if left == 0 {
            self.file = None;
        }
        Ok(())
    }
}

/// The directories and the name of an absolute path with no `.`, `..` or empty component.
fn split(path: &str) -> Option<(impl Iterator<Item = &str>, &str)> {
    let relative = path.strip_prefix('/')?;
    let plain = |part: &str| !matches!(part, "" | "." | "..");
    if !relative.split('/').all(plain) {
        return None;
    }
    let (parents, name) = relative.rsplit_once('/').unwrap_or(("", relative));
    Some((parents.split('/').filter(|part| !part.is_empty()), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_dots_or_no_root_is_refused() {
        for path in [
            "work/a",
            "/work/../a",
            "/work/./a",
            "/work//a",
            "/work/",
            "/",
            "",
        ] {
            let error = Incoming::default().open(path, 0o600, 1).unwrap_err();
            assert_eq!(error, FileError::Unexpected, "{path}");
        }
    }

    #[test]
    fn more_content_than_announced_is_refused() {
        let directory = std::env::temp_dir().join(format!("incoming-{}", std::process::id()));
        let path = directory.join("a/b/c");
        let mut incoming = Incoming::default();
        incoming.open(path.to_str().unwrap(), 0o640, 3).unwrap();
        assert_eq!(incoming.write(b"four"), Err(FileError::Unexpected));
        assert!(!incoming.is_complete());
        incoming.write(b"ab").unwrap();
        incoming.write(b"c").unwrap();
        assert!(incoming.is_complete());
        assert_eq!(incoming.write(b"d"), Err(FileError::Unexpected));
        assert_eq!(std::fs::read(&path).unwrap(), b"abc");
        std::fs::remove_dir_all(directory).unwrap();
    }
}
