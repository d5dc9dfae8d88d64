//! The steps of `check` and `test` that are another tool's work.

use crate::apt;
use crate::shell::{Shell, root, which};

const FUZZ_SECONDS: u32 = 60;

pub(crate) fn fmt() -> Result<(), String> {
    Shell::cargo().args(["fmt", "--all", "--check"]).run()?;
    Shell::cargo()
        .args(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])
        .run()
}

pub(crate) fn clippy() -> Result<(), String> {
    Shell::cargo()
        .args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ])
        .run()?;
    // What the guest's init is compiled with.
    Shell::cargo()
        .args([
            "clippy",
            "--package",
            "stockade-core",
            "--no-default-features",
        ])
        .args(["--", "-D", "warnings"])
        .run()
}

pub(crate) fn documents() -> Result<(), String> {
    Shell::cargo()
        .args([
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
            "--quiet",
        ])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    Shell::cargo()
        .args(["test", "--workspace", "--doc", "--quiet"])
        .run()
}

/// All tests of the workspace but those that boot a machine, which are a step of their own.
pub(crate) fn tests() -> Result<(), String> {
    apt::ensure(&[apt::PYTHON])?;
    let cargo = Shell::cargo();
    if which("cargo-nextest").is_some() {
        cargo
            .args(["nextest", "run", "--workspace", "--features", "xtask/gen"])
            .args(["-E", "not (package(xtask) and test(vm::tests))"])
            .run()
    } else {
        cargo
            .args([
                "test",
                "--workspace",
                "--no-fail-fast",
                "--lib",
                "--bins",
                "--tests",
                "--features",
                "xtask/gen",
            ])
            .args(["--", "--skip", "vm::tests"])
            .run()
    }
}

/// The tests of the virtual machine itself.
pub(crate) fn machine() -> Result<(), String> {
    apt::ensure(&[apt::PYTHON, apt::QEMU])?;
    Shell::cargo()
        .args(["test", "--package", "xtask", "--bin", "xtask", "vm::tests"])
        .run()
}

/// Writes the files made from the tables in `core`, or with `--check` compares them.
pub(crate) fn generate(arguments: &[String]) -> Result<(), String> {
    Shell::cargo()
        .args([
            "run",
            "--quiet",
            "--package",
            "xtask",
            "--no-default-features",
        ])
        .args(["--features", "gen", "--bin", "generate", "--"])
        .args(arguments)
        .run()
}

/// Licences, duplicates and sources of all dependencies, and advisories where they can be had.
pub(crate) fn dependencies() -> Result<(), String> {
    tool("cargo-deny")?;
    Shell::cargo()
        .args([
            "deny",
            "--workspace",
            "check",
            "licenses",
            "bans",
            "sources",
        ])
        .run()?;
    let advisories = Shell::cargo()
        .args(["deny", "--workspace", "check", "advisories"])
        .read();
    match advisories {
        Ok(_) => Ok(()),
        // The database is a git repository; a machine without that way out cannot ask it.
        Err(why) if why.contains("failed to fetch advisory database") => {
            eprintln!("NOT CHECKED: advisories; this machine cannot fetch the advisory database");
            Ok(())
        }
        Err(why) => Err(why),
    }
}

/// Each fuzz target for so many seconds.
pub(crate) fn fuzz(arguments: &[String]) -> Result<(), String> {
    let seconds = match arguments {
        [] => FUZZ_SECONDS,
        [text] => text
            .parse()
            .map_err(|_| format!("`{text}` is no number of seconds"))?,
        [_, ..] => return Err("usage: cargo xtask fuzz [SECONDS]".to_owned()),
    };
    apt::ensure(&[apt::CXX])?;
    tool("cargo-fuzz")?;
    let listed = Shell::cargo().args(["fuzz", "list"]).read()?;
    let targets: Vec<&str> = listed.lines().filter(|line| !line.is_empty()).collect();
    if targets.is_empty() {
        return Err("`cargo fuzz list` names no target".to_owned());
    }
    for target in targets {
        let (corpus, seeds) = (
            format!("fuzz/corpus/{target}"),
            format!("fuzz/seeds/{target}"),
        );
        std::fs::create_dir_all(root().join(&corpus))
            .map_err(|e| format!("cannot make `{corpus}`: {e}"))?;
        Shell::cargo()
            .args([
                "fuzz",
                "run",
                "--sanitizer",
                "none",
                target,
                &corpus,
                &seeds,
                "--",
            ])
            .args([
                format!("-max_total_time={seconds}"),
                "-print_final_stats=1".to_owned(),
            ])
            .run()?;
    }
    Ok(())
}

/// Installs one of cargo's own tools if it is missing.
fn tool(name: &str) -> Result<(), String> {
    if which(name).is_some() {
        return Ok(());
    }
    eprintln!("missing: `{name}`; building it, once");
    Shell::cargo()
        .args(["install", "--locked", "--quiet", name])
        .directory(&std::env::temp_dir())
        .run()
}
