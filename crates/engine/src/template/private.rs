//! Packages in a directory of their own, for programs of this host: no template, and nothing that a
//! submission finds.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use stockade_core::error::Error;
use stockade_core::record::sha256_hex;

use super::cache::Cache;
use super::pin::Wheel;
use super::pip::Pip;
use super::{failed, probe};
use crate::engine::Engine;

/// A wheel, by version and digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinnedWheel {
    /// The package's name, normalised.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The wheel's file name.
    pub file: &'static str,
    /// SHA-256 of the file, in hex.
    pub sha256: &'static str,
}

/// The interpreter that template `python` is made from, where it lies on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPython {
    /// Resolved: no part of it is a symbolic link.
    pub interpreter: PathBuf,
    /// Major, minor, patch.
    pub version: (u32, u32, u32),
}

impl Engine {
    /// Asks the interpreter of the host who it is.
    ///
    /// # Errors
    /// `Refused` when there is none, or only one that is too old; `Host` when it does not answer.
    pub fn host_python(&self) -> Result<HostPython, Error> {
        let report = probe::ask(&self.search.interpreter()?)?;
        Ok(HostPython {
            interpreter: report.interpreter,
            version: report.version,
        })
    }

    /// Where the packages of these wheels are, if they were unpacked before for this version of
    /// Python.
    #[must_use]
    pub fn private_packages(&self, python: &HostPython, wheels: &[PinnedWheel]) -> Option<PathBuf> {
        Some(place(self.paths().cache(), python, wheels)).filter(|found| found.is_dir())
    }

    /// Fetches the wheels and unpacks them, if that was not done before; says where. No code of
    /// theirs runs.
    ///
    /// # Errors
    /// `Refused` when the interpreter has no pip and can make no environment with one, or a wheel
    /// has another digest; `Host` when a wheel cannot be had or the cache cannot be used.
    pub fn unpack_private_packages(
        &self,
        python: &HostPython,
        wheels: &[PinnedWheel],
    ) -> Result<PathBuf, Error> {
        let cache = Cache::open(self.paths().cache())?;
        let done = place(self.paths().cache(), python, wheels);
        if done.is_dir() {
            return Ok(done);
        }
        let lock = cache.lock()?;
        let building = cache.start(&lock)?;
        drop(lock);
        let scratch = building.place().join("pip");
        let links = scratch.join("links");
        for folder in [&scratch, &links] {
            make(folder)?;
        }
        let pip = Pip::of(&python.interpreter, &scratch, Vec::new())?;
        let wheels: Vec<_> = wheels.iter().map(wheel).collect();
        for wheel in &wheels {
            let kept = pip.fetch(wheel, cache.wheels(), None)?;
            let link = links.join(&wheel.file);
            symlink(&kept, &link).map_err(|error| failed("make", &link, &error))?;
        }
        let folder = building.place().join("packages");
        pip.unpack(&wheels, &links, &folder)?;
        make(done.parent().unwrap_or(&done))?;
        match fs::rename(&folder, &done) {
            Ok(()) => Ok(done),
            // Another process was faster.
            Err(_) if done.is_dir() => Ok(done),
            Err(error) => Err(failed("keep", &done, &error)),
        }
    }
}

/// For each version of Python another: a wheel says which versions it is for, and pip listens.
fn place(cache: &Path, python: &HostPython, wheels: &[PinnedWheel]) -> PathBuf {
    let (major, minor, _) = python.version;
    let digests: Vec<_> = wheels.iter().map(|wheel| wheel.sha256).collect();
    let mut name = sha256_hex(digests.join("\n").as_bytes());
    name.truncate(16);
    cache
        .join("private")
        .join(format!("{major}.{minor}-{name}"))
}

fn make(folder: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o755).create(folder);
    made.map_err(|error| failed("make", folder, &error))
}

fn wheel(pinned: &PinnedWheel) -> Wheel {
    Wheel {
        name: pinned.name.to_owned(),
        version: pinned.version.to_owned(),
        file: pinned.file.to_owned(),
        sha256: pinned.sha256.to_owned(),
    }
}
