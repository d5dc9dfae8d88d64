//! Static programs: `stockade` as people run it, and what goes into the virtual machine.

use crate::apt;
use crate::shell::{Shell, root};
use std::path::PathBuf;

/// The one target that is built for.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-gnu";
// With the C library inside, a program starts without the loader and runs in any root.
const STATIC: &str = "target.x86_64-unknown-linux-gnu.rustflags=[\"-Ctarget-feature=+crt-static\"]";

/// `cargo VERB` for static programs.
pub(crate) fn cargo(verb: &str) -> Shell {
    Shell::cargo().args([verb, "--config", STATIC, "--target", TARGET])
}

/// Builds the release `stockade` and returns where it is.
pub(crate) fn stockade() -> Result<PathBuf, String> {
    apt::ensure(&[apt::CC, apt::LIBC])?;
    cargo("build")
        .args(["--release", "--package", "stockade-cli"])
        .run()?;
    built("release/stockade")
}

/// Builds the release program that measures warm runs and returns where it is.
pub(crate) fn race() -> Result<PathBuf, String> {
    apt::ensure(&[apt::CC, apt::LIBC])?;
    cargo("build")
        .args(["--release", "--package", "xtask", "--bin", "race"])
        .args(["--no-default-features", "--features", "race"])
        .run()?;
    built("release/race")
}

/// Builds the virtual machine's init and returns where it is.
pub(crate) fn vm_init() -> Result<PathBuf, String> {
    cargo("build")
        .args([
            "--quiet",
            "--package",
            "xtask",
            "--bin",
            "vm-init",
            "--no-default-features",
        ])
        .run()?;
    built("debug/vm-init")
}

/// Builds a test program of `package` and returns where it is.
pub(crate) fn test(package: &str, test: &str) -> Result<PathBuf, String> {
    let said = cargo("test")
        .args([
            "--package",
            package,
            "--test",
            test,
            "--no-run",
            "--message-format=json",
        ])
        .read()?;
    // One line a message; the last executable is the test's.
    said.lines()
        .filter_map(|line| line.split_once("\"executable\":\""))
        .filter_map(|(_, rest)| rest.split_once('"'))
        .map(|(path, _)| PathBuf::from(path))
        .next_back()
        .ok_or_else(|| format!("cargo names no program for test `{test}` of `{package}`"))
}

fn built(name: &str) -> Result<PathBuf, String> {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    };
    let path = target.join(TARGET).join(name);
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("cargo built no `{}`", path.display()))
    }
}
