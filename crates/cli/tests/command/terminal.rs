//! On a terminal: untrusted text is shown and cannot drive it.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::workshop::Workshop;

/// Everything that a person at a terminal sees of `args` run there; `NO_COLOR` is set or not.
fn seen(workshop: &Workshop, args: &[&str], colour: bool) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let mut command = workshop.command(args);
    command
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .stdout(Stdio::from(theirs.try_clone().unwrap()))
        .stderr(Stdio::from(theirs));
    if !colour {
        command.env("NO_COLOR", "1");
    }
    let mut child = command.spawn().unwrap();
    // The last copies of their end are the child's.
    drop(command);
    let text = read_all(ours);
    child.wait().unwrap();
    text
}

/// Reads until the other side is closed, which a terminal tells by EIO.
fn read_all(fd: OwnedFd) -> String {
    let mut file = File::from(fd);
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if error.raw_os_error() == Some(5) => break,
            Err(error) => panic!("{error}"),
        }
    }
    String::from_utf8(bytes).unwrap()
}

const HOSTILE: &str = r"
import sys, stockade_guest as g
sys.stdout.write('\x1b]0;owned\x07\x1b[2J\x9b31m\u202etxt\r')
sys.stdout.buffer.write(b'\xff')
sys.stdout.flush()
sys.stderr.write('\x1b[31merr\x1b[0m')
g.emit('\x1b[31m\x9b\u202e')
";

#[test]
fn control_characters_of_the_program_are_shown_and_not_sent() {
    let workshop = Workshop::new();
    workshop.file("job.py", HOSTILE);
    for args in [
        &["run", "job.py"][..],
        &["run", "job.py", "-v"],
        &["run", "job.py", "--no-value"],
        &["run", "job.py", "--format", "json"],
        &["run", "job.py", "--format", "json", "-v"],
    ] {
        let text = seen(&workshop, args, false);
        let bad: Vec<_> = text
            .chars()
            // The terminal itself puts a return before each line end.
            .filter(|c| stockade::value::is_unsafe_to_print(*c) && !matches!(c, '\r' | '\n' | '\t'))
            .collect();
        assert_eq!(bad, [], "{args:?}: {text:?}");
        assert!(
            !text.replace("\r\n", "\n").contains('\r'),
            "{args:?}: {text:?}"
        );
        assert!(text.contains("owned"), "{args:?}: {text:?}");
    }
}

#[test]
fn the_value_is_laid_out_for_a_person() {
    let workshop = Workshop::new();
    workshop.file("job.py", "import stockade_guest as g; g.emit({'a': [1]})");
    let text = seen(&workshop, &["run", "job.py"], false).replace("\r\n", "\n");
    assert!(
        text.starts_with("{\n  \"a\": [\n    1\n  ]\n}\nstockade: finished"),
        "{text:?}"
    );
}

#[test]
fn colours_are_ours_alone_and_only_where_they_are_wanted() {
    let workshop = Workshop::new();
    workshop.file("job.py", "import stockade_guest as g; g.emit(1)");
    let coloured = seen(&workshop, &["run", "job.py"], true);
    assert!(
        coloured.contains("stockade: \x1b[32mfinished"),
        "{coloured:?}"
    );
    let plain = seen(&workshop, &["run", "job.py"], false);
    assert!(plain.contains("stockade: finished"), "{plain:?}");
}

#[test]
fn output_is_shown_while_the_program_runs() {
    let workshop = Workshop::new();
    workshop.file("job.py", "print('early'); import time; time.sleep(60)");
    let mut child = workshop
        .command(["run", "job.py", "--no-value", "--limit", "wall=1min"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut early = [0; 6];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut early)
        .unwrap();
    assert_eq!(&early, b"early\n");
    assert!(child.try_wait().unwrap().is_none(), "it ended already");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
