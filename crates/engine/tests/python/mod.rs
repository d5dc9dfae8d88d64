//! The interpreters of this host, and a place to work in.

#![allow(dead_code, reason = "each test binary uses its own part")]

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use stockade::template::{Search, prepare};
use stockade_core::template::Template;
use stockade_sys::tool::{self, Finished, Tool};

/// A directory that goes away with its owner.
pub(crate) struct Scratch {
    pub(crate) path: PathBuf,
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stockade-{name}-{}-{number}", std::process::id());
        // Not in a temporary directory that is swept or mounted `noexec`.
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir(&path).unwrap();
        Self { path }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is found by its name; a test that failed says so itself.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The system's interpreter and one of each later minor version that pyenv has, 3.9 and up.
pub(crate) fn interpreters() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/usr/bin/python3")];
    found.extend(of_pyenv(|minor| minor >= 9));
    println!("interpreters: {found:?}");
    found
}

/// One that is too old, if there is one.
pub(crate) fn old_interpreter() -> Option<PathBuf> {
    of_pyenv(|minor| minor < 9).pop()
}

fn of_pyenv(wanted: impl Fn(u32) -> bool) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").unwrap_or_default();
    let Ok(versions) = fs::read_dir(Path::new(&home).join(".pyenv/versions")) else {
        return Vec::new();
    };
    let mut found: Vec<_> = versions
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let mut numbers = name.split('.').map(str::parse::<u32>);
            numbers.next() == Some(Ok(3)) && numbers.next().is_some_and(|n| n.is_ok_and(&wanted))
        })
        .map(|path| path.join("bin/python3"))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    found
}

pub(crate) fn make_executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn chosen(interpreter: &Path) -> Search {
    Search {
        chosen: Some(interpreter.to_path_buf()),
        ..Search::from_env()
    }
}

pub(crate) fn prepared(interpreter: &Path, cache: &Path) -> Template {
    prepare("python", cache, &chosen(interpreter)).unwrap()
}

/// Runs a Python program as `/work/job.py` in nothing but the template, with no namespace but
/// those that mounting needs.
pub(crate) fn run_in(template: &Template, scratch: &Path, job: &str, command: &str) -> Finished {
    let root = scratch.join("guest");
    fs::create_dir_all(&root).unwrap();
    fs::write(scratch.join("job.py"), job).unwrap();
    let mut script = String::from("set -e\n");
    let mut line = |text: String| writeln!(script, "{text}").unwrap();
    let guest = root.display();
    line(format!("mount -t tmpfs none {guest}; cd {guest}"));
    line("mkdir -p work tmp/home run/stockade dev; touch dev/null dev/urandom".into());
    line("mount --bind /dev/null dev/null; mount --bind /dev/urandom dev/urandom".into());
    for entry in fs::read_dir(&template.root).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        line(format!(
            "mkdir {name}; mount --bind {}/{name} {name}",
            template.root.display()
        ));
    }
    for link in &template.symlinks {
        line(format!("ln -s {} .{}", link.target, link.link));
    }
    for bind in &template.binds {
        line(format!(
            "mount --bind {} .{}",
            bind.source.display(),
            bind.target
        ));
    }
    line(format!(
        "cp {} work/job.py; echo '[1]' > work/input.json",
        scratch.join("job.py").display()
    ));
    // Not `exec`: the shell stays as PID 1, as the guest's init does.
    line(format!("chroot . {command} || code=$?"));
    line("for file in work/out.json run/stockade/raised.json; do".into());
    line(format!(
        "[ ! -e $file ] || cp $file {}; done; exit $code",
        scratch.display()
    ));
    let mut env = vec![
        ("LANG", OsStr::new("C.UTF-8")),
        ("HOME", OsStr::new("/tmp/home")),
    ];
    env.extend(
        template
            .env
            .iter()
            .map(|(name, value)| (name.as_str(), OsStr::new(value))),
    );
    // The shell of the host needs its own.
    env.retain(|(name, _)| *name != "PATH");
    env.push(("PATH", OsStr::new("/usr/sbin:/usr/bin:/sbin:/bin")));
    tool::run(&Tool {
        program: Path::new("/usr/bin/unshare"),
        args: &["-r", "-m", "-p", "-f", "/bin/sh", "-c", &script].map(OsStr::new),
        env: &env,
        stdin: b"",
        within: Duration::from_mins(1),
        output_bytes_max: 1 << 20,
    })
    .unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn plain(template: &Template) -> String {
    format!("{} -I /work/job.py /work/out.json", template.interpreter)
}
