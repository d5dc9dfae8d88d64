//! numpy and pandas: what they need of the kernel, and how their values leave the guest.
//!
//! No template has packages yet, so an environment of its own is made for these tests, kept by the
//! versions in it.

use crate::apt;
use crate::shell::{Shell, cache};
use std::path::{Path, PathBuf};

/// Versions that have wheels for Debian 12's Python.
const PACKAGES: [&str; 2] = ["numpy==2.2.6", "pandas==2.2.3"];

/// Makes `venv` whole.
const VENV: apt::Need = apt::Need {
    program: "/usr/share/doc/python3-venv",
    package: "python3-venv",
    purpose: "makes the environment that numpy and pandas are installed into",
};

/// Runs the tests that want a Python with numpy and pandas.
pub(crate) fn run() -> Result<(), String> {
    apt::ensure(&[apt::PYTHON, VENV])?;
    let python = environment()?;
    Shell::cargo()
        .args([
            "nextest",
            "run",
            "--package",
            "stockade-rungs",
            "--package",
            "stockade",
        ])
        .args(["--run-ignored", "all", "-E"])
        .arg("test(numpy_and_pandas_work) or test(every_conversion_rule_holds)")
        .env("STOCKADE_DATA_PYTHON", &python)
        .run()
}

/// The interpreter of the environment, made if it is missing; whole or not at all.
fn environment() -> Result<PathBuf, String> {
    let place = cache()?.join(format!("data-{}", PACKAGES.join("-")));
    let python = place.join("bin/python");
    if python.exists() {
        return Ok(python);
    }
    let failed = |path: &Path, e: std::io::Error| format!("cannot move `{}`: {e}", path.display());
    // Paths in an environment are absolute, so it is made where it stays, and marked when whole.
    let partial = place.join("bin/python.partial");
    Shell::new(apt::PYTHON.program)
        .args(["-m", "venv", "--clear"])
        .arg(&place)
        .run()?;
    std::fs::rename(&python, &partial).map_err(|e| failed(&python, e))?;
    Shell::new(&partial)
        .args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:"])
        .args(PACKAGES)
        .run()?;
    std::fs::rename(&partial, &python).map_err(|e| failed(&partial, e))?;
    Ok(python)
}
