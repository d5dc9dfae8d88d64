//! A supervisor as small as one can be, for tests of the guest's init.

#![allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "a test fails by panicking, and each test binary uses a part of this"
)]
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use stockade_core::fence::{Access, Directory, Step};
use stockade_core::wire::{
    BOUNDARY, Decoder, ExitStatus, Expiry, Fetch, FetchOutcome, RUN, Start, StepOutcome, Stream,
    ToGuest, ToHost, VERSION, encode,
};
use stockade_sys::clock;
use stockade_sys::poll::{Ready, poll};
use stockade_sys::socket;
use stockade_sys::spawn::{BeforeExec, Child, Namespaces, Spawn};

/// No test of init takes longer; one that does has lost its guest.
const PATIENCE: Duration = Duration::from_secs(30);

/// Each guest with a uid has one of its own, or the end of one would be the end of others.
static UIDS: AtomicU32 = AtomicU32::new(0);
pub const UID_FIRST: u32 = 1 << 29;

/// How the guest is fenced in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Namespaces made by root, then a uid of its own.
    Root,
    /// All namespaces in a user namespace.
    User,
    /// No namespace; init has the parent's uid.
    Process,
    /// No namespace but for mounts, and a uid of its own.
    Identity,
}

/// A started init.
pub struct Guest {
    pub child: Child,
    pub socket: OwnedFd,
    decoder: Decoder,
}

/// Everything that a run has said.
#[derive(Debug, Default)]
pub struct Report {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub expired: Vec<Expiry>,
    pub not_started: Option<(String, i32)>,
    pub ended: Option<ExitStatus>,
    pub cpu_us: u64,
    pub disk_bytes: u64,
    pub disk_full: bool,
    pub result: Option<(FetchOutcome, Vec<u8>)>,
    pub claim: Option<(FetchOutcome, Vec<u8>)>,
    pub init_rss_kib: u64,
    pub took: Duration,
}

impl Report {
    pub fn stdout(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap().trim_end()
    }
}

pub fn shell(script: &str) -> Start {
    Start {
        program: "/bin/sh".to_owned(),
        args: vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()],
        env: vec!["PATH=/usr/bin:/bin".to_owned()],
        directory: "/work".to_owned(),
        rlimits: Vec::new(),
        wall_ms: 10_000,
        grace_ms: 1_000,
        cpu_ms: None,
        result: Some(Fetch {
            path: "/work/out.json".to_owned(),
            bytes_max: 100_000,
        }),
        claim: None,
        keep: None,
        cpus: None,
    }
}

pub fn python(script: &str) -> Start {
    let args = ["python3", "-I", "-c", script].map(str::to_owned);
    Start {
        program: "/usr/bin/python3".to_owned(),
        args: args.to_vec(),
        ..shell("")
    }
}

/// Where another one than cargo's is to be used.
pub const BINARY: &str = "STOCKADE_TEST_GUEST";

/// The init that is tested.
pub fn binary() -> PathBuf {
    let built = || PathBuf::from(env!("CARGO_BIN_EXE_stockade-guest"));
    std::env::var_os(BINARY).map_or_else(built, PathBuf::from)
}

/// Those of `modes` that this user can make.
pub fn possible(modes: &[Mode]) -> Vec<Mode> {
    let root = stockade_sys::process::effective_uid() == 0;
    let (possible, skipped) = modes.iter().partition(|mode| match mode {
        Mode::Root | Mode::Identity => root,
        Mode::User | Mode::Process => true,
    });
    let skipped: Vec<Mode> = skipped;
    if !skipped.is_empty() {
        eprintln!("skipped, because only root can: {skipped:?}");
    }
    possible
}

/// The steps of a small jail around the host's `/usr`.
pub fn steps(mode: Mode) -> Vec<Step> {
    if mode == Mode::Process {
        return vec![Step::Session, Step::NoNewPrivileges];
    }
    if mode == Mode::Identity {
        // Each test may be a process of its own, and a guest kills everything of its uid.
        let first = UID_FIRST + 16 * std::process::id();
        let uid = first + UIDS.fetch_add(1, Ordering::Relaxed);
        return vec![
            Step::Session,
            Step::Identity { uid, gid: uid },
            Step::NotDumpable,
            Step::DropCapabilities,
            Step::NoNewPrivileges,
        ];
    }
    let mut steps = furnish();
    if mode == Mode::Root {
        steps.push(Step::Identity {
            uid: 2_000_001,
            gid: 2_000_002,
        });
    }
    steps.extend([
        Step::UserNamespace {
            uid: 1000,
            gid: 1000,
        },
        Step::NotDumpable,
        Step::DropCapabilities,
        Step::NoNewPrivileges,
    ]);
    steps
}

/// A root around the host's `/usr`.
fn furnish() -> Vec<Step> {
    let bind = |path: &str, access| Step::Bind {
        source: path.to_owned(),
        target: path.to_owned(),
        access,
    };
    let link = |name: &str| Step::MakeSymlink {
        target: format!("usr/{name}"),
        link: format!("/{name}"),
    };
    let directory = |path: &str, mode| Directory {
        path: path.to_owned(),
        mode,
    };
    vec![
        Step::Session,
        Step::Hostname {
            name: "guest".to_owned(),
        },
        Step::Root { bytes: 1 << 20 },
        link("bin"),
        link("lib"),
        link("lib64"),
        bind("/usr", Access::ReadOnly),
        bind("/dev/null", Access::Device),
        bind("/dev/zero", Access::Device),
        Step::MakeFile {
            path: "/etc/passwd".to_owned(),
            mode: 0o644,
            content: b"x\n".to_vec(),
        },
        Step::Proc,
        Step::Scratch {
            bytes: 4 << 20,
            inodes: 64,
            directories: vec![
                directory("/work", 0o700),
                directory("/tmp", 0o1777),
                directory("/dev/shm", 0o1777),
            ],
        },
        Step::Pivot,
        Step::TimeNamespace,
    ]
}

impl Guest {
    /// Starts init and greets it.
    pub fn start(mode: Mode) -> Self {
        Self::greet(mode, VERSION)
    }

    /// Starts init and greets it with a version.
    pub fn greet(mode: Mode, version: u16) -> Self {
        let program = std::fs::File::open(binary()).unwrap();
        let (ours, theirs) = socket::pair().unwrap();
        let map_ids = BeforeExec::MapIds {
            inside: 0,
            outside_uid: stockade_sys::process::effective_uid(),
            outside_gid: stockade_sys::process::effective_gid(),
        };
        let all = Namespaces::MOUNT
            | Namespaces::PID
            | Namespaces::NETWORK
            | Namespaces::IPC
            | Namespaces::UTS
            | Namespaces::CGROUP;
        let (namespaces, before_exec): (_, &[BeforeExec<'_>]) = match mode {
            Mode::Root => (all, &[]),
            Mode::User => (all | Namespaces::USER, &[map_ids]),
            Mode::Process => (Namespaces::NONE, &[]),
            Mode::Identity => (Namespaces::MOUNT, &[]),
        };
        let args: [&CStr; 1] = [c"stockade-guest"];
        let child = Spawn {
            program: program.as_fd().into(),
            args: &args,
            env: &[],
            namespaces,
            cgroup: None,
            descriptors: &[(theirs.as_fd(), 3)],
            before_exec,
        }
        .spawn()
        .unwrap();
        let mut guest = Self {
            child,
            socket: ours,
            decoder: Decoder::default(),
        };
        guest.send(BOUNDARY, &ToGuest::Hello { version });
        guest
    }

    /// Starts init and has it apply the steps of `mode`.
    pub fn fenced(mode: Mode) -> Self {
        let mut guest = Self::start(mode);
        let outcomes = guest.setup(steps(mode));
        assert!(
            outcomes.iter().all(|it| *it == StepOutcome::Applied),
            "{mode:?} {outcomes:?}"
        );
        guest
    }

    pub fn send(&mut self, channel: u32, message: &ToGuest<'_>) {
        let mut bytes = Vec::new();
        encode(channel, message, &mut bytes).unwrap();
        let mut left = bytes.as_slice();
        while !left.is_empty() {
            let sent = socket::send(&self.socket, left).unwrap();
            left = &left[sent..];
            if sent == 0 {
                poll(&[(self.socket.as_fd(), Ready::WRITE)], Some(PATIENCE)).unwrap();
            }
        }
    }

    /// The next message, or `None` when init has closed its side.
    pub fn receive<T>(&mut self, with: impl FnOnce(ToHost<'_>) -> T) -> Option<T> {
        while !self.decoder.ready() {
            let [ready] = poll(&[(self.socket.as_fd(), Ready::READ)], Some(PATIENCE)).unwrap();
            assert!(ready.any(), "init says nothing");
            match socket::read(&self.socket, self.decoder.space()) {
                Ok(Some(0)) | Err(_) => return None,
                Ok(Some(count)) => self.decoder.filled(count),
                Ok(None) => {}
            }
        }
        self.decoder
            .next()
            .unwrap()
            .map(|(_, message)| with(message))
    }

    /// Sends the fence; what came of each step that was tried.
    pub fn setup(&mut self, steps: Vec<Step>) -> Vec<StepOutcome> {
        self.send(BOUNDARY, &ToGuest::Setup { steps });
        let mut outcomes = Vec::new();
        loop {
            let next = self.receive(|message| match message {
                ToHost::Step { index, outcome } => Some(Some((index, outcome))),
                ToHost::Hello { .. } => Some(None),
                ToHost::Ready => None,
                ToHost::Started { .. }
                | ToHost::NotStarted { .. }
                | ToHost::Output { .. }
                | ToHost::Expired(_)
                | ToHost::Ended { .. }
                | ToHost::Result(_)
                | ToHost::Claim(_)
                | ToHost::Data(_)
                | ToHost::Done { .. } => panic!("{message:?}"),
            });
            match next.flatten() {
                Some(Some((index, outcome))) => {
                    assert_eq!(index as usize, outcomes.len());
                    outcomes.push(outcome);
                }
                Some(None) => {}
                None => return outcomes,
            }
        }
    }

    pub fn file(&mut self, path: &str, content: &[u8]) {
        self.send(
            RUN,
            &ToGuest::File {
                path,
                mode: 0o600,
                bytes: content.len() as u64,
            },
        );
        for chunk in content.chunks(100_000) {
            self.send(RUN, &ToGuest::Data(chunk));
        }
    }

    pub fn go(&mut self, start: Start) {
        self.send(RUN, &ToGuest::Start(Box::new(start)));
    }

    /// Starts the program and collects all that is said until init has ended.
    pub fn run(mut self, start: Start) -> Report {
        self.go(start);
        self.collect()
    }

    /// Collects all that is said until init has ended.
    pub fn collect(mut self) -> Report {
        let began = clock::monotonic();
        let mut report = Report::default();
        let mut done = false;
        while self
            .receive(|message| done |= report.take(&message))
            .is_some()
        {}
        report.took = clock::monotonic().saturating_sub(began);
        assert!(done, "init ended early: {report:?}");
        assert_eq!(
            self.child.wait().unwrap().exit,
            stockade_sys::wait::Exit::Code(0)
        );
        report
    }
}

impl Report {
    /// Whether this was the last message.
    fn take(&mut self, message: &ToHost<'_>) -> bool {
        match message {
            ToHost::Started { .. } => {}
            ToHost::NotStarted { step, errno } => {
                self.not_started = Some(((*step).to_owned(), *errno));
            }
            ToHost::Output {
                stream: Stream::Stdout,
                bytes,
            } => self.stdout.extend(*bytes),
            ToHost::Output {
                stream: Stream::Stderr,
                bytes,
            } => self.stderr.extend(*bytes),
            ToHost::Expired(expiry) => self.expired.push(*expiry),
            ToHost::Ended {
                status,
                cpu_us,
                disk_bytes,
                disk_full,
            } => {
                self.ended = Some(*status);
                self.cpu_us = *cpu_us;
                self.disk_bytes = *disk_bytes;
                self.disk_full = *disk_full;
            }
            ToHost::Result(outcome) => self.result = Some((*outcome, Vec::new())),
            ToHost::Claim(outcome) => self.claim = Some((*outcome, Vec::new())),
            ToHost::Data(bytes) => {
                let (_, content) = self.claim.as_mut().or(self.result.as_mut()).unwrap();
                content.extend(*bytes);
            }
            ToHost::Done { init_rss_kib } => {
                self.init_rss_kib = *init_rss_kib;
                return true;
            }
            ToHost::Hello { .. } | ToHost::Step { .. } | ToHost::Ready => panic!("{message:?}"),
        }
        false
    }
}
