//! The calls whose arguments decide.

use stockade_sys::seccomp::{Action, Condition, Test, Verdict};

use super::table::{
    EAFNOSUPPORT, EINVAL, ENETDOWN, ENOMEM, ENOPROTOOPT, ENOSYS, ENOTTY, EOPNOTSUPP, EPERM, Errno,
};

/// One call that is allowed with some arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The kernel's name.
    pub(super) name: &'static str,
    /// What else gets.
    pub(super) errno: Errno,
    /// With which arguments it is carried out, for the document.
    pub(super) allowed: &'static str,
    /// Why not with others.
    pub(super) why: &'static str,
    rule: Rule,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Carried out if the argument has one of these values.
    Listed(u8, &'static [u32]),
    /// Carried out if all conditions of one list hold.
    Any(&'static [&'static [Condition]]),
    /// Refused if all conditions of one list hold.
    Unless(&'static [&'static [Condition]]),
}

impl Row {
    /// For the filter.
    #[must_use]
    pub(super) fn verdict(&self) -> Verdict {
        let refused = Action::Errno(self.errno.value);
        let lists = |any: &[&[Condition]]| any.iter().map(|all| all.to_vec()).collect();
        match self.rule {
            Rule::Listed(argument, values) => Verdict::Listed {
                argument,
                values: values.to_vec(),
                inside: Action::Allow,
                outside: refused,
            },
            Rule::Any(any) => Verdict::Matched {
                any: lists(any),
                inside: Action::Allow,
                outside: refused,
            },
            Rule::Unless(any) => Verdict::Matched {
                any: lists(any),
                inside: refused,
                outside: Action::Allow,
            },
        }
    }
}

const fn equal(argument: u8, value: u32) -> Condition {
    Condition {
        argument,
        test: Test::Equal(value),
    }
}

const fn at_most(argument: u8, value: u32) -> Condition {
    Condition {
        argument,
        test: Test::AtMost(value),
    }
}

const fn masked(argument: u8, mask: u32, value: u32) -> Condition {
    Condition {
        argument,
        test: Test::Masked { mask, value },
    }
}

/// `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID`, `NEWNET`. `NEWTIME` shares
/// its bit with the exit signal: `clone` cannot ask for it.
pub(super) const NAMESPACES: u32 = 0x7e02_0000;

const MAP_HUGETLB: u32 = 0x4_0000;
const MFD_HUGETLB: u32 = 4;

const UNIX: u32 = 1;
const INET: u32 = 2;
const INET6: u32 = 10;
/// The type of a socket, without `SOCK_CLOEXEC` and `SOCK_NONBLOCK`.
const TYPE: u32 = 0xf;
const STREAM: u32 = 1;
const DATAGRAM: u32 = 2;
/// `IPPROTO_ICMPV6`: TCP, UDP and ping lie below, SCTP, UDP-Lite, SMC and MPTCP above.
const PROTOCOL_MAX: u32 = 58;

const SOCKETS: &[&[Condition]] = &[
    &[equal(0, UNIX)],
    &[
        equal(0, INET),
        masked(1, TYPE, STREAM),
        at_most(2, PROTOCOL_MAX),
    ],
    &[
        equal(0, INET),
        masked(1, TYPE, DATAGRAM),
        at_most(2, PROTOCOL_MAX),
    ],
    &[
        equal(0, INET6),
        masked(1, TYPE, STREAM),
        at_most(2, PROTOCOL_MAX),
    ],
    &[
        equal(0, INET6),
        masked(1, TYPE, DATAGRAM),
        at_most(2, PROTOCOL_MAX),
    ],
];

const SOL_SOCKET: u32 = 1;
const SOL_TCP: u32 = 6;

const SOCKET_OPTIONS: &[&[Condition]] = &[
    // SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF
    &[equal(1, SOL_SOCKET), equal(2, 26)],
    &[equal(1, SOL_SOCKET), equal(2, 50)],
    &[equal(1, SOL_SOCKET), equal(2, 51)],
    &[equal(1, SOL_SOCKET), equal(2, 52)],
    // TCP_ULP
    &[equal(1, SOL_TCP), equal(2, 31)],
];

/// Terminals: `TCGETS`, `TCSETS`, `TCSETSW`, `TCSETSF`, `TCSBRK`, `TCXONC`, `TCFLSH`, `TIOCSCTTY`,
/// `TIOCGPGRP`, `TIOCSPGRP`, `TIOCOUTQ`, `TIOCGWINSZ`, `TIOCSWINSZ`, `TIOCNOTTY`, `TIOCGSID`,
/// `TCGETS2` to `TCSETSF2`, `TIOCGPTN`, `TIOCSPTLCK`, `TIOCGPTPEER`. Descriptors: `FIONREAD`,
/// `FIONBIO`, `FIONCLEX`, `FIOCLEX`, `FIOASYNC`, `FIOQSIZE`. Sockets: `SIOCATMARK`, `SIOCGIFNAME`,
/// `SIOCGIFCONF`, `SIOCGIFFLAGS`, `SIOCGIFADDR`, `SIOCGIFINDEX`.
const REQUESTS: &[u32] = &[
    0x5401,
    0x5402,
    0x5403,
    0x5404,
    0x5409,
    0x540a,
    0x540b,
    0x540e,
    0x540f,
    0x5410,
    0x5411,
    0x5413,
    0x5414,
    0x541b,
    0x5421,
    0x5422,
    0x5429,
    0x802c_542a,
    0x402c_542b,
    0x402c_542c,
    0x402c_542d,
    0x8004_5430,
    0x4004_5431,
    0x5441,
    0x5450,
    0x5451,
    0x5452,
    0x5460,
    0x8905,
    0x8910,
    0x8912,
    0x8913,
    0x8915,
    0x8933,
];

/// `PR_SET_PDEATHSIG`, `PR_GET_PDEATHSIG`, `PR_GET_DUMPABLE`, `PR_SET_DUMPABLE`, `PR_GET_KEEPCAPS`,
/// `PR_SET_KEEPCAPS`, `PR_SET_NAME`, `PR_GET_NAME`, `PR_GET_SECCOMP`, `PR_CAPBSET_READ`,
/// `PR_CAPBSET_DROP`, `PR_GET_TSC`, `PR_GET_SECUREBITS`, `PR_SET_TIMERSLACK`, `PR_GET_TIMERSLACK`,
/// `PR_SET_CHILD_SUBREAPER`, `PR_GET_CHILD_SUBREAPER`, `PR_SET_NO_NEW_PRIVS`,
/// `PR_GET_NO_NEW_PRIVS`, `PR_SET_THP_DISABLE`, `PR_GET_THP_DISABLE`, `PR_CAP_AMBIENT`,
/// `PR_SVE_SET_VL`, `PR_SVE_GET_VL`, `PR_GET_SPECULATION_CTRL`, `PR_PAC_RESET_KEYS`,
/// `PR_SET_TAGGED_ADDR_CTRL`, `PR_GET_TAGGED_ADDR_CTRL`, `PR_PAC_SET_ENABLED_KEYS`,
/// `PR_PAC_GET_ENABLED_KEYS`, `PR_SME_SET_VL`, `PR_SME_GET_VL`, `PR_SET_MDWE`, `PR_GET_MDWE`,
/// `PR_GET_AUXV`, `PR_SET_VMA`.
const OPTIONS: &[u32] = &[
    1,
    2,
    3,
    4,
    7,
    8,
    15,
    16,
    21,
    23,
    24,
    25,
    27,
    29,
    30,
    36,
    37,
    38,
    39,
    41,
    42,
    47,
    50,
    51,
    52,
    54,
    55,
    56,
    60,
    61,
    63,
    64,
    65,
    66,
    0x4155_5856,
    0x5356_4d41,
];

/// `ARCH_SET_GS` to `ARCH_GET_GS`, `ARCH_GET_CPUID`, `ARCH_GET_XCOMP_SUPP` to
/// `ARCH_REQ_XCOMP_GUEST_PERM` (AMX), `ARCH_CET_STATUS`, `ARCH_SHSTK_ENABLE` to
/// `ARCH_SHSTK_STATUS`.
const REGISTERS: &[u32] = &[
    0x1001, 0x1002, 0x1003, 0x1004, 0x1011, 0x1021, 0x1022, 0x1023, 0x3001, 0x5001, 0x5002, 0x5003,
    0x5005,
];

/// In place of the row for `socket` where the policy grants no network: all the code behind
/// Internet sockets is out of reach, and a program is told so at once.
pub(super) const SOCKET_WITHOUT_NETWORK: Row = Row {
    name: "socket",
    errno: ENETDOWN,
    allowed: "without a grant of network: `AF_UNIX`",
    why: "what cannot reach anybody is only a way into the kernel; `getaddrinfo` and \
          `create_connection` fail at once, with a message that names the network",
    rule: Rule::Listed(0, &[UNIX]),
};

const BUFFERS: &[&[Condition]] = &[
    // SO_SNDBUF, SO_RCVBUF, and those that need a capability
    &[equal(1, SOL_SOCKET), equal(2, 7)],
    &[equal(1, SOL_SOCKET), equal(2, 8)],
    &[equal(1, SOL_SOCKET), equal(2, 32)],
    &[equal(1, SOL_SOCKET), equal(2, 33)],
    SOCKET_OPTIONS[0],
    SOCKET_OPTIONS[1],
    SOCKET_OPTIONS[2],
    SOCKET_OPTIONS[3],
    SOCKET_OPTIONS[4],
];

/// In place of the rows of these names where no cgroup counts memory.
pub(super) const UNCOUNTED: &[Row] = &[
    Row {
        name: "memfd_create",
        errno: ENOSYS,
        allowed: "without a cgroup: never",
        why: "each holds as much as `file_size`, outside the address space that is bounded then; \
              libraries fall back to files",
        rule: Rule::Listed(0, &[]),
    },
    Row {
        name: "setsockopt",
        errno: ENOPROTOOPT,
        allowed: "without a cgroup: all but the above, `SO_SNDBUF` and `SO_RCVBUF`",
        why: "what waits in sockets is outside the address space as well",
        rule: Rule::Unless(BUFFERS),
    },
];

/// The guest's init, as the submission sees it.
const INIT: u32 = 1;

const INIT_ALONE: &[&[Condition]] = &[&[equal(0, INIT)]];

/// `PRIO_PROCESS` of init; `PRIO_PGRP` and `PRIO_USER`, which include it.
const PRIORITIES_OF_INIT: &[&[Condition]] = &[
    &[equal(0, 0), equal(1, INIT)],
    &[equal(0, 1)],
    &[equal(0, 2)],
];

/// `IOPRIO_WHO_PROCESS` of init; `IOPRIO_WHO_PGRP` and `IOPRIO_WHO_USER`, which include it.
const IO_PRIORITIES_OF_INIT: &[&[Condition]] = &[
    &[equal(0, 1), equal(1, INIT)],
    &[equal(0, 2)],
    &[equal(0, 3)],
];

/// `F_SETLEASE` and `F_NOTIFY`.
const NOTICES: &[&[Condition]] = &[&[equal(1, 1024)], &[equal(1, 1026)]];

/// Why a program may not slow down the guest's init.
const CLOCKS: &str = "init keeps the clocks: at `SCHED_IDLE` beside a busy submission it would \
                      come too late";

const fn of_others_than_init(name: &'static str) -> Row {
    Row {
        name,
        errno: EPERM,
        allowed: "of every process but 1",
        why: CLOCKS,
        rule: Rule::Unless(INIT_ALONE),
    }
}

const MSG_OOB: u32 = 1;

const fn in_band(name: &'static str, any: &'static [&'static [Condition]]) -> Row {
    Row {
        name,
        errno: EOPNOTSUPP,
        allowed: "without `MSG_OOB`",
        why: "out-of-band data on local sockets is code that hardly anybody uses, and has been a \
              way out of sandboxes that allowed such sockets",
        rule: Rule::Any(any),
    }
}

/// All of them.
pub(super) const ROWS: &[Row] = &[
    in_band("sendto", &[&[masked(3, MSG_OOB, 0)]]),
    in_band("sendmsg", &[&[masked(2, MSG_OOB, 0)]]),
    in_band("sendmmsg", &[&[masked(3, MSG_OOB, 0)]]),
    of_others_than_init("sched_setscheduler"),
    of_others_than_init("sched_setparam"),
    of_others_than_init("sched_setattr"),
    of_others_than_init("sched_setaffinity"),
    Row {
        name: "setpriority",
        errno: EPERM,
        allowed: "`PRIO_PROCESS`, of every process but 1",
        why: CLOCKS,
        rule: Rule::Unless(PRIORITIES_OF_INIT),
    },
    Row {
        name: "ioprio_set",
        errno: EPERM,
        allowed: "`IOPRIO_WHO_PROCESS`, of every process but 1",
        why: CLOCKS,
        rule: Rule::Unless(IO_PRIORITIES_OF_INIT),
    },
    Row {
        name: "fcntl",
        errno: EINVAL,
        allowed: "all but `F_NOTIFY` and `F_SETLEASE`",
        why: "as for `inotify_init`",
        rule: Rule::Unless(NOTICES),
    },
    Row {
        name: "clone",
        errno: EPERM,
        allowed: "without a namespace flag",
        why: "namespaces of one's own open the parts of the kernel that only root sees",
        rule: Rule::Any(&[&[masked(0, NAMESPACES, 0)]]),
    },
    Row {
        name: "mmap",
        errno: ENOMEM,
        allowed: "without `MAP_HUGETLB`",
        why: "the host's huge pages are one pool, and the memory limit does not count them",
        rule: Rule::Any(&[&[masked(3, MAP_HUGETLB, 0)]]),
    },
    Row {
        name: "memfd_create",
        errno: ENOMEM,
        allowed: "without `MFD_HUGETLB`",
        why: "as for `mmap`",
        rule: Rule::Any(&[&[masked(1, MFD_HUGETLB, 0)]]),
    },
    Row {
        name: "socket",
        errno: EAFNOSUPPORT,
        allowed: "with `loopback`: `AF_UNIX`; `AF_INET` and `AF_INET6` with TCP, UDP and ping",
        why: "every other family and protocol is kernel code that a submission has no use for; \
              `getaddrinfo` tries `AF_NETLINK` and lives without",
        rule: Rule::Any(SOCKETS),
    },
    Row {
        name: "socketpair",
        errno: EAFNOSUPPORT,
        allowed: "`AF_UNIX`",
        why: "as for `socket`",
        rule: Rule::Listed(0, &[UNIX]),
    },
    Row {
        name: "setsockopt",
        errno: ENOPROTOOPT,
        allowed: "all but socket filters (`SO_ATTACH_*`) and `TCP_ULP`",
        why: "programs in the kernel, and TLS in the kernel; TLS libraries carry on in user space",
        rule: Rule::Unless(SOCKET_OPTIONS),
    },
    Row {
        name: "ioctl",
        errno: ENOTTY,
        allowed: "terminal settings, `FIONREAD`, `FIONBIO`, `FIOCLEX` and their kin, `SIOCGIF*`",
        why: "everything else talks to drivers; `TIOCSTI` and `TIOCLINUX` type for the operator",
        rule: Rule::Listed(1, REQUESTS),
    },
    Row {
        name: "prctl",
        errno: EINVAL,
        allowed: "names, signals, timer slack, dropping of privileges, questions",
        why: "`PR_SET_SECCOMP`, `PR_SET_MM`, `PR_SET_PTRACER` and what is yet to come",
        rule: Rule::Listed(0, OPTIONS),
    },
    Row {
        name: "arch_prctl",
        errno: EINVAL,
        allowed: "thread pointers, AMX state, shadow stacks, CPUID status",
        why: "what is yet to come",
        rule: Rule::Listed(0, REGISTERS),
    },
    Row {
        name: "prlimit64",
        errno: EPERM,
        allowed: "on oneself, as process 0",
        why: "the guest's init has the submission's uid, and dies of limits that are low enough",
        rule: Rule::Listed(0, &[0]),
    },
    Row {
        name: "personality",
        errno: EPERM,
        allowed: "asking for the current one, and the default",
        why: "other personalities switch off address randomisation and change old code paths",
        rule: Rule::Listed(0, &[0, u32::MAX]),
    },
];
