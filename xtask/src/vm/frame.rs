//! What the virtual machine's init tells the host: compiled into both.
//!
//! A frame is one byte of kind, four of length (little endian), and the content.
#![forbid(unsafe_code)]

use std::io::{self, Read, Write};

/// No frame is longer.
pub const CONTENT_BYTES_MAX: usize = 64 * 1024;
/// The virtio port's device in the guest.
pub const PORT: &str = "/dev/vport0p1";
/// Where the host puts what init must do: `argv`, `env`, `user`, `modules`.
pub const TASK: &str = "/vm";

/// One thing that init says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Bytes of the command's standard output.
    Stdout(Vec<u8>),
    /// Bytes of the command's standard error.
    Stderr(Vec<u8>),
    /// The command exited with this code. Nothing follows.
    Exited(i32),
    /// The command died of this signal. Nothing follows.
    Signalled(i32),
    /// Init could not do its work. Nothing follows.
    Failed(String),
}

impl Frame {
    /// Writes one frame.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let number;
        let (kind, content): (u8, &[u8]) = match self {
            Self::Stdout(bytes) => (1, bytes),
            Self::Stderr(bytes) => (2, bytes),
            Self::Exited(code) => {
                number = code.to_le_bytes();
                (3, &number)
            }
            Self::Signalled(signal) => {
                number = signal.to_le_bytes();
                (4, &number)
            }
            Self::Failed(why) => (5, why.as_bytes()),
        };
        let content = &content[..content.len().min(CONTENT_BYTES_MAX)];
        let length = u32::try_from(content.len()).map_err(io::Error::other)?;
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(content);
        to.write_all(&bytes)?;
        to.flush()
    }

    /// Reads one frame; a kind or a length that no frame has is an error.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; 5];
        from.read_exact(&mut head)?;
        let [kind, length @ ..] = head;
        let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
        if length > CONTENT_BYTES_MAX {
            return Err(io::Error::other(format!(
                "a frame of {length} bytes is longer than any"
            )));
        }
        let mut content = vec![0; length];
        from.read_exact(&mut content)?;
        let number = |content: &[u8]| {
            content.try_into().map(i32::from_le_bytes).map_err(|_| {
                io::Error::other(format!("a number of {} bytes is none", content.len()))
            })
        };
        match kind {
            1 => Ok(Self::Stdout(content)),
            2 => Ok(Self::Stderr(content)),
            3 => number(&content).map(Self::Exited),
            4 => number(&content).map(Self::Signalled),
            5 => Ok(Self::Failed(String::from_utf8_lossy(&content).into_owned())),
            other => Err(io::Error::other(format!("no frame has kind {other}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for frame in [
            Frame::Stdout(b"out".to_vec()),
            Frame::Stderr(Vec::new()),
            Frame::Exited(-1),
            Frame::Signalled(9),
            Frame::Failed("no /proc".to_owned()),
        ] {
            let mut bytes = Vec::new();
            frame.write(&mut bytes).unwrap();
            assert_eq!(Frame::read(&mut bytes.as_slice()).unwrap(), frame);
        }
    }

    #[test]
    fn a_length_beyond_the_cap_is_refused_before_anything_is_read() {
        let mut bytes = vec![1];
        bytes.extend_from_slice(&u32::MAX.to_le_bytes());
        let error = Frame::read(&mut bytes.as_slice()).unwrap_err();
        assert!(error.to_string().contains("longer than any"), "{error}");
    }
}
