//! Memory: what counts, and how its end is told from others.

use crate::run::{assert_ended, assert_gone, engine, enough, job, limited, run, value};
use stockade::Record;
use stockade::facts::Cgroup;

const MIB: u64 = 1 << 20;

fn peak(record: &Record) -> u64 {
    record.usage.memory_peak_bytes.unwrap()
}

/// What the kernel says is in force.
fn in_force(record: &Record) -> &str {
    let fences = &record.evidence.fences;
    let cgroup = fences.iter().find(|fence| fence.name == "cgroup");
    &cgroup.unwrap().detail
}

#[test]
fn case_12_memory_limit_is_resident_not_virtual() {
    let source = "\
import mmap
m = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # NORESERVE
m[0] = 1
emit('ok')
";
    let record = run(source, &["memory=256MiB"]);
    assert_ended(&record, "finished \"ok\"");
    assert!(peak(&record) < 64 * MIB, "{}", peak(&record));

    let record = run(source, &["memory=256MiB", "address_space=1GiB"]);
    assert_ended(&record, "raised OSError: [Errno 12] Cannot allocate memory");
}

#[test]
fn case_14_memory_swap_does_not_count_as_free() {
    let source = "\
b = []
while True: b.append(bytearray(8 << 20)); b[-1][::4096] = b'x' * len(b[-1][::4096])
";
    let record = run(source, &["memory=128MiB", "wall=60s"]);
    assert_ended(&record, "limit_exceeded memory");
    assert!(peak(&record) <= 128 * MIB, "{}", peak(&record));
    assert!(peak(&record) >= 64 * MIB, "the attack is real");
    assert!(record.usage.wall_us < 60_000_000);
    let expected = match engine().host().facts().cgroup {
        // Memory and swap together may be no more than memory alone.
        Cgroup::V1 { .. } => [
            "memory.limit_in_bytes=134217728",
            "memory.memsw.limit_in_bytes=134217728",
        ],
        Cgroup::V2 { .. } => ["memory.max=134217728", "memory.swap.max=0"],
        Cgroup::None(_) => unreachable!("the engine of these tests has a cgroup"),
    };
    for one in expected {
        assert!(in_force(&record).contains(one), "{}", in_force(&record));
    }
    assert_gone(&record);
}

#[test]
fn case_15_reason_oom_vs_timeout_vs_own_exit() {
    let source = "\
import sys
INPUT = the_input()
mode = INPUT['mode']
if mode == 'oom': x = bytearray(10**9); x[::4096] = b'x' * len(x[::4096])
if mode == 'spin':
    while True: pass
sys.exit(137)
";
    let wall = format!("wall={}ms", enough(2_000));
    for (mode, expected) in [
        ("oom", "limit_exceeded memory"),
        ("spin", "limit_exceeded wall"),
        ("exit", "exited 137"),
    ] {
        let submission = job(source).input(format!("{{\"mode\": \"{mode}\"}}"));
        // The default, so that memory is what ends it where an emulated machine is slow.
        let wall = if mode == "oom" { "wall=60s" } else { &*wall };
        let record = engine()
            .run(&submission, &limited(&["memory=64MiB", wall]))
            .unwrap();
        assert_ended(&record, expected);
    }
}

#[test]
fn memory_of_all_processes_together_is_bounded() {
    let source = "\
import os, time
for _ in range(7):
    if os.fork() == 0: break
x = bytearray(16 << 20)
x[::4096] = b'x' * len(x[::4096])
time.sleep(30)
";
    let record = run(source, &["memory=64MiB", "wall=60s"]);
    assert_ended(&record, "limit_exceeded memory");
    assert_gone(&record);
    let record = run(
        &source.replace("range(7)", "range(1)").replace("30", "0"),
        &["memory=128MiB"],
    );
    assert!(
        record.outcome.slug() == "result_rejected",
        "the control: {}",
        record.to_json()
    );
}

#[test]
fn files_count_towards_memory() {
    let source = "\
for place in ('/work/a', '/tmp/a', '/dev/shm/a'):
    with open(place, 'wb') as f:
        for _ in range(30): f.write(b'x' * (1 << 20))
emit('all written')
";
    let record = run(source, &["memory=64MiB"]);
    assert_ended(&record, "limit_exceeded memory");
    assert_ended(&run(source, &["memory=256MiB"]), "finished \"all written\"");
}

#[test]
fn a_full_disk_is_an_error_of_the_program_and_is_told() {
    let source = "\
try:
    for place in ('/work/', '/tmp/', '/dev/shm/'):
        for n in range(10):
            with open(place + str(n), 'wb') as f: f.write(b'x' * (1 << 20))
except OSError as e:
    import os
    os.unlink(place + str(n))
    emit([e.errno, place])
";
    // The three places are one file system, so the second is where 15 MiB end.
    assert_eq!(value(source, &["disk=15MiB"]), "[28,\"/tmp/\"]");
    let record = run(
        "with open('x', 'wb') as f:\n  while True: f.write(b'x' * (1 << 16))",
        &["disk=2MiB"],
    );
    assert_ended(
        &record,
        "raised OSError: [Errno 28] No space left on device",
    );
    assert!(record.usage.disk_full);
}

#[test]
fn a_memory_error_that_python_raises_is_raised() {
    let record = run("x = bytearray(1 << 40)", &["address_space=1GiB"]);
    assert_ended(&record, "raised MemoryError: ");
}
