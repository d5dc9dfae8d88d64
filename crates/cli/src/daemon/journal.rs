//! What the daemon has to say, in a file that does not grow.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use stockade::record;
use stockade_sys::{clock, process};

use crate::screen;

/// Size at which the file is put aside, bytes; there is one that was put aside.
const BYTES_MAX: u64 = 128 << 10;

/// Characters of a line at most.
const LINE_CHARS_MAX: usize = 2_000;

/// A log.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    turn: Mutex<()>,
}

impl Journal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            turn: Mutex::new(()),
        }
    }

    /// Adds a line, with the time and the pid. What cannot be written has nowhere to be told.
    pub(crate) fn say(&self, text: &str) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let ms = u64::try_from(clock::wall().as_millis()).unwrap_or(u64::MAX);
        let line = format!(
            "{} {} {}\n",
            record::rfc3339(ms),
            process::pid(),
            screen::excerpt(text, LINE_CHARS_MAX)
        );
        if let Ok(mut file) = self.file() {
            let _ = file.write_all(line.as_bytes());
        }
    }

    fn file(&self) -> std::io::Result<File> {
        let open = || {
            OpenOptions::new()
                .append(true)
                .create(true)
                .mode(0o600)
                .open(&self.path)
        };
        let file = open()?;
        if file.metadata()?.len() < BYTES_MAX {
            return Ok(file);
        }
        fs::rename(&self.path, self.path.with_extension("old"))?;
        open()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_of_bounded_size_and_its_last_line_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path().join("log"));
        let long = "x".repeat(LINE_CHARS_MAX);
        for n in 0..200 {
            journal.say(&format!("{n} {long}"));
        }
        let sizes: Vec<_> = ["log", "log.old"]
            .map(|name| fs::metadata(dir.path().join(name)).unwrap().len())
            .into();
        let bound = BYTES_MAX + 2 * LINE_CHARS_MAX as u64;
        assert!(sizes.iter().all(|size| *size < bound), "{sizes:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        let text = fs::read_to_string(dir.path().join("log")).unwrap();
        assert!(text.lines().last().unwrap().contains(" 199 x"), "{text}");
    }

    #[test]
    fn what_is_said_stays_one_line_and_drives_no_terminal() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        Journal::new(path.clone()).say("two\nlines \x1b[31m");
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains('\x1b'), "{text}");
    }
}
