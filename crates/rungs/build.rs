//! Builds the guest's init as a static program and hands its path to `include_bytes!`.
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
    let built = build(&crates).and_then(|path| digest(&path).map(|digest| (path, digest)));
    match built {
        Ok((path, digest)) => {
            println!("cargo::rustc-env=STOCKADE_GUEST={}", path.display());
            println!("cargo::rustc-env=STOCKADE_GUEST_DIGEST={digest}");
        }
        Err(why) => {
            println!("cargo::error=cannot build the guest's init: {why}");
            exit(1);
        }
    }
}

fn digest(path: &Path) -> Result<String, String> {
    use sha2::Digest as _;
    let program = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(format!("{:x}", sha2::Sha256::digest(program)))
}

fn build(crates: &Path) -> Result<PathBuf, String> {
    let var = |name: &str| env::var(name).map_err(|e| format!("{name}: {e}"));
    let arch = var("CARGO_CFG_TARGET_ARCH")?;
    let triple = format!("{arch}-unknown-linux-gnu");
    // OUT_DIR is <target>/<profile>/build/<package>/out: all profiles share one build.
    let out = PathBuf::from(var("OUT_DIR")?);
    let above = out.ancestors().nth(4).unwrap_or(&out);
    let target = above.join("guest");
    let status = Command::new(var("CARGO")?)
        .args([
            "build",
            "--quiet",
            "--package",
            "stockade-guest",
            "--profile",
            "guest",
        ])
        .args(["--target", &triple])
        .arg("--manifest-path")
        .arg(crates.join("../Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .status()
        .map_err(|e| format!("cargo did not start: {e}"))?;
    if !status.success() {
        return Err(format!("cargo ended with {status}"));
    }
    Ok(target.join(triple).join("guest/stockade-guest"))
}
