//! One program on this host: run, named by its outcome, and looked for afterwards.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{LazyLock, OnceLock};

use crate::twin;
use stockade::{Engine, Error, ErrorKind, Host, Limits, Outcome, Policy, Record, Submission};

/// Set in a process that runs one test again under other conditions.
const AGAIN: &str = "STOCKADE_CASE_AGAIN";

/// What the cases write as `emit(v)`.
const EMIT: &str = "from stockade_guest import emit, input as the_input\n";

/// The engine of this process.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::new(Host::probe().unwrap()).unwrap();
        let facts = engine.host().facts();
        assert!(
            facts.cgroup.is_usable(),
            "these tests need a cgroup; become root, or give yourself one with `systemd-run \
             --user --scope -p Delegate=yes`: {:?}",
            facts.cgroup
        );
        engine
    })
}

/// `source`, with `emit` at hand.
pub(crate) fn job(source: &str) -> Submission {
    Submission::python(format!("{EMIT}{source}"))
}

/// The default policy with some limits.
pub(crate) fn limited(limits: &[&str]) -> Policy {
    let parsed = limits
        .iter()
        .try_fold(Limits::default(), |all, one| all.parse(one));
    Policy::default().limits(parsed.unwrap())
}

/// Runs `source`, with `emit` at hand, under the default policy with some limits.
#[track_caller]
pub(crate) fn run(source: &str, limits: &[&str]) -> Record {
    submit(&job(source), &limited(limits)).unwrap()
}

/// Runs `submission` cold and warm, which must end alike; the cold one's record.
#[track_caller]
pub(crate) fn submit(submission: &Submission, policy: &Policy) -> Result<Record, Error> {
    twin::run(engine(), submission, policy)
}

/// [`run`], but cold only: see `twin`.
#[track_caller]
pub(crate) fn run_cold(source: &str, limits: &[&str]) -> Record {
    engine().run(&job(source), &limited(limits).cold()).unwrap()
}

/// [`run`], and the value that it must give.
#[track_caller]
pub(crate) fn value(source: &str, limits: &[&str]) -> String {
    let record = run(source, limits);
    match record.outcome.value() {
        Some(value) => value.text().to_owned(),
        None => panic!("{}\n{}", ended(&record), record.to_json()),
    }
}

/// The outcome in a line, without what differs from run to run.
pub(crate) fn ended(record: &Record) -> String {
    let rest = match &record.outcome {
        Outcome::Finished { value: Some(value) } => value.text().to_owned(),
        Outcome::Finished { value: None } => return "finished".to_owned(),
        Outcome::Raised {
            exception, message, ..
        } => format!("{exception}: {message}"),
        Outcome::Exited { code } => code.to_string(),
        Outcome::Crashed { signal } => signal.to_string(),
        Outcome::LimitExceeded { limit, .. } => limit.name().to_owned(),
        Outcome::Denied { by, .. } => by.clone(),
        Outcome::ResultRejected(rejection) => format!("{} {rejection}", rejection.rule),
        Outcome::ProtocolViolated { why } => why.clone(),
    };
    format!("{} {rest}", record.outcome.slug())
}

/// Fails, showing the whole record, unless [`ended`] says `expected`.
#[track_caller]
pub(crate) fn assert_ended(record: &Record, expected: &str) {
    assert_eq!(ended(record), expected, "{}", record.to_json());
}

/// Fails unless nothing that was in the run's cgroup is left: neither a process nor the group.
#[track_caller]
pub(crate) fn assert_gone(record: &Record) {
    let warm = record.evidence.warmth.is_some();
    if warm {
        // It is buried after the answer, and what cannot be is said here.
        assert_eq!(engine().settle(), [""; 0]);
    }
    let own = format!("/{}\n", record.run);
    assert_eq!(processes_in(&own), [""; 0], "left of {}", record.run);
    let checked = |what| record.evidence.teardown.iter().any(|one| one.what == what);
    let all = checked("init") && checked("cgroup");
    assert!(warm || all, "{}", record.to_json());
}

/// Command lines of the processes, zombies included, of which `name` is in the lines that say their
/// cgroups.
pub(crate) fn processes_in(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let path = entry.unwrap().path();
        // What ends meanwhile is not left.
        let groups = fs::read_to_string(path.join("cgroup")).unwrap_or_default();
        if groups.contains(name) {
            let line = fs::read(path.join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    found
}

/// What the names of this process's runs begin with.
pub(crate) fn own_prefix() -> String {
    format!("s{}-", std::process::id())
}

/// Milliseconds of `wall` that are enough for what takes `native` on an idle machine: an emulated
/// one is many times slower.
pub(crate) fn enough(native: u64) -> u64 {
    if env::var_os("STOCKADE_UNIFIED").is_some() {
        native * 6
    } else {
        native
    }
}

/// Whether this process runs a test again, see [`again`].
pub(crate) fn is_again() -> bool {
    env::var_os(AGAIN).is_some()
}

/// Arguments with which this program runs one test alone. As whoever it is run, it must be in
/// reach, and a target directory in somebody's home is not: so this is a copy.
pub(crate) fn alone(test: &str) -> [String; 4] {
    static COPY: LazyLock<PathBuf> = LazyLock::new(|| {
        let own = env::current_exe().unwrap();
        let name = own.file_name().unwrap().to_str().unwrap().to_owned();
        let directory =
            env::temp_dir().join(format!("stockade-suite-{}", stockade_sys::process::uid()));
        let place = directory.join(name);
        let written = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
        if written(&place) < written(&own) {
            fs::create_dir_all(&directory).unwrap();
            let partial = directory.join(format!(".{}", stockade_sys::process::pid()));
            fs::copy(&own, &partial).unwrap();
            fs::rename(&partial, &place).unwrap();
        }
        place
    });
    let own = COPY.to_str().unwrap().to_owned();
    [own, "--exact".into(), test.into(), "--nocapture".into()]
}

/// Runs `test` again, alone in a process, where [`is_again`] is true.
pub(crate) fn again(test: &str) -> Command {
    let [program, arguments @ ..] = alone(test);
    let mut command = Command::new(program);
    command.args(arguments).env(AGAIN, "1");
    command
}

/// [`again`], started by a shell that runs `script` first, in new namespaces by `unshare` with
/// `flags`.
pub(crate) fn again_after(flags: &str, script: &str, test: &str) -> Command {
    let mut command = Command::new("unshare");
    command
        .args([flags, "sh", "-e", "-c", &format!("{script}\nexec \"$@\"")])
        .arg("sh")
        .args(alone(test))
        .env(AGAIN, "1");
    command
}

/// Fails unless `command`, made by [`again`], ran its test and the test passed.
#[track_caller]
pub(crate) fn assert_passes(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{command:?}: {}\n{stdout}\n{stderr}",
        output.status
    );
    output
}

/// Fails unless `error` blames the host, names each of `parts`, and says at least two things that
/// a person can do.
#[track_caller]
pub(crate) fn assert_blames_host(error: &stockade::Error, parts: &[&str]) {
    let text = error.to_string();
    let hints = error.hints();
    assert!(
        matches!(error.kind(), ErrorKind::Refused | ErrorKind::Host),
        "{error:?}"
    );
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
    assert!(hints.len() >= 2, "{text}: {hints:?}");
}
