//! `cargo xtask python`: the wheels, built as they are published, and their tests in new
//! environments.

use std::path::{Path, PathBuf};

use crate::apt;
use crate::interpreter::PIP;
use crate::scratch::Scratch;
use crate::shell::{Shell, cache, root};

/// Builds wheels of Rust; also named in `python/pyproject.toml`.
const MATURIN: &str = "maturin==1.16.0";

/// Which Pythons a wheel is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Abi {
    /// The version of the system's Python, whose objects it reads where they are.
    Own,
    /// Each from 3.10 on, by the stable ABI.
    Stable,
}

impl Abi {
    pub(crate) const ALL: [Self; 2] = [Self::Own, Self::Stable];

    fn features(self) -> &'static [&'static str] {
        match self {
            Self::Own => &[],
            Self::Stable => &["--features", "abi3"],
        }
    }
}

/// Builds each wheel, installs it into an environment of its own, runs the tests there.
pub(crate) fn run() -> Result<(), String> {
    for abi in Abi::ALL {
        let wheel = wheel(abi)?;
        test(&wheel)?;
        println!("{}", wheel.display());
    }
    Ok(())
}

fn test(wheel: &Path) -> Result<(), String> {
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let environment = scratch.path().join("environment");
    let python = apt::PYTHON.program;
    // Debian keeps what puts pip into a new environment in another package.
    Shell::new(python)
        .args(["-m", "venv", "--without-pip"])
        .arg(&environment)
        .run()?;
    let inside = environment.join("bin/python");
    Shell::new(python)
        .args(["-m", "pip", "--python"])
        .arg(&inside)
        .args(["install", "--quiet", "--no-index"])
        .arg(wheel)
        .run()?;
    // Elsewhere, so that the package is the installed one and not the one of this checkout.
    Shell::new(&inside)
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(root().join("python/tests"))
        .directory(scratch.path())
        .run()
}

/// The wheel, built as it is published.
pub(crate) fn wheel(abi: Abi) -> Result<PathBuf, String> {
    apt::ensure(&[apt::PYTHON, PIP, apt::CC])?;
    let into = root().join("target/wheels");
    let builder = builder()?;
    Shell::new(builder)
        .args(["build", "--release", "--locked", "--strip"])
        .args(["--interpreter", apt::PYTHON.program])
        .args(abi.features())
        .arg("--manifest-path")
        .arg(root().join("python/native/Cargo.toml"))
        .arg("--out")
        .arg(&into)
        .run()?;
    newest(&into)
}

/// Maturin, kept for later runs.
fn builder() -> Result<PathBuf, String> {
    let kept = cache()?.join(MATURIN);
    let program = kept.join("bin/maturin");
    if !program.is_file() {
        Shell::new(apt::PYTHON.program)
            .args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:"])
            .arg("--target")
            .arg(&kept)
            .arg(MATURIN)
            .run()?;
    }
    Ok(program)
}

/// The wheel that was written last.
fn newest(directory: &Path) -> Result<PathBuf, String> {
    let read = std::fs::read_dir(directory)
        .map_err(|e| format!("cannot read `{}`: {e}", directory.display()))?;
    read.filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "whl"))
        .max_by_key(|entry| entry.metadata().and_then(|of| of.modified()).ok())
        .map(|entry| entry.path())
        .ok_or_else(|| format!("maturin left no wheel in `{}`", directory.display()))
}
