//! The table against itself, the program against the table, and the kernel against both.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use stockade_sys::seccomp::{Call, decide};

use super::*;

mod allowed;
mod refused;

/// Each table that there is.
const TABLES: [(Arch, Grants, Memory); 6] = [
    (Arch::X86_64, NOTHING, Memory::Counted),
    (Arch::X86_64, LOOPBACK, Memory::Counted),
    (Arch::X86_64, NOTHING, Memory::Uncounted),
    (Arch::Aarch64, NOTHING, Memory::Counted),
    (Arch::Aarch64, LOOPBACK, Memory::Counted),
    (Arch::Aarch64, NOTHING, Memory::Uncounted),
];

const NOTHING: Grants = Grants { loopback: false };
const LOOPBACK: Grants = Grants { loopback: true };

fn listed() -> impl Iterator<Item = &'static str> {
    GROUPS
        .iter()
        .flat_map(|group| group.names.split_whitespace())
        .chain(ROWS.iter().map(|row| row.name))
}

#[test]
fn every_call_that_has_a_number_is_listed_exactly_once() {
    let mut known: Vec<_> = number::all().map(number::Number::name).collect();
    let mut listed: Vec<_> = listed().collect();
    known.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn the_program_decides_as_the_table_for_each_number() {
    for (arch, grants, memory) in TABLES {
        let table = filter(arch, grants, memory);
        let program = compile(&table, arch).unwrap();
        for number in 0..600 {
            for first in [0, 1, 2, 0x1000_0000, 0xffff_ffff] {
                for second in [0, 1, 0x5401, 0x5412] {
                    for third in [0, 6, 26, 262, 0x4_0000] {
                        let arguments = [first, second, third, third, 0, 0];
                        let call = Call {
                            number,
                            arch: arch.audit(),
                            arguments,
                        };
                        let (found, _) = decide(&program, &call).unwrap();
                        assert_eq!(found, table.action(number, &arguments), "{call:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_i386_entry_and_the_x32_bit_kill() {
    const I386: u32 = 0x4000_0003;
    let program = compile(
        &filter(Arch::X86_64, LOOPBACK, Memory::Counted),
        Arch::X86_64,
    )
    .unwrap();
    for number in 0..600 {
        for call in [
            Call {
                number,
                arch: I386,
                arguments: [0; 6],
            },
            Call {
                number: number | 0x4000_0000,
                arch: Arch::X86_64.audit(),
                arguments: [0; 6],
            },
        ] {
            assert_eq!(decide(&program, &call).unwrap().0, Action::Kill, "{call:?}");
        }
    }
}

#[test]
fn a_leaf_is_at_most_twenty_instructions_away() {
    for (arch, grants, memory) in TABLES {
        let table = filter(arch, grants, memory);
        let program = compile(&table, arch).unwrap();
        let fixed =
            |number: &u32| matches!(table.verdicts.get(number), None | Some(Verdict::Always(_)));
        let longest = (0..600).filter(fixed).map(|number| {
            let call = Call {
                number,
                arch: arch.audit(),
                arguments: [0; 6],
            };
            decide(&program, &call).unwrap().1
        });
        assert!(longest.max() <= Some(20));
        assert!(program.len() < 800, "{} instructions", program.len());
    }
}

#[test]
fn the_next_kernels_calls_are_not_there() {
    for arch in [Arch::X86_64, Arch::Aarch64] {
        let beyond = number::NEWEST + 1;
        assert_eq!(
            filter(arch, LOOPBACK, Memory::Counted).action(beyond, &[0; 6]),
            Action::Errno(38)
        );
    }
}

#[test]
fn a_zygote_makes_internet_sockets_only_where_its_children_may() {
    for arch in [Arch::X86_64, Arch::Aarch64] {
        let number = number::by_name("socket").and_then(|socket| socket.on(arch));
        let inet =
            |grants| zygote_filter(arch, grants).action(number.unwrap(), &[2, 1, 0, 0, 0, 0]);
        assert_eq!(inet(NOTHING), Action::Errno(100));
        assert_eq!(inet(LOOPBACK), Action::Allow);
    }
}

#[test]
fn without_a_grant_only_unix_sockets_are_made() {
    let number = number::by_name("socket")
        .and_then(|socket| socket.on(Arch::Aarch64))
        .unwrap();
    let family = |grants, family| {
        filter(Arch::Aarch64, grants, Memory::Counted).action(number, &[family, 1, 0, 0, 0, 0])
    };
    assert_eq!(
        [1, 2, 10, 16].map(|one| family(NOTHING, one)),
        [
            Action::Allow,
            Action::Errno(100),
            Action::Errno(100),
            Action::Errno(100),
        ]
    );
    assert_eq!(
        [1, 2, 10, 16].map(|one| family(LOOPBACK, one)),
        [
            Action::Allow,
            Action::Allow,
            Action::Allow,
            Action::Errno(97),
        ]
    );
}

#[test]
fn the_document_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seccomp.md");
    if std::env::var_os("STOCKADE_BLESS").is_some() {
        std::fs::write(&path, document()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == document(),
        "docs/seccomp.md is stale; its second line says what to type"
    );
}

/// Runs a Python program with or without the filter, and returns what it printed.
fn python(name: &str, source: &str, arguments: &[String], fence: Fence) -> String {
    let directory = Scratch::new(&format!("{name}-{}", fence.name()));
    let file = directory.0.join("job.py");
    std::fs::write(&file, source).unwrap();
    let interpreter = match name {
        "data" => std::env::var_os("STOCKADE_DATA_PYTHON").expect("a Python with numpy and pandas"),
        _ => "/usr/bin/python3".into(),
    };
    let run = || {
        if let Some((grants, memory)) = fence.policy() {
            stockade_sys::credential::set_no_new_privileges().unwrap();
            stockade_sys::seccomp::install(program(grants, memory)).unwrap();
        }
        std::process::Command::new(&interpreter)
            .arg(&file)
            .args(arguments)
            .current_dir(&directory.0)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    };
    // A filter is for good: it gets a thread of its own, and the program inherits it from there.
    let output = std::thread::scope(|scope| scope.spawn(run).join().unwrap());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{name}: {}: {errors}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fence {
    /// With these grants, and a cgroup that counts memory.
    Up(Grants),
    /// Without either.
    UpUncounted,
    Down,
}

impl Fence {
    fn policy(self) -> Option<(Grants, Memory)> {
        match self {
            Self::Up(grants) => Some((grants, Memory::Counted)),
            Self::UpUncounted => Some((NOTHING, Memory::Uncounted)),
            Self::Down => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Up(LOOPBACK) => "loopback",
            Self::Up(NOTHING) => "nothing",
            Self::UpUncounted => "uncounted",
            Self::Down => "down",
        }
    }
}

/// A directory of a test's own, removed at the end.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        // Several tests at once run a program of one name.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let own = format!("syscall-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(own);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
