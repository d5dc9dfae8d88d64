//! What this machine can do, found by trying.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stockade_core::error::{Error, ErrorKind};
use stockade_core::host::{Fact, Facts, Fault, Privilege};
use stockade_rungs::{Guest, cgroup, get_ready, try_namespaces};
use stockade_sys::namespace::{PendingNetwork, begin_network};

use crate::path::Paths;
use crate::template::{self, Search};

/// `CAP_SETGID`, `CAP_SETUID`, `CAP_SYS_ADMIN`: what setting a run up as root takes.
const NEEDED_CAPABILITIES: u64 = 1 << 6 | 1 << 7 | 1 << 21;

/// What this machine can do.
#[derive(Clone, Debug)]
pub struct Host {
    facts: Facts,
    /// Whether the facts are this machine's, found by looking.
    probed: bool,
    /// What had been proved when this was read, by the time of the last change there.
    proved: Option<i64>,
    /// The facts with what has been proved since, and when that was.
    news: Arc<Mutex<Option<News>>>,
    /// Begun before anything else, for the first run: a command has no other.
    begun: Arc<Mutex<Begun>>,
}

/// Time of the last change of what is proved, and the facts with it.
type News = (Option<i64>, Arc<Facts>);

/// What is being made for the first run on another thread.
#[derive(Debug, Default)]
struct Begun {
    network: Option<PendingNetwork>,
    template: Option<template::Ahead>,
}

/// Begun by [`Host::anticipate`], taken by the next [`Host::probe`].
static ANTICIPATED: Mutex<Option<Begun>> = Mutex::new(None);

impl Host {
    /// Begins what takes longest before a run, on another thread: a program that will run
    /// something soon calls this first and reads its arguments meanwhile. The next
    /// [`Host::probe`] goes on with it.
    pub fn anticipate() {
        if privilege() == Privilege::Root {
            let cache = Paths::cache_from_environment();
            let (template, look) = template::ahead(cache, Search::from_env());
            let network = begin_network(|| {
                get_ready();
                look();
            });
            *ANTICIPATED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Begun {
                network: Some(network),
                template: Some(template),
            });
        }
    }

    /// Looks at what takes microseconds: kernel, processors, memory, our rights, cgroups,
    /// Landlock, seccomp. Namespaces are taken for granted here: a run tries them anyway, and
    /// says so when they fail; [`Host::prove`] tries them first.
    ///
    /// # Errors
    /// `Host` when the kernel does not say what it is.
    pub fn probe() -> Result<Self, Error> {
        let privilege = privilege();
        let anticipated = ANTICIPATED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let begun = match privilege {
            Privilege::Root => anticipated.unwrap_or_else(|| Begun {
                network: Some(begin_network(get_ready)),
                template: None,
            }),
            Privilege::User => Begun::default(),
        };
        let release = stockade_sys::process::kernel_release();
        let kernel = version(&release).ok_or_else(|| {
            Error::new(
                ErrorKind::Host,
                format!("cannot read the kernel's version `{release}`"),
            )
        })?;
        let cpus = stockade_sys::sched::cpus().map_err(|errno| {
            Error::new(ErrorKind::Host, "cannot ask which processors there are")
                .because(std::io::Error::from(errno))
        })?;
        let named = env::var_os("STOCKADE_CGROUP")
            .filter(|s| !s.is_empty())
            .map(PathBuf::from);
        let facts = Facts {
            kernel,
            cpus,
            memory_bytes: stockade_sys::process::memory_bytes(),
            privilege,
            namespaces: Fact::Works,
            seccomp: seccomp(),
            // A kernel that cannot say has none.
            landlock_abi: stockade_sys::landlock::abi().unwrap_or(0),
            time_namespace: time_namespace(),
            cgroup: cgroup::discover(named.as_deref()),
            // Where they are kept is the engine's affair.
            proofs: Vec::new(),
        };
        Ok(Self {
            facts,
            probed: true,
            proved: None,
            news: Arc::default(),
            begun: Arc::new(Mutex::new(begun)),
        })
    }

    /// [`Host::probe`], and tries the namespaces as well; takes milliseconds.
    ///
    /// # Errors
    /// As [`Host::probe`].
    pub fn prove() -> Result<Self, Error> {
        let mut host = Self::probe()?;
        let guest = Guest::load()?;
        host.facts.namespaces = try_namespaces(&guest, host.facts.privilege);
        Ok(host)
    }

    /// A host as described, for tests of what would happen on it.
    #[must_use]
    pub fn described(facts: Facts) -> Self {
        Self {
            facts,
            probed: false,
            proved: None,
            news: Arc::default(),
            begun: Arc::default(),
        }
    }

    /// With what has been proved on it before, unless it was only described.
    pub(crate) fn recall(mut self, cache: &Path) -> Self {
        if self.probed {
            self.proved = crate::proof::changed(cache);
            self.facts.proofs = crate::proof::read(cache, &self.facts);
        }
        self
    }

    /// The facts, where something has been proved since: read once for each change.
    pub(crate) fn news(&self, cache: &Path) -> Option<Arc<Facts>> {
        if !self.probed {
            return None;
        }
        let changed = crate::proof::changed(cache);
        if changed == self.proved {
            return None;
        }
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, facts)) = news.as_ref().filter(|(known, _)| *known == changed) {
            return Some(Arc::clone(facts));
        }
        let facts = Arc::new(Facts {
            proofs: crate::proof::read(cache, &self.facts),
            ..self.facts.clone()
        });
        *news = Some((changed, Arc::clone(&facts)));
        Some(facts)
    }

    /// As if nobody had attacked its rungs.
    pub(crate) fn unproved(mut self) -> Self {
        self.facts.proofs.clear();
        self.probed = false;
        self
    }

    /// The network namespace that was begun when the host was probed, once.
    pub(crate) fn network(&self) -> Option<PendingNetwork> {
        self.begun().network.take()
    }

    /// The template that was looked for since [`Host::anticipate`], once.
    pub(crate) fn template(&self) -> Option<template::Ahead> {
        self.begun().template.take()
    }

    fn begun(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The facts.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// `6.18.44-fc` is 6.18.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Root with what it takes, in a user namespace that has all uids: in others, such as those of
/// rootless containers, the uids of runs do not exist.
fn privilege() -> Privilege {
    let capable = stockade_sys::process::effective_capabilities()
        .is_ok_and(|has| has & NEEDED_CAPABILITIES == NEEDED_CAPABILITIES);
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let fields: Vec<_> = map.split_whitespace().collect();
    if capable && fields == ["0", "0", "4294967295"] {
        Privilege::Root
    } else {
        Privilege::User
    }
}

fn seccomp() -> Fact {
    let Err(error) = stockade_sys::seccomp::available() else {
        return Fact::Works;
    };
    Fact::Fails(Fault {
        step: "seccomp".to_owned(),
        errno: error.raw_os_error().unwrap_or(0),
        cause: format!("the kernel does not offer SECCOMP_RET_KILL_PROCESS filters: {error}"),
        remedies: vec![
            "use a kernel of 4.14 or later with CONFIG_SECCOMP_FILTER".to_owned(),
            "in a container, its own seccomp profile may refuse seccomp(2): see `docs/hosts.md`"
                .to_owned(),
        ],
    })
}

fn time_namespace() -> Fact {
    if Path::new("/proc/self/ns/time_for_children").exists() {
        return Fact::Works;
    }
    Fact::Fails(Fault {
        step: "time-namespace".to_owned(),
        errno: 0,
        cause: "the kernel has no time namespaces".to_owned(),
        remedies: vec![
            "use a kernel of 5.6 or later with CONFIG_TIME_NS".to_owned(),
            "without it the submission sees the host's uptime, and nothing else changes".to_owned(),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_versions_are_read_from_their_release() {
        assert_eq!(version("6.18.44-fc-v657"), Some((6, 18)));
        assert_eq!(version("5.10.0-28-cloud-amd64"), Some((5, 10)));
        assert_eq!(version("6.1"), Some((6, 1)));
        assert_eq!(version("unknown"), None);
    }
}
