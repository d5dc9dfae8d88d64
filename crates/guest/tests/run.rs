//! Runs in a real jail and in a bare process, from start to result.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod supervisor;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;
use stockade_core::fence::Step;
use stockade_core::wire::{
    ExitStatus, Expiry, Fetch, FetchOutcome, FileKind, StepOutcome, ToHost, VERSION,
};
use supervisor::{BINARY, Guest, Mode, binary, possible, python, shell, steps};

const JAILS: [Mode; 2] = [Mode::Root, Mode::User];

#[test]
fn a_program_runs_and_its_output_status_and_result_come_back() {
    for mode in possible(&JAILS) {
        let mut guest = Guest::fenced(mode);
        guest.file("/work/input.json", b"[1]");
        guest.file("/work/sub/dir/data", &vec![7; 300_000]);
        let report = guest.run(shell(
            "cat /work/input.json; echo err >&2; wc -c < sub/dir/data; \
             cp input.json out.json; exit 3",
        ));
        assert_eq!(
            report.ended,
            Some(ExitStatus::Code(3)),
            "{mode:?} {report:?}"
        );
        assert_eq!(report.stdout(), "[1]300000");
        assert_eq!(report.stderr, b"err\n");
        assert_eq!(
            report.result,
            Some((FetchOutcome::Bytes(3), b"[1]".to_vec()))
        );
        assert!(
            report.disk_bytes >= 300_000 && report.disk_bytes < 400_000,
            "{report:?}"
        );
        assert!(!report.disk_full && report.cpu_us > 0, "{report:?}");
    }
}

#[test]
fn the_guest_is_uid_1000_without_capabilities_in_namespaces_of_its_own() {
    for mode in possible(&JAILS) {
        let report = Guest::fenced(mode).run(shell(
            "id -u; id -g; grep -E '^(Cap|NoNewPrivs|Groups)' /proc/self/status; hostname; \
             ls -d /proc/[0-9]*; stat -c '%u %a' /work /tmp /dev/shm",
        ));
        let zero = "0000000000000000";
        let lines: Vec<_> = report.stdout().lines().map(str::trim).collect();
        let caps = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map(|set| format!("Cap{set}:\t{zero}"));
        assert_eq!(&lines[..2], ["1000", "1000"], "{mode:?} {report:?}");
        assert!(
            lines.contains(&"NoNewPrivs:\t1") && lines.contains(&"guest"),
            "{lines:?}"
        );
        assert!(
            caps.iter().all(|cap| lines.contains(&cap.as_str())),
            "{lines:?}"
        );
        // Init and the shell, which is still alone when it looks.
        let processes = lines
            .iter()
            .filter(|line| line.starts_with("/proc/"))
            .count();
        assert_eq!(processes, 2, "{lines:?}");
        assert_eq!(
            lines[lines.len() - 3..],
            ["1000 700", "1000 1777", "1000 1777"]
        );
    }
}

#[test]
fn only_the_scratch_directories_can_be_written_and_the_hosts_root_is_gone() {
    for mode in possible(&JAILS) {
        let script = "ls -A /; \
                      for f in /x /usr/x /etc/x /dev/x; do (echo > $f) && echo wrote $f; done; \
                      echo a > /work/a && echo b > /tmp/b && echo c > /dev/shm/c && echo fine; \
                      cat /proc/1/environ /proc/1/maps && echo read; ls /proc/sys; \
                      grep -c . /proc/self/mountinfo; awk '{print $1}' /proc/uptime; exit 0";
        let report = Guest::fenced(mode).run(shell(script));
        let lines: Vec<_> = report.stdout().lines().collect();
        let root = [
            "bin", "dev", "etc", "lib", "lib64", "proc", "tmp", "usr", "work",
        ];
        assert_eq!(lines[..root.len()], root, "{mode:?} {report:?}");
        assert_eq!(lines[root.len()], "fine", "{report:?}");
        // The root, /usr, two devices, /proc, three scratch directories.
        assert_eq!(lines[root.len() + 1..], ["8"], "{report:?}");
    }
}

#[test]
fn the_clocks_of_the_guest_start_at_zero() {
    for mode in possible(&JAILS) {
        let script = "import time as t\n\
                      print(t.monotonic(), t.clock_gettime(t.CLOCK_BOOTTIME))";
        let report = Guest::fenced(mode).run(python(script));
        let clocks: Vec<f64> = report
            .stdout()
            .split(' ')
            .map(|clock| clock.parse().unwrap())
            .collect();
        assert!(
            clocks.iter().all(|clock| *clock < 10.0),
            "{mode:?} {report:?}"
        );
    }
}

#[test]
fn the_network_is_empty_unless_a_loopback_is_granted() {
    let script = "import errno, socket\n\
        server = socket.create_server(('', 0))\n\
        try:\n    \
            socket.create_connection(('127.0.0.1', server.getsockname()[1]), 2)\n    \
            print('connected')\n\
        except OSError as e: print(errno.errorcode[e.errno])\n";
    for mode in possible(&JAILS) {
        let report = Guest::fenced(mode).run(python(script));
        assert_eq!(report.stdout(), "ENETUNREACH", "{mode:?} {report:?}");
        let mut guest = Guest::start(mode);
        let mut granted = steps(mode);
        granted.insert(1, Step::Loopback);
        assert_eq!(guest.setup(granted)[1], StepOutcome::Applied);
        let report = guest.run(python(script));
        assert_eq!(report.stdout(), "connected", "{mode:?} {report:?}");
    }
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_keep_the_run_from_ending() {
    for mode in possible(&JAILS) {
        let report = Guest::fenced(mode).run(shell("sleep 600 & echo parent done"));
        assert_eq!(report.ended, Some(ExitStatus::Code(0)), "{mode:?}");
        assert_eq!(report.stdout(), "parent done");
        assert!(report.took < Duration::from_secs(2), "{:?}", report.took);
    }
}

#[test]
fn one_that_ignores_sigterm_in_a_session_of_its_own_is_dead_after_the_grace() {
    let script = "import os, signal, time\n\
        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
        print('up', flush=True)\n\
        if os.fork() == 0:\n    \
            os.setsid()\n    \
            if os.fork() == 0:\n        \
                while True: time.sleep(1)\n\
        while True: time.sleep(1)\n";
    for mode in possible(&JAILS) {
        let start = supervisor::python(script);
        let start = stockade_core::wire::Start {
            wall_ms: 500,
            grace_ms: 300,
            ..start
        };
        let report = Guest::fenced(mode).run(start);
        assert_eq!(report.expired, [Expiry::Wall], "{mode:?} {report:?}");
        assert_eq!(report.ended, Some(ExitStatus::Signal(9)));
        assert_eq!(report.stdout(), "up");
        let took = report.took.as_millis();
        assert!((790..2000).contains(&took), "{took}");
    }
}

#[test]
fn one_that_listens_to_sigterm_ends_within_the_grace() {
    let start = shell("trap 'echo bye; exit 7' TERM; while :; do sleep 0.05; done");
    let start = stockade_core::wire::Start {
        wall_ms: 300,
        grace_ms: 5000,
        ..start
    };
    let report = Guest::fenced(Mode::User).run(start);
    assert_eq!(
        (report.expired, report.ended),
        (vec![Expiry::Wall], Some(ExitStatus::Code(7)))
    );
    assert_eq!(report.stdout, b"bye\n");
    assert!(report.took < Duration::from_secs(3), "{:?}", report.took);
}

#[test]
fn cpu_time_of_all_processes_together_is_limited() {
    let spin = "for i in 1 2 3 4; do (while :; do :; done) & done; wait";
    let start = stockade_core::wire::Start {
        cpu_ms: Some(600),
        ..shell(spin)
    };
    let report = Guest::fenced(Mode::User).run(start);
    assert_eq!(report.expired, [Expiry::Cpu], "{report:?}");
    assert!((590_000..1_500_000).contains(&report.cpu_us), "{report:?}");
}

#[test]
fn what_is_no_plain_file_is_never_read_as_the_result() {
    let cases: [(&str, FetchOutcome); 8] = [
        ("true", FetchOutcome::Missing),
        (
            "ln -s /etc/passwd out.json",
            FetchOutcome::NotPlain(FileKind::Symlink),
        ),
        (
            "mkdir out.json",
            FetchOutcome::NotPlain(FileKind::Directory),
        ),
        ("mkfifo out.json", FetchOutcome::NotPlain(FileKind::Fifo)),
        (
            "echo 1 > a; ln a out.json",
            FetchOutcome::NotPlain(FileKind::HardLink),
        ),
        ("truncate -s 1T out.json", FetchOutcome::TooLarge(1 << 40)),
        (
            "head -c 100001 /dev/zero > out.json",
            FetchOutcome::TooLarge(100_001),
        ),
        (
            "python3 -c 'import socket as s; s.socket(s.AF_UNIX).bind(\"out.json\")'",
            FetchOutcome::NotPlain(FileKind::Socket),
        ),
    ];
    for (script, expected) in cases {
        let report = Guest::fenced(Mode::User).run(shell(script));
        assert_eq!(
            report.result,
            Some((expected, Vec::new())),
            "{script} {report:?}"
        );
    }
    // Control: the largest that is allowed.
    let report = Guest::fenced(Mode::User).run(shell("head -c 100000 /dev/zero > out.json"));
    assert_eq!(
        report.result,
        Some((FetchOutcome::Bytes(100_000), vec![0; 100_000]))
    );
}

#[test]
fn a_result_behind_a_directory_made_a_link_is_not_followed() {
    let mut start = shell("ln -s /etc sub");
    start.result = Some(Fetch {
        path: "/work/sub/passwd".to_owned(),
        bytes_max: 10,
    });
    start.claim = Some(Fetch {
        path: "/work/sub/passwd".to_owned(),
        bytes_max: 10,
    });
    let report = Guest::fenced(Mode::User).run(start);
    let symlink = Some((FetchOutcome::NotPlain(FileKind::Symlink), Vec::new()));
    assert_eq!((&report.result, &report.claim), (&symlink, &symlink));
}

#[test]
fn a_full_disk_is_told() {
    let report = Guest::fenced(Mode::User).run(shell("cat /dev/zero > /tmp/x"));
    assert!(report.disk_full, "{report:?}");
    assert!(report.disk_bytes >= 4 << 20 && report.disk_bytes <= (4 << 20) + 65536);
}

#[test]
fn a_program_that_is_missing_is_named_with_its_error() {
    let mut start = shell("");
    start.program = "/usr/bin/nonesuch".to_owned();
    let report = Guest::fenced(Mode::User).run(start);
    assert_eq!(report.not_started, Some(("execve".to_owned(), 2)));
    assert_eq!(report.ended, None);
}

#[test]
fn a_step_that_fails_is_named_and_nothing_after_it_is_tried() {
    let mut guest = Guest::start(Mode::User);
    let mut steps = steps(Mode::User);
    steps[6] = Step::Bind {
        source: "/nonexistent".to_owned(),
        target: "/usr".to_owned(),
        access: stockade_core::fence::Access::ReadOnly,
    };
    let outcomes = guest.setup(steps);
    let failed = StepOutcome::Failed {
        call: "open_tree /nonexistent".to_owned(),
        errno: 2,
    };
    assert_eq!(outcomes.len(), 7);
    assert_eq!(outcomes[6], failed);
    assert_eq!(
        guest.child.wait().unwrap().exit,
        stockade_sys::wait::Exit::Code(121)
    );
}

#[test]
fn another_version_is_refused() {
    let mut guest = Guest::greet(Mode::Process, VERSION + 1);
    let hello = guest.receive(|message| message == ToHost::Hello { version: VERSION });
    assert_eq!(hello, Some(true));
    assert_eq!(
        guest.child.wait().unwrap().exit,
        stockade_sys::wait::Exit::Code(120)
    );
}

#[test]
fn init_is_small() {
    let report = Guest::fenced(Mode::User).run(shell("true"));
    // The development build is dynamic and not optimised; the embedded one is measured elsewhere.
    assert!(
        report.init_rss_kib > 0 && report.init_rss_kib < 6 << 10,
        "{}",
        report.init_rss_kib
    );
}

/// All of this file again, by a user who may nothing.
#[test]
fn all_of_this_holds_without_root() {
    if stockade_sys::process::effective_uid() != 0 {
        // This is the run inside, or everything above has shown it.
        return;
    }
    let nobody = 65_534;
    // The build's own directory may be closed to others.
    let directory = std::env::temp_dir().join(format!("without-root-{}", std::process::id()));
    std::fs::create_dir(&directory).unwrap();
    std::fs::set_permissions(&directory, PermissionsExt::from_mode(0o755)).unwrap();
    let (test, guest) = (directory.join("test"), directory.join("guest"));
    std::fs::copy(std::env::current_exe().unwrap(), &test).unwrap();
    std::fs::copy(binary(), &guest).unwrap();
    let output = Command::new(&test)
        .env_clear()
        .env(BINARY, &guest)
        .current_dir("/")
        .uid(nobody)
        .gid(nobody)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
