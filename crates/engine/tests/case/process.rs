//! Processes and threads.

use std::thread;

use crate::run::{assert_ended, assert_gone, ended, run, value};

const BOMB: &str = "\
import os, time
n = 0
try:
    while True:
        if os.fork() == 0: time.sleep(30); os._exit(0)
        n += 1
except OSError as e: emit([n, e.errno])
";

#[test]
fn case_16_procs_limit_per_run_not_per_user() {
    let honest = "\
import threading
done = []
gate = threading.Barrier(21)
def work():
    gate.wait()
    done.append(1)
threads = [threading.Thread(target=work) for _ in range(20)]
[t.start() for t in threads]
gate.wait()
[t.join() for t in threads]
emit(len(done))
";
    thread::scope(|scope| {
        let bombs: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| run(BOMB, &["processes=32"])))
            .collect();
        let honest = scope.spawn(|| value(honest, &["processes=32"]));
        for bomb in bombs {
            let record = bomb.join().unwrap();
            // The program itself is one of the 32.
            assert_ended(&record, "finished [31,11]");
            assert!(
                record.usage.processes_refused >= Some(1),
                "{:?}",
                record.usage
            );
            assert_gone(&record);
        }
        assert_eq!(honest.join().unwrap(), "20");
    });
}

#[test]
fn case_13_memory_threads_that_cannot_start_are_blamed_on_the_limit() {
    let source = "\
import threading, time
for _ in range(64): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
";
    let record = run(source, &["processes=16"]);
    assert_ended(&record, "raised RuntimeError: can't start new thread");
    assert!(
        record.usage.processes_refused >= Some(1),
        "{:?}",
        record.usage
    );
}

#[test]
fn with_one_process_there_is_no_second() {
    let record = run("import os\nos.fork()", &["processes=1"]);
    assert!(
        ended(&record).starts_with("raised BlockingIOError: [Errno 11]"),
        "{}",
        ended(&record)
    );
    assert_eq!(value("emit(1)", &["processes=1"]), "1");
}

#[test]
fn a_run_does_not_see_or_reach_processes_of_the_host() {
    let own = std::process::id();
    let source = format!(
        "\
import os, signal
seen = sorted(int(n) for n in os.listdir('/proc') if n.isdigit())
reached = []
for pid in [{own}, os.getppid()] + list(range(2, 300)):
    if pid in (1, os.getpid()): continue
    try: os.kill(pid, 0); reached.append(pid)
    except OSError: pass
emit([[n for n in seen if n not in (1, os.getpid())], reached, os.getppid()])
"
    );
    assert_eq!(value(&source, &[]), "[[],[],1]");
}

#[test]
fn a_program_cannot_change_what_init_may_use() {
    // Init has the program's uid: nothing but the filter stands between them here.
    let source = "\
import os, resource
told = []
for name in ('CPU', 'NOFILE', 'AS', 'DATA', 'FSIZE', 'NPROC', 'STACK'):
    try: resource.prlimit(1, getattr(resource, 'RLIMIT_' + name), (0, 0)); told.append(name)
    except PermissionError: pass
resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
told.append(resource.prlimit(0, resource.RLIMIT_NOFILE)[0])
import time
end = time.monotonic() + 1.5
while time.monotonic() < end: pass
emit(told)
";
    assert_eq!(value(source, &[]), "[20]");
}
