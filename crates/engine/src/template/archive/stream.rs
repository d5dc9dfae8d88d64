//! Bytes of an archive, whatever they are compressed with.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use sha2::{Digest, Sha256};
use stockade_core::error::{Error, ErrorKind};

use super::super::failed;
use super::super::room::Room;
use super::super::tree::hex;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const XZ: [u8; 4] = [0xfd, b'7', b'z', b'X'];
const BZIP2: [u8; 3] = *b"BZh";

/// The file at `path`, decompressed.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Error> {
    let file = File::open(path).map_err(|error| failed("open", path, &error))?;
    let found = file
        .metadata()
        .map_err(|error| failed("look at", path, &error))?;
    if !found.is_file() {
        let text = format!("`{}` is no file", path.display());
        return Err(Error::new(ErrorKind::InvalidPolicy, text));
    }
    decompressed(file).map_err(|error| unreadable(&error))
}

/// What `source` holds, decompressed.
pub(super) fn decompressed(source: impl Read + 'static) -> io::Result<Box<dyn Read>> {
    let mut source = BufReader::with_capacity(256 << 10, source);
    let mut start = Vec::new();
    source.by_ref().take(4).read_to_end(&mut start)?;
    let whole = io::Cursor::new(start.clone()).chain(source);
    if start.starts_with(&GZIP) {
        return Ok(Box::new(MultiGzDecoder::new(whole)));
    }
    if start == ZSTD {
        let decoder = StreamingDecoder::new(whole).map_err(io::Error::other)?;
        return Ok(Box::new(decoder));
    }
    if start == XZ || start.starts_with(&BZIP2) {
        return Err(io::Error::other(
            "it is compressed with neither gzip nor zstd",
        ));
    }
    Ok(Box::new(whole))
}

/// A stretch of a file.
pub(super) fn stretch(path: &Path, offset: u64, length: u64) -> Result<io::Take<File>, Error> {
    let mut file = File::open(path).map_err(|error| failed("open", path, &error))?;
    file.seek(SeekFrom::Start(offset))
        .map_err(|error| failed("read", path, &error))?;
    Ok(file.take(length))
}

/// A source that ends in an error after so many bytes: a small archive can unpack without end.
pub(super) struct Capped<R> {
    source: R,
    left: u64,
}

impl<R> Capped<R> {
    pub(super) fn new(source: R, room: &Room) -> Self {
        Self {
            source,
            left: room.archive_bytes_max(),
        }
    }
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(chunk)?;
        match self.left.checked_sub(length as u64) {
            Some(left) => self.left = left,
            None => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(length)
    }
}

/// SHA-256 of all that `source` gives, in hex.
pub(super) fn digest(mut source: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 256 << 10];
    loop {
        match source.read(&mut chunk)? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&chunk[..length]),
        }
    }
}

/// What it means that an archive cannot be read.
pub(super) fn unreadable(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::StorageFull {
        return Error::new(ErrorKind::Host, error.to_string());
    }
    if error.kind() == io::ErrorKind::FileTooLarge {
        let text = "it holds more than a template of this size";
        return Error::new(ErrorKind::InvalidPolicy, text)
            .hint("raise `bytes` in `[size]`, as in `bytes = \"8GiB\"`");
    }
    let text = format!("it is no whole tar archive: {error}");
    Error::new(ErrorKind::InvalidPolicy, text)
        .hint("archives may be plain, or compressed with gzip or zstd")
}
