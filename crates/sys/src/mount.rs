//! Mounts, through the API that works on descriptors (Linux 5.12).

use crate::failure::Failure;
use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
};
use std::ffi::CStr;
use std::ops::BitOr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;

/// What a mount does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes(MountAttrFlags);

impl Attributes {
    /// Nothing can be written.
    pub const READ_ONLY: Self = Self(MountAttrFlags::MOUNT_ATTR_RDONLY);
    /// Set-user-id bits and file capabilities mean nothing.
    pub const NO_SUID: Self = Self(MountAttrFlags::MOUNT_ATTR_NOSUID);
    /// Device nodes cannot be opened.
    pub const NO_DEV: Self = Self(MountAttrFlags::MOUNT_ATTR_NODEV);
    /// Nothing can be executed.
    pub const NO_EXEC: Self = Self(MountAttrFlags::MOUNT_ATTR_NOEXEC);
}

impl BitOr for Attributes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How much of a mount [`set_attributes`] and [`set_private`] change.
#[repr(C)]
#[derive(Default)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns: u64,
}

/// A new file system of `kind` with `options`, attached nowhere yet.
///
/// # Errors
/// [`Failure`] names the call; `fsmount` of `proc` fails with `EPERM` where the host's own `/proc`
/// is covered in part, as it is in containers.
pub fn new(
    kind: &CStr,
    options: &[(&CStr, &CStr)],
    attributes: Attributes,
) -> Result<OwnedFd, Failure> {
    let fs = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC).map_err(of("fsopen"))?;
    rustix::mount::fsconfig_set_string(&fs, c"source", c"stockade")
        .map_err(of("fsconfig source"))?;
    for (key, value) in options {
        rustix::mount::fsconfig_set_string(&fs, *key, *value).map_err(of("fsconfig"))?;
    }
    rustix::mount::fsconfig_create(&fs).map_err(of("fsconfig create"))?;
    rustix::mount::fsmount(&fs, FsMountFlags::FSMOUNT_CLOEXEC, attributes.0).map_err(of("fsmount"))
}

/// A copy of what is mounted at `path`, a file or directory of the host, without the mounts below
/// it, attached nowhere yet.
///
/// # Errors
/// `EINVAL` in a user namespace when the owner of the mounts has locked some below `path`.
pub fn copy(path: &Path) -> rustix::io::Result<OwnedFd> {
    copy_at(CWD, path)
}

/// [`copy`] of `path` below `directory`.
///
/// # Errors
/// As [`copy`].
pub fn copy_at(
    directory: BorrowedFd<'_>,
    path: impl rustix::path::Arg,
) -> rustix::io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_NO_AUTOMOUNT;
    rustix::mount::open_tree(directory, path, flags)
}

/// Attaches a detached mount over the file or directory that `target` names.
///
/// # Errors
/// Those of `move_mount(2)`.
pub fn attach(mount: impl AsFd, target: impl AsFd) -> rustix::io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(mount, c"", target, c"", flags)
}

/// Adds `attributes` to a mount; takes none away, so that those which a user namespace may not
/// change stay.
///
/// # Errors
/// Those of `mount_setattr(2)`.
pub fn set_attributes(mount: impl AsFd, attributes: Attributes) -> rustix::io::Result<()> {
    let attr = MountAttr {
        set: u64::from(attributes.0.bits()),
        ..MountAttr::default()
    };
    set(mount.as_fd().as_raw_fd(), c"", libc::AT_EMPTY_PATH, &attr)
}

/// Stops mounts of this namespace, all of them, from spreading to others and those of others to
/// this one.
///
/// # Errors
/// Those of `mount_setattr(2)`; `EINVAL` when `/` is no mount point.
pub fn set_private() -> rustix::io::Result<()> {
    let attr = MountAttr {
        propagation: libc::MS_PRIVATE,
        ..MountAttr::default()
    };
    set(libc::AT_FDCWD, c"/", libc::AT_RECURSIVE, &attr)
}

fn set(directory: RawFd, path: &CStr, flags: i32, attr: &MountAttr) -> rustix::io::Result<()> {
    // SAFETY: `path` is NUL-terminated, `attr` has the layout and size of the kernel's `struct
    // mount_attr`, and the kernel only reads both.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            directory,
            path.as_ptr(),
            flags,
            std::ptr::from_ref(attr),
            size_of::<MountAttr>(),
        )
    };
    if result < 0 {
        Err(crate::last_errno())
    } else {
        Ok(())
    }
}

/// Makes `root`, a mount, the root of this process and of all others in its mount namespace, and
/// detaches the root before it with everything below. The working directory is then `/`.
///
/// # Errors
/// [`Failure`] names the call.
pub fn pivot(root: impl AsFd) -> Result<(), Failure> {
    rustix::process::fchdir(root).map_err(of("fchdir"))?;
    // The old root comes to lie over the new one, so that no directory is needed for it.
    rustix::process::pivot_root(c".", c".").map_err(of("pivot_root"))?;
    rustix::mount::unmount(c".", UnmountFlags::DETACH).map_err(of("umount2"))?;
    rustix::process::chdir(c"/").map_err(of("chdir"))
}

fn of(call: &'static str) -> impl FnOnce(Errno) -> Failure {
    Failure::of(call)
}
