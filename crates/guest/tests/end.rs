//! Ends that are not the program's own: the supervisor's word, its death, and a slow reader.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod supervisor;

use std::time::Duration;
use stockade_core::wire::{ExitStatus, RUN, Start, ToGuest, ToHost};
use stockade_sys::process::kill;
use stockade_sys::signal::Signal;
use stockade_sys::{Errno, clock};
use supervisor::{Guest, Mode, possible, shell, steps};

const ALL: [Mode; 4] = [Mode::Root, Mode::User, Mode::Process, Mode::Identity];

/// A program that has left a child in a session of its own and prints both pids.
fn family(directory: &str) -> Start {
    let script = "trap '' TERM; setsid sleep 300 & echo $! $$; exec sleep 300";
    Start {
        directory: directory.to_owned(),
        ..shell(script)
    }
}

fn directory(mode: Mode) -> &'static str {
    if mode == Mode::Process { "/" } else { "/work" }
}

fn has_its_own_pids(mode: Mode) -> bool {
    match mode {
        Mode::Root | Mode::User => true,
        Mode::Process | Mode::Identity => false,
    }
}

/// The first output.
fn first_line(guest: &mut Guest) -> String {
    loop {
        let line = guest.receive(|message| {
            if let ToHost::Output { bytes, .. } = message {
                Some(String::from_utf8(bytes.to_vec()).unwrap())
            } else {
                None
            }
        });
        if let Some(line) = line.unwrap() {
            return line.trim().to_owned();
        }
    }
}

#[test]
fn kill_ends_everything_and_the_run_is_still_reported() {
    for mode in possible(&ALL) {
        let mut guest = Guest::fenced(mode);
        guest.go(family(directory(mode)));
        let pids = first_line(&mut guest);
        guest.send(RUN, &ToGuest::Kill);
        let report = guest.collect();
        assert_eq!(
            report.ended,
            Some(ExitStatus::Signal(9)),
            "{mode:?} {report:?}"
        );
        assert!(report.took < Duration::from_secs(2), "{:?}", report.took);
        if !has_its_own_pids(mode) {
            assert_dead(&pids);
        }
    }
}

#[test]
fn init_ends_everything_when_the_supervisor_is_gone() {
    for mode in possible(&ALL) {
        let mut guest = Guest::fenced(mode);
        guest.go(family(directory(mode)));
        let pids = first_line(&mut guest);
        let Guest {
            mut child, socket, ..
        } = guest;
        drop(socket);
        let began = clock::monotonic();
        let exit = child.wait().unwrap().exit;
        assert_eq!(exit, stockade_sys::wait::Exit::Code(0), "{mode:?}");
        assert!(clock::monotonic() < began + Duration::from_secs(2));
        if !has_its_own_pids(mode) {
            assert_dead(&pids);
        }
    }
}

#[test]
fn an_orphan_of_a_bare_process_does_not_outlive_its_run() {
    // Two forks and a new session: nobody but the reaper is its parent.
    let script = "(setsid sh -c 'echo $$; exec sleep 300' &) ; sleep 0.3";
    for mode in possible(&[Mode::Process, Mode::Identity]) {
        let start = Start {
            directory: "/".to_owned(),
            ..shell(script)
        };
        let report = Guest::fenced(mode).run(start);
        assert_eq!(
            report.ended,
            Some(ExitStatus::Code(0)),
            "{mode:?} {report:?}"
        );
        assert_dead(report.stdout());
    }
}

#[test]
fn a_process_with_a_uid_of_its_own_has_no_capability_in_any_set() {
    if possible(&[Mode::Identity]).is_empty() {
        return;
    }
    let start = Start {
        directory: "/".to_owned(),
        ..shell("id -u; grep -c '^Cap.*0000000000000000' /proc/self/status")
    };
    let report = Guest::fenced(Mode::Identity).run(start);
    let (uid, sets) = report.stdout().split_once('\n').unwrap();
    let uid: u32 = uid.parse().unwrap();
    assert!(uid >= supervisor::UID_FIRST, "{report:?}");
    assert_eq!(sets, "5", "{report:?}");
}

#[test]
fn a_slow_reader_costs_init_no_memory_and_the_deadline_still_holds() {
    let mut guest = Guest::fenced(Mode::User);
    guest.go(Start {
        wall_ms: 700,
        grace_ms: 100,
        ..shell("cat /dev/zero")
    });
    // Nothing is read until init must have killed it: its exit is waited for as the end of `cat`.
    let began = clock::monotonic();
    let init = guest.child.pid();
    let children = format!("/proc/{init}/task/{init}/children");
    let children = || std::fs::read_to_string(&children).unwrap();
    while children().is_empty() {
        std::thread::yield_now();
    }
    while !children().is_empty() && clock::monotonic() < began + Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let lived = clock::monotonic().checked_sub(began).unwrap();
    assert!((600..2000).contains(&lived.as_millis()), "{lived:?}");
    let report = guest.collect();
    assert!(report.stdout.len() < 2 << 20, "{}", report.stdout.len());
    assert!(report.init_rss_kib < 6 << 10, "{}", report.init_rss_kib);
}

#[test]
fn a_flood_is_delivered_whole_to_one_who_reads() {
    let script = "head -c 50000000 /dev/zero; echo end >&2";
    let report = Guest::fenced(Mode::User).run(shell(script));
    assert_eq!(report.stdout.len(), 50_000_000);
    assert_eq!(report.stderr, b"end\n");
    assert!(report.init_rss_kib < 6 << 10, "{}", report.init_rss_kib);
}

#[test]
fn a_message_that_makes_no_sense_ends_init() {
    let mut guest = Guest::start(Mode::User);
    guest.setup(steps(Mode::User));
    guest.send(RUN, &ToGuest::Data(b"of no file"));
    assert_eq!(
        guest.child.wait().unwrap().exit,
        stockade_sys::wait::Exit::Code(122)
    );
}

fn assert_dead(pids: &str) {
    assert!(!pids.is_empty());
    for pid in pids.split_whitespace() {
        assert_eq!(
            kill(pid.parse().unwrap(), Signal::CONT),
            Err(Errno::SRCH),
            "{pid}"
        );
    }
}
