//! What must not work, each first shown to reach the kernel without the filter. The arguments are
//! wrong on purpose: nothing is changed where a call goes through.

use super::*;

const KILLED: &str = "signal 31";

/// What the same call shows without the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    /// Something else.
    Differs,
    /// Something else if root makes it; the kernel refuses others in the same way.
    DiffersForRoot,
    /// Perhaps the same: not every kernel has the call or family.
    MayLack,
}

use Control::{Differs, DiffersForRoot, MayLack};

struct Attempt<'a> {
    name: &'static str,
    arguments: &'a [i64],
    expected: &'static str,
    control: Control,
}

const fn killed(name: &'static str, arguments: &'static [i64]) -> Attempt<'static> {
    Attempt {
        name,
        arguments,
        expected: KILLED,
        control: Differs,
    }
}

const fn refused(
    expected: &'static str,
    control: Control,
    name: &'static str,
    arguments: &'static [i64],
) -> Attempt<'static> {
    Attempt {
        name,
        arguments,
        expected,
        control,
    }
}

const EPERM: &str = "errno 1";
const ENOMEM: &str = "errno 12";
const EINVAL: &str = "errno 22";
const ENOTTY: &str = "errno 25";
const ENOSYS: &str = "errno 38";
const ENOPROTOOPT: &str = "errno 92";
const EOPNOTSUPP: &str = "errno 95";
const EAFNOSUPPORT: &str = "errno 97";
const DONE: &str = "errno 0";

const BAD: i64 = 0x7fff_ffff;

const KILLS: &[Attempt<'_>] = &[
    killed("ptrace", &[2, 0, 0, 0]),
    killed("mount", &[0, 0, 0, 0, 0]),
    killed("umount2", &[0, 0]),
    killed("pivot_root", &[0, 0]),
    killed("fsopen", &[0, BAD]),
    killed("fsconfig", &[-1, 0, 0, 0, 0]),
    killed("fsmount", &[-1, 0, 0]),
    killed("fspick", &[-1, 0, BAD]),
    killed("open_tree", &[-100, 0, BAD]),
    killed("open_tree_attr", &[-100, 0, BAD, 0, 0]),
    killed("move_mount", &[-1, 0, -1, 0, BAD]),
    killed("mount_setattr", &[-1, 0, BAD, 0, 0]),
    killed("bpf", &[5, 0, 0]),
    killed("init_module", &[0, 0, 0]),
    killed("finit_module", &[-1, 0, BAD]),
    killed("delete_module", &[0, 0]),
    killed("kexec_load", &[0, 1, 0, 0x7fff]),
    killed("kexec_file_load", &[-1, -1, 0, 0, 0x7fff]),
    killed("reboot", &[0, 0, 0, 0]),
    killed("userfaultfd", &[BAD]),
    killed("open_by_handle_at", &[-1, 0, 0]),
    killed("swapon", &[0, BAD]),
    killed("swapoff", &[0]),
    killed("acct", &[1]),
    killed("vhangup", &[]),
    killed("iopl", &[0]),
    killed("ioperm", &[0, 1, 0]),
    killed("modify_ldt", &[0, 0, 0]),
    killed("uselib", &[0]),
];

const REFUSALS: &[Attempt<'_>] = &[
    refused(ENOSYS, Differs, "clone3", &[0, 0]),
    refused(ENOSYS, Differs, "io_uring_setup", &[0, 0]),
    refused(ENOSYS, Differs, "io_uring_enter", &[-1, 0, 0, 0, 0, 0]),
    refused(ENOSYS, Differs, "io_uring_register", &[-1, 0, 0, 0]),
    refused(ENOSYS, Differs, "io_setup", &[0, 0]),
    refused(ENOSYS, Differs, "io_submit", &[0, 0, 0]),
    refused(ENOSYS, Differs, "shmget", &[0, 0, 0]),
    refused(ENOSYS, Differs, "semget", &[0, -1, 0]),
    refused(ENOSYS, Differs, "msgget", &[1, 0]),
    refused(ENOSYS, Differs, "mq_open", &[0, 0, 0, 0]),
    refused(ENOSYS, MayLack, "get_mempolicy", &[0, 0, 0, 0, 0]),
    refused(ENOSYS, MayLack, "mbind", &[0, 0, 99, 0, 0, 0]),
    refused(ENOSYS, Differs, "seccomp", &[99, 0, 0]),
    refused(ENOSYS, MayLack, "landlock_create_ruleset", &[0, 0, 1]),
    refused(ENOSYS, MayLack, "futex_waitv", &[0, 0, 0, 0, 0]),
    refused(ENOSYS, MayLack, "cachestat", &[-1, 0, 0, 0]),
    refused(ENOSYS, Differs, "inotify_init1", &[BAD]),
    refused(ENOSYS, Differs, "inotify_add_watch", &[-1, 0, 0]),
    refused(ENOSYS, MayLack, "statmount", &[0, 0, 0, 0]),
    refused(ENOSYS, MayLack, "memfd_secret", &[BAD]),
    refused(EINVAL, Differs, "splice", &[-1, 0, -1, 0, 1, 0]),
    refused(EINVAL, Differs, "tee", &[-1, -1, 1, 0]),
    refused(EINVAL, Differs, "vmsplice", &[-1, 0, 0, 0]),
    refused(EINVAL, Differs, "sendfile", &[-1, -1, 0, 1]),
    refused(EPERM, Differs, "unshare", &[0]),
    refused(EPERM, Differs, "setns", &[-1, 0]),
    refused(EPERM, Differs, "process_vm_readv", &[0, 0, 0, 0, 0, 0]),
    refused(EPERM, Differs, "process_vm_writev", &[0, 0, 0, 0, 0, 0]),
    refused(EPERM, Differs, "process_madvise", &[-1, 0, 0, 0, 0]),
    refused(EPERM, Differs, "process_mrelease", &[-1, 1]),
    refused(EPERM, Differs, "pidfd_getfd", &[-1, 0, 0]),
    refused(EPERM, Differs, "kcmp", &[0, 0, 99, 0, 0]),
    refused(EPERM, Differs, "keyctl", &[99, 0, 0, 0, 0]),
    refused(EPERM, Differs, "add_key", &[0, 0, 0, 0, 0]),
    refused(EPERM, Differs, "request_key", &[0, 0, 0, 0]),
    refused(EPERM, Differs, "perf_event_open", &[0, 0, -1, -1, 0]),
    refused(EPERM, DiffersForRoot, "fanotify_init", &[BAD, 0]),
    refused(EPERM, Differs, "name_to_handle_at", &[-1, 0, 0, 0, 0x7fff]),
    refused(EPERM, Differs, "clock_settime", &[99, 0]),
    refused(EPERM, Differs, "settimeofday", &[1, 0]),
    refused(EPERM, Differs, "adjtimex", &[0]),
    refused(EPERM, Differs, "clock_adjtime", &[0, 0]),
    refused(EPERM, DiffersForRoot, "sethostname", &[0, -1]),
    refused(EPERM, DiffersForRoot, "syslog", &[99, 0, 0]),
    refused(EPERM, Differs, "quotactl", &[BAD, 0, 0, 0]),
    refused(EPERM, Differs, "chroot", &[0]),
    refused(DONE, Differs, "syncfs", &[-1]),
];

/// `CLONE_THREAD`: without `CLONE_SIGHAND` the kernel answers `EINVAL` to any flag beside it.
const THREAD: i64 = 0x1_0000;
const RAW: i64 = 3;

const ARGUMENTS: &[Attempt<'_>] = &[
    refused(EPERM, Differs, "clone", &[0x0002_0000 | THREAD, 0, 0, 0, 0]),
    refused(EPERM, Differs, "clone", &[0x0200_0000 | THREAD, 0, 0, 0, 0]),
    refused(EPERM, Differs, "clone", &[0x0400_0000 | THREAD, 0, 0, 0, 0]),
    refused(EPERM, Differs, "clone", &[0x0800_0000 | THREAD, 0, 0, 0, 0]),
    refused(EPERM, Differs, "clone", &[0x1000_0000 | THREAD, 0, 0, 0, 0]),
    refused(EPERM, Differs, "clone", &[0x2000_0000 | THREAD, 0, 0, 0, 0]),
    refused(EPERM, Differs, "clone", &[0x4000_0000 | THREAD, 0, 0, 0, 0]),
    refused(ENOMEM, Differs, "mmap", &[0, 0, 3, 0x4_0022, -1, 0]),
    refused(ENOMEM, Differs, "memfd_create", &[0, 4]),
    refused(EAFNOSUPPORT, Differs, "socket", &[16, RAW, 0]),
    refused(EAFNOSUPPORT, MayLack, "socket", &[17, RAW, 0]),
    refused(EAFNOSUPPORT, MayLack, "socket", &[38, 5, 0]),
    refused(EAFNOSUPPORT, MayLack, "socket", &[40, 1, 0]),
    refused(EAFNOSUPPORT, MayLack, "socket", &[44, RAW, 0]),
    refused(EAFNOSUPPORT, Differs, "socket", &[2, RAW, 1]),
    refused(EAFNOSUPPORT, Differs, "socket", &[2, 1, 262]),
    refused(EAFNOSUPPORT, Differs, "socketpair", &[2, 1, 0, 0]),
    refused(ENOPROTOOPT, Differs, "setsockopt", &[-1, 1, 26, 0, 0]),
    refused(ENOPROTOOPT, Differs, "setsockopt", &[-1, 1, 50, 0, 0]),
    refused(ENOPROTOOPT, Differs, "setsockopt", &[-1, 6, 31, 0, 0]),
    refused(ENOTTY, Differs, "ioctl", &[-1, 0x5412, 0]),
    refused(ENOTTY, Differs, "ioctl", &[-1, 0x541c, 0]),
    // The kernel drops the upper half of the request, and a filter that compares it is passed by.
    refused(ENOTTY, Differs, "ioctl", &[-1, 0x1_0000_5412, 0]),
    refused(EINVAL, Differs, "prctl", &[22, 2, 0, 0, 0]),
    refused(EINVAL, Differs, "arch_prctl", &[0x1012, 1]),
    refused(EPERM, Differs, "prlimit64", &[BAD, 7, 0, 0]),
    refused(EPERM, Differs, "personality", &[0x004_0000]),
    refused(EPERM, Differs, "sched_setscheduler", &[1, 99, 0]),
    refused(EPERM, Differs, "sched_setparam", &[1, 0]),
    refused(EPERM, Differs, "sched_setattr", &[1, 0, 0]),
    refused(EPERM, Differs, "sched_setaffinity", &[1, 8, 0]),
    // The kernel drops the upper half of a pid as well.
    refused(EPERM, Differs, "sched_setparam", &[0x1_0000_0001, 0]),
    refused(EPERM, Differs, "setpriority", &[1, BAD, 0]),
    refused(EPERM, Differs, "setpriority", &[2, BAD, 0]),
    refused(EPERM, Differs, "ioprio_set", &[1, 1, BAD]),
    refused(EPERM, Differs, "ioprio_set", &[2, BAD, BAD]),
    refused(EPERM, Differs, "ioprio_set", &[3, BAD, BAD]),
    refused(EINVAL, Differs, "fcntl", &[-1, 1026, 0]),
    refused(EINVAL, Differs, "fcntl", &[-1, 1024, 0]),
    refused(EOPNOTSUPP, Differs, "sendto", &[-1, 0, 0, 1, 0, 0]),
    refused(EOPNOTSUPP, Differs, "sendmsg", &[-1, 0, 0x4001]),
    refused(EOPNOTSUPP, Differs, "sendmmsg", &[-1, 0, 0, 1]),
];

fn attempt(attempts: &[(u32, &Attempt<'_>)], fence: Fence) -> Vec<String> {
    let lines: Vec<_> = attempts
        .iter()
        .map(|(number, attempt)| {
            let numbers = [i64::from(*number)]
                .into_iter()
                .chain(attempt.arguments.to_vec());
            numbers
                .map(|one| one.to_string())
                .collect::<Vec<_>>()
                .join(",")
        })
        .collect();
    let printed = python("attempt", include_str!("attempt.py"), &lines, fence);
    let printed: Vec<_> = printed.lines().map(str::to_owned).collect();
    assert_eq!(printed.len(), attempts.len());
    printed
}

fn check(attempts: &[Attempt<'_>]) {
    let attempts: Vec<_> = attempts
        .iter()
        .filter_map(|attempt| {
            let number = number::by_name(attempt.name)
                .expect(attempt.name)
                .on(ARCH)?;
            Some((number, attempt))
        })
        .collect();
    let root = stockade_sys::process::effective_uid() == 0;
    let without = attempt(&attempts, Fence::Down);
    let within = attempt(&attempts, Fence::Up(LOOPBACK));
    for (((_, attempt), without), within) in attempts.iter().zip(without).zip(within) {
        let call = format!("{} {:x?}", attempt.name, attempt.arguments);
        assert_eq!(within, attempt.expected, "{call}");
        let differs = match attempt.control {
            Differs => true,
            DiffersForRoot => root,
            MayLack => false,
        };
        assert!(
            !differs || without != attempt.expected,
            "{call} is {without} without the filter"
        );
    }
}

#[test]
fn what_only_an_attack_calls_kills() {
    check(KILLS);
}

#[test]
fn what_libraries_try_gets_its_errno() {
    check(REFUSALS);
}

#[test]
fn what_the_arguments_forbid_gets_its_errno() {
    check(ARGUMENTS);
}

#[test]
fn without_a_grant_there_is_no_internet_socket() {
    const ENETDOWN: &str = "errno 100";
    let number = number::by_name("socket")
        .and_then(|socket| socket.on(ARCH))
        .unwrap();
    for (family, within) in [(1, DONE), (2, ENETDOWN), (10, ENETDOWN), (16, ENETDOWN)] {
        let arguments = [family, 1 + 2 * i64::from(family == 16), 0];
        let socket = Attempt {
            name: "socket",
            arguments: &arguments,
            expected: within,
            control: Differs,
        };
        let call = [(number, &socket)];
        assert_eq!(attempt(&call, Fence::Down), [DONE], "{family}");
        assert_eq!(attempt(&call, Fence::Up(NOTHING)), [within], "{family}");
    }
}

#[test]
fn memory_that_nobody_counts_is_not_to_be_had() {
    let calls: [(_, &[i64], _, _); 4] = [
        ("memfd_create", &[0, 0], "errno 14", ENOSYS),
        ("setsockopt", &[-1, 1, 7, 0, 0], "errno 9", ENOPROTOOPT),
        ("setsockopt", &[-1, 1, 8, 0, 0], "errno 9", ENOPROTOOPT),
        // The control: another option is looked at by the kernel.
        ("setsockopt", &[-1, 1, 9, 0, 0], "errno 9", "errno 9"),
    ];
    for (name, arguments, counted, uncounted) in calls {
        let number = number::by_name(name)
            .and_then(|call| call.on(ARCH))
            .unwrap();
        let one = Attempt {
            name,
            arguments,
            expected: uncounted,
            control: Differs,
        };
        let call = [(number, &one)];
        assert_eq!(attempt(&call, Fence::Up(NOTHING)), [counted], "{name}");
        assert_eq!(attempt(&call, Fence::UpUncounted), [uncounted], "{name}");
    }
}

#[test]
fn the_kernel_kills_a_call_with_the_x32_bit() {
    if ARCH != Arch::X86_64 {
        eprintln!("skipped: x32 is x86-64's");
        return;
    }
    let getpid = Attempt {
        name: "getpid",
        arguments: &[],
        expected: KILLED,
        control: Differs,
    };
    let call = [(0x4000_0000 + 39, &getpid)];
    assert_ne!(attempt(&call, Fence::Down), [KILLED]);
    assert_eq!(attempt(&call, Fence::Up(LOOPBACK)), [KILLED]);
}

#[test]
fn the_kernel_kills_the_i386_entry() {
    if ARCH != Arch::X86_64 {
        eprintln!("skipped: the i386 entry is x86-64's");
        return;
    }
    let source = include_str!("i386.py");
    // A kernel without `CONFIG_IA32_EMULATION` faults instead: SIGSEGV.
    let without = python("i386", source, &[], Fence::Down);
    assert!(
        ["errno 0\n", "signal 11\n"].contains(&&*without),
        "{without}"
    );
    assert_eq!(
        python("i386", source, &[], Fence::Up(LOOPBACK)),
        format!("{KILLED}\n")
    );
}
