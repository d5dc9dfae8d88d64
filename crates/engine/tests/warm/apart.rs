//! Copies of one interpreter look for each other, for the interpreter, and for what runs before
//! them left.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::run::{ended, engine, many, run, value_of, warm};

/// Leaves a trace of every kind, and looks for those of others, three times; what it found.
const SEARCH: &str = r"
import ctypes, errno, fcntl, os, signal, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
found = []
def see(what): found.append(str(what))
def call(name, *arguments):
    result = getattr(libc, name)(*arguments)
    return result if result >= 0 else -ctypes.get_errno()

# What was there before this run.
for place in ('/work', '/tmp', '/dev/shm', '/run/stockade', '/tmp/home'):
    for name in os.listdir(place):
        if (place, name) not in (('/work', 'job.py'), ('/tmp', 'home')): see(place + '/' + name)
for fd in os.listdir('/proc/self/fd'):
    if int(fd) > 2 and os.path.exists('/proc/self/fd/' + fd): see('descriptor ' + fd)
for name in os.environ:
    if 'ZYGOTE' in name or 'PRELOAD' in name: see('variable ' + name)
for line in open('/proc/self/maps'):
    parts = line.split()
    if parts[1][1] == 'w' and parts[1][3] == 's': see('shared memory ' + line)
for line in open('/proc/net/unix').readlines()[1:] if os.path.exists('/proc/net/unix') else []:
    see('socket ' + line)

# Traces.
held = socket.socket(socket.AF_UNIX)
held.bind('\0cross'); held.listen()
for place in ('/work', '/tmp', '/dev/shm'):
    os.close(os.open(place + '/cross', os.O_CREAT | os.O_EXCL | os.O_RDWR))
KEY = 0x57c4ade
for name, make in (('shm', lambda: libc.shmget(KEY, 4096, 0o3666)),
                   ('sem', lambda: libc.semget(KEY, 1, 0o3666)),
                   ('msg', lambda: libc.msgget(KEY, 0o3666)),
                   ('queue', lambda: libc.mq_open(b'/cross', 0o302, 0o666, 0))):
    child = os.fork()
    if child == 0:
        os._exit(2 if make() < 0 and ctypes.get_errno() == errno.EEXIST else 0)
    if os.waitpid(child, 0)[1] >> 8 == 2: see(name)

def search():
    own = os.getpid()
    for name in os.listdir('/proc'):
        if name.isdigit() and int(name) not in (1, own): see('process ' + name)
    for pid in list(range(2, 300)) + list(range(1000, 1100)):
        if pid == own: continue
        try: os.kill(pid, 0); see(('signal', pid))
        except ProcessLookupError: pass
        except OSError as error: see(('signal', pid, str(error)))
    for target in (-1, -2, -3, -os.getppid() if os.getppid() > 1 else -4):
        try: os.kill(target, signal.SIGKILL); see(('killed', target))
        except OSError: pass
    for name in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGCHLD):
        try: os.kill(1, name)
        except PermissionError: pass
    if os.getppid() != 1: see('another parent')
    for name in ('mem', 'environ', 'maps', 'fd/3', 'fd/0', 'cwd', 'root', 'exe', 'ns/net'):
        for pid in ('1', str(own + 1), str(own - 1)):
            if pid == str(own): continue
            try:
                path = f'/proc/{pid}/{name}'
                if os.path.islink(path): os.readlink(path)
                else: open(path, 'rb').read(1)
                see((pid, name))
            except OSError: pass
    # Calls that the filter may end a process for, each in one of its own.
    local = (ctypes.c_size_t * 2)()
    for pid in {1, own + 1, own - 1} - {own}:
        for what, attempt in (
            ('ptrace', lambda: call('ptrace', 16, pid, 0, 0)),
            ('memory', lambda: call('process_vm_readv', pid, local, 1, local, 1, 0)),
            ('descriptor', lambda: call('syscall', 438, call('syscall', 434, pid, 0), 3, 0)),
            ('advice', lambda: call('syscall', 440, call('syscall', 434, pid, 0), local, 1, 4, 0)),
            ('namespace', lambda: call('setns', call('syscall', 434, pid, 0), 0x20000000)),
        ):
            child = os.fork()
            if child == 0: os._exit(0 if attempt() >= 0 else 1)
            if os.waitpid(child, 0)[1] == 0: see((what, pid))
    for number in range(3, 40):
        for path in (f'/proc/1/fd/{number}', f'/proc/1/task/1/fd/{number}'):
            try: os.open(path, os.O_RDONLY); see(path)
            except OSError: pass
    for path in ('/run/zygote.so', '/dev/tty', '/dev/console', '/dev/ptmx', '/proc/1/root/run'):
        try: os.open(path, os.O_RDONLY); see(path)
        except OSError: pass
    for kind in (signal.SIGUSR1,):
        if kind in signal.sigpending(): see('a signal of somebody')

for _ in range(3):
    search()
    time.sleep(0.01)
emit(found)
";

#[test]
fn two_hundred_copies_find_nothing_of_each_other() {
    warm(&[], 16);
    let left = AtomicUsize::new(many(200));
    let take = |n: usize| n.checked_sub(1);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while left
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                    .is_ok()
                {
                    let record = run(SEARCH, &[]);
                    assert_eq!(ended(&record), "finished []", "{}", record.to_json());
                }
            });
        }
    });
    assert_eq!(left.into_inner(), 0);
    assert_eq!(engine().settle(), [""; 0]);
}

#[test]
fn the_search_finds_what_there_is() {
    warm(&[], 1);
    let before = "\
import os, time
open('/tmp/left', 'w').close()
fd = os.open('/tmp/left', os.O_RDONLY)
if os.fork() == 0: time.sleep(60)
";
    let record = run(&format!("{before}{SEARCH}"), &[]);
    let found: Vec<String> = value_of(&record);
    for what in ["/tmp/left", "descriptor 3", "process 3", "('signal', 3"] {
        assert!(found.iter().any(|one| one.contains(what)), "{found:?}");
    }
}

/// What a run may signal to another by: locks on the template's files, as `docs/threat-model.md`
/// says. They end with the run.
#[test]
fn a_lock_on_a_file_of_the_template_ends_with_its_run() {
    warm(&[], 1);
    let source = "\
import fcntl, os
taken = []
for path in (os.__file__, '/usr', '/dev/null', '/etc', '/', '/proc/self/exe'):
    fd = os.open(path, os.O_RDONLY)
    try: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB); taken.append(path)
    except OSError as error: taken.append(str(error))
emit(len([path for path in taken if path[0] == '/']))
";
    for _ in 0..4 {
        let record = run(source, &[]);
        assert_eq!(ended(&record), "finished 6");
        assert_eq!(engine().settle(), [""; 0]);
    }
}

/// No uid is given to another run while something of the one that had it lives.
#[test]
fn runs_at_once_have_uids_of_their_own() {
    warm(&[], 4);
    let source = "\
import time
time.sleep(0.2)
emit(open('/proc/self/uid_map').read().split()[1])
";
    let uids: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| value_of(&run(source, &[]))))
            .collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let root = engine().host().facts().privilege == stockade::facts::Privilege::Root;
    let different: std::collections::BTreeSet<_> = uids.iter().collect();
    // Without root all are the user's own, and only the namespaces keep them apart.
    assert_eq!(different.len(), if root { 4 } else { 1 }, "{uids:?}");
}
