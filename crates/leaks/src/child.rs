//! The driver in a child process of its own.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use stockade_sys::tool::{self, Tool};

use crate::request::{Answer, DRIVER, Request};
use crate::sandbox::Sandbox;
use crate::technique::Technique;
use crate::verdict::{Cell, Verdict};

/// A child takes 60 ms on an idle machine; one that spins is ended by its own `RLIMIT_CPU` before.
const WITHIN: Duration = Duration::from_mins(1);
const OUTPUT_BYTES_MAX: usize = 64 << 10;

/// Asks the driver; an error in a line.
pub(crate) fn ask<T: DeserializeOwned>(python: &Path, request: &Request<'_>) -> Result<T, String> {
    let question = serde_json::to_vec(request).map_err(|error| error.to_string())?;
    let done = tool::run(&Tool {
        program: python,
        args: &["-I", "-c", DRIVER].map(OsStr::new),
        env: &[
            ("LC_ALL", OsStr::new("C.UTF-8")),
            // `numpy` would start a thread for each processor, beyond `RLIMIT_NPROC`.
            ("OPENBLAS_NUM_THREADS", OsStr::new("1")),
        ],
        stdin: &question,
        within: WITHIN,
        output_bytes_max: OUTPUT_BYTES_MAX,
    })
    .map_err(|error| error.to_string())?;
    serde_json::from_slice(&done.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&done.stderr);
        let last = said.lines().last().unwrap_or("and said nothing");
        format!("the driver ended with {}: {last}", done.status)
    })
}

/// One technique in one sandbox.
pub(crate) fn cell(
    python: &Path,
    technique: &Technique,
    sandbox: Sandbox,
    request: &Request<'_>,
) -> Cell {
    match ask::<Answer>(python, request) {
        Ok(answer) => answer.cell(technique, sandbox),
        Err(why) => Cell::new(Verdict::Failed, why),
    }
}
