//! `cargo xtask bench check`: the standard library through `stockade check`, as a person runs it,
//! beside what Python itself takes to parse it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::Report;
use crate::scratch::Scratch;
use crate::shell::Shell;

const PYTHON: &str = "/usr/bin/python3";
const ROUNDS: usize = 7;
/// Megabytes a second that the project promises.
const RATE_MIN: f64 = 15.0;

/// As many of the library's files as Python can parse itself.
const LIBRARY: &str = "import sysconfig; print(sysconfig.get_path('stdlib'))";
const PARSED: &str = "\
import ast, sys, time
sources = [open(name, 'rb').read() for name in open(sys.argv[1]).read().split()]
begun = time.perf_counter()
for source in sources:
    try:
        ast.parse(source)
    except SyntaxError:
        pass
print(time.perf_counter() - begun)
";

pub(super) fn measure(stockade: &Path, report: &mut Report) -> Result<(), String> {
    let library = Shell::new(PYTHON).args(["-c", LIBRARY]).read()?;
    let mut files = Vec::new();
    collect(Path::new(library.trim()), &mut files)?;
    let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    #[allow(clippy::cast_precision_loss, reason = "a rate for people")]
    let megabytes = bytes as f64 / 1e6;
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let policy = scratch.path().join("library.toml");
    let text = "python = '3.13'\n[limits]\nsource-bytes = 16777216\n";
    std::fs::write(&policy, text)
        .map_err(|e| format!("cannot write `{}`: {e}", policy.display()))?;
    let mut times = Vec::new();
    let mut findings = 0;
    for _ in 0..ROUNDS {
        let checked = Shell::new(stockade)
            .args(["check", "--output-format", "concise", "--policy"])
            .arg(&policy)
            .args(files.iter().map(|(path, _)| path));
        let begun = Instant::now();
        let said = checked.capture()?;
        times.push(begun.elapsed().as_secs_f64());
        if said.code != Some(1) {
            return Err(format!(
                "`stockade check` ended with {:?}: {}",
                said.code, said.stderr
            ));
        }
        findings = said.stdout.lines().count();
    }
    times.sort_by(f64::total_cmp);
    let rate = megabytes / times[ROUNDS / 2];
    let list = scratch.path().join("files");
    let names: Vec<String> = files
        .iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    std::fs::write(&list, names.join("\n"))
        .map_err(|e| format!("cannot write `{}`: {e}", list.display()))?;
    let python = Shell::new(PYTHON).args(["-c", PARSED]).arg(&list).read()?;
    let python: f64 = python
        .trim()
        .parse()
        .map_err(|e| format!("`{PYTHON}` printed no time: {e}"))?;
    println!(
        "{} files of {library}, {megabytes:.1} MB, {findings} lines printed",
        files.len(),
        library = library.trim()
    );
    println!(
        "check {rate:.1} MB/s (reading, judging and printing, median of {ROUNDS}); Python parses \
         {:.1} MB/s: {:.1} times",
        megabytes / python,
        rate * python / megabytes
    );
    report.least("check_mb_per_s", rate, RATE_MIN);
    Ok(())
}

/// The Python files below `place` with their sizes, but for packages that were installed.
fn collect(place: &Path, files: &mut Vec<(PathBuf, u64)>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot list `{}`: {e}", place.display());
    for entry in std::fs::read_dir(place).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        let installed = path.ends_with("dist-packages") || path.ends_with("site-packages");
        if kind.is_dir() && !installed {
            collect(&path, files)?;
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "py") {
            files.push((path, entry.metadata().map_err(failed)?.len()));
        }
    }
    Ok(())
}
