//! What to do when a step of the jail fails, by step and error.

/// Linux error numbers that name a cause.
const EPERM: i32 = 1;
const EACCES: i32 = 13;
const ENOSPC: i32 = 28;
const EINVAL: i32 = 22;
const ENOSYS: i32 = 38;

/// What a person can do, most useful first.
pub(super) fn remedies(step: &str, errno: i32) -> Vec<String> {
    let all: &[&str] = match (step, errno) {
        (
            "clone3" | "clone" | "uid_map" | "gid_map" | "setgroups" | "user-namespace",
            EPERM | EACCES,
        ) => &USER_NAMESPACES,
        ("clone3" | "clone" | "user-namespace", ENOSPC) => &[
            "no user namespace is left: raise `sysctl user.max_user_namespaces`",
            "end processes that keep old namespaces alive; `lsns -t user` lists them",
        ],
        ("clone3" | "clone" | "user-namespace" | "time-namespace", EINVAL | ENOSYS) => &[
            "the kernel lacks a namespace (CONFIG_USER_NS, CONFIG_NET_NS, CONFIG_TIME_NS): use a \
             distribution kernel of 5.14 or later",
            "in a container, its seccomp profile may answer for the kernel: see Docker's flags \
             in `docs/hosts.md`",
        ],
        ("proc", EPERM) => &[
            "an outer container masks parts of /proc, so the kernel allows no new one: run it with \
             `--security-opt systempaths=unconfined` (Docker), `procMount: Unmasked` (Kubernetes)",
            "or run stockade outside of the container",
        ],
        ("root" | "bind" | "scratch" | "pivot-root", EPERM | EACCES) => &[
            "an outer container forbids mounts: give it `--security-opt apparmor=unconfined` and a \
             seccomp profile that allows `mount`, `pivot_root` and the calls of fsopen(2)",
            "check that the template's files can be read by this user: `stockade doctor`",
        ],
        ("cgroup" | "tasks" | "clone into cgroup", _) => &[
            "the cgroup is not ours to use: under systemd, `systemd-run --user --scope -p \
             Delegate=yes stockade …`",
            "name a delegated directory: `STOCKADE_CGROUP=DIR`",
        ],
        ("landlock", ENOSYS) => &[
            "the kernel has no Landlock (5.13 or later, CONFIG_SECURITY_LANDLOCK)",
            "add `landlock` to the kernel's `lsm=` parameter",
        ],
        ("seccomp", _) => &[
            "the kernel needs CONFIG_SECCOMP_FILTER",
            "in a container, its own profile may refuse seccomp(2): see `docs/hosts.md`",
        ],
        _ => &[
            "`stockade doctor` tries each step on its own",
            "`docs/hosts.md` lists what each kind of host needs",
        ],
    };
    all.iter().map(|text| (*text).to_owned()).collect()
}

const USER_NAMESPACES: [&str; 3] = [
    "Ubuntu 23.10 and later restrict user namespaces by AppArmor: install a profile for it \
     with `userns,` in it (`docs/hosts.md` has one), or `sysctl \
     kernel.apparmor_restrict_unprivileged_userns=0`",
    "other hosts: `sysctl kernel.unprivileged_userns_clone=1` (Debian), `sysctl \
     user.max_user_namespaces=15000`",
    "in Docker or Kubernetes: a seccomp profile that allows `clone3`, `unshare` and `mount` \
     (`--security-opt seccomp=stockade.json`, `docs/hosts.md`)",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_two_remedies() {
        for step in [
            "clone3", "uid_map", "proc", "root", "cgroup", "landlock", "seccomp", "other",
        ] {
            for errno in [EPERM, EACCES, ENOSPC, EINVAL, ENOSYS, 5] {
                assert!(remedies(step, errno).len() >= 2, "{step} {errno}");
            }
        }
    }
}
