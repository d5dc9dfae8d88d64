//! From a table to a program: a balanced binary search over the numbers.

use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::{Action, Arch, Condition, Filter, Test, Verdict};

// `BPF_LD | BPF_W | BPF_ABS`, `BPF_JMP | BPF_JA`, `BPF_JMP | BPF_JEQ | BPF_K`,
// `BPF_JMP | BPF_JGE | BPF_K`, `BPF_RET | BPF_K` of <linux/bpf_common.h>.
pub(super) const LOAD: u16 = 0x20;
pub(super) const JUMP: u16 = 0x05;
pub(super) const JUMP_EQUAL: u16 = 0x15;
pub(super) const JUMP_AT_LEAST: u16 = 0x35;
pub(super) const RETURN: u16 = 0x06;

/// `BPF_MAXINSNS`: the kernel takes no longer program.
pub(super) const PROGRAM_MAX: usize = 4096;

// Offsets in `struct seccomp_data`.
pub(super) const NUMBER_OFFSET: u32 = 0;
pub(super) const ARCH_OFFSET: u32 = 4;
pub(super) const ARGUMENTS_OFFSET: u32 = 16;

/// `__X32_SYSCALL_BIT`: the same calls with 32 bit pointers, past a filter that compares numbers.
pub(super) const X32_BIT: u32 = 0x4000_0000;

/// A run of keys that share code; ends where the next one starts.
struct Span {
    from: u32,
    code: Vec<sock_filter>,
}

/// Compiles a filter for one architecture. Each word is a `struct sock_filter` in little endian.
///
/// A call of another architecture (the i386 entry) and the x32 variants kill the process.
///
/// # Errors
/// `InvalidInput` for an argument above 5, a rule without conditions, or a program that is longer
/// than the kernel takes.
pub fn compile(filter: &Filter, arch: Arch) -> io::Result<Vec<u64>> {
    let mut program = vec![
        instruction(LOAD, ARCH_OFFSET, 0, 0),
        instruction(JUMP_EQUAL, arch.audit(), 1, 0),
        leaf(Action::Kill),
        instruction(LOAD, NUMBER_OFFSET, 0, 0),
    ];
    program.extend(search(spans(filter, arch)?)?);
    if program.len() > PROGRAM_MAX {
        return Err(invalid(format!(
            "cannot compile the filter: {} instructions, the kernel takes {PROGRAM_MAX}",
            program.len()
        )));
    }
    Ok(program.iter().map(word).collect())
}

fn spans(filter: &Filter, arch: Arch) -> io::Result<Vec<Span>> {
    let mut spans = Vec::new();
    for number in 0..=filter.newest {
        let code = match filter.verdicts.get(&number) {
            None => vec![leaf(filter.unlisted)],
            Some(verdict) => branch(verdict, number, arch)?,
        };
        extend(&mut spans, number, code);
    }
    extend(
        &mut spans,
        filter.newest.saturating_add(1),
        vec![leaf(filter.beyond)],
    );
    if arch == Arch::X86_64 {
        extend(&mut spans, X32_BIT, vec![leaf(Action::Kill)]);
    }
    Ok(spans)
}

/// Adds a span, or lets the one before run on where its code is the same.
fn extend(spans: &mut Vec<Span>, from: u32, code: Vec<sock_filter>) {
    if spans.last().is_none_or(|last| last.code != code) {
        spans.push(Span { from, code });
    }
}

fn branch(verdict: &Verdict, number: u32, arch: Arch) -> io::Result<Vec<sock_filter>> {
    match verdict {
        Verdict::Always(action) => Ok(vec![leaf(*action)]),
        Verdict::Listed {
            argument,
            values,
            inside,
            outside,
        } => listed(*argument, values, *inside, *outside),
        Verdict::Matched {
            any,
            inside,
            outside,
        } => matched(number, any, *inside, *outside, arch),
    }
}

fn listed(
    argument: u8,
    values: &[u32],
    inside: Action,
    outside: Action,
) -> io::Result<Vec<sock_filter>> {
    if argument > 5 {
        return Err(invalid(format!(
            "a system call has six arguments, there is no {argument}"
        )));
    }
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    let mut spans = vec![Span {
        from: 0,
        code: vec![leaf(outside)],
    }];
    for value in values {
        if spans.last().is_some_and(|last| last.from == value) {
            spans.pop();
        }
        extend(&mut spans, value, vec![leaf(inside)]);
        if let Some(after) = value.checked_add(1) {
            extend(&mut spans, after, vec![leaf(outside)]);
        }
    }
    // The low half of the argument comes first on both architectures.
    let mut code = vec![instruction(
        LOAD,
        ARGUMENTS_OFFSET + 8 * u32::from(argument),
        0,
        0,
    )];
    code.extend(search(spans)?);
    Ok(code)
}

/// A whole program of `seccompiler`'s as a leaf. It checks architecture and number once more,
/// five instructions; in exchange nothing here depends on how it lays its programs out.
fn matched(
    number: u32,
    any: &[Vec<Condition>],
    inside: Action,
    outside: Action,
    arch: Arch,
) -> io::Result<Vec<sock_filter>> {
    let rules = any
        .iter()
        .map(|all| {
            let conditions = all.iter().map(condition).collect::<Result<Vec<_>, _>>()?;
            SeccompRule::new(conditions)
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| invalid(format!("cannot compile rules of call {number}: {error}")))?;
    let target = match arch {
        Arch::X86_64 => TargetArch::x86_64,
        Arch::Aarch64 => TargetArch::aarch64,
    };
    let verdicts = [(i64::from(number), rules)].into_iter().collect();
    SeccompFilter::new(verdicts, action(outside), action(inside), target)
        .and_then(BpfProgram::try_from)
        .map_err(|error| invalid(format!("cannot compile call {number}: {error}")))
}

fn condition(condition: &Condition) -> Result<SeccompCondition, seccompiler::BackendError> {
    let (operator, value) = match condition.test {
        Test::Equal(value) => (SeccompCmpOp::Eq, value),
        Test::AtMost(value) => (SeccompCmpOp::Le, value),
        Test::Masked { mask, value } => (SeccompCmpOp::MaskedEq(u64::from(mask)), value),
    };
    SeccompCondition::new(
        condition.argument,
        SeccompCmpArgLen::Dword,
        operator,
        u64::from(value),
    )
}

fn action(action: Action) -> SeccompAction {
    match action {
        Action::Allow => SeccompAction::Allow,
        Action::Errno(errno) => SeccompAction::Errno(u32::from(errno)),
        Action::Kill => SeccompAction::KillProcess,
    }
}

/// Halves the spans until one is left; the key is in the accumulator.
fn search(mut spans: Vec<Span>) -> io::Result<Vec<sock_filter>> {
    let upper = spans.split_off(spans.len() / 2);
    let Some(pivot) = upper.first().map(|span| span.from) else {
        return Err(invalid("cannot compile a search over nothing".to_owned()));
    };
    if spans.is_empty() {
        return Ok(upper.into_iter().flat_map(|span| span.code).collect());
    }
    let below = search(spans)?;
    let mut code = if let Ok(skip) = u8::try_from(below.len()) {
        vec![instruction(JUMP_AT_LEAST, pivot, skip, 0)]
    } else {
        // A conditional jump reaches 255 instructions, an unconditional one all of them.
        let skip = u32::try_from(below.len())
            .map_err(|error| invalid(format!("cannot compile so long a filter: {error}")))?;
        vec![
            instruction(JUMP_AT_LEAST, pivot, 0, 1),
            instruction(JUMP, skip, 0, 0),
        ]
    };
    code.extend(below);
    code.extend(search(upper)?);
    Ok(code)
}

fn leaf(verdict: Action) -> sock_filter {
    instruction(RETURN, u32::from(action(verdict)), 0, 0)
}

fn instruction(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn word(instruction: &sock_filter) -> u64 {
    u64::from(instruction.code)
        | u64::from(instruction.jt) << 16
        | u64::from(instruction.jf) << 24
        | u64::from(instruction.k) << 32
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
