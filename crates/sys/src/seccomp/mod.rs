//! Seccomp filters: described as a table, compiled to a tree, installed, and run without a kernel.
//!
//! A filter runs at each system call, so it is a binary search over the numbers and not a list of
//! comparisons: about ten instructions instead of hundreds, and a fraction of the time to install.

mod kernel;
mod machine;
pub mod number;
mod tree;

use std::collections::BTreeMap;

pub use kernel::{available, install};
pub use machine::{Call, decide};
pub use tree::compile;

/// Whose numbers a filter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// `AUDIT_ARCH_X86_64`.
    X86_64,
    /// `AUDIT_ARCH_AARCH64`.
    Aarch64,
}

impl Arch {
    /// The one that this program was built for; `None` where there is no table.
    pub const HOST: Option<Self> = if cfg!(target_arch = "x86_64") {
        Some(Self::X86_64)
    } else if cfg!(target_arch = "aarch64") {
        Some(Self::Aarch64)
    } else {
        None
    };

    /// The value in `seccomp_data.arch`: the ELF machine, 64 bit, little endian.
    #[must_use]
    pub fn audit(self) -> u32 {
        const BITS_64_LITTLE_ENDIAN: u32 = 0xc000_0000;
        match self {
            Self::X86_64 => BITS_64_LITTLE_ENDIAN + 62,
            Self::Aarch64 => BITS_64_LITTLE_ENDIAN + 183,
        }
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The kernel carries it out.
    Allow,
    /// It is not carried out and returns this errno; 0 looks like success.
    Errno(u16),
    /// The whole process dies of `SIGSYS`.
    Kill,
}

/// A question about one argument. Only its low 32 bits are seen: each argument that a policy can
/// ask about is an `int` or a flag word, and the kernel drops the rest as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// 0 to 5.
    pub argument: u8,
    /// What must be true of it.
    pub test: Test,
}

/// See [`Condition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// It has this value.
    Equal(u32),
    /// It is at most this value, unsigned.
    AtMost(u32),
    /// The bits of the mask have this value.
    Masked {
        /// Which bits.
        mask: u32,
        /// Their value.
        value: u32,
    },
}

/// What becomes of the calls of one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same, whatever the arguments.
    Always(Action),
    /// By the value of one argument: a tree again, so the list may be long.
    Listed {
        /// 0 to 5.
        argument: u8,
        /// The values; low 32 bits.
        values: Vec<u32>,
        /// For a value that is listed.
        inside: Action,
        /// For any other.
        outside: Action,
    },
    /// By several arguments.
    Matched {
        /// Each a list of conditions that must all hold; one such list is enough.
        any: Vec<Vec<Condition>>,
        /// Where one matches.
        inside: Action,
        /// Where none does.
        outside: Action,
    },
}

/// A filter, before it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// By number.
    pub verdicts: BTreeMap<u32, Verdict>,
    /// For numbers up to `newest` that are not in `verdicts`.
    pub unlisted: Action,
    /// The last number that the filter's author knew.
    pub newest: u32,
    /// For numbers above it: calls that did not exist when the table was written.
    pub beyond: Action,
}

impl Filter {
    /// What the table says about a call, without going through a compiled program: what tests
    /// compare the program with.
    #[must_use]
    pub fn action(&self, number: u32, arguments: &[u64; 6]) -> Action {
        if number > self.newest {
            return self.beyond;
        }
        match self.verdicts.get(&number) {
            None => self.unlisted,
            Some(Verdict::Always(action)) => *action,
            Some(Verdict::Listed {
                argument,
                values,
                inside,
                outside,
            }) => {
                let holds = values.contains(&low(arguments, *argument));
                if holds { *inside } else { *outside }
            }
            Some(Verdict::Matched {
                any,
                inside,
                outside,
            }) => {
                let holds = any
                    .iter()
                    .any(|all| all.iter().all(|one| one.holds(arguments)));
                if holds { *inside } else { *outside }
            }
        }
    }
}

impl Condition {
    fn holds(self, arguments: &[u64; 6]) -> bool {
        let value = low(arguments, self.argument);
        match self.test {
            Test::Equal(wanted) => value == wanted,
            Test::AtMost(limit) => value <= limit,
            Test::Masked {
                mask,
                value: wanted,
            } => value & mask == wanted & mask,
        }
    }
}

fn low(arguments: &[u64; 6], argument: u8) -> u32 {
    let value = arguments.get(usize::from(argument)).copied().unwrap_or(0);
    u32::try_from(value & u64::from(u32::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
