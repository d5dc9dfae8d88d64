//! The steps of `check` and `test` that are another tool's work.

use crate::apt;
use crate::nsjail;
use crate::shell::{Shell, root, tools, which};

const FUZZ_SECONDS: u32 = 60;
/// The versions that were tried; another that is installed is taken as it is.
const NEXTEST: &str = "cargo-nextest@0.9.143";
const DENY: &str = "cargo-deny@0.20.2";
const FUZZ: &str = "cargo-fuzz@0.13.2";

pub(crate) fn fmt() -> Result<(), String> {
    Shell::cargo().args(["fmt", "--all", "--check"]).run()?;
    Shell::cargo()
        .args(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])
        .run()
}

pub(crate) fn clippy() -> Result<(), String> {
    apt::ensure(&[apt::PYTHON])?;
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
    // What the guest's init is compiled with, and the wheel for one Python.
    for package in ["stockade-core", "stockade-python"] {
        Shell::cargo()
            .args(["clippy", "--package", package, "--no-default-features"])
            .args(["--", "-D", "warnings"])
            .env("PYO3_PYTHON", apt::PYTHON.program)
            .run()?;
    }
    Ok(())
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
    apt::ensure(&[apt::PYTHON, apt::BWRAP])?;
    tool(NEXTEST)?;
    let tests = Shell::cargo();
    let tests = match nsjail::program() {
        Ok(program) => tests.env("STOCKADE_NSJAIL", program),
        // The index of packages may be out of reach.
        Err(why) => {
            eprintln!("NOT RUN: the corpus in nsjail; {why}");
            tests
        }
    };
    tests
        .args(["nextest", "run", "--workspace"])
        .args(["--features", "xtask/gen,xtask/race"])
        .args(["-E", "not (package(xtask) and test(vm::tests))"])
        .run()
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
    tool(DENY)?;
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
    tool(FUZZ)?;
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

/// Builds one of cargo's tools, `NAME@VERSION`, if none of that name is there.
fn tool(wanted: &str) -> Result<(), String> {
    let name = wanted.split('@').next().unwrap_or(wanted);
    if which(name).is_some() {
        return Ok(());
    }
    eprintln!(
        "missing: `{name}`; building it, once, into `{}`",
        tools()?.display()
    );
    // Elsewhere, as this workspace's own settings are not the tool's.
    Shell::cargo()
        .args(["install", "--locked", "--quiet", "--root"])
        .arg(tools()?)
        .arg(wanted)
        .directory(&std::env::temp_dir())
        .run()
}
