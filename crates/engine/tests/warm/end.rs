//! Every way to end gives the same outcome warm and cold.

use crate::run::{ended, engine, job, limited};
use crate::twin;

/// Programs, and how they end.
const ENDS: [(&str, &str); 24] = [
    ("emit(1)", "finished 1"),
    ("import sys\nemit(1)\nsys.exit()", "finished 1"),
    ("import sys\nemit(1)\nsys.exit(None)", "finished 1"),
    ("import sys\nsys.exit(3)", "exited 3"),
    ("import sys\ndel __file__\nsys.exit(3)", "exited 3"),
    ("import sys\nsys.exit(True)", "exited 1"),
    ("import sys\nsys.exit(-1)", "exited 255"),
    ("import sys\nemit(1)\nsys.exit(256)", "finished 1"),
    ("raise SystemExit(1 << 70)", "exited 255"),
    ("exit('gone')", "exited 1"),
    (
        "class E(SystemExit):\n @property\n def code(self): return 9\nraise E(3)",
        "exited 9",
    ),
    (
        "class E(SystemExit):\n def __getattribute__(self, name): return 11\nraise E(3)",
        "exited 11",
    ),
    (
        "import sys\ntry: sys.exit(3)\nexcept SystemExit: emit(3)",
        "finished 3",
    ),
    (
        "import sys, threading\nt = threading.Thread(target=sys.exit, args=(3,))\n\
         t.start(); t.join(); emit(1)",
        "finished 1",
    ),
    ("1 / 0", "raised ZeroDivisionError: division by zero"),
    ("raise KeyboardInterrupt", "raised KeyboardInterrupt: "),
    (
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "crashed 9",
    ),
    (
        "import atexit\natexit._run_exitfuncs()\nemit(2)",
        "finished 2",
    ),
    (
        "import atexit, sys\natexit.register(print, 'at the end')\nsys.exit(2)",
        "exited 2",
    ),
    ("import sys\nsys.stdout.close()\nsys.exit(2)", "exited 2"),
    (
        "import sys\nsys.stdout.write('no newline')\nsys.exit(2)",
        "exited 2",
    ),
    ("import os\nos.close(1)\nprint('x')", "exited 120"),
    (
        "import os, sys\nif os.fork() == 0: sys.exit(7)\n\
         emit(os.waitstatus_to_exitcode(os.wait()[1]))",
        "finished 7",
    ),
    (
        "import os, sys\nif os.fork() == 0: raise ValueError('of a child')\n\
         emit(os.waitstatus_to_exitcode(os.wait()[1]))",
        "finished 1",
    ),
];

#[test]
fn every_way_to_end_ends_alike() {
    for (source, expected) in ENDS {
        let record = twin::run(engine(), &job(source), &limited(&[])).unwrap();
        assert_eq!(ended(&record), expected, "{source}\n{}", record.to_json());
    }
}

/// What a program holds at its end is finalised in the same order.
#[test]
fn what_a_program_holds_is_taken_apart_alike() {
    let source = "\
import atexit, gc, sys, threading, weakref
class Told:
    def __init__(self, name): self.name = name
    def __del__(self): print('gone:', self.name)
_private = Told('private'); public = Told('public')
cycle = Told('cycle'); cycle.me = cycle
weakref.finalize(public, print, 'finalized')
atexit.register(print, 'at exit')
def late():
    import time
    time.sleep(0.05)
    print('thread')
threading.Thread(target=late).start()
out = open('/tmp/unflushed', 'w'); out.write('x')
emit(sorted(name for name in globals() if name[0] != '_'))
";
    twin::run(engine(), &job(source), &limited(&[])).unwrap();
}

/// What a program sees of itself, as far as it can be the same.
#[test]
fn a_program_finds_itself_as_if_it_had_been_executed() {
    let source = "\
import os, resource, signal, sys, threading, gc
told = {}
keep = ('Umask', 'Tgid', 'Pid', 'PPid', 'TracerPid', 'Uid', 'Gid', 'Groups', 'NStgid', 'NSpgid',
    'NSsid', 'Threads', 'SigQ', 'SigPnd', 'ShdPnd', 'SigBlk', 'SigIgn', 'SigCgt', 'CapInh',
    'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp', 'Name')
for line in open('/proc/self/status'):
    name, _, value = line.partition(':')
    if name in keep: told[name] = value.strip()
told['limits'] = open('/proc/self/limits').read()
told['cmdline'] = open('/proc/self/cmdline').read()
told['cgroup'] = open('/proc/self/cgroup').read()
told['score'] = open('/proc/self/oom_score_adj').read()
told['fds'] = [(fd, os.path.exists('/proc/self/fd/' + fd)) for fd in os.listdir('/proc/self/fd')]
told['null'] = os.readlink('/proc/self/fd/0'), os.get_inheritable(0), os.isatty(0)
told['env'] = dict(os.environ)
told['argv'] = sys.argv, sys.orig_argv, sys.path, sys.flags.isolated, sys.executable
told['main'] = sorted(vars(sys.modules['__main__']))
told['hooks'] = len(sys.meta_path), len(sys.path_hooks), sys.getrecursionlimit()
told['handlers'] = [str(signal.getsignal(n)) for n in range(1, 32)]
told['gc'] = gc.isenabled(), gc.get_threshold(), threading.active_count()
told['where'] = os.getcwd(), os.listdir('.'), os.getpgrp(), os.getsid(0), os.uname().nodename
told['paths'] = [sorted(os.listdir(path)) for path in ('/work', '/tmp', '/dev/shm', '/')]
told['io'] = [(s.encoding, s.errors, s.line_buffering, s.fileno()) for s in
    (sys.stdin, sys.stdout, sys.stderr)]
told['dumpable'] = len(open('/proc/self/maps').read()) > 0
told['priority'] = os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)
told['cpus'] = len(os.sched_getaffinity(0)), os.cpu_count()
emit(told)
";
    twin::run(engine(), &job(source), &limited(&[])).unwrap();
    twin::run(
        engine(),
        &job(source),
        &limited(&["open_files=64", "file_size=1MiB"]),
    )
    .unwrap();
}
