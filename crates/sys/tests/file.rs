//! Files that are opened by names which nobody vouches for, and waiting for descriptors.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stockade_sys::Errno;
use stockade_sys::fs::{
    Kind, Open, facts, is_written_by_nobody, open_beneath, open_directory, open_in_root,
};
use stockade_sys::poll::{Ready, poll, poll_all};
use stockade_sys::{clock, socket};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_name_that_leads_out_or_through_a_link_is_refused() {
    let scratch = Scratch::new("beneath");
    fs::write(scratch.path().join("plain"), "x").unwrap();
    fs::create_dir(scratch.path().join("sub")).unwrap();
    symlink("plain", scratch.path().join("link")).unwrap();
    symlink("sub", scratch.path().join("away")).unwrap();
    symlink("/proc/self/root", scratch.path().join("magic")).unwrap();
    let directory = open_directory(scratch.path()).unwrap();
    let open = |name: &str| open_beneath(&directory, name, Open::Read).map(drop);
    assert_eq!(open("plain"), Ok(()));
    assert_eq!(open("sub/../plain"), Ok(()));
    assert_eq!(open("link"), Err(Errno::LOOP));
    assert_eq!(open("away/x"), Err(Errno::LOOP));
    assert_eq!(open("magic/etc/passwd"), Err(Errno::LOOP));
    assert_eq!(open("../plain"), Err(Errno::XDEV));
    assert_eq!(open("/etc/passwd"), Err(Errno::XDEV));
    assert_eq!(open("none"), Err(Errno::NOENT));
}

#[test]
fn a_root_of_its_own_keeps_links_within_it() {
    let scratch = Scratch::new("inroot");
    fs::create_dir(scratch.path().join("etc")).unwrap();
    fs::write(scratch.path().join("etc/passwd"), "inside").unwrap();
    symlink("/etc", scratch.path().join("link")).unwrap();
    let directory = open_directory(scratch.path()).unwrap();
    let file = open_in_root(&directory, "../link/passwd", Open::Read).unwrap();
    let mut content = [0; 32];
    let count = socket::read(&file, &mut content).unwrap().unwrap();
    assert_eq!(&content[..count], b"inside");
}

#[test]
fn a_file_is_new_only_once() {
    let scratch = Scratch::new("new");
    let directory = open_directory(scratch.path()).unwrap();
    let open = || open_beneath(&directory, "a", Open::New { mode: 0o640 });
    let facts = facts(open().unwrap()).unwrap();
    assert_eq!((facts.kind, facts.links, facts.bytes), (Kind::Plain, 1, 0));
    assert_eq!(open().map(drop), Err(Errno::EXIST));
}

#[test]
fn a_fifo_without_a_writer_is_opened_at_once_and_known_for_what_it_is() {
    let scratch = Scratch::new("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        scratch.path().join("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let directory = open_directory(scratch.path()).unwrap();
    let fifo = open_beneath(&directory, "fifo", Open::Read).unwrap();
    assert_eq!(facts(fifo).unwrap().kind, Kind::Fifo);
}

#[test]
fn a_wait_ends_with_its_time_and_with_what_it_waits_for() {
    let (ours, theirs) = socket::pair().unwrap();
    let interest = [(ours.as_fd(), Ready::READ)];
    let began = clock::monotonic();
    assert_eq!(
        poll(&interest, Some(Duration::from_millis(20))),
        Ok([Ready::NONE])
    );
    assert!(clock::monotonic() >= began + Duration::from_millis(20));
    assert_eq!(socket::read(&ours, &mut [0]), Ok(None));
    assert_eq!(socket::send(&theirs, b"x"), Ok(1));
    assert_eq!(poll(&interest, None), Ok([Ready::READ]));
    assert_eq!(socket::read(&ours, &mut [0]), Ok(Some(1)));
    drop(theirs);
    let ready = poll_all(&interest, None).unwrap();
    assert!(ready[0].readable && ready[0].hung_up);
    assert_eq!(socket::read(&ours, &mut [0]), Ok(Some(0)));
    assert_eq!(socket::send(&ours, b"x"), Err(Errno::PIPE));
}

#[test]
fn a_socket_that_is_full_takes_nothing_and_says_so() {
    let (ours, _theirs) = socket::pair().unwrap();
    let chunk = vec![0; 1 << 16];
    while socket::send(&ours, &chunk).unwrap() > 0 {}
    let ready = poll(&[(ours.as_fd(), Ready::WRITE)], Some(Duration::ZERO)).unwrap();
    assert!(!ready[0].writable);
}

#[test]
fn a_file_that_is_open_for_writing_is_told_from_one_that_is_not() {
    let scratch = Scratch::new("writer");
    let path = scratch.path().join("program");
    let writer = fs::File::create(&path).unwrap();
    let copy = writer.try_clone().unwrap();
    let reader = fs::File::open(&path).unwrap();
    assert!(!is_written_by_nobody(&reader));
    drop(writer);
    assert!(!is_written_by_nobody(&reader));
    drop(copy);
    assert!(is_written_by_nobody(&reader));
    // Nothing is left of the question: who writes again is not kept waiting.
    fs::OpenOptions::new().append(true).open(&path).unwrap();
}
