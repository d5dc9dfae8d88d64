//! `cargo xtask python`: the wheel, built as it is published, and its tests in a new environment.

use std::path::{Path, PathBuf};

use crate::apt;
use crate::interpreter::PIP;
use crate::scratch::Scratch;
use crate::shell::{Shell, cache, root};

/// Builds wheels of Rust; also named in `python/pyproject.toml`.
const MATURIN: &str = "maturin==1.16.0";

/// Builds the wheel, installs it into an environment of its own, runs the tests there.
pub(crate) fn run() -> Result<(), String> {
    apt::ensure(&[apt::PYTHON, PIP, apt::CC])?;
    let wheel = wheel()?;
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
        .arg(&wheel)
        .run()?;
    // Elsewhere, so that the package is the installed one and not the one of this checkout.
    Shell::new(&inside)
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(root().join("python/tests"))
        .directory(scratch.path())
        .run()?;
    println!("{}", wheel.display());
    Ok(())
}

fn wheel() -> Result<PathBuf, String> {
    let into = root().join("target/wheels");
    let builder = builder()?;
    Shell::new(builder)
        .args([
            "build",
            "--release",
            "--locked",
            "--strip",
            "--manifest-path",
        ])
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
