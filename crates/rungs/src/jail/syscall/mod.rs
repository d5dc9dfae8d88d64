//! The jail's policy for system calls: a table, made into a filter and into a document.

mod argument;
mod table;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::OnceLock;

use stockade_core::policy::Grants;
use stockade_sys::seccomp::{Action, Arch, Filter, Verdict, compile, number};

use argument::{ROWS, SOCKET_WITHOUT_NETWORK, UNCOUNTED};
use table::{Answer, GROUPS, Group};

/// Whose numbers the filter is about; a machine without a table has no jail, and does not build.
const ARCH: Arch = match Arch::HOST {
    Some(arch) => arch,
    None => panic!("cannot filter system calls here: there are tables for x86_64 and aarch64"),
};

/// Who counts the memory of the whole guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// A cgroup, whatever it is used for.
    Counted,
    /// Nobody: `RLIMIT_AS` bounds the address space alone.
    Uncounted,
}

/// What a zygote may do besides, in order that its children can put up their fences: they install
/// the filter without these on top, and the kernel takes the stricter answer of the two.
const ZYGOTE: &str = "clone clone3 unshare prctl prlimit64 sched_setaffinity sethostname fsopen \
    fsconfig fsmount open_tree move_mount mount_setattr seccomp landlock_create_ruleset \
    landlock_add_rule landlock_restrict_self";

/// And one whose children have a loopback, which they switch on.
const ZYGOTE_WITH_LOOPBACK: &str = "socket ioctl";

/// The filter for this machine, compiled once a process: the words of `Step::Seccomp`.
///
/// Empty if the table were at fault, which init refuses to install; a test shows that it is not.
pub(super) fn program(grants: Grants, memory: Memory) -> &'static [u64] {
    static COMPILED: [OnceLock<Vec<u64>>; 4] = [const { OnceLock::new() }; 4];
    let Grants { loopback } = grants;
    let which = usize::from(loopback) + 2 * usize::from(memory == Memory::Uncounted);
    COMPILED[which].get_or_init(|| compile(&filter(ARCH, grants, memory), ARCH).unwrap_or_default())
}

/// The filter of a zygote, whose children have the same grants.
pub(super) fn zygote_program(grants: Grants) -> &'static [u64] {
    static COMPILED: [OnceLock<Vec<u64>>; 2] = [const { OnceLock::new() }; 2];
    let Grants { loopback } = grants;
    COMPILED[usize::from(loopback)]
        .get_or_init(|| compile(&zygote_filter(ARCH, grants), ARCH).unwrap_or_default())
}

fn zygote_filter(arch: Arch, grants: Grants) -> Filter {
    let mut filter = filter(arch, grants, Memory::Counted);
    let loopback = if grants.loopback {
        ZYGOTE_WITH_LOOPBACK
    } else {
        ""
    };
    for name in ZYGOTE.split_whitespace().chain(loopback.split_whitespace()) {
        let number = number::all().find(|number| number.name() == name);
        if let Some(value) = number.and_then(|number| number.on(arch)) {
            filter
                .verdicts
                .insert(value, Verdict::Always(Action::Allow));
        }
    }
    filter
}

/// The filter of an architecture, as a table.
fn filter(arch: Arch, grants: Grants, memory: Memory) -> Filter {
    // Looked up once for all: this is on the way of every run.
    let numbers: HashMap<&str, u32> = number::all()
        .filter_map(|number| number.on(arch).map(|value| (number.name(), value)))
        .collect();
    let always = GROUPS.iter().flat_map(|group| {
        group
            .names
            .split_whitespace()
            .map(|name| (name, Verdict::Always(action(group.answer))))
    });
    let network = if grants.loopback {
        None
    } else {
        Some(&SOCKET_WITHOUT_NETWORK)
    };
    let uncounted = match memory {
        Memory::Counted => &[],
        Memory::Uncounted => UNCOUNTED,
    };
    let sometimes = ROWS
        .iter()
        .chain(network)
        .chain(uncounted)
        .map(|row| (row.name, row.verdict()));
    // The last row of a name counts.
    let verdicts: BTreeMap<_, _> = always
        .chain(sometimes)
        .filter_map(|(name, verdict)| numbers.get(name).map(|number| (*number, verdict)))
        .collect();
    Filter {
        verdicts,
        // Gaps between the numbers: no kernel has a call there.
        unlisted: Action::Kill,
        newest: number::NEWEST,
        // The next C library tries the next kernel's calls and falls back.
        beyond: Action::Errno(table::ENOSYS.value),
    }
}

fn action(answer: Answer) -> Action {
    match answer {
        Answer::Allow => Action::Allow,
        Answer::Refuse(errno) => Action::Errno(errno.value),
        Answer::Kill => Action::Kill,
    }
}

const HEAD: &str = "\
# System calls in the jail

Made from `crates/rungs/src/jail/syscall`: edit that, then type
`STOCKADE_BLESS=1 cargo test -p stockade-rungs the_document`.

The filter is a binary search over the numbers (`cargo test -p stockade-rungs syscall` proves it
against this table for each number of x86-64 and aarch64, and against the kernel). It is the second
fence: namespaces, empty capability sets and Landlock hold without it. It keeps the submission away
from kernel code that Python has no use for.

- A call from the i386 entry, or with the x32 bit, kills the process.
- A number that is newer than the table (above {NEWEST}) gives `ENOSYS`, so that the next C library
  falls back.
- A number that no kernel has ever used kills the process.
- A zygote, which runs no submission, has this filter with `{ZYGOTE}`
  allowed as well, and one for runs with `loopback` `{ZYGOTE_WITH_LOOPBACK}`; each of its children
  installs the one below on top.
- Native code, and memory that is writable and executable, are allowed: JITs need them, and nothing
  rests on their absence. A program in a `memfd` can be executed too.

";

/// `docs/seccomp.md`.
#[must_use]
pub fn document() -> String {
    let zygote: Vec<_> = ZYGOTE.split_whitespace().collect();
    let mut page = HEAD
        .replace("{NEWEST}", &number::NEWEST.to_string())
        .replace("{ZYGOTE}", &zygote.join("`, `"))
        .replace(
            "{ZYGOTE_WITH_LOOPBACK}",
            &ZYGOTE_WITH_LOOPBACK.replace(' ', "` and `"),
        );
    let of = |wanted: fn(Answer) -> bool| GROUPS.iter().filter(move |group| wanted(group.answer));
    page.push_str("## Allowed\n\n| so that a program can | calls |\n|---|---|\n");
    for group in of(|answer| matches!(answer, Answer::Allow)) {
        line(&mut page, &[group.why, &calls(group)]);
    }
    page.push_str("\n## Allowed with some arguments\n\n");
    page.push_str("| call | allowed | everything else gives | because of |\n|---|---|---|---|\n");
    for row in [&SOCKET_WITHOUT_NETWORK]
        .into_iter()
        .chain(UNCOUNTED)
        .chain(ROWS)
    {
        let name = format!("`{}`", row.name);
        line(
            &mut page,
            &[
                &name,
                row.allowed,
                &format!("`{}`", row.errno.name),
                row.why,
            ],
        );
    }
    page.push_str("\n## Refused with an errno\n\n| gives | because | calls |\n|---|---|---|\n");
    for group in of(|answer| matches!(answer, Answer::Refuse(_))) {
        if let Answer::Refuse(errno) = group.answer {
            line(
                &mut page,
                &[&format!("`{}`", errno.name), group.why, &calls(group)],
            );
        }
    }
    page.push_str("\n## Killed (`SIGSYS`)\n\n| reaches | calls |\n|---|---|\n");
    for group in of(|answer| matches!(answer, Answer::Kill)) {
        line(&mut page, &[group.why, &calls(group)]);
    }
    page
}

fn calls(group: &Group) -> String {
    let names: Vec<_> = group
        .names
        .split_whitespace()
        .map(|name| format!("`{name}`"))
        .collect();
    names.join(" ")
}

fn line(page: &mut String, cells: &[&str]) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

#[cfg(test)]
mod tests;
