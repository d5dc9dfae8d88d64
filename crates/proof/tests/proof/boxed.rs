//! Boxes of namespaces alone, as others build them: the corpus tells them from a jail.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stockade::{Error, ErrorKind, Guarantee};
use stockade_core::outcome::signal_name;
use stockade_proof::{Card, End, Ended, Expect, Ground, Job, Kind, Probe, Ran};
use stockade_sys::tool::{self, Tool};

use crate::place::attack;

/// A box promises what the jail does: what it does not keep is to be seen.
const PROMISED: &[Guarantee] = &[
    Guarantee::SeparateAddressSpace,
    Guarantee::EmptyEnvironment,
    Guarantee::NoPrivileges,
    Guarantee::NoHostFiles,
    Guarantee::NoHostProcesses,
    Guarantee::NoNetwork,
    Guarantee::FilteredSyscalls,
    Guarantee::VerifiedTeardown,
];

/// A command line that runs `/work/job.py` in a box of its own, in which `WORK` is `/work`.
struct Boxed {
    name: &'static str,
    program: PathBuf,
    args: &'static [&'static str],
}

/// The directory of the job, in the arguments of a box.
const WORK: &str = "WORK";

/// Its own user, since a box that root starts keeps root's uid in the kernel.
const BWRAP: &[&str] = &[
    "--reuid",
    "65534",
    "--regid",
    "65534",
    "--clear-groups",
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--clearenv",
    "--ro-bind",
    "/usr",
    "/usr",
    "--symlink",
    "usr/lib",
    "/lib",
    "--symlink",
    "usr/lib64",
    "/lib64",
    "--symlink",
    "usr/bin",
    "/bin",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--bind",
    WORK,
    "/work",
    "--chdir",
    "/work",
    "/usr/bin/python3",
    "-I",
    "/work/job.py",
    "/work/out.json",
];

const NSJAIL: &[&str] = &[
    "-Mo",
    "-Q",
    "--user",
    "65534",
    "--group",
    "65534",
    "-R",
    "/usr",
    "-R",
    "/lib",
    "-R",
    "/lib64",
    "-R",
    "/dev/null",
    "-R",
    "/dev/urandom",
    "-T",
    "/tmp",
    "-B",
    "WORK:/work",
    "--cwd",
    "/work",
    "--",
    "/usr/bin/python3",
    "-I",
    "/work/job.py",
    "/work/out.json",
];

impl Ground for Boxed {
    fn name(&self) -> &str {
        self.name
    }

    fn guarantees(&self) -> &[Guarantee] {
        PROMISED
    }

    fn is_fenced(&self) -> bool {
        false
    }

    fn run(&self, job: &Job<'_>) -> Result<Ran, Error> {
        let failed = |error: std::io::Error| {
            Error::new(ErrorKind::Host, format!("cannot run {}", self.name)).because(error)
        };
        let work = tempfile::tempdir().map_err(failed)?;
        // The box writes there as another user.
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(work.path(), open).map_err(failed)?;
        let program = work.path().join("job.py");
        fs::write(&program, job.program).map_err(failed)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).map_err(failed)?;
        let place = work.path().to_string_lossy();
        let args: Vec<_> = self
            .args
            .iter()
            .map(|arg| OsString::from(arg.replace(WORK, &place)))
            .collect();
        let args: Vec<_> = args.iter().map(OsString::as_os_str).collect();
        let done = tool::run(&Tool {
            program: &self.program,
            args: &args,
            env: &[("PATH", OsStr::new("/usr/bin:/bin"))],
            stdin: b"",
            within: Duration::from_secs(20),
            output_bytes_max: 4 << 20,
        })
        .map_err(failed)?;
        let stderr = String::from_utf8_lossy(&done.stderr);
        Ok(Ran {
            ended: End::Outcome(ended(done.status.code())),
            stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
            stderr: stderr.lines().last().unwrap_or_default().to_owned(),
            dropped: false,
            broken: Vec::new(),
        })
    }
}

/// What a box says of the end of its program: 128 and the signal's number for a signal.
fn ended(code: Option<i32>) -> Ended {
    let (slug, detail) = match code {
        Some(0) => ("finished", None),
        Some(code) if code > 128 => ("crashed", Some(signal_name(code - 128).to_owned())),
        Some(code) => ("exited", Some(code.to_string())),
        None => ("crashed", None),
    };
    Ended { slug, detail }
}

/// A probe of the boundary that says of itself what it reached, or is to be killed for it.
fn is_of_the_boundary(probe: &Probe) -> bool {
    let tells = match &probe.expect {
        Expect::Verdict => true,
        Expect::Outcome(wanted) => wanted.iter().any(|one| one.slug == "denied"),
        Expect::Refusal(_) | Expect::Specimen => false,
    };
    tells && !probe.armed && probe.kind != Kind::Exhaust
}

/// Fails unless `card` shows that filters of system calls are what a box lacks, and that it keeps
/// files and processes apart all the same.
#[track_caller]
fn assert_tells_apart(card: &Card<'_>) {
    let rows = card.rows();
    let row = |name| rows.iter().find(|row| row.attack.name() == name).unwrap();
    let (calls, files) = (row("filtered-syscalls"), row("no-host-files"));
    assert!(calls.through > 20, "{calls:?}");
    assert!(files.held > files.through, "{files:?}");
    let through: Vec<_> = card.broken().map(|(f, _)| f.probe.id.as_str()).collect();
    // A user namespace, clone3, bpf, userfaultfd, keyctl, add_key, VSOCK and NETLINK, machine code.
    for id in [
        "escape/075",
        "escape/076",
        "escape/084",
        "escape/086",
        "escape/088",
        "escape/089",
        "escape/104",
        "escape/106",
    ] {
        assert!(through.contains(&id), "{id} is held by {}", card.rung);
    }
    println!(
        "{}: {} of {} probes of the boundary reach through",
        card.rung,
        card.through().count(),
        card.findings.len() - card.skipped().count()
    );
}

#[test]
fn bubblewrap_with_namespaces_alone_is_told_from_a_jail() {
    if !Path::new("/usr/bin/bwrap").exists() {
        println!("SKIPPED: there is no /usr/bin/bwrap; Debian's `bubblewrap` has it");
        return;
    }
    let ground = Boxed {
        name: "bwrap --unshare-all",
        program: PathBuf::from("/usr/bin/setpriv"),
        args: BWRAP,
    };
    assert_tells_apart(&attack(&ground, &is_of_the_boundary));
}

#[test]
fn nsjail_with_namespaces_alone_is_told_from_a_jail() {
    let Some(program) = std::env::var_os("STOCKADE_NSJAIL") else {
        println!("SKIPPED: no `STOCKADE_NSJAIL`; `cargo xtask check tests` fetches it");
        return;
    };
    let ground = Boxed {
        name: "nsjail",
        program: PathBuf::from(program),
        args: NSJAIL,
    };
    assert_tells_apart(&attack(&ground, &is_of_the_boundary));
}
