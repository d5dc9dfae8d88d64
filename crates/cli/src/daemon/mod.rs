//! The daemon that keeps templates warm: one for each user, started by the command when it is of
//! use, ended by itself when it is not.

mod journal;
mod keeper;
mod session;

use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, Scope};
use std::time::Duration;

use clap::Parser;
use stockade::{Engine, Error, ErrorKind, Host};
use stockade_sys::poll::{Ready, poll};
use stockade_sys::{clock, process, socket};

use crate::interrupt::Interrupt;
use crate::warm::address::{self, Address};
use crate::warm::message::{Greeting, Pattern, Standing};
use crate::warm::start::START_LOCK;
use journal::Journal;
use keeper::{By, Keeper};

/// Connections at once.
const SESSIONS_MAX: usize = 256;

/// How long to wait when no connection can be accepted though one is there: descriptors have run
/// out, and come back when something ends.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// How long clients may take to read the last word when we are told to end at once.
const LAST_WORD_WITHIN: Duration = Duration::from_secs(10);

/// What the command that starts it says.
#[derive(Debug, Parser)]
pub(crate) struct Request {
    /// Templates to keep warm from the start
    #[arg(long, value_name = "NAME")]
    keep: Vec<String>,

    /// Limits of the runs that these are for
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    limits: Vec<String>,

    /// End after this time without a run
    #[arg(long, value_name = "TIME", default_value = "10min", value_parser = crate::warm::duration)]
    idle: u64,
}

/// What all sessions share.
pub(crate) struct Daemon<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) keeper: Keeper,
    build: String,
    surroundings: String,
    started_ms: u64,
    idle_ms: AtomicU64,
    /// We were told to end at once.
    ending: AtomicBool,
    state: Mutex<State>,
    /// Makes the main thread look at the state.
    waker: UnixStream,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<u64, UnixStream>,
    next: u64,
    running: u32,
    /// Orders to keep something that somebody waits for.
    ordered: u32,
    runs: u64,
    /// Of the last run, or order to keep something; by the monotonic clock.
    last_use: Duration,
    /// No run is begun any more.
    closed: bool,
    /// Who has asked us to drain.
    drainers: Vec<UnixStream>,
}

/// A run that goes on.
pub(crate) struct Running<'a>(&'a Daemon<'a>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.running -= 1;
        state.last_use = clock::monotonic();
        drop(state);
        self.0.wake();
    }
}

/// An order that somebody waits for.
pub(crate) struct Ordered<'a>(&'a Daemon<'a>);

impl Drop for Ordered<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.ordered -= 1;
        state.last_use = clock::monotonic();
        drop(state);
        self.0.wake();
    }
}

/// Runs the daemon to its end.
///
/// # Errors
/// `Busy` when this user has one; those of an engine.
pub(crate) fn daemon(request: &Request) -> Result<(), Error> {
    let address = Address::made()?;
    let journal = Journal::new(address.log());
    serve(request, &address, &journal).inspect_err(|error| journal.say(&error.to_string()))
}

fn serve(request: &Request, address: &Address, journal: &Journal) -> Result<(), Error> {
    let interrupt = Interrupt::catch()?;
    let lock = address.lock()?;
    if lock.try_lock().is_err() {
        return Err(Error::new(
            ErrorKind::Busy,
            "another daemon of this user runs",
        ));
    }
    let listener = listen(address)?;
    started();
    let engine = Engine::new(Host::probe()?)?;
    let (waker, woken) = wakers().map_err(|error| trouble("make a socket pair", error))?;
    let (orders, ordered) = mpsc::channel();
    let daemon = Daemon::new(&engine, Keeper::new(orders), request.idle, waker);
    journal.say(&format!("started, {}", env!("CARGO_PKG_VERSION")));
    for left in engine.leftovers() {
        journal.say(&format!("could not be removed: {left}"));
    }
    let ended = thread::scope(|scope| {
        let (shared, inside) = (&daemon, &engine);
        scope.spawn(move || shared.keeper.work(inside, &ordered, journal));
        for template in &request.keep {
            let (told, _) = mpsc::channel();
            let pattern = Pattern {
                template: template.clone(),
                limits: request.limits.clone(),
                ..Pattern::default()
            };
            if let Err(error) = daemon.keeper.keep(&engine, &pattern, None, By::Run, told) {
                journal.say(&format!("{template} cannot be kept warm: {error}"));
            }
        }
        let main = Main {
            daemon: &daemon,
            interrupt: &interrupt,
            woken: &woken,
            journal,
        };
        let ended = main.accept(scope, &listener);
        // Whoever comes now finds nobody, or the next one.
        let removed = fs::remove_file(address.socket());
        drop((listener, lock));
        main.wind_up();
        ended.and(removed.map_err(|error| trouble("remove the daemon's socket", error)))
    });
    // Whoever waits for our end waits for this as well.
    let drainers = std::mem::take(&mut daemon.state().drainers);
    drop(daemon);
    drop(engine);
    journal.say("ended");
    drop(drainers);
    ended
}

/// Two ends that nobody waits at: what wakes the main thread, and what it waits for.
fn wakers() -> io::Result<(UnixStream, UnixStream)> {
    let (waker, woken) = UnixStream::pair()?;
    waker.set_nonblocking(true)?;
    woken.set_nonblocking(true)?;
    Ok((waker, woken))
}

fn trouble(attempt: &str, error: io::Error) -> Error {
    Error::new(ErrorKind::Host, format!("cannot {attempt}")).because(error)
}

/// Listens where the lock says that nobody else does.
fn listen(address: &Address) -> Result<UnixListener, Error> {
    let path = address.socket();
    let failed = |error| {
        trouble(&format!("listen on {}", path.display()), error)
            .hint("a socket's path has at most 107 bytes; `STOCKADE_STATE_DIR` can be shorter")
    };
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(&path).map_err(failed)?;
    fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

/// Lets whoever started us know that we listen.
fn started() {
    // Started by hand there is no such lock.
    if let Ok(lock) = socket::inherited(START_LOCK) {
        let _ = File::from(lock).unlock();
    }
}

/// The thread that accepts.
struct Main<'a> {
    daemon: &'a Daemon<'a>,
    interrupt: &'a Interrupt,
    woken: &'a UnixStream,
    journal: &'a Journal,
}

impl<'a> Main<'a> {
    /// Accepts until it is time to end.
    fn accept<'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        listener: &UnixListener,
    ) -> Result<(), Error>
    where
        'a: 'scope,
    {
        loop {
            let left = self.daemon.idle_left();
            if left.is_some_and(|left| left.is_zero()) {
                self.journal.say("nothing was run for a while");
                return Ok(());
            }
            let interests = [
                (listener.as_fd(), Ready::READ),
                (self.interrupt.asked(), Ready::READ),
                (self.woken.as_fd(), Ready::READ),
            ];
            let [caller, asked, woken] = poll(&interests, left)
                .map_err(|errno| trouble("wait for clients", errno.into()))?;
            if asked.any() {
                self.journal.say("told to end by a signal");
                self.daemon.end_now();
                return Ok(());
            }
            if woken.any() {
                self.drain_wakes();
                if !self.daemon.state().drainers.is_empty() {
                    self.journal.say("told to end by a client");
                    return Ok(());
                }
            }
            if caller.any() {
                self.take(scope, listener);
            }
        }
    }

    fn take<'scope>(&self, scope: &'scope Scope<'scope, '_>, listener: &UnixListener)
    where
        'a: 'scope,
    {
        loop {
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    self.journal
                        .say(&format!("cannot accept a client: {error}"));
                    // Sooner when something ends; what it wakes is looked at by our caller.
                    let _ = poll(&[(self.woken.as_fd(), Ready::READ)], Some(RETRY_AFTER));
                    return;
                }
            };
            let daemon = self.daemon;
            let Some(number) = daemon.admit(&stream) else {
                continue;
            };
            let spawned = thread::Builder::new()
                .name(format!("client {number}"))
                .spawn_scoped(scope, move || {
                    // What a client does to its connection is its own affair.
                    let _ = session::serve(daemon, number, stream);
                    daemon.state().sessions.remove(&number);
                });
            if let Err(error) = spawned {
                self.journal.say(&format!("cannot serve a client: {error}"));
                daemon.state().sessions.remove(&number);
            }
        }
    }

    fn drain_wakes(&self) {
        let mut bytes = [0; 64];
        // As many as there are; the state says what they were for.
        let mut woken = self.woken;
        while let Ok(count) = woken.read(&mut bytes) {
            if count < bytes.len() {
                return;
            }
        }
    }

    /// Waits until no run goes on, and lets go of all sessions.
    fn wind_up(&self) {
        self.daemon.close();
        let mut patience = None;
        while self.daemon.state().running > 0 {
            let interests = [
                (self.interrupt.asked(), Ready::READ),
                (self.woken.as_fd(), Ready::READ),
            ];
            let ending = self.daemon.ending.load(Ordering::SeqCst);
            let waited = if ending {
                // Nothing more can be asked for by a signal.
                let began = *patience.get_or_insert_with(clock::monotonic);
                let left = (began + LAST_WORD_WITHIN).saturating_sub(clock::monotonic());
                poll(&[interests[1]], Some(left)).map(|[woken]| [Ready::NONE, woken])
            } else {
                poll(&interests, None)
            };
            let Ok([asked, woken]) = waited else { break };
            if asked.any() {
                self.journal.say("told to end by a signal");
                self.daemon.end_now();
            } else if woken.any() {
                self.drain_wakes();
            } else if ending {
                // Whoever does not read holds us up no longer.
                break;
            }
        }
        self.daemon.keeper.close();
        self.daemon.cut(Shutdown::Both);
    }
}

impl<'a> Daemon<'a> {
    fn new(engine: &'a Engine, keeper: Keeper, idle_ms: u64, waker: UnixStream) -> Self {
        Self {
            engine,
            keeper,
            build: address::build(),
            surroundings: address::surroundings(),
            started_ms: u64::try_from(clock::wall().as_millis()).unwrap_or(u64::MAX),
            idle_ms: AtomicU64::new(idle_ms),
            ending: AtomicBool::new(false),
            state: Mutex::new(State {
                last_use: clock::monotonic(),
                ..State::default()
            }),
            waker,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // A full buffer wakes as well.
        let _ = (&self.waker).write(&[0]);
    }

    /// Lets a client in that is of our user and finds room.
    fn admit(&self, stream: &UnixStream) -> Option<u64> {
        let ours = socket::peer_uid(stream).is_ok_and(|uid| uid == process::effective_uid());
        if !ours || stream.set_nonblocking(false).is_err() {
            return None;
        }
        let copy = stream.try_clone().ok()?;
        let mut state = self.state();
        if state.sessions.len() >= SESSIONS_MAX {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.sessions.insert(number, copy);
        Some(number)
    }

    /// How long until we end if nothing is run; `None` while something is.
    fn idle_left(&self) -> Option<Duration> {
        let state = self.state();
        let idle = Duration::from_millis(self.idle_ms());
        let unused = clock::monotonic().saturating_sub(state.last_use);
        (state.running + state.ordered == 0).then(|| idle.saturating_sub(unused))
    }

    pub(crate) fn idle_ms(&self) -> u64 {
        self.idle_ms.load(Ordering::SeqCst)
    }

    /// From now on.
    pub(crate) fn set_idle(&self, ms: u64) {
        self.idle_ms.store(ms, Ordering::SeqCst);
        self.wake();
    }

    /// While it lives somebody waits for something to be kept.
    pub(crate) fn order(&self) -> Ordered<'_> {
        self.state().ordered += 1;
        Ordered(self)
    }

    pub(crate) fn greeting(&self) -> Greeting {
        Greeting {
            build: self.build.clone(),
            surroundings: self.surroundings.clone(),
            pid: process::pid(),
            kept: self.keeper.templates(),
        }
    }

    pub(crate) fn standing(&self) -> Standing {
        let herds = self.keeper.herds(self.engine);
        let teardown = self.engine.teardown().into();
        let state = self.state();
        Standing {
            started_ms: self.started_ms,
            runs: state.runs,
            running: state.running,
            idle_ms: self.idle_ms(),
            herds,
            teardown,
        }
    }

    /// Begins a run, unless we are ending.
    pub(crate) fn begin(&self) -> Option<Running<'_>> {
        let mut state = self.state();
        if state.closed {
            return None;
        }
        state.running += 1;
        state.runs += 1;
        drop(state);
        Some(Running(self))
    }

    /// Ends when what runs has ended; the client's connection goes when all is gone.
    pub(crate) fn drain(&self, session: u64) {
        let mut state = self.state();
        if let Some(client) = state.sessions.remove(&session) {
            if state.closed {
                // One that is gone needs to know nothing.
                let _ = client.shutdown(Shutdown::Write);
            }
            state.drainers.push(client);
        }
        drop(state);
        self.wake();
    }

    /// Begins no more runs, and tells those who wait for it that another may take our place.
    fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        for drainer in &state.drainers {
            // One that is gone needs to know nothing.
            let _ = drainer.shutdown(Shutdown::Write);
        }
    }

    /// Cancels what runs.
    fn end_now(&self) {
        self.ending.store(true, Ordering::SeqCst);
        self.cut(Shutdown::Read);
    }

    /// Ends conversations. To a run, the end of what its client says is a wish to cancel.
    fn cut(&self, how: Shutdown) {
        let state = self.state();
        for session in state.sessions.values() {
            let _ = session.shutdown(how);
        }
    }

    /// An error of a run, as its client should hear it: that it was cancelled was not the
    /// client's wish if it was ours.
    pub(crate) fn explained(&self, error: Error) -> Error {
        if error.kind() != ErrorKind::Cancelled || !self.ending.load(Ordering::SeqCst) {
            return error;
        }
        Error::new(
            ErrorKind::Host,
            "the daemon was told to end in the middle of the run, and has ended it",
        )
        .hint("run it again: without a daemon, or with another, it works")
    }
}
