//! What a submission can see, or change, of the host and of other runs.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::run::assert_value;

#[test]
fn the_name_of_the_run_is_not_shown() {
    let source = "emit([line for line in open('/proc/self/cgroup') if not line.endswith(':/\\n')])";
    let own = fs::read_to_string("/proc/self/cgroup").unwrap();
    assert!(own.contains(":/"), "the control: there are groups: {own}");
    assert_value(source, &[], "[]");
}

#[test]
fn the_hosts_device_nodes_cannot_be_touched() {
    let source = "\
import errno, os
seen = []
for path in ['/dev/null', '/dev/full', '/dev/zero', '/dev/random', '/dev/urandom']:
    for call in (os.utime, lambda p: os.chmod(p, 0o600), lambda p: os.setxattr(p, 'user.x', b'')):
        try: call(path)
        except OSError as e: seen.append(e.errno == errno.EROFS)
        else: seen.append(path)
# The controls: an own file can be, and a device still takes what is written.
open('/tmp/own', 'w').close()
os.utime('/tmp/own')
open('/dev/null', 'wb').write(b'x')
emit([all(one is True for one in seen), len(seen)])
";
    let before = fs::metadata("/dev/null").unwrap();
    assert_value(source, &[], "[true,15]");
    let after = fs::metadata("/dev/null").unwrap();
    assert_eq!(
        (before.mtime_nsec(), before.mode()),
        (after.mtime_nsec(), after.mode())
    );
}

#[test]
fn what_others_do_with_shared_files_cannot_be_watched() {
    let source = "\
import ctypes, fcntl, os
libc = ctypes.CDLL(None, use_errno=True)
seen = [libc.inotify_init1(0), ctypes.get_errno()]
directory = os.open('/usr', os.O_RDONLY)
for command in (fcntl.F_NOTIFY, fcntl.F_SETLEASE):
    try: fcntl.fcntl(directory, command, 0)
    except OSError as e: seen.append(e.errno)
# The control: other commands work.
fcntl.fcntl(directory, fcntl.F_GETFL)
emit(seen)
";
    assert_value(source, &[], "[-1,38,22,22]");
}

#[test]
fn limits_that_the_supervisor_has_are_not_inherited() {
    let source = "\
limits = {}
for line in open('/proc/self/limits').read().splitlines()[1:]:
    limits[line[:26].strip()] = line[26:].split()[:2]
pending = limits['Max pending signals']
emit([limits['Max realtime priority'], limits['Max nice priority'], int(pending[1]) <= 1024])
";
    assert_value(source, &[], "[[\"0\",\"0\"],[\"0\",\"0\"],true]");
}

#[test]
fn the_kernel_ends_a_guest_before_its_supervisor_where_memory_is_short() {
    let own = fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    assert!(own.trim().parse::<i32>().unwrap() < 500, "the control");
    let source = "\
def score(pid): return int(open(f'/proc/{pid}/oom_score_adj').read())
try: open('/proc/self/oom_score_adj', 'w').write('0')
except OSError: pass
emit([score(1), score('self')])
";
    assert_value(source, &[], "[500,500]");
}
