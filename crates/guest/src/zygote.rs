//! An interpreter that has loaded what it needs and waits to be copied.
//!
//! The interpreter loads this as an extension module and calls `serve`, which returns in the
//! programs alone. For each request it copies itself into new namespaces; the copy becomes the init
//! of a run, applies the fence that the supervisor sends, and copies itself once more: that copy is
//! the program. No Python code runs between the request and the program's first line but what
//! modules have registered to happen after a fork.

use crate::channel::Channel;
use crate::launch::{Launch, Launched, NotStarted, UMASK, resource};
use crate::{Served, finish, serve};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use stockade_core::wire::{FromZygote, Start};
use stockade_sys::fork::{self, Forked};
use stockade_sys::python::Interpreter;
use stockade_sys::signal::{self, Dispositions};
use stockade_sys::spawn::Namespaces;
use stockade_sys::{Errno, process, rlimit, socket};

stockade_sys::python_module!(PyInit__stockade_zygote, c"_stockade_zygote", park);

/// Why the program's copy did not come to be: its first byte to init, where 0 is success.
const SET_UP: [&str; 4] = ["fchdir", "setrlimit", "dup2", "open /dev/null"];

/// What a copy is put into at once. The rest are steps of the fence, so that the zygote, which can
/// do one thing at a time, is done sooner.
fn namespaces() -> Namespaces {
    Namespaces::MOUNT | Namespaces::PID | Namespaces::IPC | Namespaces::UTS
}

/// Waits for requests on descriptor `number`; returns in a program, with its words.
fn park(interpreter: &Interpreter, number: i64) -> Result<Vec<u8>, String> {
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
                return become_init(interpreter, control, &joins, dispositions);
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
    joins: &[OwnedFd],
    dispositions: Dispositions,
) -> Result<Vec<u8>, String> {
    // Whatever happens, this process must not return to the interpreter as init.
    if process::die_with_parent().is_err() {
        fork::exit(crate::FAILED);
    }
    for join in joins {
        if stockade_sys::fs::write_all(join, b"0").is_err() {
            fork::exit(crate::FAILED);
        }
    }
    let mut kept: Vec<_> = joins.iter().map(AsFd::as_fd).collect();
    kept.push(control.as_fd());
    if fork::close_from(3, &kept).is_err() || socket::nonblocking(&control).is_err() {
        fork::exit(crate::FAILED);
    }
    drop(signal::reset_dispositions());
    let mut channel = Channel::new(control);
    match finish(serve(&mut channel, &mut Copy)) {
        Served::Init(code) => fork::exit(code),
        Served::Program(words) => {
            drop(channel);
            dispositions.restore();
            signal::unblock_all();
            // Init's own descriptors: all of them were dropped, and nothing else was open.
            if fork::close_from(3, &[]).is_err() {
                fork::exit(crate::FAILED);
            }
            interpreter.after_fork_in_child();
            Ok(words)
        }
    }
}

/// Copies init, which is a copy of the interpreter.
struct Copy;

impl Launch for Copy {
    fn launch(
        &mut self,
        start: &Start,
        directory: &OwnedFd,
        outputs: [&OwnedFd; 2],
    ) -> Result<Launched, NotStarted> {
        let words = words(start)?;
        let (ready, say) = socket::pipe().map_err(|errno| ("pipe2", errno))?;
        socket::blocking(&ready).map_err(|errno| ("ioctl FIONBIO", errno))?;
        let Some(pid) = fork::plain().map_err(|errno| ("fork", errno))? else {
            drop(ready);
            let (code, errno) = match set_up(start, directory, outputs) {
                Ok(()) => (0, 0),
                Err((at, errno)) => (at + 1, errno.raw_os_error()),
            };
            let errno = u8::try_from(errno).unwrap_or(u8::MAX);
            let said = stockade_sys::fs::write_all(&say, &[code, errno]);
            if code != 0 || said.is_err() {
                fork::exit(crate::FAILED);
            }
            return Ok(Launched::Program(words));
        };
        drop(say);
        let mut said = [0; 2];
        match socket::read(&ready, &mut said) {
            Ok(Some(2)) if said[0] == 0 => Ok(Launched::Child(pid)),
            Ok(Some(2)) => {
                let call = SET_UP.get(usize::from(said[0]) - 1).copied();
                let errno = Errno::from_raw_os_error(i32::from(said[1]));
                Err((call.unwrap_or("?"), errno))
            }
            Ok(_) => Err(("fork: the copy died", Errno::CHILD)),
            Err(errno) => Err(("read", errno)),
        }
    }
}

/// What differs between init and the program; the number of the call that failed.
fn set_up(
    start: &Start,
    directory: &OwnedFd,
    [stdout, stderr]: [&OwnedFd; 2],
) -> Result<(), (u8, Errno)> {
    process::set_directory(directory).map_err(|errno| (0, errno))?;
    process::set_umask(UMASK);
    for limit in &start.rlimits {
        rlimit::set(resource(limit.resource), limit.soft, limit.hard)
            .map_err(|errno| (1, errno))?;
    }
    for (pipe, number) in [(stdout, 1), (stderr, 2)] {
        fork::redirect(pipe.as_fd(), number).map_err(|errno| (2, errno))?;
    }
    // The zygote's own is one open file for all its children, whose flags they could change.
    let null = std::fs::File::open("/dev/null").map_err(|error| {
        let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
        (3, errno)
    })?;
    fork::redirect(null.as_fd(), 0).map_err(|errno| (2, errno))?;
    Ok(())
}

/// The number of arguments, the arguments and the environment, each ended by NUL.
fn words(start: &Start) -> Result<Vec<u8>, NotStarted> {
    let mut words = format!("{}\0", start.args.len()).into_bytes();
    for word in start.args.iter().chain(&start.env) {
        if word.contains('\0') {
            return Err(("a NUL byte in `Start`", Errno::INVAL));
        }
        words.extend_from_slice(word.as_bytes());
        words.push(0);
    }
    Ok(words)
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
