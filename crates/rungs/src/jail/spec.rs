//! What the jail promises, needs and enforces.

use stockade_core::guarantee::Guarantee;
use stockade_core::host::{Cgroup, Facts, Fault};
use stockade_core::limits::LimitId;
use stockade_core::rung::{Enforcement, RungSpec};
use stockade_core::submission::Language;

pub(super) static SPEC: RungSpec = RungSpec {
    name: "jail",
    summary: "namespaces, seccomp, Landlock, cgroup, no credentials; the host's kernel is shared",
    languages: &[Language::Python],
    guarantees: &[
        Guarantee::SeparateAddressSpace,
        Guarantee::EmptyEnvironment,
        Guarantee::NoPrivileges,
        Guarantee::NoHostFiles,
        Guarantee::NoHostProcesses,
        Guarantee::NoNetwork,
        Guarantee::FilteredSyscalls,
        Guarantee::VerifiedTeardown,
    ],
    shares: &[
        "the kernel, behind the calls that the filter allows",
        "the template's files and five devices, read-only, and their locks",
        "kernel version, memory, load, wall clock, the processor's model",
        "where the template lies on the host, in `/proc/self/mountinfo`",
        "the user's uid, where the supervisor is not root",
        "the processor, its caches, the page cache",
    ],
    missing,
    enforcement,
};

fn missing(host: &Facts) -> Option<Fault> {
    host.namespaces
        .fault()
        .or_else(|| host.seccomp.fault())
        .cloned()
}

/// Since Linux 5.14 `RLIMIT_NPROC` is counted per user namespace, and each run has its own.
fn counts_per_namespace(host: &Facts) -> bool {
    host.kernel >= (5, 14)
}

/// The name of a cgroup's mechanism, where there is a cgroup.
fn cgroup(host: &Facts, v2: &'static str, v1: &'static str) -> Option<Enforcement> {
    match host.cgroup {
        Cgroup::V2 { .. } => Some(Enforcement::WholeGuest { by: v2 }),
        Cgroup::V1 { .. } => Some(Enforcement::WholeGuest { by: v1 }),
        Cgroup::None(_) => None,
    }
}

fn enforcement(limit: LimitId, host: &Facts) -> Enforcement {
    match limit {
        LimitId::Wall | LimitId::Grace => Enforcement::WholeGuest {
            by: "init's timer, and the supervisor's outer deadline",
        },
        LimitId::Cpu => cgroup(host, "cpu.stat usage_usec", "cpuacct.usage").unwrap_or(
            Enforcement::WholeGuest {
                by: "CPU accounting of the PID namespace",
            },
        ),
        // One process is one thread, and that is one core at most.
        LimitId::Cpus => {
            cgroup(host, "cpu.max", "cpu.cfs_quota_us").unwrap_or(Enforcement::PerProcess {
                by: "sched_setaffinity",
            })
        }
        LimitId::Memory => cgroup(host, "memory.max", "memory.limit_in_bytes")
            .unwrap_or(Enforcement::PerProcess { by: "RLIMIT_AS" }),
        LimitId::AddressSpace => Enforcement::PerProcess { by: "RLIMIT_AS" },
        LimitId::FileSize => Enforcement::PerProcess { by: "RLIMIT_FSIZE" },
        LimitId::Disk => Enforcement::WholeGuest {
            by: "the size of one tmpfs",
        },
        LimitId::Processes => cgroup(host, "pids.max", "pids.max").unwrap_or_else(|| {
            if counts_per_namespace(host) {
                Enforcement::WholeGuest {
                    by: "RLIMIT_NPROC of the run's user namespace",
                }
            } else {
                let because = "there is no cgroup, and RLIMIT_NPROC counts per user";
                Enforcement::Nothing { because }
            }
        }),
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
