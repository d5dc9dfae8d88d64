//! Case 29: nothing is left of programs that are killed.

use std::fs;

use crate::start::{both, job, policy};
use stockade::{LimitId, Outcome};

/// Case 29's own program, which must not be asked for a value.
const SOURCE: &str = "\
import os
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        while True: pass
print('x' * 10**7)
while True: pass
";
const RUNS: usize = 40;
const AT_ONCE: usize = 8;

/// What a run could leave: mounts and descriptors of this process.
fn census() -> (usize, usize) {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let open = fs::read_dir("/proc/self/fd").unwrap().count();
    (mounts.lines().count(), open)
}

#[test]
fn case_29_leak_nothing_after_kills() {
    let limits = ["wall=500ms", "grace=100ms", "stdout=1MiB"];
    // The first makes what stays: the engine, the template's lock.
    both(&job(SOURCE), &policy(&limits));
    let before = census();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                for _ in 0..RUNS / AT_ONCE {
                    for (way, record) in both(&job(SOURCE), &policy(&limits)) {
                        let Outcome::LimitExceeded { limit, .. } = &record.outcome else {
                            panic!("{way}: {}", record.to_json());
                        };
                        assert_eq!(*limit, LimitId::Wall, "{way}");
                        let checked = |what| {
                            let all = &record.evidence.teardown;
                            all.iter().any(|one| one.what == what)
                        };
                        // What was warm is looked at after the answer.
                        let looked = checked("init") && checked("cgroup");
                        assert!(looked || record.evidence.warmth.is_some(), "{way}");
                    }
                }
            });
        }
    });
    assert_eq!(census(), before);
}
