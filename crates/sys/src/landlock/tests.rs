//! Each "no" is first a "yes" without the fence. A fence binds a thread, so each has its own.

use std::fs::{self, File};
use std::io::Write;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;

use super::*;

/// A directory of a test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("landlock-{name}-{}", std::process::id()));
        for directory in ["read", "write", "other"] {
            fs::create_dir_all(path.join(directory)).unwrap();
            fs::write(path.join(directory).join("file"), "here").unwrap();
        }
        Self(path)
    }

    fn at(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn kind<T>(result: io::Result<T>) -> Option<i32> {
    result.err().and_then(|error| error.raw_os_error())
}

/// Runs the same attempts without and within a fence over `read/`, `write/` and `/dev/null`.
fn both<T: Send>(
    scratch: &Scratch,
    deny_tcp: bool,
    attempts: impl Fn() -> T + Sync,
) -> (T, T, Applied) {
    thread::scope(|scope| {
        let without = scope.spawn(&attempts).join().unwrap();
        let (within, applied) = scope
            .spawn(|| {
                let applied = restrict(&Fence {
                    read: &[&scratch.at("read")],
                    write: &[&scratch.at("write")],
                    devices: &[Path::new("/dev/null")],
                    deny_tcp,
                    ..Fence::default()
                })
                .unwrap();
                (attempts(), applied)
            })
            .join()
            .unwrap();
        (without, within, applied)
    })
}

#[test]
fn files_outside_the_fence_are_neither_read_nor_written() {
    let scratch = Scratch::new("files");
    let (without, within, applied) = both(&scratch, false, || {
        [
            kind(fs::read(scratch.at("other/file"))),
            kind(fs::read_dir(scratch.at("other"))),
            kind(fs::write(scratch.at("other/new"), "")),
            kind(fs::write(scratch.at("read/file"), "here")),
            kind(fs::File::open("/dev/zero")),
        ]
    });
    assert_eq!(without, [None; 5]);
    assert_eq!(within, [Some(libc::EACCES); 5]);
    assert_eq!(applied.abi, abi().unwrap());
    assert!(!applied.tcp);
}

#[test]
fn what_the_fence_allows_works() {
    let scratch = Scratch::new("allowed");
    let (without, within, _) = both(&scratch, false, || {
        fs::read(scratch.at("read/file")).unwrap();
        fs::read_dir(scratch.at("read")).unwrap();
        fs::create_dir_all(scratch.at("write/deep/er")).unwrap();
        fs::write(scratch.at("write/deep/one"), "1").unwrap();
        fs::rename(
            scratch.at("write/deep/one"),
            scratch.at("write/deep/er/two"),
        )
        .unwrap();
        fs::write(scratch.at("write/deep/er/two"), "").unwrap();
        fs::remove_dir_all(scratch.at("write/deep")).unwrap();
        let mut null = File::create("/dev/null").unwrap();
        null.write(b"gone").unwrap()
    });
    assert_eq!((without, within), (4, 4));
}

#[test]
fn a_device_node_is_not_made_where_files_may_be() {
    let scratch = Scratch::new("device");
    let node = scratch.at("write/null");
    let (without, within, _) = both(&scratch, false, || {
        let made = rustix::fs::mknodat(
            rustix::fs::CWD,
            &node,
            rustix::fs::FileType::CharacterDevice,
            rustix::fs::Mode::RUSR,
            rustix::fs::makedev(1, 3),
        );
        let _ = fs::remove_file(&node);
        made.err()
    });
    // Where the test does not run as root, the kernel refuses in both cases, with another errno.
    assert!([None, Some(Errno::PERM)].contains(&without), "{without:?}");
    assert_eq!(within, Some(Errno::ACCESS));
}

#[test]
fn tcp_and_abstract_sockets_end_at_the_fence() {
    let scratch = Scratch::new("socket");
    let name = format!("landlock-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let (without, within, applied) = both(&scratch, true, || {
        [
            kind(TcpListener::bind("127.0.0.1:0")),
            kind(UnixStream::connect_addr(&address)),
        ]
    });
    assert_eq!(without, [None, None]);
    assert_eq!(within[0], applied.tcp.then_some(libc::EACCES));
    assert_eq!(within[1], applied.scopes.then_some(libc::EPERM));
}

#[test]
fn signals_do_not_leave_the_fence() {
    let scratch = Scratch::new("signal");
    let mut child = std::process::Command::new("/bin/sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let target = rustix::process::Pid::from_child(&child);
    let (without, within, applied) = both(&scratch, false, || {
        rustix::process::test_kill_process(target).err()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(without, None);
    assert_eq!(within, applied.scopes.then_some(Errno::PERM));
}

#[test]
fn a_path_that_is_missing_is_named() {
    let error = thread::spawn(|| {
        restrict(&Fence {
            read: &[Path::new("/no/such/place")],
            ..Fence::default()
        })
        .unwrap_err()
    })
    .join()
    .unwrap();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().contains("`/no/such/place`"), "{error}");
    assert_eq!(errno(&error), Some(Errno::NOENT));
}

#[test]
fn a_rule_that_the_kernel_refuses_names_its_errno() {
    let error = thread::spawn(|| {
        // The kernel takes no rule for a pipe.
        let (pipe, _other) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&pipe));
        restrict(&Fence {
            devices: &[Path::new(&path)],
            ..Fence::default()
        })
        .unwrap_err()
    })
    .join()
    .unwrap();
    assert_eq!(errno(&error), Some(Errno::BADFD), "{error}");
    assert!(
        error.to_string().contains("cannot allow `/proc/self/fd/"),
        "{error}"
    );
}

#[test]
fn what_this_kernel_cannot_fence_in_is_named() {
    let scratch = Scratch::new("missing");
    let ((), (), applied) = both(&scratch, false, || ());
    let named = |right: &str| applied.missing.iter().any(|missing| missing == right);
    assert_eq!(named("Truncate"), applied.abi < 3);
    assert_eq!(named("IoctlDev"), applied.abi < 5);
    assert_eq!(named("ResolveUnix"), applied.abi < 9);
    assert_eq!(applied.scopes, applied.abi >= 6);
}

#[test]
fn without_a_fence_around_files_tcp_and_abstract_sockets_end_and_files_do_not() {
    let scratch = Scratch::new("scopes");
    let name = format!("landlock-scopes-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let attempts = || {
        [
            kind(TcpListener::bind("127.0.0.1:0")),
            kind(UnixStream::connect_addr(&address)),
            kind(fs::write(scratch.at("other/file"), "here")),
        ]
    };
    let behind = |deny_tcp| {
        thread::scope(|scope| {
            let within = scope.spawn(|| (restrict_scopes(deny_tcp).unwrap(), attempts()));
            within.join().unwrap()
        })
    };
    assert_eq!(attempts(), [None; 3]);
    for deny_tcp in [false, true] {
        let (applied, within) = behind(deny_tcp);
        assert_eq!(applied.tcp, deny_tcp && applied.abi >= 4);
        assert_eq!(within[0], applied.tcp.then_some(libc::EACCES));
        assert_eq!(within[1], applied.scopes.then_some(libc::EPERM));
        assert_eq!(within[2], None);
    }
}
