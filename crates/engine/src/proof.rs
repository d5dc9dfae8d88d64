//! What attacking the rungs has shown, kept for the program and the host that it was shown for.
//!
//! A file a rung in the cache. It counts for one kernel, one program and one set of facts about the
//! host; another of any of these has not been attacked yet.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stockade_core::error::{Error, ErrorKind};
use stockade_core::host::{Facts, Proof};

use crate::template::hash_file;

const FOLDER: &str = "proof";

/// A proof is some hundred bytes and an id for each probe of the corpus at most.
const BYTES_MAX: u64 = 1 << 20;

/// A proof as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// What it was shown for.
    subject: Subject,
    /// SHA-256 of the program, for who reads this.
    digest: String,
    rung: String,
    at_ms: u64,
    probes: u32,
    through: Vec<String>,
}

/// What a proof counts for.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Subject {
    /// Release and build of the kernel.
    kernel: String,
    /// This program's file: device, inode, size, and the times in ns of the last change of its
    /// content and of anything about it. Where all are the same the digest is: to read the whole
    /// of it before each run would take longer than the run.
    program: (u64, u64, u64, i64, i64),
    /// What the plan depends on.
    host: String,
}

impl Subject {
    fn here(facts: &Facts) -> io::Result<Self> {
        let program = fs::metadata("/proc/self/exe")?;
        let build = fs::read_to_string("/proc/sys/kernel/version")?;
        let ns = |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
        // Where the groups of runs lie says nothing about what holds them.
        let groups = if facts.cgroup.is_usable() {
            "cgroup"
        } else {
            "no cgroup"
        };
        Ok(Self {
            kernel: format!(
                "{} {}",
                stockade_sys::process::kernel_release(),
                build.trim()
            ),
            program: (
                program.dev(),
                program.ino(),
                program.size(),
                ns(program.mtime(), program.mtime_nsec()),
                ns(program.ctime(), program.ctime_nsec()),
            ),
            host: format!(
                "{:?}, landlock {}, {groups}, uid {}",
                facts.privilege,
                facts.landlock_abi,
                stockade_sys::process::effective_uid(),
            ),
        })
    }
}

/// When something was last kept in `cache` or forgotten, ns since 1970; `None` where nothing was.
pub(crate) fn changed(cache: &Path) -> Option<i64> {
    let folder = fs::metadata(cache.join(FOLDER)).ok()?;
    let seconds = folder.mtime().wrapping_mul(1_000_000_000);
    Some(seconds.wrapping_add(folder.mtime_nsec()))
}

/// Those in `cache` that count here. One that cannot be read or is of something else is as good as
/// none: the rung is then not proved, which every record says.
pub(crate) fn read(cache: &Path, facts: &Facts) -> Vec<Proof> {
    let Ok(entries) = fs::read_dir(cache.join(FOLDER)) else {
        return Vec::new();
    };
    let Ok(here) = Subject::here(facts) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| one(&entry.path()))
        .filter(|kept| kept.subject == here)
        .map(|kept| Proof {
            rung: kept.rung,
            at_ms: kept.at_ms,
            probes: kept.probes,
            through: kept.through,
        })
        .collect()
}

fn one(path: &Path) -> Option<Kept> {
    let found = fs::symlink_metadata(path).ok()?;
    let own = found.uid() == stockade_sys::process::effective_uid();
    let readable = found.is_file() && own && found.mode() & 0o022 == 0 && found.size() < BYTES_MAX;
    if !readable || path.extension().is_none_or(|end| end != "json") {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Keeps `proof`, whole or not at all.
pub(crate) fn write(cache: &Path, facts: &Facts, proof: &Proof) -> Result<(), Error> {
    let path = place(cache, &proof.rung);
    store(&path, facts, proof).map_err(|error| {
        Error::new(
            ErrorKind::Host,
            format!(
                "cannot keep the proof of rung `{}` in {}",
                proof.rung,
                path.display()
            ),
        )
        .because(error)
        .hint("name a directory that can be written: `STOCKADE_CACHE_DIR=DIR`")
    })
}

/// Forgets the proof of `rung`.
pub(crate) fn remove(cache: &Path, rung: &str) -> Result<(), Error> {
    let path = place(cache, rung);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::new(
            ErrorKind::Host,
            format!(
                "cannot remove the old proof of rung `{rung}`, {}",
                path.display()
            ),
        )
        .because(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn place(cache: &Path, rung: &str) -> PathBuf {
    cache.join(FOLDER).join(format!("{rung}.json"))
}

fn store(path: &Path, facts: &Facts, proof: &Proof) -> io::Result<()> {
    let kept = Kept {
        subject: Subject::here(facts)?,
        digest: hash_file(Path::new("/proc/self/exe"))?,
        rung: proof.rung.clone(),
        at_ms: proof.at_ms,
        probes: proof.probes,
        through: proof.through.clone(),
    };
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(folder)?;
    }
    let partial = path.with_extension(format!("partial-{}", std::process::id()));
    let mut file = File::create(&partial)?;
    let written = serde_json::to_writer(&mut file, &kept)
        .map_err(io::Error::from)
        .and_then(|()| file.flush())
        .and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        // What stays is nobody's proof: its name does not end so.
        let _ = fs::remove_file(&partial);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Host;

    fn proof() -> Proof {
        Proof {
            rung: "jail".to_owned(),
            at_ms: 1_796_040_000_000,
            probes: 500,
            through: vec!["escape/064".to_owned()],
        }
    }

    #[test]
    fn what_was_shown_here_is_known_to_the_next_engine() {
        let cache = tempfile::tempdir().unwrap();
        let host = Host::probe().unwrap();
        write(cache.path(), host.facts(), &proof()).unwrap();
        let next = Host::probe().unwrap().recall(cache.path());
        assert_eq!(next.facts().proof("jail"), Some(&proof()));
        assert_eq!(next.facts().proof("process"), None);
        assert!(next.clone().unproved().facts().proofs.is_empty());
        // Nothing has changed since; then something has, and an old engine hears of it.
        assert!(next.news(cache.path()).is_none());
        let old = Host::probe()
            .unwrap()
            .recall(&cache.path().join("elsewhere"));
        assert!(old.news(cache.path()).unwrap().proof("jail").is_some());
        assert!(old.unproved().news(cache.path()).is_none());
        remove(cache.path(), "jail").unwrap();
        remove(cache.path(), "jail").unwrap();
        assert_eq!(read(cache.path(), host.facts()), []);
    }

    #[test]
    fn it_counts_for_one_kernel_one_program_and_one_host() {
        let cache = tempfile::tempdir().unwrap();
        let host = Host::probe().unwrap();
        write(cache.path(), host.facts(), &proof()).unwrap();
        let place = place(cache.path(), "jail");
        let text = fs::read_to_string(&place).unwrap();
        let kernel = stockade_sys::process::kernel_release();
        let size = fs::metadata("/proc/self/exe").unwrap().size().to_string();
        for (from, to) in [
            (kernel.as_str(), "1.0"),
            (size.as_str(), "1"),
            ("landlock", "none"),
        ] {
            let other = text.replacen(from, to, 1);
            assert_ne!(other, text, "{from}");
            fs::write(&place, other).unwrap();
            assert_eq!(read(cache.path(), host.facts()), [], "{from}");
        }
        fs::write(&place, &text).unwrap();
        assert_eq!(read(cache.path(), host.facts()), [proof()]);
    }

    #[test]
    fn one_that_others_can_write_to_is_none() {
        use std::os::unix::fs::PermissionsExt as _;
        let cache = tempfile::tempdir().unwrap();
        let host = Host::probe().unwrap();
        write(cache.path(), host.facts(), &proof()).unwrap();
        let place = place(cache.path(), "jail");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(read(cache.path(), host.facts()), []);
    }
}
