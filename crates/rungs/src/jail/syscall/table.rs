//! What becomes of each system call, and why. Every call that has a number stands here or in
//! [`super::argument`] exactly once; a test says so.
//!
//! A call that an honest library may try gets an errno that its callers know how to live with,
//! because a library that dies of a probe is the most reported fault of filters. Killing is for
//! calls that only an attack, or an administrator's tool, makes.

/// How a group is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Carried out.
    Allow,
    /// Not carried out; the errno, and its name.
    Refuse(Errno),
    /// The process dies of `SIGSYS`.
    Kill,
}

/// An errno; the same number on both architectures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errno {
    /// As in `errno(3)`.
    pub(super) name: &'static str,
    /// Its number.
    pub(super) value: u16,
}

/// It exists, and is not for the submission.
pub(super) const EPERM: Errno = Errno {
    name: "EPERM",
    value: 1,
};
/// As from a kernel without the call: its callers have another way.
pub(super) const ENOSYS: Errno = Errno {
    name: "ENOSYS",
    value: 38,
};
/// As from a kernel that does not know the option.
pub(super) const EINVAL: Errno = Errno {
    name: "EINVAL",
    value: 22,
};
/// As where there is none to be had.
pub(super) const ENOMEM: Errno = Errno {
    name: "ENOMEM",
    value: 12,
};
/// As from a device that does not know the request.
pub(super) const ENOTTY: Errno = Errno {
    name: "ENOTTY",
    value: 25,
};
/// As from a kernel without the family.
pub(super) const EAFNOSUPPORT: Errno = Errno {
    name: "EAFNOSUPPORT",
    value: 97,
};
/// As from a kernel without the socket option.
pub(super) const ENOPROTOOPT: Errno = Errno {
    name: "ENOPROTOOPT",
    value: 92,
};
/// As from a kernel without out-of-band data on local sockets.
pub(super) const EOPNOTSUPP: Errno = Errno {
    name: "EOPNOTSUPP",
    value: 95,
};
/// As where the network is not up.
pub(super) const ENETDOWN: Errno = Errno {
    name: "ENETDOWN",
    value: 100,
};
/// Success, and nothing done.
pub(super) const SUCCESS: Errno = Errno {
    name: "success",
    value: 0,
};

/// Calls with one answer and one reason.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The answer.
    pub(super) answer: Answer,
    /// The reason, for the document.
    pub(super) why: &'static str,
    /// The kernel's names, separated by white space.
    pub(super) names: &'static str,
}

const fn allow(why: &'static str, names: &'static str) -> Group {
    Group {
        answer: Answer::Allow,
        why,
        names,
    }
}

const fn refuse(errno: Errno, why: &'static str, names: &'static str) -> Group {
    Group {
        answer: Answer::Refuse(errno),
        why,
        names,
    }
}

const fn kill(why: &'static str, names: &'static str) -> Group {
    Group {
        answer: Answer::Kill,
        why,
        names,
    }
}

/// The whole table but for the calls whose arguments decide.
pub(super) const GROUPS: &[Group] = &[
    allow(
        "use descriptors that are open",
        "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close \
         close_range dup dup2 dup3 flock pipe pipe2 copy_file_range",
    ),
    allow(
        "open, make, name and describe files; mounts, modes and Landlock decide which",
        "open openat openat2 creat access faccessat faccessat2 stat fstat lstat newfstatat statx \
         statfs fstatfs getdents getdents64 getcwd chdir fchdir mkdir mkdirat rmdir rename \
         renameat renameat2 link linkat unlink unlinkat symlink symlinkat readlink readlinkat \
         truncate ftruncate fallocate umask",
    ),
    allow(
        "change the modes, owners, times and attributes of own files; `mknod` makes FIFOs, device \
         nodes need a capability",
        "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat \
         utimensat mknod mknodat setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr \
         listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr",
    ),
    allow(
        "flush or prefetch one file",
        "fsync fdatasync sync_file_range fadvise64 readahead",
    ),
    allow(
        "own memory",
        "munmap mprotect brk mremap msync madvise mincore mlock mlock2 munlock mlockall \
         munlockall mseal membarrier pkey_alloc pkey_free pkey_mprotect map_shadow_stack",
    ),
    allow(
        "start programs and wait for them",
        "fork vfork execve execveat exit exit_group wait4 waitid pidfd_open pidfd_send_signal",
    ),
    allow(
        "threads and locks, as the C library uses them",
        "futex set_robust_list set_tid_address rseq gettid restart_syscall",
    ),
    allow(
        "signals, which reach own processes only",
        "kill tkill tgkill rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending \
         rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo rt_sigsuspend sigaltstack signalfd \
         signalfd4 pause",
    ),
    allow(
        "wait for events",
        "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait \
         epoll_pwait2 eventfd eventfd2",
    ),
    allow(
        "read clocks, sleep, set timers",
        "time gettimeofday clock_gettime clock_getres nanosleep clock_nanosleep alarm getitimer \
         setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete \
         timerfd_create timerfd_settime timerfd_gettime times",
    ),
    allow(
        "use sockets that were made; the network namespace decides whom they reach",
        "connect accept accept4 bind listen shutdown getsockname getpeername getsockopt recvfrom \
         recvmsg recvmmsg",
    ),
    allow(
        "ask who and where one is",
        "getpid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp \
         getpgid getsid uname sysinfo getrandom getcpu capget",
    ),
    allow(
        "change identity, group or session; without capabilities the kernel says no by itself, \
         and `subprocess(user=)` gets the errno that it expects",
        "setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset \
         setpgid setsid",
    ),
    allow(
        "ask for, and lower, own limits and priority",
        "getrlimit setrlimit getrusage getpriority ioprio_get sched_yield sched_getaffinity \
         sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min \
         sched_rr_get_interval sched_getattr",
    ),
    allow(
        "the kernel's own trampoline for probes that the host's administrator set; elsewhere they \
         raise `SIGILL`",
        "uprobe uretprobe",
    ),
    refuse(
        SUCCESS,
        "all that a submission writes is in memory, and flushing the whole host on its demand is a \
         way to slow down everybody",
        "sync syncfs",
    ),
    refuse(
        ENOSYS,
        "its flags are in memory, which a filter cannot read; the C library falls back to `clone`",
        "clone3",
    ),
    refuse(
        ENOSYS,
        "runs operations past this filter, and is a frequent source of kernel faults; `libuv` and \
         others fall back to `epoll`",
        "io_uring_setup io_uring_enter io_uring_register",
    ),
    refuse(
        ENOSYS,
        "old asynchronous I/O draws on a limit of the whole host (`fs.aio-max-nr`)",
        "io_setup io_destroy io_getevents io_submit io_cancel io_pgetevents",
    ),
    refuse(
        ENOSYS,
        "System V segments and message queues outlive their process and no limit but the cgroup \
         counts them; POSIX shared memory lives in the sized `/dev/shm`",
        "shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl \
         mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
    ),
    refuse(
        ENOSYS,
        "memory placement: libraries take it as a machine with one node",
        "mbind set_mempolicy get_mempolicy set_mempolicy_home_node migrate_pages move_pages",
    ),
    refuse(
        ENOSYS,
        "a fence of one's own: what tries it carries on without, inside this one",
        "seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self \
         lsm_get_self_attr lsm_set_self_attr lsm_list_modules",
    ),
    refuse(
        ENOSYS,
        "newer forms of calls that are allowed: callers fall back to those",
        "futex_waitv futex_wake futex_wait futex_requeue setxattrat getxattrat listxattrat \
         removexattrat file_getattr file_setattr cachestat rseq_slice_yield",
    ),
    refuse(
        ENOSYS,
        "the interpreter's files and the devices are the host's own: a watch tells what other runs \
         and the host do with them, and draws on a limit of the user who started the run; watchers \
         fall back to polling",
        "inotify_init inotify_init1 inotify_add_watch inotify_rm_watch",
    ),
    refuse(
        ENOSYS,
        "mounts and namespaces, newer questions about",
        "statmount listmount listns",
    ),
    refuse(
        ENOSYS,
        "memory that the kernel cannot see into",
        "memfd_secret",
    ),
    refuse(
        ENOSYS,
        "not in current kernels, or of no use to programs",
        "_sysctl sysfs ustat nfsservctl lookup_dcookie remap_file_pages create_module \
         get_kernel_syms query_module getpmsg putpmsg afs_syscall tuxcall security vserver \
         epoll_ctl_old epoll_wait_old set_thread_area get_thread_area get_robust_list",
    ),
    refuse(
        EINVAL,
        "moving pages between pipes has been a way to write to read-only files, and `sendfile` \
         into a pipe is a `splice`; callers take this as descriptors that cannot, and copy",
        "splice tee vmsplice sendfile",
    ),
    refuse(
        EPERM,
        "namespaces of one's own open the parts of the kernel that only root sees",
        "unshare setns",
    ),
    refuse(
        EPERM,
        "another process's memory, descriptors or objects; crash reporters and MPI try it",
        "process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp",
    ),
    refuse(
        EPERM,
        "the kernel's key rings are not in a namespace; Kerberos tries them",
        "keyctl add_key request_key",
    ),
    refuse(EPERM, "profilers try it", "perf_event_open"),
    refuse(
        EPERM,
        "watching whole file systems",
        "fanotify_init fanotify_mark",
    ),
    refuse(
        EPERM,
        "handles name files past every path check",
        "name_to_handle_at",
    ),
    refuse(
        EPERM,
        "the host's clock, name, log, quotas and root: refused to every unprivileged program",
        "settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname syslog \
         quotactl quotactl_fd chroot",
    ),
    kill(
        "mounts",
        "mount umount2 pivot_root fsopen fsconfig fsmount fspick open_tree open_tree_attr \
         move_mount mount_setattr",
    ),
    kill("control of another process", "ptrace"),
    kill(
        "programs in the kernel, and its modules",
        "bpf init_module finit_module delete_module",
    ),
    kill(
        "another kernel, or none",
        "kexec_load kexec_file_load reboot",
    ),
    kill("page faults that wait for an attacker", "userfaultfd"),
    kill(
        "files by handle, past every path check",
        "open_by_handle_at",
    ),
    kill(
        "the host's swap, accounting, terminals and ports; segments of another age",
        "swapon swapoff acct vhangup iopl ioperm modify_ldt uselib",
    ),
];
