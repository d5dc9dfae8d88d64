//! Files that the submission left behind, read after everything in the guest is dead.

use crate::channel::{Channel, Stop};
use std::os::fd::OwnedFd;
use stockade_core::wire::{CHUNK_BYTES_MAX, Fetch, FetchOutcome, FileKind, ToHost};
use stockade_sys::Errno;
use stockade_sys::fs::{self, Facts, Kind, Open};
use stockade_sys::socket;

/// Sends what became of a file and, when it can be had, its content.
pub(crate) fn send(
    fetch: &Fetch,
    channel: &mut Channel,
    message: impl FnOnce(FetchOutcome) -> ToHost<'static>,
) -> Result<(), Stop> {
    let (outcome, content) = match read(fetch) {
        Ok(content) => (FetchOutcome::Bytes(content.len() as u64), content),
        Err(outcome) => (outcome, Vec::new()),
    };
    channel.push(&message(outcome))?;
    for chunk in content.chunks(CHUNK_BYTES_MAX) {
        channel.push(&ToHost::Data(chunk))?;
        channel.flush_all()?;
    }
    Ok(())
}

/// The whole content, or why there is none.
fn read(fetch: &Fetch) -> Result<Vec<u8>, FetchOutcome> {
    let root = fs::root().map_err(unreadable)?;
    let path = fetch.path.trim_start_matches('/');
    // First by name alone: opening a device or a FIFO can already do something.
    let name = fs::open_beneath(&root, path, Open::Path).map_err(|errno| match errno {
        Errno::NOENT | Errno::NOTDIR => FetchOutcome::Missing,
        Errno::LOOP => FetchOutcome::NotPlain(FileKind::Symlink),
        errno => unreadable(errno),
    })?;
    check(&fs::facts(&name).map_err(unreadable)?, fetch)?;
    let file = fs::open_beneath(&root, path, Open::Read).map_err(unreadable)?;
    let bytes = check(&fs::facts(&file).map_err(unreadable)?, fetch)?;
    read_up_to(&file, bytes).map_err(unreadable)
}

/// The size of a file that may be sent.
fn check(facts: &Facts, fetch: &Fetch) -> Result<u64, FetchOutcome> {
    let not_plain = |kind| Err(FetchOutcome::NotPlain(kind));
    match facts.kind {
        Kind::Plain if facts.links > 1 => not_plain(FileKind::HardLink),
        Kind::Plain if facts.bytes > fetch.bytes_max => Err(FetchOutcome::TooLarge(facts.bytes)),
        Kind::Plain => Ok(facts.bytes),
        Kind::Directory => not_plain(FileKind::Directory),
        Kind::Symlink => not_plain(FileKind::Symlink),
        Kind::Fifo => not_plain(FileKind::Fifo),
        Kind::Socket => not_plain(FileKind::Socket),
        Kind::Device | Kind::Other => not_plain(FileKind::Device),
    }
}

/// At most `bytes`; fewer when the file ends before, and then that is what it holds.
fn read_up_to(file: &OwnedFd, bytes: u64) -> Result<Vec<u8>, Errno> {
    let bytes = usize::try_from(bytes).map_err(|_| Errno::FBIG)?;
    let mut content = vec![0; bytes];
    let mut filled = 0;
    while filled < bytes {
        match socket::read(file, &mut content[filled..])? {
            Some(0) => break,
            Some(count) => filled += count,
            None => return Err(Errno::AGAIN),
        }
    }
    content.truncate(filled);
    Ok(content)
}

fn unreadable(errno: Errno) -> FetchOutcome {
    FetchOutcome::Unreadable(errno.raw_os_error())
}
