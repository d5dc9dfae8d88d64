//! Reads what the caller names, never more of it than may be used and never what does not end.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use stockade::{Amount, Error, ErrorKind, LimitId};

/// What a thing is for, and what it may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intake {
    /// What it is called in messages.
    pub(crate) what: &'static str,
    /// The limit that bounds it; `None` where a fixed bound does.
    pub(crate) limit: Option<LimitId>,
    /// Bytes at most.
    pub(crate) bytes_max: u64,
    /// Whether it may be a pipe (`<(…)`, `/dev/stdin`) besides a regular file.
    pub(crate) pipes: Pipes,
    /// What is wrong when it cannot be read.
    pub(crate) kind: ErrorKind,
}

/// Whether pipes are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipes {
    Taken,
    Refused,
}

impl Intake {
    /// Reads the file called `name`, or standard input for `-`.
    ///
    /// # Errors
    /// That it cannot be read, is not a thing that may be read, or is too large.
    pub(crate) fn read_named(self, name: &OsStr) -> Result<Vec<u8>, Error> {
        if name == "-" {
            return self.drain("standard input", io::stdin().lock());
        }
        self.read(Path::new(name))
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// As [`Intake::read_named`].
    pub(crate) fn read(self, path: &Path) -> Result<Vec<u8>, Error> {
        let shown = path.display().to_string();
        let failed = |error: io::Error| {
            Error::new(self.kind, format!("cannot read {} `{shown}`", self.what)).because(error)
        };
        // Before it is opened: opening a pipe waits for its writer, opening a device may do things.
        let found = path.metadata().map_err(failed)?;
        self.accept(&shown, &found)?;
        let file = File::open(path).map_err(failed)?;
        self.accept(&shown, &file.metadata().map_err(failed)?)?;
        self.drain(&format!("`{shown}`"), file)
    }

    fn accept(self, shown: &str, found: &Metadata) -> Result<(), Error> {
        let kind = found.file_type();
        let is = if kind.is_file() {
            if found.len() > self.bytes_max {
                return Err(self.too_large(&format!("`{shown}`"), Some(found.len())));
            }
            return Ok(());
        } else if kind.is_fifo() {
            match self.pipes {
                Pipes::Taken => return Ok(()),
                Pipes::Refused => "a pipe",
            }
        } else if kind.is_dir() {
            "a directory"
        } else if kind.is_socket() {
            "a socket"
        } else {
            "a device"
        };
        let refused = Error::new(
            self.kind,
            format!("{} `{shown}` is {is}, not a regular file", self.what),
        );
        Err(if kind.is_dir() {
            refused.hint("name each file in it, or an archive of it")
        } else {
            refused.hint("copy its content to a file first")
        })
    }

    fn drain(self, from: &str, reader: impl Read) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = reader
            .take(self.bytes_max.saturating_add(1))
            .read_to_end(&mut bytes);
        match read {
            Err(error) => {
                let attempt = format!("cannot read {} {from}", self.what);
                Err(Error::new(self.kind, attempt).because(error))
            }
            Ok(count) if count as u64 > self.bytes_max => Err(self.too_large(from, None)),
            Ok(_) => Ok(bytes),
        }
    }

    fn too_large(self, from: &str, size: Option<u64>) -> Error {
        let size = size.map_or_else(
            || format!("more than {} bytes", self.bytes_max),
            |size| format!("{size} bytes"),
        );
        let Some(limit) = self.limit else {
            let max = Amount::bytes(self.bytes_max);
            return Error::new(
                self.kind,
                format!("{} {from}: {size}, and {max} is the most", self.what),
            );
        };
        let (name, row) = (limit.name(), limit.spec());
        // Several things share `files`.
        let verb = if limit == LimitId::Files {
            "leaves"
        } else {
            "allows"
        };
        Error::new(
            self.kind,
            format!(
                "{} {from}: {size}, and `{name}` {verb} {} bytes",
                self.what, self.bytes_max
            ),
        )
        .hint(format!(
            "raise it with `--limit {name}=…`; at most {}",
            Amount::of(limit, row.max)
        ))
    }
}
