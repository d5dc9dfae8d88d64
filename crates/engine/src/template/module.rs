//! Stockade's own modules in the guest, and how Python files are compiled ahead.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_sys::tool::{self, Tool};

use super::failed;
use super::tree::{make_dir, write_file};

/// The modules that Stockade puts into the guest.
const MODULES: [(&str, &[u8]); 5] = [
    (
        "_stockade_boot.py",
        include_bytes!("../../python/_stockade_boot.py"),
    ),
    (
        "_stockade_call.py",
        include_bytes!("../../python/_stockade_call.py"),
    ),
    (
        "_stockade_zygote_park.py",
        include_bytes!("../../python/_stockade_zygote_park.py"),
    ),
    ("stockade.pth", include_bytes!("../../python/stockade.pth")),
    (
        "stockade_guest.py",
        include_bytes!("../../python/stockade_guest.py"),
    ),
];
const COMPILE: &[u8] = include_bytes!("../../python/compile.py");
const COMPILE_WITHIN: Duration = Duration::from_mins(20);

/// Tells one build's modules from another's without hashing them on every run.
pub(super) fn mark() -> String {
    const MARK: u64 = {
        // FNV-1a: the modules are ours, nobody constructs a collision.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut file = 0;
        while file < MODULES.len() {
            let mut place = 0;
            while place < MODULES[file].1.len() {
                hash ^= MODULES[file].1[place] as u64;
                hash = hash.wrapping_mul(0x0100_0000_01b3);
                place += 1;
            }
            file += 1;
        }
        hash
    };
    format!("{MARK:016x}")
}

/// Writes and compiles the modules in a new directory, for what will be `site` in the guest.
pub(super) fn stage(compiler: Option<&Path>, folder: &Path, site: &Path) -> Result<(), Error> {
    make_dir(folder).map_err(|error| failed("make", folder, &error))?;
    for (name, bytes) in MODULES {
        let place = folder.join(name);
        write_file(&place, bytes).map_err(|error| failed("write", &place, &error))?;
    }
    match compiler {
        Some(compiler) => compile(compiler, folder, site, Faulty::Fails),
        None => Ok(()),
    }
}

/// What becomes of a file that is no Python of this version.
#[derive(Clone, Copy)]
pub(super) enum Faulty {
    /// It stays uncompiled: packages bring files of other versions, for their tests.
    Stays,
    /// It ends the build.
    Fails,
}

/// Compiles every Python file below `folder`, which will be `site` in the guest. Runs none of it.
pub(super) fn compile(
    interpreter: &Path,
    folder: &Path,
    site: &Path,
    faulty: Faulty,
) -> Result<(), Error> {
    let faulty = match faulty {
        Faulty::Stays => "stays",
        Faulty::Fails => "fails",
    };
    let args = [
        OsStr::new("-I"),
        OsStr::new("-S"),
        OsStr::new("-"),
        folder.as_os_str(),
        site.as_os_str(),
        OsStr::new(faulty),
    ];
    let done = tool::run(&Tool {
        program: interpreter,
        args: &args,
        env: &[],
        stdin: COMPILE,
        within: COMPILE_WITHIN,
        output_bytes_max: 1 << 20,
    })
    .map_err(|error| failed("compile with", interpreter, &error))?;
    if done.status.success() {
        return Ok(());
    }
    let text = format!(
        "`{}` cannot compile what the guest imports: {}",
        interpreter.display(),
        String::from_utf8_lossy(&done.stderr).trim_end()
    );
    Err(Error::new(ErrorKind::Host, text))
}
