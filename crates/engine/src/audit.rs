//! Where records go: a hash-chained file, or a sink of the embedder's.
//!
//! Each record is one line, written with one `write` under an exclusive lock of the file and
//! flushed to the disk (`fdatasync`) before the run's call returns: any number of processes may
//! write to one file, and a record that was returned survives a power cut. Space for a record is
//! reserved before the run starts, so that no run goes without its record.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use stockade_core::audit::{Head, Verifier, head_after, line};
use stockade_core::error::{Error, ErrorKind};
use stockade_core::record::{Record, Start, failed};
use stockade_core::submission::Submission;

use crate::lock::lock_within;

/// Space that is reserved for one record, bytes: what a record without kept content can take.
const RESERVED_BYTES: u64 = 256 << 10;

/// Longest line that is read back, bytes.
const LINE_BYTES_MAX: u64 = 256 << 20;

/// How long other writers may hold the file; each holds it for one append.
const LOCKED_WITHIN: Duration = Duration::from_secs(30);

/// Takes records.
pub trait Sink: Send + Sync + fmt::Debug {
    /// Called before a run starts.
    ///
    /// # Errors
    /// `Host` when the record could not be taken later; the run is then not started.
    fn reserve(&self) -> Result<(), Error>;

    /// Takes a record, as canonical JSON has it.
    ///
    /// # Errors
    /// `Host` when it cannot be kept.
    fn write(&self, record: serde_json::Value) -> Result<(), Error>;
}

/// A sink that appends to the hash-chained audit file at `path`, which is made for its owner alone
/// where it is missing; what [`Engine::audit_file`](crate::Engine::audit_file) uses.
///
/// # Errors
/// `Host` when the file cannot be opened for appending.
pub fn audit_file(path: &Path) -> Result<Box<dyn Sink>, Error> {
    Ok(Box::new(ChainFile::open(path)?))
}

/// Where this engine's records go.
#[derive(Debug, Default)]
pub(crate) struct Audit(Option<Box<dyn Sink>>);

/// A reserved record.
pub(crate) struct Entry<'a>(Option<&'a dyn Sink>);

impl Audit {
    pub(crate) fn file(path: &Path) -> Result<Self, Error> {
        Ok(Self::sink(audit_file(path)?))
    }

    pub(crate) fn sink(sink: Box<dyn Sink>) -> Self {
        Self(Some(sink))
    }

    pub(crate) fn as_sink(&self) -> Option<&dyn Sink> {
        self.0.as_deref()
    }
}

impl<'a> Entry<'a> {
    pub(crate) fn reserve(sink: Option<&'a dyn Sink>) -> Result<Self, Error> {
        if let Some(sink) = sink {
            sink.reserve()?;
        }
        Ok(Self(sink))
    }

    /// Writes the record of a run, whatever happened to it.
    pub(crate) fn write(
        &self,
        start: &Start,
        submission: &Submission,
        ended: &Result<Record, Error>,
    ) -> Result<(), Error> {
        let Some(sink) = self.0 else { return Ok(()) };
        sink.write(match ended {
            Ok(record) => record.to_audit(),
            Err(error) => failed(start, submission, error.kind(), &error.to_string()),
        })
    }
}

/// A hash-chained file of records, one line each.
#[derive(Debug)]
struct ChainFile {
    path: PathBuf,
    file: File,
    turn: Mutex<()>,
}

impl ChainFile {
    fn open(path: &Path) -> Result<Self, Error> {
        let opened = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path);
        match opened {
            Ok(file) => Ok(Self {
                path: path.to_owned(),
                file,
                turn: Mutex::new(()),
            }),
            Err(error) => Err(trouble("open", path, error)),
        }
    }

    fn append(&self, record: serde_json::Value) -> std::io::Result<()> {
        let mut file = &self.file;
        let (head, torn) = last(file)?;
        let mut text = String::new();
        if torn {
            // A writer died in the middle of its line. It stays, as a fault that `verify` names.
            text.push('\n');
        }
        text.push_str(&line(&head, record).0);
        text.push('\n');
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }
}

impl ChainFile {
    /// Does something with the file while nobody else does: no thread of this process, since they
    /// share its `flock`, and no other process.
    fn exclusively<T>(
        &self,
        attempt: &str,
        act: impl FnOnce(&Self) -> std::io::Result<T>,
    ) -> Result<T, Error> {
        // What a panic elsewhere left is a torn line at worst, and those are dealt with.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        lock_within(&self.file, &self.path, LOCKED_WITHIN)?;
        let acted = act(self);
        // A lock that cannot be let go is let go when the file is closed.
        let unlocked = self.file.unlock();
        let result = acted.and_then(|value| unlocked.map(|()| value));
        result.map_err(|error| trouble(attempt, &self.path, error))
    }
}

impl Sink for ChainFile {
    fn reserve(&self) -> Result<(), Error> {
        // Looked at under the lock: others may be in the middle of a line.
        let looked = self.exclusively("append to", |chain| last(&chain.file));
        looked
            .map_err(|error| error.hint("the run was not started; name another `--audit` file"))?;
        stockade_sys::fs::reserve(&self.file, RESERVED_BYTES).map_err(|errno| {
            trouble("reserve space for a record in", &self.path, errno.into())
                .hint("the run was not started; free some space, or name another `--audit` file")
        })
    }

    fn write(&self, record: serde_json::Value) -> Result<(), Error> {
        let written = self.exclusively("write the record to", |chain| chain.append(record));
        // The run is over: to send it again would run it again.
        written.map_err(|error| {
            if error.kind() != ErrorKind::Busy {
                return error;
            }
            let text = format!("the run is over, and its record is not written: {error}");
            Error::new(ErrorKind::Host, text)
        })
    }
}

fn trouble(attempt: &str, path: &Path, error: std::io::Error) -> Error {
    Error::new(
        ErrorKind::Host,
        format!("cannot {attempt} audit file {}", path.display()),
    )
    .because(error)
}

/// Where the chain stands, and whether the last line is without its end.
fn last(mut file: &File) -> std::io::Result<(Head, bool)> {
    let length = file.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok((Head::default(), false));
    }
    let mut window = 64 << 10;
    loop {
        let start = length.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(length - start).read_to_end(&mut tail)?;
        let torn = tail.last() != Some(&b'\n');
        let lines = tail.split(|byte| *byte == b'\n').rev();
        // The first piece of a window that begins in the middle of a line is not a line.
        let whole = if start == 0 {
            usize::MAX
        } else {
            tail.split(|byte| *byte == b'\n').count() - 1
        };
        let found = lines
            .take(whole)
            .filter_map(|line| std::str::from_utf8(line).ok())
            .find_map(|line| head_after(line).ok());
        match found {
            Some(head) => return Ok((head, torn)),
            None if start == 0 => {
                return Err(std::io::Error::other(
                    "it holds no record: not an audit file of ours",
                ));
            }
            None if window > LINE_BYTES_MAX => {
                return Err(std::io::Error::other("its last lines are not records"));
            }
            None => window *= 4,
        }
    }
}

/// Checks a chain from its first line to its last.
///
/// # Errors
/// `Host` when the file cannot be read.
pub fn verify(path: &Path) -> Result<Verifier, Error> {
    let mut verifier = Verifier::default();
    each_line(path, |text| verifier.push(text))?;
    Ok(verifier)
}

/// Calls `take` for each line of an audit file, without its end; bytes that are not UTF-8 are
/// replaced, which breaks the line's hash.
///
/// # Errors
/// `Host` when the file cannot be read.
pub fn each_line(path: &Path, mut take: impl FnMut(&str)) -> Result<(), Error> {
    let failed = |error| trouble("read", path, error);
    let mut reader = std::io::BufReader::new(File::open(path).map_err(failed)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = std::io::BufRead::read_until(&mut reader, b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            return Ok(());
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        take(&String::from_utf8_lossy(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn writers_in_several_threads_make_one_chain() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let chain = ChainFile::open(path).unwrap();
                    for n in 0..25 {
                        chain.write(json!({ "writer": writer, "n": n })).unwrap();
                    }
                });
            }
        });
        let verifier = verify(&path).unwrap();
        assert_eq!((verifier.lines(), verifier.findings()), (100, &[][..]));
    }

    #[test]
    fn threads_that_share_one_file_make_one_chain() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.jsonl");
        let chain = ChainFile::open(&path).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let chain = &chain;
                scope.spawn(move || {
                    for n in 0..25 {
                        chain.write(json!({ "writer": writer, "n": n })).unwrap();
                    }
                });
            }
        });
        let verifier = verify(&path).unwrap();
        assert_eq!((verifier.lines(), verifier.findings()), (100, &[][..]));
    }

    #[test]
    fn a_torn_line_stays_and_the_chain_goes_on_after_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.jsonl");
        let chain = ChainFile::open(&path).unwrap();
        chain.write(json!({ "n": 0 })).unwrap();
        (&chain.file).write_all(b"{\"prev\":\"torn").unwrap();
        chain.write(json!({ "n": 1 })).unwrap();
        let verifier = verify(&path).unwrap();
        assert_eq!(verifier.lines(), 3);
        assert_eq!(verifier.findings().len(), 1, "{:?}", verifier.findings());
        assert_eq!(verifier.findings()[0].line, 2);
    }

    #[test]
    fn a_file_that_is_not_ours_is_not_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.txt");
        std::fs::write(&path, "dear diary\n").unwrap();
        let chain = ChainFile::open(&path).unwrap();
        assert!(chain.reserve().is_err());
        assert!(chain.write(json!({})).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "dear diary\n");
    }

    #[test]
    fn a_record_longer_than_the_window_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.jsonl");
        let chain = ChainFile::open(&path).unwrap();
        chain.write(json!({ "long": "x".repeat(300_000) })).unwrap();
        chain.write(json!({ "n": 1 })).unwrap();
        assert_eq!(verify(&path).unwrap().findings(), []);
    }
}
