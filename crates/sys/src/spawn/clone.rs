//! The `clone3` and `clone` calls themselves.

use super::stub::{self, Prepared, Report};
use super::{Child, Namespaces, Spawn, SpawnError};
use rustix::io::Errno;
use std::arch::asm;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

/// `CLONE_INTO_CGROUP`, whose type in `libc` is too small for it.
const INTO_CGROUP: u64 = 0x2_0000_0000;
const GUARD_BYTES: usize = 4096;
const STACK_BYTES: usize = 64 << 10;
/// The top of the mapping, where the child leaves its report.
const REPORT_BYTES: usize = 4096;
const MAPPING_BYTES: usize = GUARD_BYTES + STACK_BYTES + REPORT_BYTES;

/// `struct clone_args`, as far as Linux 5.7 has it.
#[repr(C, align(8))]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// The child's stack, with a guard page below and the report above.
struct Stack {
    base: *mut libc::c_void,
}

impl Stack {
    /// `sharing` decides whether a child with a memory of its own can write its report here.
    fn new(sharing: libc::c_int) -> Result<Self, SpawnError> {
        // SAFETY: a new anonymous mapping at an address of the kernel's choice overlaps nothing.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                MAPPING_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                sharing | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(failed("mmap"));
        }
        let stack = Self { base };
        // SAFETY: the first page of the mapping above, which nothing uses yet.
        if unsafe { libc::mprotect(base, GUARD_BYTES, libc::PROT_NONE) } < 0 {
            return Err(failed("mprotect"));
        }
        Ok(stack)
    }

    /// Lowest address that the child may use; page-aligned, as is the top.
    fn bottom(&self) -> *mut libc::c_void {
        self.base.wrapping_byte_add(GUARD_BYTES)
    }

    fn top(&self) -> *mut libc::c_void {
        self.bottom().wrapping_byte_add(STACK_BYTES)
    }

    fn report(&self) -> *mut Report {
        self.top().cast()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours alone, and the child that ran on it has executed or ended.
        unsafe { libc::munmap(self.base, MAPPING_BYTES) };
    }
}

/// All signals blocked, so that no handler of this process runs in the child; unblocked on drop.
struct Blocked {
    before: u64,
}

impl Blocked {
    fn new() -> Self {
        Self {
            before: crate::signal::swap_mask(u64::MAX),
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        crate::signal::swap_mask(self.before);
    }
}

pub(super) fn spawn(spawn: &Spawn<'_>) -> Result<Child, SpawnError> {
    let mut prepared = Prepared::new(spawn)?;
    let stack = Stack::new(libc::MAP_PRIVATE)?;
    let mut pidfd: RawFd = -1;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | spawn.namespaces.flags();
    let into_cgroup = spawn.cgroup.map_or(0, |_| INTO_CGROUP);
    let args = CloneArgs {
        flags: u64::from(flags.cast_unsigned()) | into_cgroup,
        pidfd: (&raw mut pidfd).expose_provenance() as u64,
        stack: stack.bottom().expose_provenance() as u64,
        stack_size: STACK_BYTES as u64,
        cgroup: spawn
            .cgroup
            .map_or(0, |fd| u64::from(fd.as_raw_fd().cast_unsigned())),
        ..CloneArgs::default()
    };
    let result = {
        let _blocked = Blocked::new();
        let registers = [
            (&raw const args).expose_provenance(),
            size_of::<CloneArgs>(),
            0,
            0,
            0,
        ];
        // SAFETY: `args` gives the child `stack`, which is mapped and unused; `CLONE_VFORK` keeps
        // this thread, and with it everything that `prepared` points to, still until the child has
        // executed or ended.
        unsafe { enter(libc::SYS_clone3, registers, &mut prepared, stack.report()) }
    };
    let result = if result == Err(Errno::NOSYS) && spawn.cgroup.is_none() {
        legacy(flags, &stack, &raw mut pidfd, &mut prepared).map_err(|errno| (errno, "clone"))
    } else {
        result.map_err(|errno| (errno, "clone3"))
    };
    let pid = result.map_err(|(errno, step)| SpawnError { step, errno })?;
    // SAFETY: the call succeeded with `CLONE_PIDFD`, so the kernel has stored a new descriptor
    // here that nobody else knows of.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    let mut child = Child::new(pidfd, pid);
    // SAFETY: the child has executed or ended, so nobody writes the report any more, and all-zero
    // bytes are a report of success.
    let report = unsafe { stack.report().read() };
    report.outcome().inspect_err(|_| {
        // What it says is known from the report already.
        let _ = child.wait();
    })?;
    Ok(child)
}

pub(super) fn spawn_plain(spawn: &Spawn<'_>) -> Result<i32, SpawnError> {
    if spawn.namespaces != Namespaces::NONE || spawn.cgroup.is_some() {
        return Err(SpawnError {
            step: "clone",
            errno: Errno::INVAL,
        });
    }
    let mut prepared = Prepared::new(spawn)?;
    let stack = Stack::new(libc::MAP_SHARED)?;
    let flags = libc::CLONE_VFORK | libc::SIGCHLD;
    let result = legacy(
        flags | libc::CLONE_VM,
        &stack,
        ptr::null_mut(),
        &mut prepared,
    );
    let result = match result {
        // Before Linux 6.0 a child in another time namespace cannot share memory.
        Err(Errno::INVAL) => legacy(flags, &stack, ptr::null_mut(), &mut prepared),
        result => result,
    };
    let pid = result.map_err(|errno| SpawnError {
        step: "clone",
        errno,
    })?;
    // SAFETY: the child has executed or ended, so nobody writes the report any more, and all-zero
    // bytes are a report of success.
    let report = unsafe { stack.report().read() };
    report.outcome().inspect_err(|_| {
        // What it says is known from the report already.
        let _ = crate::wait::wait_pid(pid);
    })?;
    Ok(pid)
}

fn legacy(
    flags: i32,
    stack: &Stack,
    pidfd: *mut RawFd,
    prepared: &mut Prepared<'_>,
) -> Result<i32, Errno> {
    let _blocked = Blocked::new();
    let flags = flags.cast_unsigned() as usize;
    // `clone` keeps the pidfd where the parent's thread id would go; the last two arguments, whose
    // order differs between architectures, are not used.
    let registers = [
        flags,
        stack.top().expose_provenance(),
        pidfd.expose_provenance(),
        0,
        0,
    ];
    // SAFETY: the child gets `stack`, which is mapped and unused; `CLONE_VFORK`, which every caller
    // sets, keeps this thread still until the child has executed or ended.
    unsafe { enter(libc::SYS_clone, registers, prepared, stack.report()) }
}

/// Makes the system call `number` with `registers`; the child that it makes runs the stub.
///
/// # Safety
/// `number` is `clone` or `clone3` with `CLONE_VFORK`, and a stack that is mapped and unused.
unsafe fn enter(
    number: libc::c_long,
    registers: [usize; 5],
    prepared: &mut Prepared<'_>,
    report: *mut Report,
) -> Result<i32, Errno> {
    prepared.report = report;
    let prepared: *mut Prepared<'_> = prepared;
    let result: libc::c_long;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the parent falls through with all registers as the operands say; the child, on its
    // own stack of which `rsp` is the aligned top, calls a function that does not return.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") number => result,
            in("rdi") registers[0],
            in("rsi") registers[1],
            in("rdx") registers[2],
            in("r10") registers[3],
            in("r8") registers[4],
            in("r12") prepared,
            in("r13") stub::run as *const (),
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the parent falls through with all registers as the operands say; the child, on its
    // own stack of which `sp` is the aligned top, calls a function that does not return.
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x10",
            "blr x11",
            "brk 1",
            "2:",
            inlateout("x0") registers[0] => result,
            in("x1") registers[1],
            in("x2") registers[2],
            in("x3") registers[3],
            in("x4") registers[4],
            in("x8") number,
            in("x10") prepared,
            in("x11") stub::run as *const (),
        );
    }
    i32::try_from(result).map_or(Err(Errno::RANGE), |result| {
        if result < 0 {
            Err(Errno::from_raw_os_error(-result))
        } else {
            Ok(result)
        }
    })
}

fn failed(step: &'static str) -> SpawnError {
    SpawnError {
        step,
        errno: crate::last_errno(),
    }
}
