//! A throw-away virtual machine for what this host cannot show: unified cgroups, another kernel.
//!
//! QEMU's emulator (TCG) runs Debian's cloud kernel with a root file system made from the host's
//! own files. It needs no hardware support and is no security boundary: development and CI only.

mod image;
mod kernel;
mod machine;

use crate::scratch::Scratch;
use crate::shell::{Shell, which};
use crate::{apt, artefact};
use image::Image;
use machine::{Machine, Parts, Silence, console_end};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vm_frame::{Frame, TASK};

/// Boots of one machine, until one gets as far as its command.
const BOOTS_MAX: u32 = 3;
/// More of the command's output than this is a mistake.
const OUTPUT_BYTES_MAX: usize = 64 << 20;
/// Packages, and their test programs, that run in the machine as well as on the host.
const SUITES: [(&str, &str); 3] = [
    ("stockade-sys", "spawn"),
    ("stockade", "case"),
    ("stockade", "warm"),
];
/// Directories of the standard library that no program here needs.
const LIBRARY_WITHOUT: [&str; 6] = [
    "test",
    "idlelib",
    "lib2to3",
    "ensurepip",
    "tkinter",
    "turtledemo",
];
/// What the zygote's library needs, and the C library opens by name: every system has it.
const UNWINDER: &str = "/lib/x86_64-linux-gnu/libgcc_s.so.1";
/// The programs of the host that a guest with Python in it has as well.
const PROGRAMS: [&str; 30] = [
    "sh",
    "env",
    "true",
    "false",
    "cat",
    "echo",
    "ls",
    "mkdir",
    "cp",
    "mv",
    "rm",
    "ln",
    "sleep",
    "head",
    "tail",
    "sort",
    "wc",
    "uname",
    "test",
    "pwd",
    "id",
    "mount",
    "umount",
    "chmod",
    "chown",
    "unshare",
    "find",
    "grep",
    "ps",
    "pivot_root",
];

/// Who the command is in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// Root, in a cgroup like that of a service.
    Root,
    /// Uid 1000, in a cgroup that was given to it, as systemd's `Delegate=yes` does.
    Delegated,
}

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It exited with this code.
    Exited(i32),
    /// It died of this signal.
    Signalled(i32),
}

/// Why a machine gave no output.
#[derive(Debug)]
enum Failure {
    /// The emulator ended before init had said anything.
    Boot(String),
    /// Anything later.
    Run(String),
}

impl Failure {
    fn text(&self) -> &str {
        match self {
            Self::Boot(why) | Self::Run(why) => why,
        }
    }

    fn is_a_failed_boot(&self) -> bool {
        matches!(self, Self::Boot(_))
    }
}

/// What the command did.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) status: Status,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// One thing that is put into the root file system.
#[derive(Debug)]
enum Content {
    File {
        host: PathBuf,
        guest: PathBuf,
    },
    Same(PathBuf),
    Tree {
        path: PathBuf,
        without: &'static [&'static str],
    },
    Bytes {
        guest: PathBuf,
        bytes: Vec<u8>,
    },
}

/// A machine to be: what is in it, and what it runs.
#[derive(Debug)]
pub(crate) struct Guest {
    contents: Vec<Content>,
    command: Vec<String>,
    env: Vec<(String, String)>,
    user: User,
    memory_mib: u32,
    cpus: u32,
    shown: bool,
}

impl Guest {
    /// Nothing in it but init; 768 MiB, two CPUs, root.
    pub(crate) fn new() -> Self {
        let path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".to_owned();
        Self {
            contents: Vec::new(),
            command: Vec::new(),
            env: vec![
                ("PATH".to_owned(), path),
                ("HOME".to_owned(), "/root".to_owned()),
            ],
            user: User::Root,
            memory_mib: 768,
            cpus: 2,
            shown: false,
        }
    }

    /// The host's file `host` as `guest`, an absolute name.
    pub(crate) fn file(mut self, host: impl Into<PathBuf>, guest: impl Into<PathBuf>) -> Self {
        self.contents.push(Content::File {
            host: host.into(),
            guest: guest.into(),
        });
        self
    }

    /// A file of these bytes as `guest`.
    pub(crate) fn bytes(mut self, guest: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.contents.push(Content::Bytes {
            guest: guest.into(),
            bytes: bytes.into(),
        });
        self
    }

    /// The host's directory under its own name, but for entries called one of `without`.
    pub(crate) fn tree(
        mut self,
        path: impl Into<PathBuf>,
        without: &'static [&'static str],
    ) -> Self {
        self.contents.push(Content::Tree {
            path: path.into(),
            without,
        });
        self
    }

    /// The host's program under its own name, with the shared libraries that its loader names.
    pub(crate) fn program(mut self, path: &Path) -> Result<Self, String> {
        self.contents.push(Content::Same(path.to_path_buf()));
        self.libraries(path)
    }

    /// The host's `/usr/bin/python3`, its standard library, and the programs a script expects.
    pub(crate) fn python(mut self) -> Result<Self, String> {
        apt::ensure(&[apt::PYTHON])?;
        let ask = "import sysconfig; print(sysconfig.get_path('stdlib'))";
        let library = Shell::new(apt::PYTHON.program)
            .args(["-I", "-S", "-c", ask])
            .read()?;
        let library = PathBuf::from(library.trim());
        self = self.program(Path::new(apt::PYTHON.program))?;
        let extensions = library.join("lib-dynload");
        let listed = fs::read_dir(&extensions)
            .map_err(|e| format!("cannot list `{}`: {e}", extensions.display()))?;
        for entry in listed {
            let entry =
                entry.map_err(|e| format!("cannot list `{}`: {e}", extensions.display()))?;
            self = self.libraries(&entry.path())?;
        }
        for name in PROGRAMS {
            let path = which(name).ok_or_else(|| format!("this host has no `{name}`"))?;
            self = self.program(&path)?;
        }
        self.contents.push(Content::Same(PathBuf::from(UNWINDER)));
        let passwd = "root:x:0:0:root:/root:/bin/sh\nsomeone:x:1000:1000::/tmp:/bin/sh\n";
        Ok(self
            .tree(library, &LIBRARY_WITHOUT)
            .bytes("/etc/passwd", passwd)
            .bytes("/etc/hosts", "127.0.0.1 localhost\n")
            .bytes("/etc/hostname", "vm\n")
            .bytes("/etc/group", "root:x:0:\nsomeone:x:1000:\n"))
    }

    /// What it runs: a program of the guest and its arguments.
    pub(crate) fn command<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.command = words.into_iter().map(Into::into).collect();
        self
    }

    /// A variable of the command's environment, which else has `PATH` and `HOME` alone.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Who the command is.
    pub(crate) fn user(mut self, user: User) -> Self {
        self.user = user;
        self
    }

    /// The machine's memory; its root file system lives in it.
    pub(crate) fn memory_mib(mut self, memory_mib: u32) -> Self {
        self.memory_mib = memory_mib;
        self
    }

    /// The command's output goes to this script's own as it comes, and is returned as well.
    pub(crate) fn shown(mut self) -> Self {
        self.shown = true;
        self
    }

    /// Boots, runs the command, and destroys the machine. An error is ours, never the command's.
    pub(crate) fn run(&self, deadline: Duration) -> Result<Output, String> {
        apt::ensure(&[apt::QEMU])?;
        let kernel = kernel::image()?;
        let scratch = Scratch::under(&std::env::temp_dir())?;
        let (initrd, console) = (
            scratch.path().join("initrd"),
            scratch.path().join("console"),
        );
        self.write(&initrd)
            .map_err(|e| format!("cannot make the machine's image: {e}"))?;
        let parts = Parts {
            kernel: &kernel,
            initrd: &initrd,
            console: &console,
            memory_mib: self.memory_mib,
            cpus: self.cpus,
        };
        for attempt in 1.. {
            let mut machine = Machine::start(&parts, deadline)?;
            let mut output = Output {
                status: Status::Exited(0),
                stdout: Vec::new(),
                stderr: Vec::new(),
            };
            let why = match self.listen(&mut machine, &mut output) {
                Ok(()) => return Ok(output),
                Err(why) => why,
            };
            let said = format!(
                "{} (deadline {deadline:?})\n--- stdout\n{}\n--- stderr\n{}\n--- console\n{}",
                why.text(),
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr),
                console_end(&console)
            );
            if attempt == BOOTS_MAX || !why.is_a_failed_boot() {
                return Err(said);
            }
            // Once in hundreds of boots the emulator ends before the command has begun.
            eprintln!("boot {attempt} of {BOOTS_MAX} failed, starting another: {said}");
        }
        Err("no machine was started".to_owned())
    }

    fn listen(&self, machine: &mut Machine, output: &mut Output) -> Result<(), Failure> {
        let mut begun = false;
        loop {
            let frame = match machine.next() {
                Ok(frame) => frame,
                Err(Silence::Ended(why)) if !begun => return Err(Failure::Boot(why)),
                Err(Silence::Ended(why) | Silence::Late(why)) => return Err(Failure::Run(why)),
            };
            begun = true;
            match frame {
                Frame::Stdout(bytes) => {
                    if self.shown {
                        print!("{}", String::from_utf8_lossy(&bytes));
                    }
                    output.stdout.extend_from_slice(&bytes);
                }
                Frame::Stderr(bytes) => {
                    if self.shown {
                        eprint!("{}", String::from_utf8_lossy(&bytes));
                    }
                    output.stderr.extend_from_slice(&bytes);
                }
                Frame::Exited(code) => {
                    output.status = Status::Exited(code);
                    return Ok(());
                }
                Frame::Signalled(signal) => {
                    output.status = Status::Signalled(signal);
                    return Ok(());
                }
                Frame::Failed(why) => {
                    return Err(Failure::Run(format!("the machine's init failed: {why}")));
                }
            }
            if output.stdout.len() + output.stderr.len() > OUTPUT_BYTES_MAX {
                return Err(Failure::Run(format!(
                    "the command printed more than {OUTPUT_BYTES_MAX} bytes"
                )));
            }
        }
    }

    fn libraries(mut self, path: &Path) -> Result<Self, String> {
        const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";
        // A static program has none, and the loader says so by failing.
        let Ok(listed) = Shell::new(LOADER).arg("--list").arg(path).read() else {
            return Ok(self);
        };
        self.contents.push(Content::Same(PathBuf::from(LOADER)));
        let named = listed
            .lines()
            .filter_map(|line| line.split_once("=> "))
            .filter_map(|(_, rest)| rest.split_whitespace().next());
        for library in named {
            if !library.starts_with('/') {
                return Err(format!(
                    "`{}` needs a library that is not there",
                    path.display()
                ));
            }
            self.contents.push(Content::Same(PathBuf::from(library)));
        }
        Ok(self)
    }

    fn write(&self, to: &Path) -> Result<(), String> {
        let init = artefact::vm_init()?;
        let mut image = Image::create(to).map_err(|e| format!("`{}`: {e}", to.display()))?;
        let task = Path::new(TASK);
        let env: Vec<String> = self
            .env
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let user = match self.user {
            User::Root => "root",
            User::Delegated => "delegated",
        };
        let fixed = [
            Content::File {
                host: init,
                guest: PathBuf::from("/init"),
            },
            Content::Bytes {
                guest: task.join("argv"),
                bytes: self.command.join("\0").into(),
            },
            Content::Bytes {
                guest: task.join("env"),
                bytes: env.join("\0").into(),
            },
            Content::Bytes {
                guest: task.join("user"),
                bytes: user.into(),
            },
        ];
        for content in fixed.iter().chain(&self.contents) {
            content.put(&mut image)?;
        }
        image.finish().map(drop).map_err(|e| e.to_string())
    }
}

impl Content {
    fn put(&self, image: &mut Image) -> Result<(), String> {
        let (done, name) = match self {
            Self::File { host, guest } => (image.file(host, guest), host),
            Self::Same(path) => (image.same(path), path),
            Self::Tree { path, without } => (image.tree(path, path, without), path),
            Self::Bytes { guest, bytes } => (image.bytes(guest, 0o644, bytes), guest),
        };
        done.map_err(|e| format!("`{}`: {e}", name.display()))
    }
}

/// The tests that meet the kernel, where cgroups are unified: as root, and as a user.
pub(crate) fn suite() -> Result<(), String> {
    for (package, test) in SUITES {
        let program = artefact::test(package, test)?;
        for user in [User::Root, User::Delegated] {
            eprintln!("{package}, `{test}`, in the machine as {user:?}:");
            let mut command = vec!["/usr/bin/suite", "--test-threads=2"];
            if user == User::Delegated {
                // Hundreds of rounds that an emulator has no time for twice.
                command.extend(["--skip", "step::"]);
            }
            let guest = Guest::new()
                .python()?
                .file(&program, "/usr/bin/suite")
                .command(command)
                // What a test needs to know to take a missing controller for a failure.
                .env("STOCKADE_UNIFIED", "1")
                // More than the memory bombs ask for at once, which the kernel would refuse.
                .memory_mib(1_280)
                .user(user)
                .shown();
            match guest.run(Duration::from_mins(10))?.status {
                Status::Exited(0) => {}
                ended @ (Status::Exited(_) | Status::Signalled(_)) => {
                    return Err(format!("{package}, `{test}`, as {user:?} ended: {ended:?}"));
                }
            }
        }
    }
    Ok(())
}

/// `cargo xtask vm`: a guest with Python and, when it is built, `stockade`, for people.
pub(crate) fn command(arguments: &[String]) -> Result<(), String> {
    let usage = "usage: cargo xtask vm [--user] [--memory MIB] -- CMD…";
    let mut guest = Guest::new().python()?.shown();
    let mut words = arguments.iter();
    loop {
        match words.next().map(String::as_str) {
            Some("--user") => guest = guest.user(User::Delegated),
            Some("--memory") => {
                let number = words.next().and_then(|text| text.parse().ok());
                guest = guest.memory_mib(number.ok_or(usage)?);
            }
            Some("--") => break,
            Some(_) | None => return Err(usage.to_owned()),
        }
    }
    let command: Vec<String> = words.cloned().collect();
    if command.is_empty() {
        return Err(usage.to_owned());
    }
    let guest = guest
        .file(artefact::stockade()?, "/usr/bin/stockade")
        .command(command);
    match guest.run(Duration::from_mins(10))?.status {
        Status::Exited(0) => Ok(()),
        ended @ (Status::Exited(_) | Status::Signalled(_)) => {
            Err(format!("the command ended: {ended:?}"))
        }
    }
}

#[cfg(test)]
mod tests;
