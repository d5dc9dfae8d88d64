//! The tree against the table, number by number; then the kernel against both.

use super::*;

const NONE: [u64; 6] = [0; 6];

fn filter() -> Filter {
    let mut verdicts = BTreeMap::new();
    for number in (0..300).filter(|number| number % 7 != 0) {
        verdicts.insert(number, Verdict::Always(Action::Allow));
    }
    verdicts.insert(63, Verdict::Always(Action::Errno(38)));
    verdicts.insert(
        100,
        Verdict::Listed {
            argument: 1,
            values: vec![0, 5, 6, 900, u32::MAX, 5],
            inside: Action::Allow,
            outside: Action::Errno(25),
        },
    );
    verdicts.insert(
        200,
        Verdict::Matched {
            any: vec![
                vec![Condition {
                    argument: 0,
                    test: Test::Equal(1),
                }],
                vec![
                    Condition {
                        argument: 0,
                        test: Test::AtMost(10),
                    },
                    Condition {
                        argument: 5,
                        test: Test::Masked {
                            mask: 0xf0,
                            value: 0x20,
                        },
                    },
                ],
            ],
            inside: Action::Allow,
            outside: Action::Kill,
        },
    );
    Filter {
        verdicts,
        unlisted: Action::Kill,
        newest: 450,
        beyond: Action::Errno(38),
    }
}

fn outcome(program: &[u64], number: u32, arch: Arch, arguments: [u64; 6]) -> (Action, usize) {
    decide(
        program,
        &Call {
            number,
            arch: arch.audit(),
            arguments,
        },
    )
    .unwrap()
}

#[test]
fn the_tree_decides_as_the_table_for_each_number() {
    let filter = filter();
    for arch in [Arch::X86_64, Arch::Aarch64] {
        let program = compile(&filter, arch).unwrap();
        for number in 0..1000 {
            assert_eq!(
                outcome(&program, number, arch, NONE).0,
                filter.action(number, &NONE),
                "{number}"
            );
        }
    }
}

#[test]
fn no_number_takes_more_than_twenty_instructions_to_its_leaf() {
    let program = compile(&filter(), Arch::X86_64).unwrap();
    let longest = (0..1000)
        .filter(|number| ![100, 200].contains(number))
        .map(|number| outcome(&program, number, Arch::X86_64, NONE).1)
        .max();
    assert!(longest <= Some(20), "{longest:?}");
}

#[test]
fn arguments_are_compared_by_their_low_half() {
    let filter = filter();
    let program = compile(&filter, Arch::Aarch64).unwrap();
    let values = [
        0,
        1,
        4,
        5,
        6,
        7,
        10,
        11,
        0x20,
        0x2f,
        900,
        901,
        0xffff_ffff,
        0x1_0000_0005,
    ];
    for number in [100, 200] {
        for first in values {
            for other in values {
                let arguments = [first, other, 0, 0, 0, other];
                assert_eq!(
                    outcome(&program, number, Arch::Aarch64, arguments).0,
                    filter.action(number, &arguments),
                    "{number} {arguments:x?}"
                );
            }
        }
    }
    assert_eq!(
        filter.action(100, &[0, 0x1_0000_0005, 0, 0, 0, 0]),
        Action::Allow
    );
    assert_eq!(filter.action(200, &[11, 0, 0, 0, 0, 0x20]), Action::Kill);
}

#[test]
fn another_architecture_and_the_x32_bit_kill() {
    const I386: u32 = 0x4000_0003;
    const ARM: u32 = 0x4000_0028;
    let program = compile(&filter(), Arch::X86_64).unwrap();
    for arch in [I386, ARM, Arch::Aarch64.audit(), 0] {
        for number in 0..600 {
            let call = Call {
                number,
                arch,
                arguments: NONE,
            };
            assert_eq!(decide(&program, &call).unwrap().0, Action::Kill);
        }
    }
    for number in (0..600)
        .map(|number| number | 0x4000_0000)
        .chain([u32::MAX])
    {
        assert_eq!(
            outcome(&program, number, Arch::X86_64, NONE).0,
            Action::Kill
        );
    }
    assert_eq!(
        outcome(&program, 0x3fff_ffff, Arch::X86_64, NONE).0,
        Action::Errno(38)
    );
}

#[test]
fn a_rule_about_a_seventh_argument_is_refused() {
    for verdict in [
        Verdict::Listed {
            argument: 6,
            values: vec![1],
            inside: Action::Allow,
            outside: Action::Kill,
        },
        Verdict::Matched {
            any: vec![vec![Condition {
                argument: 6,
                test: Test::Equal(1),
            }]],
            inside: Action::Allow,
            outside: Action::Kill,
        },
    ] {
        let mut filter = filter();
        filter.verdicts.insert(3, verdict);
        let error = compile(&filter, Arch::X86_64).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    }
}

#[test]
fn a_program_that_leaves_its_bounds_is_found() {
    let call = Call {
        number: 0,
        arch: 0,
        arguments: NONE,
    };
    assert!(decide(&[], &call).is_err());
    assert!(
        decide(&[0x0000_0009_0000_0005], &call).is_err(),
        "jump past the end"
    );
    assert!(
        decide(&[0x0000_0050_0000_0020], &call).is_err(),
        "load past the arguments"
    );
}

/// Fails with 7 where the filter is in force; a thread of its own, because a filter stays.
fn limits_with(program: Option<Vec<u64>>) -> Result<(), i32> {
    std::thread::spawn(move || {
        if let Some(program) = program {
            rustix::thread::set_no_new_privs(true).unwrap();
            install(&program).unwrap();
        }
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the call writes one `struct rlimit` through the pointer, which `limit` is.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_getrlimit,
                libc::RLIMIT_CORE,
                std::ptr::from_mut(&mut limit),
            )
        };
        match answer {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error().raw_os_error().unwrap()),
        }
    })
    .join()
    .unwrap()
}

#[test]
fn the_kernel_takes_the_tree_and_obeys_it() {
    let number = u32::try_from(libc::SYS_getrlimit).unwrap();
    let filter = Filter {
        verdicts: [(number, Verdict::Always(Action::Errno(7)))]
            .into_iter()
            .collect(),
        unlisted: Action::Allow,
        newest: number::NEWEST,
        beyond: Action::Errno(38),
    };
    let program = compile(&filter, Arch::HOST.unwrap()).unwrap();
    assert_eq!(limits_with(None), Ok(()));
    assert_eq!(limits_with(Some(program)), Err(7));
}

#[test]
fn a_program_of_no_instructions_or_too_many_is_not_installed() {
    for program in [Vec::new(), vec![0x7fff_0000_0000_0006; 4097]] {
        let error = install(&program).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    }
}

#[test]
fn this_kernel_has_seccomp() {
    available().unwrap();
}
