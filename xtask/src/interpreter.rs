//! Template `code-interpreter`: built as people build it, and its packages at work.

use crate::apt;
use crate::shell::{Shell, cache};

/// Downloads packages, where the host's Python has no pip.
pub(crate) const PIP: apt::Need = apt::Need {
    program: "/usr/lib/python3/dist-packages/pip",
    package: "python3-pip",
    purpose: "downloads and unpacks packages from PyPI",
};

/// Builds the template and runs the tests that want it. What was downloaded and built is kept.
pub(crate) fn run() -> Result<(), String> {
    apt::ensure(&[apt::PYTHON, PIP])?;
    let kept = cache()?.join("stockade");
    Shell::cargo()
        .args(["run", "--quiet", "--package", "stockade-cli", "--"])
        .args(["template", "build", "code-interpreter"])
        .env("STOCKADE_CACHE_DIR", &kept)
        .run()?;
    Shell::cargo()
        .args(["nextest", "run", "--package", "stockade"])
        .args(["--features", "interpreter", "--test", "interpreter"])
        .env("STOCKADE_CACHE_DIR", &kept)
        .run()
}
