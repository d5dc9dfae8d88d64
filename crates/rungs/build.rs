//! Builds the guest, as a static program and as a library for a Python interpreter, and hands the
//! paths to `include_bytes!`.
//!
//! Cargo has no stable way to depend on another package's binary for another configuration, so
//! this calls cargo again, with a target directory of its own: the outer build holds the lock of
//! the usual one.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for watched in [
        "core/src",
        "core/Cargo.toml",
        "sys/src",
        "sys/Cargo.toml",
        "guest",
    ] {
        println!("cargo::rerun-if-changed={}", crates.join(watched).display());
    }
    for (variable, kind) in [
        ("STOCKADE_GUEST", Kind::Init),
        ("STOCKADE_ZYGOTE", Kind::Zygote),
    ] {
        let built = build(&crates, kind);
        match built.and_then(|path| digest(&path).map(|digest| (path, digest))) {
            Ok((path, digest)) => {
                println!("cargo::rustc-env={variable}={}", path.display());
                println!("cargo::rustc-env={variable}_DIGEST={digest}");
            }
            Err(why) => {
                println!("cargo::error=cannot build the guest: {why}");
                exit(1);
            }
        }
    }
}

/// What the guest's crate is built as.
#[derive(Clone, Copy)]
enum Kind {
    /// A static program.
    Init,
    /// A library that a Python interpreter loads.
    Zygote,
}

fn digest(path: &Path) -> Result<String, String> {
    use sha2::Digest as _;
    let program = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(format!("{:x}", sha2::Sha256::digest(program)))
}

fn build(crates: &Path, kind: Kind) -> Result<PathBuf, String> {
    let var = |name: &str| env::var(name).map_err(|e| format!("{name}: {e}"));
    let arch = var("CARGO_CFG_TARGET_ARCH")?;
    let triple = format!("{arch}-unknown-linux-gnu");
    // OUT_DIR is <target>/<profile>/build/<package>/out: all profiles share one build.
    let out = PathBuf::from(var("OUT_DIR")?);
    let above = out.ancestors().nth(4).unwrap_or(&out);
    let target = above.join("guest");
    let mut command = Command::new(var("CARGO")?);
    let (flags, name) = match kind {
        Kind::Init => {
            command.args(["build", "--bins"]);
            ("-C target-feature=+crt-static", "stockade-guest")
        }
        Kind::Zygote => {
            command.args(["rustc", "--lib", "--crate-type", "cdylib"]);
            command.args(["--features", "zygote"]);
            ("", "libstockade_guest.so")
        }
    };
    let status = command
        .args(["--quiet", "--package", "stockade-guest"])
        .args(["--profile", "guest", "--target", &triple])
        .arg("--manifest-path")
        .arg(crates.join("../Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .env("RUSTFLAGS", flags)
        .status()
        .map_err(|e| format!("cargo did not start: {e}"))?;
    if !status.success() {
        return Err(format!("cargo ended with {status}"));
    }
    Ok(target.join(triple).join("guest").join(name))
}
