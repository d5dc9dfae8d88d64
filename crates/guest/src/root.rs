//! The guest's new root, built before it is entered.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use stockade_core::fence::{Access, Directory};
use stockade_sys::Errno;
use stockade_sys::fs::{self, Kind, Open};
use stockade_sys::mount::{self, Attributes};

/// Permission bits of directories that are made on the way.
const PARENT_MODE: u32 = 0o755;
/// Where in the host's root the scratch file system is attached while its directories are bound:
/// in this mount namespace only, and a directory that every host has.
const SCRATCH: &str = "/proc";

/// A call that failed, and on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) call: String,
    pub(crate) errno: Errno,
}

impl Failed {
    /// For `map_err`.
    pub(crate) fn of(call: &str, what: &str) -> impl FnOnce(Errno) -> Self {
        let call = if what.is_empty() {
            call.to_owned()
        } else {
            format!("{call} {what}")
        };
        move |errno| Self { call, errno }
    }
}

impl From<stockade_sys::failure::Failure> for Failed {
    fn from(failure: stockade_sys::failure::Failure) -> Self {
        Self {
            call: failure.call.to_owned(),
            errno: failure.errno,
        }
    }
}

/// A tmpfs that will be `/`, attached over the present root, which still answers to `/`.
pub(crate) struct Root(OwnedFd);

impl Root {
    /// Makes it.
    pub(crate) fn new(bytes: u64) -> Result<Self, Failed> {
        mount::set_private().map_err(Failed::of("mount_setattr", "/ private"))?;
        let size = number(bytes);
        let options = [(c"size", size.as_c_str()), (c"mode", c"0755")];
        let root = mount::new(c"tmpfs", &options, Attributes::NO_SUID | Attributes::NO_DEV)?;
        let over = fs::root().map_err(Failed::of("open", "/"))?;
        mount::attach(&root, &over).map_err(Failed::of("move_mount", "/"))?;
        Ok(Self(root))
    }

    /// The present root, in a mount namespace that is this process's own by now.
    pub(crate) fn inherited() -> Result<Self, Failed> {
        mount::set_private().map_err(Failed::of("mount_setattr", "/ private"))?;
        fs::root().map(Self).map_err(Failed::of("open", "/"))
    }

    /// Makes a directory with exactly these permission bits; one that exists keeps its own.
    pub(crate) fn make_directory(&self, directory: &Directory) -> Result<(), Failed> {
        let path = &directory.path;
        let (parent, name) = self.parent(path)?;
        match fs::make_directory(&parent, name, directory.mode) {
            Err(Errno::EXIST) => return Ok(()),
            made => made.map_err(Failed::of("mkdir", path))?,
        }
        fs::set_mode_at(&parent, name, directory.mode).map_err(Failed::of("chmod", path))
    }

    pub(crate) fn make_symlink(&self, target: &str, link: &str) -> Result<(), Failed> {
        let (parent, name) = self.parent(link)?;
        fs::make_symlink(target, &parent, name).map_err(Failed::of("symlink", link))
    }

    pub(crate) fn make_file(&self, path: &str, mode: u32, content: &[u8]) -> Result<(), Failed> {
        let (parent, name) = self.parent(path)?;
        let file = fs::open_in_root(&parent, name, Open::New { mode })
            .map_err(Failed::of("create", path))?;
        fs::set_mode(&file, mode).map_err(Failed::of("chmod", path))?;
        fs::write_all(&file, content).map_err(Failed::of("write", path))
    }

    pub(crate) fn bind(&self, source: &str, target: &str, access: Access) -> Result<(), Failed> {
        let tree = mount::copy(Path::new(source)).map_err(Failed::of("open_tree", source))?;
        let attributes = match access {
            Access::ReadOnly => Attributes::READ_ONLY | Attributes::NO_SUID | Attributes::NO_DEV,
            // Read-only: a device can be written to all the same, and its times are the host's.
            Access::Device => Attributes::READ_ONLY | Attributes::NO_SUID | Attributes::NO_EXEC,
        };
        mount::set_attributes(&tree, attributes).map_err(Failed::of("mount_setattr", source))?;
        let kind = fs::facts(&tree).map_err(Failed::of("fstat", source))?.kind;
        let place = self.place(target, kind)?;
        mount::attach(&tree, &place).map_err(Failed::of("move_mount", target))
    }

    pub(crate) fn proc(&self) -> Result<(), Failed> {
        let attributes = Attributes::NO_SUID | Attributes::NO_DEV | Attributes::NO_EXEC;
        let proc = mount::new(c"proc", &[(c"subset", c"pid")], attributes)
            .map_err(|failure| Failed::of("mount proc:", failure.call)(failure.errno))?;
        let place = self.place("/proc", Kind::Directory)?;
        mount::attach(&proc, &place).map_err(Failed::of("move_mount", "/proc"))
    }

    /// One tmpfs for all directories, so that they share one size; each belongs to `owner`.
    pub(crate) fn scratch(
        &self,
        bytes: u64,
        inodes: u64,
        directories: &[Directory],
        owner: Option<(u32, u32)>,
    ) -> Result<(), Failed> {
        // The tmpfs's own root and its directories take inodes too.
        let inodes = number(inodes.saturating_add(directories.len() as u64 + 1));
        let size = number(bytes);
        let options = [
            (c"size", size.as_c_str()),
            (c"nr_inodes", inodes.as_c_str()),
            (c"mode", c"0700"),
        ];
        let scratch = mount::new(c"tmpfs", &options, Attributes::NO_SUID | Attributes::NO_DEV)?;
        // Before Linux 6.15 only what is attached can be copied. It goes away with the old root: to
        // unmount it here would wait for all of the kernel's readers, some 0.1 ms.
        let place = fs::open_directory(Path::new(SCRATCH)).map_err(Failed::of("open", SCRATCH))?;
        mount::attach(&scratch, &place).map_err(Failed::of("move_mount", SCRATCH))?;
        for (at, directory) in directories.iter().enumerate() {
            let (name, path) = (at.to_string(), directory.path.as_str());
            fs::make_directory(&scratch, &name, directory.mode)
                .map_err(Failed::of("mkdir", path))?;
            if let Some((uid, gid)) = owner {
                fs::set_owner_at(&scratch, &name, uid, gid).map_err(Failed::of("chown", path))?;
            }
            fs::set_mode_at(&scratch, &name, directory.mode).map_err(Failed::of("chmod", path))?;
            let tree =
                mount::copy_at(scratch.as_fd(), &name).map_err(Failed::of("open_tree", path))?;
            let place = self.place(path, Kind::Directory)?;
            mount::attach(&tree, &place).map_err(Failed::of("move_mount", path))?;
        }
        Ok(())
    }

    /// Enters it, leaves the host's behind, and makes it read-only.
    pub(crate) fn pivot(self) -> Result<(), Failed> {
        mount::pivot(&self.0)?;
        mount::set_attributes(&self.0, Attributes::READ_ONLY)
            .map_err(Failed::of("mount_setattr", "/ read-only"))
    }

    /// The directory or empty file at `path` to mount on, made if missing.
    fn place(&self, path: &str, kind: Kind) -> Result<OwnedFd, Failed> {
        let (parent, name) = self.parent(path)?;
        if kind == Kind::Directory {
            match fs::make_directory(&parent, name, PARENT_MODE) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(Failed::of("mkdir", path)(errno)),
            }
        } else {
            match fs::open_in_root(&parent, name, Open::New { mode: 0o444 }) {
                Ok(_) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(Failed::of("create", path)(errno)),
            }
        }
        fs::open_in_root(&self.0, path, Open::Path).map_err(Failed::of("open", path))
    }

    /// The open directory that holds `path`, made if missing, and the last component.
    fn parent<'p>(&self, path: &'p str) -> Result<(OwnedFd, &'p str), Failed> {
        let (parent, name) = path
            .rsplit_once('/')
            .ok_or_else(|| Failed::of("no absolute path", path)(Errno::INVAL))?;
        let open = |path: &str| {
            let path = if path.is_empty() { "/" } else { path };
            fs::open_in_root(&self.0, path, Open::Directory)
        };
        match open(parent) {
            Ok(directory) => return Ok((directory, name)),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(Failed::of("open", parent)(errno)),
        }
        let (above, last) = self.parent(parent)?;
        match fs::make_directory(&above, last, PARENT_MODE) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(Failed::of("mkdir", parent)(errno)),
        }
        Ok((open(parent).map_err(Failed::of("open", parent))?, name))
    }
}

/// A sized tmpfs over a directory of the host, for a guest that keeps the host's root: seen in this
/// mount namespace only.
pub(crate) fn volume(
    path: &str,
    bytes: u64,
    inodes: u64,
    directories: &[Directory],
    owner: Option<(u32, u32)>,
) -> Result<(), Failed> {
    mount::set_private().map_err(Failed::of("mount_setattr", "/ private"))?;
    let inodes = number(inodes.saturating_add(directories.len() as u64 + 1));
    let size = number(bytes);
    let options = [
        (c"size", size.as_c_str()),
        (c"nr_inodes", inodes.as_c_str()),
        (c"mode", c"0711"),
    ];
    let volume = mount::new(c"tmpfs", &options, Attributes::NO_SUID | Attributes::NO_DEV)?;
    let place = fs::open_directory(Path::new(path)).map_err(Failed::of("open", path))?;
    mount::attach(&volume, &place).map_err(Failed::of("move_mount", path))?;
    for Directory { path: whole, mode } in directories {
        let name = whole
            .strip_prefix(path)
            .map_or(whole.as_str(), |name| name.trim_matches('/'));
        fs::make_directory(&volume, name, *mode).map_err(Failed::of("mkdir", whole))?;
        if let Some((uid, gid)) = owner {
            fs::set_owner_at(&volume, name, uid, gid).map_err(Failed::of("chown", whole))?;
        }
        fs::set_mode_at(&volume, name, *mode).map_err(Failed::of("chmod", whole))?;
    }
    Ok(())
}

/// A number as the mount API wants it.
fn number(value: u64) -> std::ffi::CString {
    // Digits hold no NUL, so the default is never taken.
    std::ffi::CString::new(value.to_string()).unwrap_or_default()
}
