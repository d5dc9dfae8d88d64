//! The table of limits. Adding a row is the only edit `core` needs for a new limit: flags, JSON
//! schemas and `docs/limits.md` are generated from it, and every rung's match stops compiling.

use super::Unit;

/// Over what a limit is meant to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Over everything inside the boundary together. A mechanism that bounds each process
    /// separately is refused where the policy allows more than one process.
    Guest,
    /// Over each process or file by its nature (`RLIMIT_NOFILE`, `RLIMIT_FSIZE`).
    Process,
    /// Over what the caller hands in or gets back; checked on the trusted side.
    Supervisor,
}

/// What a limit is called, what it means, and the range it may take.
#[derive(Debug)]
pub struct LimitSpec {
    /// Stable name: the JSON field and the name in `--limit NAME=VALUE`.
    pub name: &'static str,
    /// What it is counted in.
    pub unit: Unit,
    /// Over what it holds.
    pub scope: Scope,
    /// Smallest accepted value.
    pub min: u64,
    /// Value used when the policy is silent.
    pub default: u64,
    /// Largest accepted value.
    pub max: u64,
    /// What is bounded, and what is not.
    pub doc: &'static str,
}

/// Declares the limits once, so that the enum, the table and the count cannot disagree.
macro_rules! limits {
    ($($(#[doc = $doc:literal])+
       $id:ident => $name:literal, $unit:ident, $scope:ident,
       $min:expr, $default:expr, $max:expr;)+) => {
        /// Identifies a limit. Closed on purpose: every `match` on it is exhaustive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LimitId { $($(#[doc = $doc])+ $id,)+ }

        impl LimitId {
            /// Every limit, in table order.
            pub const ALL: [Self; COUNT] = [$(Self::$id,)+];
        }

        /// How many limits there are.
        pub const COUNT: usize = [$($name,)+].len();

        /// The table, indexed by `LimitId as usize`.
        pub static SPECS: [LimitSpec; COUNT] = [$(LimitSpec {
            name: $name,
            unit: Unit::$unit,
            scope: Scope::$scope,
            min: $min,
            default: $default,
            max: $max,
            doc: concat!($($doc),+),
        },)+];
    };
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;
const DAY_MS: u64 = 86_400_000;

limits! {
    /// Time on the wall clock from the start of the submission; then SIGTERM, and SIGKILL after
    /// `grace`. Sleeping counts; building and destroying the boundary does not.
    Wall => "wall", Millis, Guest, 10, 20_000, DAY_MS;
    /// Time between SIGTERM and SIGKILL when `wall` has passed; a program that handles SIGTERM
    /// can use all of it.
    Grace => "grace", Millis, Guest, 0, 5_000, 60_000;
    /// CPU time of all processes and threads together, user and system; sleeping does not count.
    /// Read every few milliseconds, so the use can overshoot by that much per core.
    Cpu => "cpu", Millis, Guest, 10, 20_000, DAY_MS;
    /// Cores' worth of CPU time per second of wall time for the whole guest; also what
    /// `os.sched_getaffinity` and the thread-count variables say.
    Cpus => "cpus", Count, Guest, 1, 1, 1_024;
    /// Resident memory of all processes together, their `/work`, `/tmp` and `/dev/shm` included,
    /// without swap; pages of the template shared with the host are not counted.
    Memory => "memory", Bytes, Guest, 16 * MIB, 1_536 * MIB, TIB;
    /// Address space of each process (`RLIMIT_AS`); reserved is not used: JIT compilers and
    /// `OpenBLAS` reserve far more than they touch. The default is all that a process can have.
    AddressSpace => "address_space", Bytes, Process, 64 * MIB, 128 * TIB, 128 * TIB;
    /// Size of any one file that is written; many files are bounded by `disk`.
    FileSize => "file_size", Bytes, Process, 0, 32 * MIB, 64 * GIB;
    /// Everything in `/work`, `/tmp` and `/dev/shm` together; it lives in memory and counts
    /// towards `memory` as well.
    Disk => "disk", Bytes, Guest, MIB, 256 * MIB, 64 * GIB;
    /// Processes and threads alive at once; a fork beyond it fails with EAGAIN and the program
    /// carries on.
    Processes => "processes", Count, Guest, 1, 64, 32_768;
    /// Open descriptors of each process (`RLIMIT_NOFILE`).
    OpenFiles => "open_files", Count, Process, 16, 256, 1_048_576;
    /// Bytes of standard output that are kept; the rest is counted and dropped.
    Stdout => "stdout", Bytes, Supervisor, 0, MIB, 64 * MIB;
    /// Bytes of standard error that are kept; the rest is counted and dropped.
    Stderr => "stderr", Bytes, Supervisor, 0, MIB, 64 * MIB;
    /// Bytes of the result, checked before it is parsed.
    Result => "result", Bytes, Supervisor, 1, MIB, 64 * MIB;
    /// Nesting of arrays and objects in the result, checked before it is parsed.
    ResultDepth => "result_depth", Count, Supervisor, 1, 64, 512;
    /// Bytes of the submission's source.
    Source => "source", Bytes, Supervisor, 0, MIB, 16 * MIB;
    /// Bytes of the input files and the input value together.
    Files => "files", Bytes, Supervisor, 0, 64 * MIB, GIB;
    /// Cost units of a formula: each part that is evaluated, each item and each 64 bytes built are
    /// one. Python is not counted so: `cpu` bounds it.
    Cost => "cost", Count, Guest, 1, 100_000, 100_000;
    /// Bytes of texts, lists and maps that a formula builds, those given up again included. Python
    /// is not counted so: `memory` bounds it.
    Built => "built", Bytes, Guest, 1_024, 8 * MIB, 8 * MIB;
}

impl LimitId {
    /// This limit's row.
    #[must_use]
    pub fn spec(self) -> &'static LimitSpec {
        &SPECS[self as usize]
    }

    /// This limit's name, as in `--limit NAME=VALUE` and in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The limit called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_in_range() {
        for spec in &SPECS {
            assert!(
                spec.min <= spec.default && spec.default <= spec.max,
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn names_are_unique_snake_case() {
        let mut seen = std::collections::BTreeSet::new();
        for spec in &SPECS {
            assert!(seen.insert(spec.name), "{} appears twice", spec.name);
            assert!(
                spec.name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn the_table_is_indexed_by_id() {
        for (index, id) in LimitId::ALL.into_iter().enumerate() {
            assert_eq!(id as usize, index);
            assert_eq!(LimitId::named(id.name()), Some(id));
        }
    }
}
