//! The guest's init: the first process inside the boundary.
//!
//! It is started with one open descriptor, 3, the control socket. It applies the fence that the
//! supervisor sends, receives the submission's files, runs the interpreter, forwards its output,
//! keeps the clocks, kills and reaps everything, sends the result, and exits. It has no
//! configuration and no network of its own, decides nothing, and trusts nothing that it runs.
//!
//! In a zygote it is a copy of an interpreter that is ready: see `zygote`.
#![forbid(unsafe_code)]

mod account;
mod channel;
mod deadline;
mod fence;
mod fetch;
mod file;
mod launch;
mod reach;
mod root;
mod run;
#[cfg(feature = "zygote")]
mod zygote;

use channel::{Channel, Stop};
use launch::{Exec, Launch};
use reach::Reach;
use std::process::ExitCode;
use stockade_core::fence::Step;
use stockade_core::wire::{Start, ToGuest, ToHost, VERSION};

/// The control socket's number.
const CONTROL: u8 = 3;

/// There is no control socket.
const NO_CONTROL: u8 = 119;
/// The supervisor speaks another version.
const OTHER_VERSION: u8 = 120;
/// A step of the fence failed; which one was said before.
const FENCE_FAILED: u8 = 121;
/// The supervisor sent what makes no sense.
const BROKEN: u8 = 122;
/// The kernel refused init something that it needs to end the run.
const FAILED: u8 = 123;

/// How init is done.
pub(crate) enum Served {
    /// It is init, and ends with this code.
    Init(u8),
    /// It is the program that init was to start.
    Program,
}

/// Init, from its first instruction to its exit code.
#[must_use]
pub fn init() -> ExitCode {
    let Ok(socket) = stockade_sys::socket::inherited(CONTROL) else {
        return ExitCode::from(NO_CONTROL);
    };
    match finish(serve(&mut Channel::new(socket), &mut Exec)) {
        Served::Init(code) => ExitCode::from(code),
        // What is executed is another process.
        Served::Program => ExitCode::from(FAILED),
    }
}

fn finish(served: Result<Served, Stop>) -> Served {
    match served {
        Ok(served) => served,
        // Nobody is left to tell.
        Err(Stop::Gone) => Served::Init(0),
        Err(Stop::Broken) => Served::Init(BROKEN),
        Err(Stop::Failed) => Served::Init(FAILED),
    }
}

fn serve(channel: &mut Channel, launch: &mut dyn Launch) -> Result<Served, Stop> {
    channel.push_boundary(&ToHost::Hello { version: VERSION })?;
    match channel.wait()? {
        ToGuest::Hello { version: VERSION } => {}
        ToGuest::Hello { .. } => {
            channel.flush_all()?;
            return Ok(Served::Init(OTHER_VERSION));
        }
        ToGuest::Setup { .. }
        | ToGuest::File { .. }
        | ToGuest::Data(_)
        | ToGuest::Start(_)
        | ToGuest::Kill => return Err(Stop::Broken),
    }
    let steps = match channel.wait()? {
        ToGuest::Setup { steps } => steps,
        ToGuest::Kill => return Ok(Served::Init(0)),
        ToGuest::Hello { .. } | ToGuest::File { .. } | ToGuest::Data(_) | ToGuest::Start(_) => {
            return Err(Stop::Broken);
        }
    };
    if !fence::apply(&steps, channel)? {
        return Ok(Served::Init(FENCE_FAILED));
    }
    let reach = Reach::of(&steps);
    // Nothing of this is needed again, and the filter's program is most of init's memory.
    drop::<Vec<Step>>(steps);
    let reachable = Reach::check().map_err(|error| {
        let errno = stockade_sys::Errno::from_io_error(&error);
        ("read /proc", errno.unwrap_or(stockade_sys::Errno::IO))
    });
    let (unprepared, copied) = match reachable.and_then(|()| launch.prepare()) {
        Ok(copied) => (None, copied),
        Err(failed) => (Some(failed), false),
    };
    if copied {
        return Ok(Served::Program);
    }
    // Here, where there is time: it takes its pages.
    let buffer = vec![0; run::READ_BYTES];
    fence::ready(channel)?;
    if let Some(program) = launch.waiting() {
        // Without it this guest is of no use, and the supervisor makes another.
        channel.wait_beside(program)?;
    }
    let Some(start) = prepare(channel)? else {
        return Ok(Served::Init(0));
    };
    match unprepared {
        None => run::run(channel, &start, reach, launch, buffer)?,
        Some((step, errno)) => run::not_started(channel, step, errno)?,
    }
    Ok(Served::Init(0))
}

/// Receives files until there is a program to start; `None` when there will be none.
fn prepare(channel: &mut Channel) -> Result<Option<Box<Start>>, Stop> {
    let mut incoming = file::Incoming::default();
    loop {
        let received = match channel.wait()? {
            ToGuest::File { path, mode, bytes } => incoming.open(path, mode, bytes),
            ToGuest::Data(bytes) => incoming.write(bytes),
            ToGuest::Start(start) if incoming.is_complete() => return Ok(Some(start)),
            ToGuest::Kill => return Ok(None),
            ToGuest::Hello { .. } | ToGuest::Setup { .. } | ToGuest::Start(_) => {
                return Err(Stop::Broken);
            }
        };
        match received {
            Ok(()) => {}
            Err(file::FileError::Unexpected) => return Err(Stop::Broken),
            Err(file::FileError::Failed { step, errno }) => {
                run::not_started(channel, &step, errno)?;
                return Ok(None);
            }
        }
    }
}
