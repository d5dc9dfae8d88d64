//! Starting programs for real: what the child sees, and what a failure says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::CStr;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use stockade_sys::Errno;
use stockade_sys::rlimit::Resource;
use stockade_sys::signal::Signal;
use stockade_sys::spawn::{BeforeExec, Namespaces, Program, Spawn, SpawnError};
use stockade_sys::wait::Exit;

fn shell<'a>(args: &'a [&'a CStr]) -> Spawn<'a> {
    Spawn {
        program: Program::Path(c"/bin/sh"),
        args,
        env: &[],
        namespaces: Namespaces::NONE,
        cgroup: None,
        descriptors: &[],
        before_exec: &[],
    }
}

/// Runs `spawn` with standard output on a pipe; how it ended and what it wrote.
fn output(spawn: Spawn<'_>) -> (Exit, String) {
    let (mut read, write) = std::io::pipe().unwrap();
    let descriptors = [(write.as_fd(), 1)];
    let mut child = Spawn {
        descriptors: &descriptors,
        ..spawn
    }
    .spawn()
    .unwrap();
    drop(write);
    let mut text = String::new();
    read.read_to_string(&mut text).unwrap();
    (child.wait().unwrap().exit, text.trim().to_owned())
}

fn user_namespace() -> BeforeExec<'static> {
    BeforeExec::MapIds {
        inside: 0,
        outside_uid: stockade_sys::process::effective_uid(),
        outside_gid: stockade_sys::process::effective_gid(),
    }
}

#[test]
fn the_exit_code_and_the_signal_of_a_child_are_told_apart() {
    let exit = |script| {
        shell(&[c"sh", c"-c", script])
            .spawn()
            .unwrap()
            .wait()
            .unwrap()
            .exit
    };
    assert_eq!(exit(c"exit 3"), Exit::Code(3));
    assert_eq!(exit(c"exit 137"), Exit::Code(137));
    assert_eq!(exit(c"kill -9 $$"), Exit::Signal(9));
}

#[test]
fn a_child_has_its_given_environment_and_no_other() {
    let args = [c"env"];
    let env = [c"A=b"];
    let spawn = Spawn {
        program: Program::Path(c"/usr/bin/env"),
        env: &env,
        ..shell(&args)
    };
    assert_eq!(output(spawn), (Exit::Code(0), "A=b".to_owned()));
}

#[test]
fn a_child_has_its_given_descriptors_and_no_other() {
    // The parent's own are not close-on-exec here, and one lies where the child gets another.
    let file = std::fs::File::open("/etc/hostname").unwrap();
    let kept: OwnedFd = rustix::io::dup(&file).unwrap();
    let (mut read, write) = std::io::pipe().unwrap();
    let descriptors = [(kept.as_fd(), 7), (write.as_fd(), 1), (write.as_fd(), 5)];
    let args = [c"ls", c"-l", c"/proc/self/fd"];
    let program = Program::Path(c"/bin/ls");
    let mut child = Spawn {
        program,
        descriptors: &descriptors,
        ..shell(&args)
    }
    .spawn()
    .unwrap();
    drop(write);
    let mut text = String::new();
    read.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().exit, Exit::Code(0));
    let numbers: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_once(" -> "))
        .filter(|(_, target)| !target.starts_with("/proc/"))
        .map(|(line, target)| (line.rsplit(' ').next().unwrap(), target))
        .collect();
    let names: Vec<_> = numbers.iter().map(|(number, _)| *number).collect();
    assert_eq!(names, ["0", "1", "2", "5", "7"], "{text}");
    assert_eq!(numbers[0].1, "/dev/null");
    assert_eq!(numbers[2].1, "/dev/null");
    assert_eq!(numbers[4].1, "/etc/hostname");
}

#[test]
fn a_program_in_memory_runs_and_its_file_cannot_be_changed() {
    let program = std::fs::read("/bin/true").unwrap();
    let file = stockade_sys::memfd::sealed(c"true", &program).unwrap();
    assert_eq!(rustix::io::write(&file, b"x"), Err(Errno::PERM));
    let args = [c"true"];
    let spawn = Spawn {
        program: file.as_fd().into(),
        ..shell(&args)
    };
    assert_eq!(output(spawn).0, Exit::Code(0));
}

#[test]
fn a_program_whose_descriptor_is_a_target_is_executed_all_the_same() {
    let program = std::fs::File::open("/bin/true").unwrap();
    let null = std::fs::File::open("/dev/null").unwrap();
    let args = [c"true"];
    // Whichever numbers they have, each is the target of the other.
    let descriptors = [
        (null.as_fd(), program.as_raw_fd()),
        (program.as_fd(), null.as_raw_fd()),
    ];
    let spawn = Spawn {
        program: program.as_fd().into(),
        descriptors: &descriptors,
        ..shell(&args)
    };
    assert_eq!(spawn.spawn().unwrap().wait().unwrap().exit, Exit::Code(0));
    let pid = spawn.spawn_plain().unwrap();
    while stockade_sys::wait::reap(pid).unwrap().is_none() {
        std::thread::yield_now();
    }
}

#[test]
fn an_ignored_signal_and_a_blocked_one_are_not_inherited() {
    // Rust ignores SIGPIPE in every process, so this is the ignored one.
    let ignored = std::fs::read_to_string("/proc/self/status").unwrap();
    assert!(
        ignored
            .lines()
            .any(|line| line.starts_with("SigIgn:\t") && line.contains("1000"))
    );
    let args = [c"grep", c"-E", c"^Sig(Blk|Ign)", c"/proc/self/status"];
    let spawn = Spawn {
        program: Program::Path(c"/bin/grep"),
        ..shell(&args)
    };
    let none = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000";
    assert_eq!(output(spawn), (Exit::Code(0), none.to_owned()));
}

#[test]
fn a_child_in_its_namespaces_is_process_one_and_root_of_nothing_else() {
    let namespaces = Namespaces::USER
        | Namespaces::MOUNT
        | Namespaces::PID
        | Namespaces::NETWORK
        | Namespaces::IPC
        | Namespaces::UTS
        | Namespaces::CGROUP;
    let args = [
        c"sh",
        c"-c",
        c"echo $$; id -u; cat /proc/self/setgroups; ls /sys/class/net",
    ];
    let before_exec = [
        user_namespace(),
        BeforeExec::DieWithParent,
        BeforeExec::NewSession,
    ];
    let spawn = Spawn {
        namespaces,
        env: &[c"PATH=/usr/bin:/bin"],
        before_exec: &before_exec,
        ..shell(&args)
    };
    let (exit, text) = output(spawn);
    assert_eq!(exit, Exit::Code(0));
    assert_eq!(text.lines().take(3).collect::<Vec<_>>(), ["1", "0", "deny"]);
}

#[test]
fn a_step_that_fails_is_named_and_nothing_is_left() {
    let args = [c"sh"];
    let directory = [BeforeExec::Directory(c"/nonexistent")];
    let failed = Spawn {
        before_exec: &directory,
        ..shell(&args)
    }
    .spawn()
    .unwrap_err();
    assert_eq!(
        failed,
        SpawnError {
            step: "chdir",
            errno: Errno::NOENT
        }
    );
    let missing = Spawn {
        program: Program::Path(c"/nonexistent"),
        ..shell(&args)
    };
    let expected = SpawnError {
        step: "execve",
        errno: Errno::NOENT,
    };
    assert_eq!(missing.spawn().unwrap_err(), expected);
    assert_eq!(missing.spawn_plain().unwrap_err(), expected);
    let twice = std::fs::File::open("/dev/null").unwrap();
    let descriptors = [(twice.as_fd(), 4), (twice.as_fd(), 4)];
    let failed = Spawn {
        descriptors: &descriptors,
        ..shell(&args)
    }
    .spawn()
    .unwrap_err();
    assert_eq!(
        failed,
        SpawnError {
            step: "descriptors",
            errno: Errno::INVAL
        }
    );
}

#[test]
fn limits_directory_and_mask_are_those_of_the_child_alone() {
    let args = [
        c"sh",
        c"-c",
        c"ulimit -n; pwd; umask; cat /proc/self/oom_score_adj",
    ];
    let before_exec = [
        BeforeExec::Rlimit {
            resource: Resource::Nofile,
            soft: 20,
            hard: 20,
        },
        BeforeExec::Directory(c"/usr"),
        BeforeExec::Umask(0o077),
        BeforeExec::OomScore(500),
    ];
    let env = [c"PATH=/usr/bin:/bin"];
    let (exit, text) = output(Spawn {
        before_exec: &before_exec,
        env: &env,
        ..shell(&args)
    });
    assert_eq!(
        (exit, text.as_str()),
        (Exit::Code(0), "20\n/usr\n0077\n500")
    );
    assert_ne!(stockade_sys::rlimit::get(Resource::Nofile).0, Some(20));
}

#[test]
fn a_dropped_child_is_dead_and_reaped() {
    let child = shell(&[c"sh", c"-c", c"trap '' TERM; while :; do :; done"])
        .spawn()
        .unwrap();
    let pid = child.pid();
    child.kill(Signal::TERM).unwrap();
    drop(child);
    assert_eq!(
        stockade_sys::process::kill(pid, Signal::TERM),
        Err(Errno::SRCH)
    );
}

#[test]
fn a_child_that_is_still_running_is_not_reaped_and_its_pidfd_tells_its_end() {
    use stockade_sys::poll::{Ready, poll};
    let (read, write) = std::io::pipe().unwrap();
    let descriptors = [(read.as_fd(), 0)];
    let args = [c"cat"];
    let program = Program::Path(c"/bin/cat");
    let mut child = Spawn {
        program,
        descriptors: &descriptors,
        ..shell(&args)
    }
    .spawn()
    .unwrap();
    assert_eq!(child.try_wait(), Ok(None));
    drop(write);
    drop(read);
    let [ready] = poll(&[(child.pidfd(), Ready::READ)], None).unwrap();
    assert!(ready.readable);
    assert_eq!(child.try_wait().unwrap().unwrap().exit, Exit::Code(0));
    assert_eq!(child.try_wait(), Err(Errno::CHILD));
}

#[test]
fn a_limit_below_what_the_start_itself_needs_is_an_error() {
    let args = [c"true"];
    let before_exec = [BeforeExec::Rlimit {
        resource: Resource::Nofile,
        soft: 3,
        hard: 3,
    }];
    let spawn = Spawn {
        program: Program::Path(c"/bin/true"),
        before_exec: &before_exec,
        ..shell(&args)
    };
    let expected = SpawnError {
        step: "open /dev/null",
        errno: Errno::MFILE,
    };
    let failed = spawn.spawn().unwrap_err();
    assert!(
        failed == expected || failed.step == "fcntl F_DUPFD_CLOEXEC",
        "{failed:?}"
    );
}

#[test]
fn spawning_from_many_threads_at_once_gives_each_its_own_child() {
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            scope.spawn(move || {
                let script = std::ffi::CString::new(format!("exit {thread}")).unwrap();
                for _ in 0..25 {
                    let args = [c"sh", c"-c", script.as_c_str()];
                    let mut child = shell(&args).spawn().unwrap();
                    assert_eq!(child.wait().unwrap().exit, Exit::Code(thread));
                }
            });
        }
    });
}
