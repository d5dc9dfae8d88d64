//! Starts the daemon: this program once more, detached from whoever started it.

use std::env;
use std::ffi::CString;
use std::fs::{self, OpenOptions, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use stockade::{Error, ErrorKind};
use stockade_sys::spawn::{BeforeExec, Namespaces, Program, Spawn};

use super::address::{self, Address, DIRECTORIES};

/// The descriptor of the lock that is held until the daemon listens.
pub(crate) const START_LOCK: u8 = 3;

/// What the daemon is called in its arguments.
pub(crate) const COMMAND: &str = "daemon";

/// Variables that the daemon needs. It needs no other, and its guests see none.
const PASSED: [&str; 5] = [
    "HOME",
    "PATH",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
];

/// What a new daemon is to keep from its start on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) templates: Vec<String>,
    /// Of the runs that these are for, as they are typed.
    pub(crate) limits: Vec<String>,
}

/// Starts a daemon unless one is starting, and does not wait for it.
///
/// # Errors
/// `Host` when it cannot be started.
pub(crate) fn in_background(address: &Address, keep: &Wishes) -> Result<(), Error> {
    let lock = address.start()?;
    match lock.try_lock() {
        Ok(()) => launch(address, keep, &lock),
        // Somebody else has come first.
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(error)) => Err(unlocked(error)),
    }
}

/// Starts a daemon unless there is one, and waits until it listens.
///
/// # Errors
/// `Host` when it cannot be started.
pub(crate) fn and_wait(address: &Address, keep: &Wishes) -> Result<(), Error> {
    let lock = address.start()?;
    lock.lock().map_err(unlocked)?;
    // While we waited another may have been started.
    if address.connect().is_some() {
        return Ok(());
    }
    launch(address, keep, &lock)?;
    drop(lock);
    // The daemon lets go of it when it listens, or dies.
    address.start()?.lock().map_err(unlocked)
}

/// Waits for a daemon that is starting, if one is.
pub(crate) fn wait(address: &Address) {
    // Where there is no such file, or it cannot be locked, there is nothing to wait for.
    if let Ok(lock) = address.start() {
        let _ = lock.lock();
    }
}

fn unlocked(error: io::Error) -> Error {
    Error::new(ErrorKind::Host, "cannot lock the start of the daemon").because(error)
}

fn launch(address: &Address, keep: &Wishes, lock: &fs::File) -> Result<(), Error> {
    let failed = |error: io::Error| {
        Error::new(
            ErrorKind::Host,
            "cannot start the daemon that keeps templates warm",
        )
        .because(error)
        .hint("`--cold` runs without it")
    };
    let program = env::current_exe().map_err(failed)?;
    let program = terminated(program.as_os_str().as_bytes());
    let log = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(address.log())
        .map_err(failed)?;
    let args: Vec<_> = arguments(keep)
        .iter()
        .map(|text| terminated(text.as_bytes()))
        .collect();
    let env = environment(address);
    let args: Vec<_> = args.iter().map(CString::as_c_str).collect();
    let env: Vec<_> = env.iter().map(CString::as_c_str).collect();
    let started = Spawn {
        program: Program::Path(&program),
        args: &args,
        env: &env,
        namespaces: Namespaces::NONE,
        cgroup: None,
        descriptors: &[(log.as_fd(), 2), (lock.as_fd(), i32::from(START_LOCK))],
        before_exec: &[
            BeforeExec::NewSession,
            BeforeExec::Umask(0o077),
            BeforeExec::Directory(c"/"),
        ],
    }
    .spawn();
    started
        .map_err(|error| failed(io::Error::other(error)))?
        .leave();
    Ok(())
}

fn arguments(keep: &Wishes) -> Vec<String> {
    let mut args = vec!["stockade".to_owned(), COMMAND.to_owned()];
    for template in &keep.templates {
        args.push(format!("--keep={template}"));
    }
    for limit in &keep.limits {
        args.push(format!("--limit={limit}"));
    }
    args
}

fn environment(address: &Address) -> Vec<CString> {
    let state: PathBuf = address.state().to_owned();
    let mut env = vec![terminated(
        &[b"STOCKADE_STATE_DIR=", state.as_os_str().as_bytes()].concat(),
    )];
    for name in PASSED {
        if let Some(value) = env::var_os(name) {
            env.push(terminated(
                &[name.as_bytes(), b"=", value.as_bytes()].concat(),
            ));
        }
    }
    for name in DIRECTORIES {
        let value = address::text(name);
        if !value.is_empty() {
            env.push(terminated(format!("{name}={value}").as_bytes()));
        }
    }
    env
}

/// Arguments, variables and paths come from the kernel, which ends them at the first NUL.
fn terminated(bytes: &[u8]) -> CString {
    let end = bytes.iter().position(|byte| *byte == 0);
    let end = end.unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}
