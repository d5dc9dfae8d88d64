//! What this process holds, and what of it lives.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::run::names;
use stockade::Engine;
use stockade::facts::Cgroup;

/// Parents of all processes, by pid; zombies included.
fn parents() -> BTreeMap<i32, i32> {
    let pids = names("/proc").into_iter();
    let parent = |pid: i32| {
        // What ends meanwhile is nobody's child.
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent = stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()?;
        Some((pid, parent))
    };
    pids.filter_map(|name| parent(name.parse().ok()?)).collect()
}

/// Descendants of process `of`, by generation: the inits of zygotes, zygotes, the inits of their
/// children, programs, what those have started.
pub(crate) fn generations(of: i32) -> Vec<Vec<i32>> {
    let parents = parents();
    let mut generations = vec![vec![of]];
    loop {
        let above = generations.last().unwrap();
        let next: Vec<i32> = parents
            .iter()
            .filter(|(_, parent)| above.contains(parent))
            .map(|(pid, _)| *pid)
            .collect();
        if next.is_empty() {
            generations.remove(0);
            return generations;
        }
        generations.push(next);
    }
}

/// This process.
pub(crate) fn own() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

/// Cgroups of runs whose name begins with `prefix`.
pub(crate) fn groups(engine: &Engine, prefix: &str) -> Vec<PathBuf> {
    let mut above = match &engine.host().facts().cgroup {
        Cgroup::V2 { parent } => vec![parent.clone()],
        Cgroup::V1 {
            memory,
            pids,
            cpu,
            cpuacct,
        } => [memory, pids, cpu, cpuacct].map(PathBuf::clone).to_vec(),
        Cgroup::None(_) => Vec::new(),
    };
    above.dedup();
    let of_run = |parent: PathBuf| {
        let named = names(&parent).into_iter();
        let ours = named.filter(|name| name.starts_with(prefix));
        ours.map(|name| parent.join(name)).collect::<Vec<_>>()
    };
    above.into_iter().flat_map(of_run).collect()
}

/// What an engine could leave in this process and on this machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Census {
    processes: usize,
    groups: usize,
    mounts: usize,
    descriptors: BTreeSet<String>,
    threads: usize,
    scratch: BTreeSet<String>,
}

impl Census {
    pub(crate) fn take(engine: &Engine) -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let fds = names("/proc/self/fd").into_iter();
        // The list itself is open while it is read.
        let open = fds.filter_map(|fd| fs::read_link(format!("/proc/self/fd/{fd}")).ok());
        let kind = |link: PathBuf| {
            let text = link.to_string_lossy().into_owned();
            text.split(':').next().unwrap_or_default().to_owned()
        };
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        for name in open.map(kind) {
            *counted.entry(name).or_default() += 1;
        }
        Self {
            processes: generations(own()).into_iter().flatten().count(),
            groups: groups(engine, &format!("s{}-", own())).len(),
            mounts: mounts.lines().count(),
            descriptors: counted
                .into_iter()
                .map(|(name, many)| format!("{name} {many}"))
                .collect(),
            threads: names("/proc/self/task").len(),
            scratch: names(engine.paths().scratch()),
        }
    }
}
