//! An interpreter that has loaded what it needs and waits to be copied.
//!
//! The interpreter loads this as an extension module and calls `serve`, which returns in the
//! programs alone. For each request it copies itself into new namespaces; the copy becomes the init
//! of a run, applies the fence that the supervisor sends, and copies itself once more: that copy is
//! the program. It makes itself differ from all others and calls `begin`, which returns when the
//! submission is there. All of this but the return is done before there is a submission.

use crate::channel::Channel;
use crate::launch::{Launch, Launched, NotStarted, UMASK, pipe, resource};
use crate::{Served, finish, serve};
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, PoisonError};
use stockade_core::wire::{FromZygote, Start};
use stockade_sys::fork::{self, Forked};
use stockade_sys::python::Interpreter;
use stockade_sys::signal::{self, Dispositions};
use stockade_sys::spawn::Namespaces;
use stockade_sys::{Errno, memory, process, rlimit, sched, socket};

stockade_sys::python_module!(PyInit__stockade_zygote, c"_stockade_zygote", park, begin);

/// Why the program does not begin: the first byte that it says to init, where 0 is success.
const SET_UP: [&str; 6] = [
    "Start",
    "fchdir",
    "setrlimit",
    "dup2",
    "open /dev/null",
    "sched_setaffinity",
];

/// What the program holds until it begins.
static WAITING: Mutex<Option<Waiting>> = Mutex::new(None);

#[derive(Debug)]
struct Waiting {
    /// Init says the start here.
    go: OwnedFd,
    /// Init hears here that the program waits, and that it begins.
    say: OwnedFd,
    outputs: [OwnedFd; 2],
}

/// What a copy is put into at once. The rest are steps of the fence, so that the zygote, which can
/// do one thing at a time, is done sooner.
fn namespaces() -> Namespaces {
    Namespaces::MOUNT | Namespaces::PID | Namespaces::IPC | Namespaces::UTS
}

/// Waits for requests on descriptor `number`; returns in a program that is to get ready.
fn park(interpreter: &Interpreter, number: i64) -> Result<(), String> {
    let number = u8::try_from(number).map_err(|_| format!("{number} is no descriptor"))?;
    let inherited = socket::inherited(number);
    let requests = inherited.map_err(|errno| format!("descriptor {number}: {errno}"))?;
    // The copy waits where the original would not.
    let blocking = socket::blocking(&requests);
    blocking.map_err(|errno| format!("descriptor {number}: {errno}"))?;
    let fit = fit(number);
    // `inherited` made a copy; what the interpreter was given goes, so that no child has it.
    fork::close_from(3, &[requests.as_fd()]).map_err(|errno| format!("close_range: {errno}"))?;
    let dispositions = signal::reset_dispositions();
    dispositions.restore();
    if let Err(why) = fit {
        tell(&requests, &FromZygote::Unfit(why), None);
        fork::exit(0);
    }
    signal::ignore_children();
    // Slower without, and no less right.
    let _ = memory::collapse();
    tell(&requests, &FromZygote::Parked, None);
    loop {
        let mut request = [0; 1];
        let (control, joins) = match socket::receive_packet(&requests, &mut request) {
            Ok((1, mut descriptors)) if !descriptors.is_empty() => {
                let control = descriptors.remove(0);
                (control, descriptors)
            }
            // The supervisor is gone, or speaks another language.
            Ok(_) | Err(_) => fork::exit(0),
        };
        interpreter.before_fork();
        match fork::into(namespaces()) {
            Ok(Forked::Child) => {
                drop(requests);
                return become_init(interpreter, control, joins, &dispositions);
            }
            Ok(Forked::Parent(pidfd)) => {
                interpreter.after_fork_in_parent();
                tell(&requests, &FromZygote::Forked, Some(pidfd.as_fd()));
            }
            Err(errno) => {
                interpreter.after_fork_in_parent();
                let call = "clone3".to_owned();
                let errno = errno.raw_os_error();
                tell(&requests, &FromZygote::NotForked { call, errno }, None);
            }
        }
    }
}

/// Whether this process can be copied, and a copy has nothing that it must not.
fn fit(number: u8) -> Result<(), String> {
    let threads = fork::threads().map_err(|errno| format!("/proc/self/task: {errno}"))?;
    if threads != 1 {
        return Err(format!(
            "the modules that were loaded have started threads: there are {threads}, and a copy \
             would have their locks and not them"
        ));
    }
    let open = fork::descriptors().map_err(|error| format!("/proc/self/fd: {error}"))?;
    let number = i32::from(number);
    // The request socket and the copy of it that `park` holds.
    let others: Vec<_> = open.iter().filter(|fd| **fd > 2 && **fd < number).collect();
    let above = open.iter().filter(|fd| **fd > number).count();
    if !others.is_empty() || above > 1 {
        return Err(format!(
            "the modules that were loaded have left descriptors open: {open:?}"
        ));
    }
    let maps = std::fs::read_to_string("/proc/self/maps");
    let maps = maps.map_err(|error| format!("/proc/self/maps: {error}"))?;
    match maps.lines().find(|line| is_shared(line)) {
        None => Ok(()),
        Some(line) => Err(format!(
            "the modules that were loaded have mapped memory that all copies would share: {line}"
        )),
    }
}

/// Whether what is written to a mapping is seen by others: `rw-s` in its second column.
fn is_shared(line: &str) -> bool {
    let permissions = line.split_whitespace().nth(1);
    permissions.is_some_and(|text| text.as_bytes().get(1) == Some(&b'w') && text.ends_with('s'))
}

/// A supervisor that does not listen is gone, which the next request shows.
fn tell(requests: &OwnedFd, message: &FromZygote, descriptor: Option<BorrowedFd<'_>>) {
    let mut bytes = Vec::new();
    if stockade_core::wire::encode_packet(message, &mut bytes).is_ok() {
        let descriptors: Vec<_> = descriptor.into_iter().collect();
        let _ = socket::send_packet(requests, &bytes, &descriptors);
    }
}

/// The copy: joins its cgroups, then is init until it ends or has become the program.
fn become_init(
    interpreter: &Interpreter,
    control: OwnedFd,
    joins: Vec<OwnedFd>,
    dispositions: &Dispositions,
) -> Result<(), String> {
    // Whatever happens, this process must not return to the interpreter as init.
    if process::die_with_parent().is_err() {
        fork::exit(crate::FAILED);
    }
    for join in &joins {
        if stockade_sys::fs::write_all(join, b"0").is_err() {
            fork::exit(crate::FAILED);
        }
    }
    drop(joins);
    if fork::close_from(3, &[control.as_fd()]).is_err() || socket::nonblocking(&control).is_err() {
        fork::exit(crate::FAILED);
    }
    dispositions.reset();
    let mut channel = Channel::new(control);
    let mut copy = Copy::default();
    match finish(serve(&mut channel, &mut copy)) {
        Served::Init(code) => fork::exit(code),
        Served::Program => {
            drop((channel, copy));
            dispositions.restore();
            signal::unblock_all();
            let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = waiting.as_ref().map_or_else(Vec::new, Waiting::descriptors);
            // Init's own were dropped, and nothing else was open. Unlike init, a program may look
            // at itself, as one that was executed may.
            if fork::close_from(3, &kept).is_err() || process::set_dumpable(true).is_err() {
                fork::exit(crate::FAILED);
            }
            interpreter.after_fork_in_child();
            Ok(())
        }
    }
}

impl Waiting {
    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        let [stdout, stderr] = &self.outputs;
        [&self.go, &self.say, stdout, stderr]
            .map(AsFd::as_fd)
            .to_vec()
    }
}

/// Says that the program waits, waits for its start, and returns its words.
fn begin(_: &Interpreter, _: i64) -> Result<Vec<u8>, String> {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(Waiting { go, say, outputs }) = waiting.take() else {
        return Err("nothing was served, or the program has begun".to_owned());
    };
    let (mut go, mut say) = (std::fs::File::from(go), std::fs::File::from(say));
    let begun = say
        .write_all(&[0, 0])
        .map_err(|error| (0, errno_of(&error)))
        .and_then(|()| receive(&mut go))
        .and_then(|start| set_up(&start, &outputs).map(|()| start));
    let (code, errno) = match &begun {
        Ok(_) => (0, 0),
        Err((at, errno)) => (at + 1, errno.raw_os_error()),
    };
    let said = say.write_all(&[code, u8::try_from(errno).unwrap_or(u8::MAX)]);
    match begun {
        Ok(start) if said.is_ok() => Ok(words(&start)),
        Ok(_) | Err(_) => fork::exit(crate::FAILED),
    }
}

fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

/// The start, which init sends with its length in front, up to the end of the pipe.
fn receive(go: &mut std::fs::File) -> Result<Start, (u8, Errno)> {
    let mut bytes = Vec::new();
    go.read_to_end(&mut bytes)
        .map_err(|error| (0, errno_of(&error)))?;
    stockade_core::wire::decode_start(&bytes).map_err(|_| (0, Errno::PROTO))
}

/// Copies init, which is a copy of the interpreter.
#[derive(Default)]
struct Copy {
    prepared: Option<Prepared>,
}

/// A program that waits.
struct Prepared {
    pid: i32,
    go: OwnedFd,
    heard: OwnedFd,
    outputs: [OwnedFd; 2],
}

impl Launch for Copy {
    fn prepare(&mut self) -> Result<bool, NotStarted> {
        let (stdout, stdout_write) = pipe()?;
        let (stderr, stderr_write) = pipe()?;
        let (heard, say) = pipe()?;
        let (go_read, go) = pipe()?;
        for end in [&heard, &go_read] {
            socket::blocking(end).map_err(|errno| ("ioctl FIONBIO", errno))?;
        }
        let Some(pid) = fork::plain().map_err(|errno| ("fork", errno))? else {
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            *waiting = Some(Waiting {
                go: go_read,
                say,
                outputs: [stdout_write, stderr_write],
            });
            return Ok(true);
        };
        drop(say);
        let prepared = Prepared {
            pid,
            go,
            heard,
            outputs: [stdout, stderr],
        };
        prepared.hear()?;
        self.prepared = Some(prepared);
        Ok(false)
    }

    fn waiting(&self) -> Option<BorrowedFd<'_>> {
        self.prepared
            .as_ref()
            .map(|prepared| prepared.heard.as_fd())
    }

    fn launch(&mut self, start: &Start, _: &OwnedFd) -> Result<Launched, NotStarted> {
        let prepared = self.prepared.take().ok_or(("prepare", Errno::CHILD))?;
        if start
            .args
            .iter()
            .chain(&start.env)
            .any(|word| word.contains('\0'))
        {
            return Err(("a NUL byte in `Start`", Errno::INVAL));
        }
        let bytes = stockade_core::wire::encode_start(start);
        let bytes = bytes.map_err(|_| ("Start", Errno::PROTO))?;
        let Prepared {
            pid,
            go,
            heard,
            outputs,
        } = prepared;
        stockade_sys::fs::write_all(&go, &bytes).map_err(|errno| ("write", errno))?;
        drop(go);
        hear(&heard)?;
        Ok(Launched { pid, outputs })
    }
}

impl Prepared {
    fn hear(&self) -> Result<(), NotStarted> {
        hear(&self.heard)
    }
}

/// Waits until the program says that it is where it should be.
fn hear(heard: &OwnedFd) -> Result<(), NotStarted> {
    let mut said = [0; 2];
    match socket::read(heard, &mut said) {
        Ok(Some(2)) if said[0] == 0 => Ok(()),
        Ok(Some(2)) => {
            let call = SET_UP.get(usize::from(said[0]) - 1).copied();
            let errno = Errno::from_raw_os_error(i32::from(said[1]));
            Err((call.unwrap_or("?"), errno))
        }
        Ok(_) => Err(("fork: the copy died", Errno::CHILD)),
        Err(errno) => Err(("read", errno)),
    }
}

/// What differs between init and the program; the number of the call that failed.
fn set_up(start: &Start, [stdout, stderr]: &[OwnedFd; 2]) -> Result<(), (u8, Errno)> {
    let directory = stockade_sys::fs::open_directory(std::path::Path::new(&start.directory))
        .map_err(|errno| (1, errno))?;
    process::set_directory(&directory).map_err(|errno| (1, errno))?;
    process::set_umask(UMASK);
    for limit in &start.rlimits {
        rlimit::set(resource(limit.resource), limit.soft, limit.hard)
            .map_err(|errno| (2, errno))?;
    }
    for (pipe, number) in [(stdout, 1), (stderr, 2)] {
        fork::redirect(pipe.as_fd(), number).map_err(|errno| (3, errno))?;
    }
    // The zygote's own is one open file for all its children, whose flags they could change.
    let null = std::fs::File::open("/dev/null").map_err(|error| (4, errno_of(&error)))?;
    fork::redirect(null.as_fd(), 0).map_err(|errno| (3, errno))?;
    if let Some(cpus) = start.cpus {
        sched::pin(cpus).map_err(|errno| (5, errno))?;
    }
    Ok(())
}

/// The number of arguments, the arguments and the environment, each ended by NUL.
fn words(start: &Start) -> Vec<u8> {
    let mut words = format!("{}\0", start.args.len()).into_bytes();
    for word in start.args.iter().chain(&start.env) {
        words.extend_from_slice(word.as_bytes());
        words.push(0);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_copies_would_share_is_found() {
        assert!(is_shared(
            "7f00-7f01 rw-s 00000000 00:01 1 /dev/zero (deleted)"
        ));
        assert!(!is_shared(
            "7f00-7f01 r--s 00000000 00:01 1 /usr/lib/locale"
        ));
        assert!(!is_shared("7f00-7f01 rw-p 00000000 00:00 0"));
    }
}
