//! Lists the hostile programs, so that they are in the binary.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::exit;

/// Folders of `escape/` that hold probes; the kind of a probe is its folder.
const KINDS: [&str; 3] = ["escape", "exhaust", "leak"];

fn main() {
    if let Err(error) = list() {
        println!("cargo::error=cannot list the corpus in `escape/`: {error}");
        exit(1);
    }
}

fn list() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../escape");
    let mut text = String::from("&[\n");
    for kind in KINDS {
        let folder = root.join(kind);
        // Also where it is not there yet: cargo looks again then.
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = match fs::read_dir(&folder) {
            Ok(entries) => entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<io::Result<Vec<PathBuf>>>()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        files.retain(|path| path.extension().is_some_and(|end| end == "py"));
        files.sort();
        for path in files {
            let path = path.canonicalize()?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{kind}/{name}");
            writeln!(
                text,
                "({name:?}, include_bytes!({:?})),",
                path.display().to_string()
            )
            .map_err(io::Error::other)?;
        }
    }
    text.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?;
    fs::write(Path::new(&out).join("corpus.rs"), text)
}
