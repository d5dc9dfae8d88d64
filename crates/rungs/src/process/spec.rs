//! What a process promises, needs and enforces: little.

use stockade_core::guarantee::Guarantee;
use stockade_core::host::{Cgroup, Facts, Fault, Privilege};
use stockade_core::limits::LimitId;
use stockade_core::rung::{Enforcement, RungSpec};
use stockade_core::submission::Language;

pub(super) static SPEC: RungSpec = RungSpec {
    name: "process",
    summary: "another process under another uid with rlimits; the whole system call surface, the \
              host's files and its network remain",
    languages: &[Language::Python],
    guarantees: &[
        Guarantee::SeparateAddressSpace,
        Guarantee::EmptyEnvironment,
        Guarantee::NoPrivileges,
    ],
    shares: &[
        "the kernel, with every system call",
        "files that all may read, and their locks",
        "the list of processes, with their arguments",
        "the network from the host's position: loopback services, cloud metadata",
        "names: of the host, of IPC objects",
        "clocks, kernel version, memory, load",
        "the processor, its caches, the page cache",
    ],
    missing,
    enforcement,
};

fn missing(host: &Facts) -> Option<Fault> {
    let (cause, remedy) = match host.privilege {
        Privilege::User => (
            "only root can give a run a uid of its own",
            "run it as root",
        ),
        Privilege::Root if host.landlock_abi == 0 => (
            "the kernel has no Landlock, so nothing keeps the run from filling the host's disk",
            "use a kernel of 5.13 or later with `landlock` in its `lsm=` parameter",
        ),
        Privilege::Root => return None,
    };
    Some(Fault {
        step: "identity".to_owned(),
        errno: 0,
        cause: cause.to_owned(),
        remedies: vec![
            remedy.to_owned(),
            "use `--rung jail`, which gives more".to_owned(),
        ],
    })
}

fn cgroup(host: &Facts, v2: &'static str, v1: &'static str, rlimit: &'static str) -> Enforcement {
    match host.cgroup {
        Cgroup::V2 { .. } => Enforcement::WholeGuest { by: v2 },
        Cgroup::V1 { .. } => Enforcement::WholeGuest { by: v1 },
        Cgroup::None(_) => Enforcement::PerProcess { by: rlimit },
    }
}

fn enforcement(limit: LimitId, host: &Facts) -> Enforcement {
    match limit {
        LimitId::Wall | LimitId::Grace => Enforcement::WholeGuest {
            by: "init's timer, and the supervisor's outer deadline",
        },
        LimitId::Cpu => cgroup(host, "cpu.stat usage_usec", "cpuacct.usage", "RLIMIT_CPU"),
        LimitId::Cpus => cgroup(host, "cpu.max", "cpu.cfs_quota_us", "sched_setaffinity"),
        LimitId::Memory => cgroup(host, "memory.max", "memory.limit_in_bytes", "RLIMIT_AS"),
        LimitId::AddressSpace => Enforcement::PerProcess { by: "RLIMIT_AS" },
        LimitId::FileSize => Enforcement::PerProcess { by: "RLIMIT_FSIZE" },
        LimitId::Disk => Enforcement::WholeGuest {
            by: "the size of one tmpfs; Landlock for everything else",
        },
        // The uid is this run's alone, so what is counted per user is counted per run.
        LimitId::Processes => Enforcement::WholeGuest {
            by: if host.cgroup.is_usable() {
                "pids.max"
            } else {
                "RLIMIT_NPROC of the run's uid"
            },
        },
        LimitId::OpenFiles => Enforcement::PerProcess {
            by: "RLIMIT_NOFILE",
        },
        LimitId::Stdout | LimitId::Stderr => Enforcement::WholeGuest {
            by: "the supervisor's bounded buffer",
        },
        LimitId::Result => Enforcement::WholeGuest {
            by: "init's and the supervisor's size check",
        },
        LimitId::Cost | LimitId::Built => Enforcement::WholeGuest {
            by: "`cpu` and `memory`: only what a formula does is counted so",
        },
        LimitId::ResultDepth => Enforcement::WholeGuest {
            by: "the supervisor's reader",
        },
        LimitId::Source | LimitId::Files => Enforcement::WholeGuest {
            by: "the supervisor, before the run",
        },
    }
}
