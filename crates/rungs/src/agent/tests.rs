//! A guest's side that is hostile from its first byte: whatever it says, the supervisor neither
//! panics nor keeps more than the limits allow, and comes to an end by its own clock.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::host::{Cgroup, Fact, Facts, Fault, Privilege};
use stockade_core::limits::{LimitId, Limits};
use stockade_core::plan::plan;
use stockade_core::policy::Policy;
use stockade_core::report::{Ending, Fetched, Fired, Report};
use stockade_core::submission::{Language, Submission};
use stockade_core::template::{Origin, Template};
use stockade_core::wire::{
    BOUNDARY, CHUNK_BYTES_MAX, ExitStatus, Expiry, FRAME_BYTES_MAX, FetchOutcome, FileKind, RUN,
    StepOutcome, Stream, ToHost, VERSION, encode,
};
use stockade_sys::clock;
use stockade_sys::spawn::{Namespaces, Program, Spawn};

use super::session::Session;
use super::{Held, Standing, StandingPlan, Stopwatch, start};
use crate::{Guest, Job, Prepared, Watch};

const OUTPUT_BYTES_MAX: u64 = 1000;
const RESULT_BYTES_MAX: u64 = 5000;

/// Longer than any conversation here may take: `wall`, and the supervisor's patience with init.
const BOUND: Duration = Duration::from_secs(25);

/// Counts what it is shown.
struct Counter(u64);

impl Watch for Counter {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }

    fn cancel(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        None
    }
}

fn facts() -> Facts {
    let none = Fault {
        step: "cgroup".to_owned(),
        errno: 0,
        cause: "a test".to_owned(),
        remedies: Vec::new(),
    };
    Facts {
        kernel: (6, 1),
        cpus: 1,
        memory_bytes: 1 << 30,
        privilege: Privilege::User,
        namespaces: Fact::Works,
        seccomp: Fact::Works,
        landlock_abi: 1,
        time_namespace: Fact::Works,
        cgroup: Cgroup::None(none),
        proofs: Vec::new(),
    }
}

fn template() -> Template {
    Template {
        name: "none".to_owned(),
        digest: String::new(),
        origin: Origin::Host,
        version: (3, 11, 0),
        interpreter: "/bin/false".to_owned(),
        site_dir: "/site".to_owned(),
        root: PathBuf::from("/nonexistent"),
        binds: Vec::new(),
        symlinks: Vec::new(),
        env: Vec::new(),
        preload: Vec::new(),
        home: Vec::new(),
    }
}

fn policy() -> Policy {
    let limits = [
        "wall=200ms".to_owned(),
        "grace=0ms".to_owned(),
        "processes=1".to_owned(),
        format!("stdout={OUTPUT_BYTES_MAX}B"),
        format!("stderr={OUTPUT_BYTES_MAX}B"),
        format!("result={RESULT_BYTES_MAX}B"),
    ];
    let parsed = limits
        .iter()
        .try_fold(Limits::default(), |all, one| all.parse(one));
    Policy::default().limits(parsed.unwrap())
}

/// Holds a conversation in which `says` speaks for the guest, and checks what must hold of any.
fn meet(says: impl FnOnce(UnixStream) + Send) -> Result<Report, Error> {
    let (facts, template, policy) = (facts(), template(), policy());
    let submission = Submission::python("pass").input(vec![b' '; 300_000]);
    let jail = crate::named("jail").unwrap().spec();
    let plan = plan(Language::Python, &policy, &facts, &[jail]).unwrap();
    let guest = Guest::load().unwrap();
    let prepare = || Ok(template.clone());
    let prepared = Prepared::new(&prepare);
    let job = Job {
        run: "enemy",
        plan: &plan,
        submission: &submission,
        template: &prepared,
        host: &facts,
        uid: 0,
        network: None,
        scratch: Path::new("/nonexistent"),
        guest: &guest,
    };
    let layout = start::Layout {
        work: "/work",
        home: "/home",
        temporary: "/tmp",
        claim: "/claim",
    };
    let start = start::start(&job, &template, &layout);
    // Somebody to kill and to bury in the place of init, and who ends when nobody kills.
    let child = Spawn {
        program: Program::Path(c"/bin/sleep"),
        args: &[c"sleep", c"1"],
        env: &[],
        namespaces: Namespaces::NONE,
        cgroup: None,
        descriptors: &[],
        before_exec: &[],
    };
    let (ours, theirs) = stockade_sys::socket::pair().unwrap();
    let held = Held::new(child.spawn().unwrap(), ours, None);
    let plan = StandingPlan {
        steps: Vec::new(),
        own: Vec::new(),
        explain: |_, _| Vec::new(),
        cancel: None,
    };
    let mut counter = Counter(0);
    let begun = clock::monotonic();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| says(blocking(theirs)));
        let mut watch = Stopwatch::start();
        let standing = Standing::build(held, &plan, &mut watch)?;
        Session::new(&job, "/work", &start, standing).hold(&mut counter, &mut watch)
    });
    assert!(clock::monotonic() < begun + BOUND, "{ended:?}");
    assert!(counter.0 <= 2 * OUTPUT_BYTES_MAX);
    if let Ok(report) = &ended {
        let kept = report.stdout.kept.len().max(report.stderr.kept.len());
        assert!(kept as u64 <= OUTPUT_BYTES_MAX);
    }
    ended
}

fn blocking(socket: OwnedFd) -> UnixStream {
    let socket = UnixStream::from(socket);
    socket.set_nonblocking(false).unwrap();
    socket
}

fn bytes(messages: &[(u32, ToHost<'_>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (channel, message) in messages {
        encode(*channel, message, &mut out).unwrap();
    }
    out
}

fn opening() -> Vec<(u32, ToHost<'static>)> {
    vec![
        (BOUNDARY, ToHost::Hello { version: VERSION }),
        (BOUNDARY, ToHost::Ready),
        (RUN, ToHost::Started { pid: 2 }),
    ]
}

fn ended() -> ToHost<'static> {
    ToHost::Ended {
        status: ExitStatus::Code(0),
        cpu_us: u64::MAX,
        disk_bytes: u64::MAX,
        disk_full: true,
    }
}

/// A conversation of these messages, then the end of the stream.
fn told(messages: &[(u32, ToHost<'_>)]) -> Result<Report, Error> {
    let bytes = bytes(messages);
    // A supervisor that has heard enough reads no further.
    meet(move |mut socket| drop(socket.write_all(&bytes)))
}

#[test]
fn a_guest_that_keeps_to_the_protocol_is_believed() {
    let mut messages = opening();
    messages.extend([
        (RUN, ended()),
        (RUN, ToHost::Result(FetchOutcome::Bytes(2))),
        (RUN, ToHost::Data(b"42")),
        (RUN, ToHost::Claim(FetchOutcome::Missing)),
        (RUN, ToHost::Done { init_rss_kib: 1 }),
    ]);
    let report = told(&messages).unwrap();
    assert_eq!(report.ending, Ending::Code(0));
    assert!(matches!(report.result, Fetched::Bytes(_)));
    for told_first in 0..messages.len() {
        let cut = told(&messages[..told_first]);
        // Before the start that is trouble of ours, afterwards of nobody's yet: never an ending.
        match told_first {
            0..3 => assert_eq!(cut.unwrap_err().kind(), ErrorKind::Host, "{told_first}"),
            _ => assert_eq!(cut.unwrap().ending, Ending::Lost, "{told_first}"),
        }
    }
}

#[test]
fn bytes_that_are_no_messages_break_the_protocol() {
    let mut too_long = bytes(&opening());
    too_long.extend(u32::MAX.to_le_bytes());
    let mut too_short = bytes(&opening());
    too_short.extend([0; 4]);
    let mut nonsense = bytes(&opening());
    nonsense.extend([5, 0, 0, 0, 1, 0, 0, 0, 0xff]);
    for hostile in [too_long, too_short, nonsense] {
        let report = meet(move |mut socket| drop(socket.write_all(&hostile))).unwrap();
        assert!(
            matches!(report.ending, Ending::Violated(_)),
            "{:?}",
            report.ending
        );
    }
    // Before there is a submission it is our own init that speaks.
    for broken in [vec![0xff; 100], vec![0; 100]] {
        let error = meet(move |mut socket| drop(socket.write_all(&broken))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Bug, "{error}");
    }
}

#[test]
fn a_guest_that_talks_without_end_is_ended_by_the_supervisors_clock() {
    let mut flood = opening();
    let chunk = vec![b'x'; CHUNK_BYTES_MAX];
    let stream = Stream::Stdout;
    flood.push((
        RUN,
        ToHost::Output {
            stream,
            bytes: &chunk,
        },
    ));
    let (begin, again) = (bytes(&flood), bytes(&flood[3..]));
    let report = meet(move |mut socket| {
        let mut sent = socket.write_all(&begin);
        while sent.is_ok() {
            sent = socket.write_all(&again);
        }
    })
    .unwrap();
    assert_eq!(
        (report.ending, report.fired),
        (Ending::Lost, Some(Fired::Wall))
    );
    assert_eq!(report.stdout.kept.len() as u64, OUTPUT_BYTES_MAX);
    assert!(report.stdout.dropped > 0);
}

#[test]
fn a_guest_that_says_nothing_more_is_ended_by_the_supervisors_clock() {
    let begin = bytes(&opening());
    let report = meet(move |mut socket| {
        socket.write_all(&begin).unwrap();
        // Until the supervisor lets go of its end.
        drop(socket.read_to_end(&mut Vec::new()));
    })
    .unwrap();
    assert_eq!(
        (report.ending, report.fired),
        (Ending::Lost, Some(Fired::Wall))
    );
}

#[test]
fn a_clock_that_runs_fast_is_not_believed() {
    for expiry in [Expiry::Wall, Expiry::Cpu] {
        let mut messages = opening();
        messages.push((RUN, ToHost::Expired(expiry)));
        let report = told(&messages).unwrap();
        // Where there is no cgroup, CPU time is what init says it is.
        match expiry {
            Expiry::Wall => assert!(matches!(report.ending, Ending::Violated(_))),
            Expiry::Cpu => assert_eq!(report.fired, Some(Fired::Cpu)),
        }
    }
}

/// Numbers that look random and are the same each time (xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn message<'a>(&mut self, content: &'a [u8]) -> ToHost<'a> {
        let size = [0, 1, 100, RESULT_BYTES_MAX, RESULT_BYTES_MAX + 1, u64::MAX];
        let size = size[usize::try_from(self.below(6)).unwrap()];
        let stream = [Stream::Stdout, Stream::Stderr][usize::try_from(self.below(2)).unwrap()];
        let some = usize::try_from(self.below(content.len() as u64)).unwrap();
        let bytes = &content[..some];
        match self.below(16) {
            0 => ToHost::Hello { version: VERSION },
            1 => ToHost::Step {
                index: u32::try_from(self.below(3)).unwrap(),
                outcome: StepOutcome::Partial("p".repeat(some)),
            },
            2 => ToHost::Ready,
            3 => ToHost::Started { pid: i32::MIN },
            4 => ToHost::NotStarted {
                step: "a step",
                errno: -1,
            },
            5 => ToHost::Expired(Expiry::Cpu),
            6 => ended(),
            7 => ToHost::Result(FetchOutcome::Bytes(size)),
            8 => ToHost::Claim(FetchOutcome::Bytes(size)),
            9 => ToHost::Result(FetchOutcome::NotPlain(FileKind::Device)),
            10 => ToHost::Claim(FetchOutcome::TooLarge(size)),
            11 => ToHost::Done { init_rss_kib: size },
            12 | 13 => ToHost::Data(bytes),
            _ => ToHost::Output { stream, bytes },
        }
    }
}

#[test]
fn no_order_of_messages_does_any_harm() {
    let content = vec![b'x'; 20_000];
    let mut numbers = Numbers(0x5eed);
    for _ in 0..150 {
        let mut messages = opening();
        messages.truncate(usize::try_from(numbers.below(4)).unwrap());
        for _ in 0..40 {
            let channel = [RUN, RUN, RUN, BOUNDARY, 7][usize::try_from(numbers.below(5)).unwrap()];
            messages.push((channel, numbers.message(&content)));
        }
        let mut raw = bytes(&messages);
        // A changed byte here and there.
        for _ in 0..numbers.below(3) {
            let at = usize::try_from(numbers.below(raw.len() as u64)).unwrap();
            raw[at] ^= u8::try_from(1 << numbers.below(8)).unwrap();
        }
        let ended = meet(move |mut socket| drop(socket.write_all(&raw)));
        if let Ok(report) = ended
            && let Fetched::Bytes(result) = report.result
        {
            let size = result.validate(|bytes| Ok::<_, ()>(bytes.len())).unwrap();
            assert!(size as u64 <= RESULT_BYTES_MAX);
        }
    }
    assert!(policy().limits_ref().get(LimitId::Stdout) < FRAME_BYTES_MAX as u64);
}
