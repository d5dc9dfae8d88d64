//! Memory that is not a process's own: each kind counts towards `memory`.

use crate::run::{assert_ended, run, run_each_way};

const BEGIN: &str = "\
import array, ctypes, fcntl, mmap, os, socket
kept = []
def fill(descriptor, write):
    os.set_blocking(descriptor, False)
    try:
        while True: write(bytes(65536))
    except BlockingIOError:
        pass
";

const COLLECTED: &str = "files in flight between closed sockets";

/// Each takes far more than the limit if nobody counts it, and is within every other limit.
const KINDS: &[(&str, &str)] = &[
    (
        "pipes",
        "for _ in range(200):
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 1 << 20)
    fill(write, lambda b: os.write(write, b))",
    ),
    (
        "socket buffers",
        "for _ in range(400):
    a, b = socket.socketpair()
    a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
    kept.append((a, b))
    fill(a.fileno(), a.send)",
    ),
    (
        COLLECTED,
        "for _ in range(400):
    a, b = socket.socketpair()
    m = os.memfd_create('m')
    os.write(m, bytes(1 << 20))
    rights = array.array('i', [a.fileno(), b.fileno(), m])
    a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    a.close(), b.close(), os.close(m)",
    ),
    (
        "files without a name",
        "for _ in range(200): os.write(os.memfd_create('m'), bytes(1 << 20))",
    ),
    (
        "page tables",
        "m = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
for at in range(0, 1 << 40, 1 << 21): m[at]",
    ),
    (
        "extended attributes",
        "for i in range(20):
    open(f'/tmp/{i}', 'w').close()
    for j in range(100): os.setxattr(f'/tmp/{i}', f'user.{j}', bytes(60000))",
    ),
    (
        "targets of links",
        "for i in range(60000): os.symlink('y' * 4000, f'/tmp/{i}')",
    ),
];

#[test]
fn memory_of_the_kernels_counts() {
    for (kind, source) in KINDS {
        let limits = ["memory=64MiB", "open_files=1024", "wall=60s", "cpu=60s"];
        let source = format!("{BEGIN}{source}\nemit(0)");
        eprintln!("{kind}");
        if *kind != COLLECTED {
            assert_ended(&run(&source, &limits), "limit_exceeded memory");
            continue;
        }
        // The kernel collects these by itself, and may keep up; then they never were too many.
        for record in run_each_way(&source, &limits) {
            let peak = record.usage.memory_peak_bytes.unwrap_or(u64::MAX);
            if record.outcome.slug() != "finished" || peak > 64 << 20 {
                assert_ended(&record, "limit_exceeded memory");
            }
        }
    }
}
