//! `--out FILE`: whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use stockade::{Error, ErrorKind};

/// Where a result will be written, known to be writable before the run.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A file that is replaced when the new content is whole and on the disk.
    File {
        path: PathBuf,
        temporary: PathBuf,
        permissions: Option<Permissions>,
    },
    /// A pipe or a device, which is written to.
    Stream { path: PathBuf, file: File },
}

impl Destination {
    /// Looks whether `path` can be written, without changing what is there.
    ///
    /// # Errors
    /// `InvalidPolicy` when it is no place for a result; `Host` when it cannot be written.
    pub(crate) fn prepare(path: &Path) -> Result<Self, Error> {
        let path = match path.canonicalize() {
            // What a link leads to is replaced, not the link.
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(trouble(path, error)),
        };
        let permissions = match fs::metadata(&path) {
            Ok(found) if found.is_file() => Some(found.permissions()),
            Ok(found) if found.is_dir() => {
                return Err(Error::new(
                    ErrorKind::InvalidPolicy,
                    format!("cannot write to `{}`: it is a directory", path.display()),
                )
                .hint("name a file in it"));
            }
            Ok(_) => {
                let opened = OpenOptions::new().write(true).open(&path);
                let file = opened.map_err(|error| trouble(&path, error))?;
                return Ok(Self::Stream { path, file });
            }
            Err(_) => None,
        };
        let temporary = temporary(&path)?;
        // The same that will be done after the run, so that it fails now.
        create(&temporary)
            .and_then(|_| fs::remove_file(&temporary))
            .map_err(|error| trouble(&path, error))?;
        Ok(Self::File {
            path,
            temporary,
            permissions,
        })
    }

    /// Writes `content` and a line end.
    ///
    /// # Errors
    /// `Host` when it cannot; what was there before is then still there.
    pub(crate) fn write(self, content: &str) -> Result<(), Error> {
        match self {
            Self::Stream { path, mut file } => file
                .write_all(content.as_bytes())
                .and_then(|()| file.write_all(b"\n"))
                .map_err(|error| trouble(&path, error)),
            Self::File {
                path,
                temporary,
                permissions,
            } => replace(&path, &temporary, permissions, content).map_err(|error| {
                // It may not even be there.
                let _ = fs::remove_file(&temporary);
                trouble(&path, error)
            }),
        }
    }
}

fn replace(
    path: &Path,
    temporary: &Path,
    permissions: Option<Permissions>,
    content: &str,
) -> io::Result<()> {
    let mut file = create(temporary)?;
    file.write_all(content.as_bytes())?;
    file.write_all(b"\n")?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()?;
    fs::rename(temporary, path)?;
    File::open(directory(path))?.sync_all()
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// A name beside `path` that no other process of this machine takes.
fn temporary(path: &Path) -> Result<PathBuf, Error> {
    if path.file_name().is_none() {
        return Err(Error::new(
            ErrorKind::InvalidPolicy,
            format!(
                "cannot write to `{}`: it is not the name of a file",
                path.display()
            ),
        ));
    }
    let name = format!(".stockade-{}.tmp", std::process::id());
    Ok(directory(path).join(name))
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    }
}

fn trouble(path: &Path, error: io::Error) -> Error {
    Error::new(
        ErrorKind::Host,
        format!("cannot write to `{}`", path.display()),
    )
    .because(error)
    .hint("name another place with `--out`, or leave it out for standard output")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn preparing_changes_nothing_and_writing_replaces_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.json");
        fs::write(&path, "something longer than the value").unwrap();
        let ready = Destination::prepare(&path).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "something longer than the value"
        );
        assert_eq!(names(dir.path()), ["out.json"]);
        ready.write("42").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "42\n");
        assert_eq!(names(dir.path()), ["out.json"]);
    }

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        Destination::prepare(&link).unwrap().write("new").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new\n");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_device_is_written_to_and_stays_one() {
        Destination::prepare(Path::new("/dev/null"))
            .unwrap()
            .write("1")
            .unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_place_that_cannot_be_is_refused_before() {
        let dir = tempfile::tempdir().unwrap();
        for (path, kind) in [
            (dir.path().to_owned(), ErrorKind::InvalidPolicy),
            (dir.path().join("no/such/file"), ErrorKind::Host),
            (PathBuf::from("/proc/stockade.json"), ErrorKind::Host),
        ] {
            assert_eq!(
                Destination::prepare(&path).unwrap_err().kind(),
                kind,
                "{path:?}"
            );
        }
    }
}
