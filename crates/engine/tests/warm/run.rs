//! One engine, kept warm, and what came of its runs.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

pub(crate) use crate::ended::ended;
use stockade::{Engine, Host, Limits, Policy, Record, Submission};

/// The engine of this process.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        let facts = engine.host().facts();
        assert!(facts.cgroup.is_usable(), "a cgroup: {:?}", facts.cgroup);
        engine
    })
}

/// As many as `native`, or a tenth on the emulated machine of `cargo xtask test "unified cgroups"`,
/// which is many times slower.
pub(crate) fn many(native: usize) -> usize {
    if env::var_os("STOCKADE_UNIFIED").is_some() {
        native / 10
    } else {
        native
    }
}

/// Set in a process that runs one test again, alone.
pub(crate) const AGAIN: &str = "STOCKADE_WARM_AGAIN";

/// Whether this process runs a test again, see [`again`].
pub(crate) fn is_again() -> bool {
    env::var_os(AGAIN).is_some()
}

/// Runs `test` again, alone in a process with the state directory `state`.
pub(crate) fn again(test: &str, state: &State) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(AGAIN, "1")
        .env("STOCKADE_STATE_DIR", &state.0);
    command
}

/// Fails unless `command`, made by [`again`], ran its test and the test passed.
#[track_caller]
pub(crate) fn assert_passes(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{}\n{stdout}\n{stderr}",
        output.status
    );
}

/// A state directory that is removed at the end.
pub(crate) struct State(pub(crate) PathBuf);

impl State {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("stockade-warm-{name}-{}", std::process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// The names in a directory; none where there is none.
pub(crate) fn names(directory: impl AsRef<Path>) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect()
}

/// Keeps `depth` children for runs with these limits.
pub(crate) fn warm(limits: &[&str], depth: usize) {
    engine().warm(&limited(limits), depth).unwrap();
}

/// `source`, with `emit` at hand.
pub(crate) fn job(source: &str) -> Submission {
    Submission::python(format!("from stockade_guest import emit\n{source}"))
}

/// The default policy with some limits.
pub(crate) fn limited(limits: &[&str]) -> Policy {
    let parsed = limits
        .iter()
        .try_fold(Limits::default(), |all, one| all.parse(one));
    Policy::default().limits(parsed.unwrap())
}

/// Runs `source` warm, or fails.
#[track_caller]
pub(crate) fn run(source: &str, limits: &[&str]) -> Record {
    let record = engine().run(&job(source), &limited(limits)).unwrap();
    assert!(record.evidence.warmth.is_some(), "{}", record.to_json());
    record
}

/// The value of a run that gave one.
#[track_caller]
pub(crate) fn value_of<T: serde::de::DeserializeOwned>(record: &Record) -> T {
    match record.outcome.value() {
        Some(value) => serde_json::from_str(value.text()).unwrap(),
        None => panic!("{}\n{}", ended(record), record.to_json()),
    }
}
