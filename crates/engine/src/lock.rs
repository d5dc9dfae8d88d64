//! File locks (`flock`) that are waited for, but not for ever: whoever holds one may be stopped.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};

/// Takes the exclusive lock of `file`, waiting at most `within` for whoever holds it.
///
/// # Errors
/// `Busy` when it is still held; `Host` when it cannot be locked at all.
pub(crate) fn lock_within(file: &File, path: &Path, within: Duration) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => return Ok(()),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(failed(path, error)),
    }
    // The kernel has no lock with a time limit: a thread waits, and is left behind if it must be.
    // The lock belongs to what both descriptors share.
    let waiting = file.try_clone().map_err(|error| failed(path, error))?;
    let (taken, take) = mpsc::sync_channel::<io::Result<()>>(0);
    thread::spawn(move || {
        let locked = waiting.lock();
        if taken.send(locked).is_err() {
            // Too late: nobody is there to hold it. Unlocking what is not locked is no error.
            let _ = waiting.unlock();
        }
    });
    match take.recv_timeout(within) {
        Ok(locked) => locked.map_err(|error| failed(path, error)),
        Err(_) => Err(Error::new(
            ErrorKind::Busy,
            format!(
                "another stockade process has held the lock {} for {} s",
                path.display(),
                within.as_secs()
            ),
        )
        .hint(format!(
            "`fuser {}` names it; it may be stopped",
            path.display()
        ))),
    }
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::new(ErrorKind::Host, format!("cannot lock {}", path.display())).because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_stays_held_is_busy_and_one_that_is_freed_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let holder = File::create(&path).unwrap();
        holder.lock().unwrap();
        let waiter = File::open(&path).unwrap();
        let busy = lock_within(&waiter, &path, Duration::from_millis(20)).unwrap_err();
        assert_eq!(busy.kind(), ErrorKind::Busy);
        let freed = thread::spawn(move || drop(holder));
        lock_within(&waiter, &path, Duration::from_secs(30)).unwrap();
        freed.join().unwrap();
    }
}
