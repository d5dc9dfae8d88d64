//! Files that are opened without trusting their names.

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// What an open file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    Plain,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Something that this list does not name.
    Other,
}

/// What is known about an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// Number of its names.
    pub links: u64,
    /// Apparent size, bytes.
    pub bytes: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Permission bits.
    pub mode: u32,
    /// Device that it lies on.
    pub device: u64,
    /// Inode.
    pub inode: u64,
}

/// How a file is opened; all are close-on-exec and never become a controlling terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// To read; does not wait for a FIFO's writer.
    Read,
    /// A name only (`O_PATH`): nothing is read and no device is touched.
    Path,
    /// A directory, to use as a start for others; its entries cannot be read.
    Directory,
    /// A new file to write, with these permission bits less the umask.
    New {
        /// Permission bits.
        mode: u32,
    },
    /// To write; created with these bits, emptied when it exists.
    Write {
        /// Permission bits.
        mode: u32,
    },
}

impl Open {
    fn flags(self) -> (OFlags, Mode) {
        let all = OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        let (flags, mode) = match self {
            Self::Read => (OFlags::RDONLY, 0),
            // The kernel refuses what has no meaning beside `O_PATH`.
            Self::Path => return (OFlags::PATH | OFlags::CLOEXEC, Mode::empty()),
            Self::Directory => {
                return (
                    OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
                    Mode::empty(),
                );
            }
            Self::New { mode } => (OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, mode),
            Self::Write { mode } => (OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC, mode),
        };
        (flags | all, Mode::from_raw_mode(mode & 0o7777))
    }
}

/// Opens `path`, relative, below `directory`, through no symbolic link, no `..` that leads out and
/// no magic link.
///
/// # Errors
/// `ELOOP` for a symbolic link anywhere, `EXDEV` for a path that leads out, and those of
/// `openat2(2)`.
pub fn open_beneath(
    directory: impl AsFd,
    path: impl rustix::path::Arg + Copy,
    how: Open,
) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    open_resolved(directory, path, how, resolve)
}

fn open_resolved(
    directory: impl AsFd,
    path: impl rustix::path::Arg + Copy,
    how: Open,
    resolve: ResolveFlags,
) -> rustix::io::Result<OwnedFd> {
    let (flags, mode) = how.flags();
    loop {
        // A rename or mount elsewhere makes the kernel ask for another try.
        match rustix::fs::openat2(&directory, path, flags, mode, resolve) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            result => return result,
        }
    }
}

/// The root directory, to use as a start for others.
///
/// # Errors
/// Those of `open(2)`.
pub fn root() -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(c"/", flags, Mode::empty())
}

/// Opens `path` as if `root` were `/`: symbolic links are followed, but never out of it.
///
/// # Errors
/// Those of `openat2(2)`.
pub fn open_in_root(
    root: impl AsFd,
    path: impl rustix::path::Arg + Copy,
    how: Open,
) -> rustix::io::Result<OwnedFd> {
    open_resolved(
        root,
        path,
        how,
        ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS,
    )
}

/// Opens a directory of our own by its path; the last component is no symbolic link.
///
/// # Errors
/// Those of `open(2)`.
pub fn open_directory(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    rustix::fs::open(path, flags, Mode::empty())
}

/// Facts about an open file.
///
/// # Errors
/// Those of `fstat(2)`.
pub fn facts(file: impl AsFd) -> rustix::io::Result<Facts> {
    Ok(from_stat(&rustix::fs::fstat(file)?))
}

/// Facts about the last component of `path` below `directory` itself, not about what it points to.
///
/// # Errors
/// Those of `fstatat(2)`.
pub fn facts_at(directory: impl AsFd, path: &CStr) -> rustix::io::Result<Facts> {
    let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
    Ok(from_stat(&rustix::fs::statat(directory, path, flags)?))
}

// The widths of these fields differ between architectures.
#[allow(clippy::useless_conversion, reason = "u32 on aarch64, u64 on x86_64")]
fn from_stat(stat: &Stat) -> Facts {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::Plain,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Symlink,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
        FileType::Unknown => Kind::Other,
    };
    Facts {
        kind,
        links: u64::from(stat.st_nlink),
        bytes: u64::try_from(stat.st_size).unwrap_or(0),
        uid: stat.st_uid,
        gid: stat.st_gid,
        mode: stat.st_mode & 0o7777,
        device: stat.st_dev,
        inode: stat.st_ino,
    }
}

/// How full a file system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes that are used.
    pub used_bytes: u64,
    /// Bytes that are free to an unprivileged user.
    pub free_bytes: u64,
    /// Inodes that are free; `None` where there is no such limit.
    pub free_inodes: Option<u64>,
}

/// How full the file system of an open file is.
///
/// # Errors
/// Those of `fstatfs(2)`.
pub fn space(file: impl AsFd) -> rustix::io::Result<Space> {
    let stat = rustix::fs::fstatvfs(file)?;
    Ok(Space {
        used_bytes: stat
            .f_blocks
            .saturating_sub(stat.f_bfree)
            .saturating_mul(stat.f_frsize),
        free_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
        free_inodes: (stat.f_files != 0).then_some(stat.f_favail),
    })
}

/// Whether this process may execute the program at `path` (`access(2)`).
#[must_use]
pub fn executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Makes a directory, with these permission bits less the umask.
///
/// # Errors
/// Those of `mkdirat(2)`.
pub fn make_directory(at: impl AsFd, name: &str, mode: u32) -> rustix::io::Result<()> {
    rustix::fs::mkdirat(at, name, Mode::from_raw_mode(mode))
}

/// Makes a symbolic link.
///
/// # Errors
/// Those of `symlinkat(2)`.
pub fn make_symlink(target: &str, at: impl AsFd, name: &str) -> rustix::io::Result<()> {
    rustix::fs::symlinkat(target, at, name)
}

/// Sets the permission bits of an open file, whatever the umask.
///
/// # Errors
/// Those of `fchmod(2)`.
pub fn set_mode(file: impl AsFd, mode: u32) -> rustix::io::Result<()> {
    rustix::fs::fchmod(file, Mode::from_raw_mode(mode))
}

/// Sets the permission bits of the directory entry `name`, which is no symbolic link.
///
/// # Errors
/// Those of `fchmodat(2)`.
pub fn set_mode_at(at: impl AsFd, name: &str, mode: u32) -> rustix::io::Result<()> {
    rustix::fs::chmodat(
        at,
        name,
        Mode::from_raw_mode(mode),
        rustix::fs::AtFlags::empty(),
    )
}

/// Sets the owner of the directory entry `name`.
///
/// # Errors
/// Those of `fchownat(2)`.
pub fn set_owner_at(at: impl AsFd, name: &str, uid: u32, gid: u32) -> rustix::io::Result<()> {
    let uid = rustix::fs::Uid::from_raw(uid);
    let gid = rustix::fs::Gid::from_raw(gid);
    rustix::fs::chownat(
        at,
        name,
        Some(uid),
        Some(gid),
        rustix::fs::AtFlags::SYMLINK_NOFOLLOW,
    )
}

/// Writes all of `bytes`.
///
/// # Errors
/// Those of `write(2)`, `EINTR` excepted.
pub fn write_all(file: impl AsFd, mut bytes: &[u8]) -> rustix::io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(&file, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Makes sure that `bytes` more can be appended to `file`, without changing its size. On a file
/// system that cannot promise it, nothing is promised.
///
/// # Errors
/// `ENOSPC`, `EDQUOT` and others of `fallocate(2)`.
pub fn reserve(file: &std::fs::File, bytes: u64) -> rustix::io::Result<()> {
    use rustix::fs::FallocateFlags;
    let end = rustix::fs::fstat(file)?.st_size.unsigned_abs();
    match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, end, bytes) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) | Ok(()) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// Whether the file behind `fd`, which is open to be read alone and belongs to us, is open for
/// writing nowhere: as long as it is, also in a child that another thread has forked and that has
/// not reached its `exec`, the kernel refuses to execute it (`ETXTBSY`). True as well where the
/// file system cannot say.
#[must_use]
pub fn is_written_by_nobody(fd: impl AsFd) -> bool {
    let lease = |kind: libc::c_int| {
        let fd = std::os::fd::AsRawFd::as_raw_fd(&fd.as_fd());
        // SAFETY: a lease is asked for by numbers; no memory of ours is read or written.
        match unsafe { libc::fcntl(fd, libc::F_SETLEASE, kind) } {
            -1 => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        }
    };
    // A lease for readers is given when there is no writer.
    match lease(libc::F_RDLCK) {
        Ok(()) => lease(libc::F_UNLCK).is_ok(),
        Err(error) => error.raw_os_error() != Some(libc::EAGAIN),
    }
}
