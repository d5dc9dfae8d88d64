//! Landlock: a second fence over the file system, which holds where a mount was forgotten.
//!
//! The kernel's abilities grow with its ABI number. What this kernel lacks is left out and named
//! in [`Applied`], never passed over in silence.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::io::Errno;

/// The newest ABI that the `landlock` crate knows; the rights asked for are all of its.
const NEWEST: ABI = ABI::V10;

/// `LANDLOCK_CREATE_RULESET_VERSION` of <linux/landlock.h>.
const VERSION: u32 = 1;

/// What may be done where.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fence<'a> {
    /// Files at and below these may be read and executed, and directories listed.
    pub read: &'a [&'a Path],
    /// Directories at and below these may be listed, and nothing else.
    pub list: &'a [&'a Path],
    /// As `read`, and written, made, renamed and removed; device nodes may not be made.
    pub write: &'a [&'a Path],
    /// Device files that may be read and written, but for `ioctl`, or directories of them.
    pub devices: &'a [&'a Path],
    /// Whether TCP `bind` and `connect` are refused.
    pub deny_tcp: bool,
}

/// A fence in force, as far as this kernel's ABI reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The kernel's ABI.
    pub abi: u32,
    /// File rights that a newer kernel would have fenced in and this one does not.
    pub missing: Vec<String>,
    /// Signals and abstract sockets end at the fence (ABI 6).
    pub scopes: bool,
    /// TCP is refused: asked for, and ABI 4.
    pub tcp: bool,
}

/// The ABI of the running kernel, asked of the kernel.
///
/// # Errors
/// `ENOSYS` where it is not built in or an outer filter hides it, `EOPNOTSUPP` where it was not
/// switched on at boot.
pub fn abi() -> io::Result<u32> {
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with `VERSION` the kernel wants a null pointer and the size 0, and reads no memory.
    let answer = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, VERSION) };
    u32::try_from(answer).map_err(|_| io::Error::last_os_error())
}

/// Puts the calling thread and all that it starts behind a fence, for good. Sets `no_new_privs`.
///
/// # Errors
/// As [`abi`]; a path that cannot be opened, by name; a rule or restriction that the kernel does
/// not take.
pub fn restrict(fence: &Fence<'_>) -> io::Result<Applied> {
    let version = abi()?;
    let kernel = ABI::from(i32::try_from(version).unwrap_or(i32::MAX));
    let all = AccessFs::from_all(NEWEST);
    let mut ruleset = Ruleset::default()
        .handle_access(all)
        .and_then(|ruleset| ruleset.scope(BitFlags::<Scope>::all()))
        .map_err(|error| refused("describe the fence", error))?;
    if fence.deny_tcp {
        ruleset = ruleset
            .handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)
            .map_err(|error| refused("describe the fence", error))?;
    }
    let mut ruleset = ruleset
        .create()
        .map_err(|error| refused("make a ruleset", error))?;
    let read = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
    // `ioctl` on a device, and making one: nothing that a submission does needs either.
    let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    for (paths, rights) in [
        (fence.list, AccessFs::ReadDir.into()),
        (fence.read, read),
        (fence.write, write),
        (fence.devices, device),
    ] {
        for path in paths {
            ruleset = allow(ruleset, path, rights)?;
        }
    }
    let status = ruleset
        .restrict_self()
        .map_err(|error| refused("restrict itself", error))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(Applied {
            abi: version,
            missing: (all & !AccessFs::from_all(kernel))
                .iter()
                .map(|right| format!("{right:?}"))
                .collect(),
            scopes: Scope::from_all(kernel) == BitFlags::<Scope>::all(),
            tcp: fence.deny_tcp && !AccessNet::from_all(kernel).is_empty(),
        }),
        RulesetStatus::NotEnforced => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("cannot use Landlock: ABI {version} enforced nothing of the fence"),
        )),
    }
}

/// Ends signals and abstract sockets of the calling thread and all that it starts at this fence,
/// and TCP where `deny_tcp`, and leaves files alone: whoever has a fence around files cannot mount.
/// Where the kernel has none of it (scopes before ABI 6, TCP before ABI 4) nothing is done. Sets
/// `no_new_privs`.
///
/// # Errors
/// As [`abi`]; a restriction that the kernel does not take.
pub fn restrict_scopes(deny_tcp: bool) -> io::Result<Applied> {
    let version = abi()?;
    let kernel = ABI::from(i32::try_from(version).unwrap_or(i32::MAX));
    let applied = Applied {
        abi: version,
        missing: Vec::new(),
        scopes: !Scope::from_all(kernel).is_empty(),
        tcp: deny_tcp && !AccessNet::from_all(kernel).is_empty(),
    };
    if !(applied.scopes || applied.tcp) {
        return Ok(applied);
    }
    let mut ruleset = Ruleset::default()
        .scope(BitFlags::<Scope>::all())
        .map_err(|error| refused("describe the fence", error))?;
    if deny_tcp {
        ruleset = ruleset
            .handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)
            .map_err(|error| refused("describe the fence", error))?;
    }
    ruleset
        .create()
        .and_then(RulesetCreated::restrict_self)
        .map_err(|error| refused("end signals and TCP", error))?;
    Ok(applied)
}

fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    let metadata = std::fs::metadata(path).map_err(|error| missing(path, error))?;
    // The kernel refuses rights that only a directory has in a rule for a file.
    let rights = if metadata.is_dir() {
        rights
    } else {
        rights & AccessFs::from_file(NEWEST)
    };
    let place = PathFd::new(path).map_err(|error| missing(path, error))?;
    ruleset
        .add_rule(PathBeneath::new(place, rights))
        .map_err(|error| refused(&format!("allow `{}`", path.display()), error))
}

/// The kernel's error behind one of [`restrict`]'s, which says in words what was tried.
#[must_use]
pub fn errno(error: &io::Error) -> Option<Errno> {
    if let Some(errno) = Errno::from_io_error(error) {
        return Some(errno);
    }
    let mut cause = error.get_ref().and_then(|inner| inner.source());
    while let Some(inner) = cause {
        if let Some(errno) = inner.downcast_ref().and_then(Errno::from_io_error) {
            return Some(errno);
        }
        cause = inner.source();
    }
    None
}

/// An attempt that failed, and its cause.
#[derive(Debug)]
struct Attempt {
    what: String,
    cause: Box<dyn Error + Send + Sync>,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} by Landlock: {}", self.what, self.cause)
    }
}

impl Error for Attempt {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.cause)
    }
}

fn missing(path: &Path, cause: impl Error + Send + Sync + 'static) -> io::Error {
    let what = format!("allow `{}`", path.display());
    io::Error::new(
        io::ErrorKind::NotFound,
        Attempt {
            what,
            cause: Box::new(cause),
        },
    )
}

fn refused(what: &str, cause: impl Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(Attempt {
        what: what.to_owned(),
        cause: Box::new(cause),
    })
}

#[cfg(test)]
mod tests;
