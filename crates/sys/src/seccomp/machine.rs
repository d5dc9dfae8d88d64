//! Runs a filter as the kernel would, without a kernel: how tests prove a program against its
//! table for every number, and how `explain` can say what becomes of a call.

use std::io;

use super::Action;
use super::tree::{ARCH_OFFSET, JUMP, JUMP_AT_LEAST, JUMP_EQUAL, LOAD, NUMBER_OFFSET, RETURN};

const JUMP_GREATER: u16 = 0x25;
const AND: u16 = 0x54;

/// What a filter is shown of a call: `struct seccomp_data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number, the x32 bit included.
    pub number: u32,
    /// An `AUDIT_ARCH_*` value.
    pub arch: u32,
    /// The arguments.
    pub arguments: [u64; 6],
}

/// What a program decides, and the instructions that it took.
///
/// # Errors
/// `InvalidData` for a program that the kernel would not take: an instruction that is unknown
/// here, a jump past the end, a load outside the call, a return value of another kind.
pub fn decide(program: &[u64], call: &Call) -> io::Result<(Action, usize)> {
    let mut accumulator = 0_u32;
    let mut at = 0_usize;
    let mut steps = 0_usize;
    loop {
        let word = program
            .get(at)
            .ok_or_else(|| wrong(&format!("ran off the end at {at}")))?;
        let [c0, c1, when_true, when_false, k0, k1, k2, k3] = word.to_le_bytes();
        let k = u32::from_le_bytes([k0, k1, k2, k3]);
        let code = u16::from_le_bytes([c0, c1]);
        at += 1;
        steps += 1;
        let holds = match code {
            LOAD => {
                accumulator = load(call, k)?;
                continue;
            }
            AND => {
                accumulator &= k;
                continue;
            }
            RETURN => return Ok((action(k)?, steps)),
            JUMP => {
                at = at.saturating_add(usize::try_from(k).unwrap_or(usize::MAX));
                continue;
            }
            JUMP_EQUAL => accumulator == k,
            JUMP_GREATER => accumulator > k,
            JUMP_AT_LEAST => accumulator >= k,
            _ => {
                return Err(wrong(&format!(
                    "instruction {code:#x} at {} is unknown",
                    at - 1
                )));
            }
        };
        at += usize::from(if holds { when_true } else { when_false });
    }
}

fn load(call: &Call, offset: u32) -> io::Result<u32> {
    match offset {
        NUMBER_OFFSET => return Ok(call.number),
        ARCH_OFFSET => return Ok(call.arch),
        _ => {}
    }
    let bytes: Vec<u8> = call
        .arguments
        .iter()
        .flat_map(|one| one.to_le_bytes())
        .collect();
    offset
        .checked_sub(super::tree::ARGUMENTS_OFFSET)
        .and_then(|start| usize::try_from(start).ok())
        .and_then(|start| bytes.get(start..start.checked_add(4)?))
        .and_then(|four| four.try_into().ok())
        .map(u32::from_le_bytes)
        .ok_or_else(|| wrong(&format!("load from offset {offset}")))
}

fn action(value: u32) -> io::Result<Action> {
    let [low, high, _, _] = value.to_le_bytes();
    let data = u16::from_le_bytes([low, high]);
    match value & 0xffff_0000 {
        libc::SECCOMP_RET_ALLOW => Ok(Action::Allow),
        libc::SECCOMP_RET_ERRNO => Ok(Action::Errno(data)),
        libc::SECCOMP_RET_KILL_PROCESS => Ok(Action::Kill),
        _ => Err(wrong(&format!("return value {value:#x}"))),
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("cannot run the filter: {what}"),
    )
}
