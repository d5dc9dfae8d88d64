//! Debian's cloud kernel, unpacked and never installed.

use crate::apt;
use crate::scratch::Scratch;
use crate::shell::{Shell, cache};
use std::fs;
use std::path::{Path, PathBuf};

/// Its PCI and virtio-console drivers are built in, so the machine needs no module.
const PACKAGE: &str = "linux-image-6.12-cloud-amd64";

/// The kernel's image file. The first call downloads it (34 MB), later ones find it in the cache.
pub(crate) fn image() -> Result<PathBuf, String> {
    let store = cache()?.join("kernel");
    fs::create_dir_all(&store).map_err(|e| format!("cannot make `{}`: {e}", store.display()))?;
    // One at a time: the lock goes with the file, also when this is killed.
    let lock = store.join("lock");
    let held = fs::File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _held = held.map_err(|e| format!("cannot lock `{}`: {e}", lock.display()))?;
    // One that was fetched before does: the kernel under test changes when the cache is emptied.
    if let Some(found) = newest(&store)? {
        return Ok(found);
    }
    apt::ensure(&[apt::DPKG])?;
    if real_package().is_err() {
        apt::update()?;
    }
    let package = real_package()?;
    unpack(&package, Scratch::under(&store)?.path(), &store)
}

fn newest(store: &Path) -> Result<Option<PathBuf>, String> {
    let entries =
        fs::read_dir(store).map_err(|e| format!("cannot list `{}`: {e}", store.display()))?;
    Ok(entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| name.starts_with("vmlinuz-"))
        })
        .max())
}

/// The package that the meta-package stands for, with the version in its name.
fn real_package() -> Result<String, String> {
    Shell::new("apt-cache")
        .args(["depends", "--important", PACKAGE])
        .read()?
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .find(|name| name.starts_with("linux-image-"))
        .map(str::to_owned)
        .ok_or_else(|| format!("package `{PACKAGE}` depends on no kernel; try `apt-get update`"))
}

fn unpack(package: &str, scratch: &Path, store: &Path) -> Result<PathBuf, String> {
    eprintln!("fetching: {package} (a kernel for the virtual machine; it is not installed)");
    Shell::new("apt-get")
        .args(["download", "--quiet", package])
        .directory(scratch)
        .read()?;
    let archive = fs::read_dir(scratch)
        .map_err(|e| format!("cannot list `{}`: {e}", scratch.display()))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|end| end == "deb"))
        .ok_or_else(|| format!("`apt-get download {package}` left no file"))?;
    let tree = scratch.join("tree");
    Shell::new("dpkg-deb")
        .arg("--extract")
        .arg(&archive)
        .arg(&tree)
        .read()?;
    let kernel = newest(&tree.join("boot"))?
        .ok_or_else(|| format!("package `{package}` holds no `/boot/vmlinuz-…`"))?;
    let kept = store.join(kernel.file_name().unwrap_or_default());
    // A rename, so that a second script never sees half a kernel.
    fs::rename(&kernel, &kept).map_err(|e| format!("cannot keep `{}`: {e}", kept.display()))?;
    Ok(kept)
}
