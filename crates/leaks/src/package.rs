//! Packages that are sandboxes: pinned, and in a directory that only this demonstration uses.

use std::path::PathBuf;

use stockade::template::{HostPython, PinnedWheel};
use stockade::{Engine, Error};

pub(crate) const RESTRICTED_PYTHON: PinnedWheel = PinnedWheel {
    name: "restrictedpython",
    version: "9.0",
    file: "restrictedpython-9.0-py3-none-any.whl",
    sha256: "77df98181cf8f20810038b492ca4760b12712c9aa572f6fb5b8f2b02cfd5fc7e",
};
pub(crate) const ASTEVAL: PinnedWheel = PinnedWheel {
    name: "asteval",
    version: "1.0.10",
    file: "asteval-1.0.10-py3-none-any.whl",
    sha256: "8d805fa8084aa12204715f799430f0012a0db38b42e997f9f11a9637ad59855f",
};
pub(crate) const SIMPLEEVAL: PinnedWheel = PinnedWheel {
    name: "simpleeval",
    version: "1.0.8",
    file: "simpleeval-1.0.8-py3-none-any.whl",
    sha256: "c9c4ff42879ebf0c05f6562cb81031869948916be343bcc950b81fcc081fe9ce",
};
const WHEELS: [PinnedWheel; 3] = [RESTRICTED_PYTHON, ASTEVAL, SIMPLEEVAL];

/// Whether packages may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Install {
    /// Those that are missing.
    Missing,
    /// None.
    Never,
}

/// Where the packages are, or why they are not there.
pub(crate) fn find(
    engine: &Engine,
    python: &HostPython,
    install: Install,
) -> Result<PathBuf, String> {
    if let Some(found) = engine.private_packages(python, &WHEELS) {
        return Ok(found);
    }
    match install {
        Install::Never => Err("not installed; `stockade leaks --install` fetches it".to_owned()),
        Install::Missing => engine
            .unpack_private_packages(python, &WHEELS)
            .map_err(|error| unfetched(&error)),
    }
}

fn unfetched(error: &Error) -> String {
    let hint = error.hints().first().map(|hint| format!("; {hint}"));
    format!("cannot be installed: {error}{}", hint.unwrap_or_default())
}
