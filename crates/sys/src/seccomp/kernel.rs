//! The two questions to the kernel: is it there, and install it.

use std::io;

use super::tree::PROGRAM_MAX;

/// `SECCOMP_GET_ACTION_AVAIL` of <linux/seccomp.h>.
const GET_ACTION_AVAIL: libc::c_uint = 2;

/// Whether this kernel filters calls and can kill a whole process for one, tried for real.
///
/// # Errors
/// `ENOSYS` without seccomp or where an outer filter hides it, `EOPNOTSUPP` before Linux 4.14.
pub fn available() -> io::Result<()> {
    let action: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    // SAFETY: the operation only reads one `u32` through the pointer, and `action` outlives it.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            GET_ACTION_AVAIL,
            0,
            std::ptr::from_ref(&action),
        )
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Puts the calling thread and all that it starts under a compiled filter, for good.
///
/// Needs `no_new_privs` or `CAP_SYS_ADMIN`, and a process with one thread: the others stay free.
///
/// No flag is given. `SPEC_ALLOW` would switch off mitigations that kernels before 5.16 turn on for
/// filtered processes, and hostile code is what they are for; `LOG` would let hostile code write to
/// the host's log; `TSYNC` has nothing to do with one thread.
///
/// # Errors
/// `InvalidInput` for a program of no or too many instructions, else the kernel's: `EACCES` without
/// `no_new_privs`, `EINVAL` for a program that it does not take.
pub fn install(program: &[u64]) -> io::Result<()> {
    let mut filter: Vec<libc::sock_filter> = program.iter().copied().map(instruction).collect();
    let len = match u16::try_from(filter.len()) {
        Ok(len) if (1..=PROGRAM_MAX).contains(&usize::from(len)) => len,
        Ok(_) | Err(_) => {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "cannot install a filter of {} instructions: must be 1 to {PROGRAM_MAX}",
                    filter.len()
                ),
            ));
        }
    };
    let header = libc::sock_fprog {
        len,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: `header` names `len` instructions of `filter`, and both outlive the call; the kernel
    // copies the program and checks it before it runs any of it.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            0,
            std::ptr::from_ref(&header),
        )
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

fn instruction(word: u64) -> libc::sock_filter {
    let [c0, c1, jt, jf, k0, k1, k2, k3] = word.to_le_bytes();
    libc::sock_filter {
        code: u16::from_le_bytes([c0, c1]),
        jt,
        jf,
        k: u32::from_le_bytes([k0, k1, k2, k3]),
    }
}
