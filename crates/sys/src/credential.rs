//! Users, groups, capabilities and the bits that keep them from coming back.
//!
//! Everything here is about the calling thread, as the kernel has it: for processes with one.

use crate::failure::Failure;
use rustix::io::Errno;
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets, Gid, Uid};

/// As many as fit the kernel's sets; it has fewer and refuses the rest.
const CAPABILITIES: libc::c_int = 64;
/// `CAP_SETPCAP`.
const SETPCAP: u64 = 1 << 8;

/// Changes real, effective and saved ids, and drops all supplementary groups.
///
/// # Errors
/// [`Failure`] names the call.
pub fn set_ids(uid: u32, gid: u32) -> Result<(), Failure> {
    let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
    rustix::thread::set_thread_groups(&[]).map_err(Failure::of("setgroups"))?;
    rustix::thread::set_thread_res_gid(gid, gid, gid).map_err(Failure::of("setresgid"))?;
    rustix::thread::set_thread_res_uid(uid, uid, uid).map_err(Failure::of("setresuid"))
}

/// [`set_ids`] that keeps the capabilities, for one who drops them next with
/// [`drop_capabilities`]: a change of uid alone would leave the bounding set full, and take away
/// what is needed to empty it.
///
/// # Errors
/// [`Failure`] names the call.
pub fn set_ids_keeping_capabilities(uid: u32, gid: u32) -> Result<(), Failure> {
    let before = rustix::thread::capabilities(None).map_err(Failure::of("capget"))?;
    rustix::thread::set_keep_capabilities(true).map_err(Failure::of("PR_SET_KEEPCAPS"))?;
    set_ids(uid, gid)?;
    rustix::thread::set_keep_capabilities(false).map_err(Failure::of("PR_SET_KEEPCAPS"))?;
    // The permitted set was kept; the effective one is empty and has to be raised again.
    rustix::thread::set_capabilities(None, before).map_err(Failure::of("capset"))
}

/// Whether the real, effective and saved ids are these and no group is left.
///
/// # Errors
/// Those of `getgroups(2)`.
pub fn has_ids(uid: u32, gid: u32) -> rustix::io::Result<bool> {
    let groups = rustix::process::getgroups()?;
    Ok(rustix::process::getuid().as_raw() == uid
        && rustix::process::geteuid().as_raw() == uid
        && rustix::process::getgid().as_raw() == gid
        && rustix::process::getegid().as_raw() == gid
        && groups.is_empty())
}

/// Whether the bounding set could be emptied as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// All sets are empty.
    All,
    /// The bounding set is not, because `CAP_SETPCAP` was gone before.
    AllButBounding,
}

/// Empties all capability sets for good: bounding, ambient, inheritable, permitted, effective; and
/// locks the bits that would give them back to uid 0.
///
/// # Errors
/// [`Failure`] names the call.
pub fn drop_capabilities() -> Result<Dropped, Failure> {
    let before = rustix::thread::capabilities(None).map_err(Failure::of("capget"))?;
    let privileged = before.effective.bits() & SETPCAP != 0;
    if privileged {
        empty_bounding()?;
        let locked = CapabilitiesSecureBits::NO_ROOT
            | CapabilitiesSecureBits::NO_ROOT_LOCKED
            | CapabilitiesSecureBits::NO_SETUID_FIXUP
            | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
            | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
            | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
            | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
        rustix::thread::set_capabilities_secure_bits(locked)
            .map_err(Failure::of("PR_SET_SECUREBITS"))?;
    }
    rustix::thread::clear_ambient_capability_set()
        .map_err(Failure::of("PR_CAP_AMBIENT_CLEAR_ALL"))?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none).map_err(Failure::of("capset"))?;
    Ok(if bounding_is_empty() {
        Dropped::All
    } else {
        Dropped::AllButBounding
    })
}

/// Whether the effective, permitted and inheritable sets are empty.
///
/// # Errors
/// Those of `capget(2)`.
pub fn has_no_capability() -> rustix::io::Result<bool> {
    let sets = rustix::thread::capabilities(None)?;
    Ok((sets.effective | sets.permitted | sets.inheritable).is_empty())
}

/// Whether none is left in the bounding set.
fn bounding_is_empty() -> bool {
    (0..CAPABILITIES).all(|capability| {
        // SAFETY: asks with an integer; one that the kernel does not know is an error.
        unsafe { libc::prctl(libc::PR_CAPBSET_READ, capability, 0, 0, 0) != 1 }
    })
}

fn empty_bounding() -> Result<(), Failure> {
    for capability in 0..CAPABILITIES {
        // SAFETY: takes a capability from this thread's bounding set; no memory is involved.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } == 0 {
            continue;
        }
        return match crate::last_errno() {
            // The first that this kernel does not know.
            Errno::INVAL => Ok(()),
            errno => Err(Failure {
                call: "PR_CAPBSET_DROP",
                errno,
            }),
        };
    }
    Ok(())
}

/// No exec gives this process or its children a privilege again.
///
/// # Errors
/// Those of `prctl(PR_SET_NO_NEW_PRIVS)`.
pub fn set_no_new_privileges() -> rustix::io::Result<()> {
    rustix::thread::set_no_new_privs(true)
}

/// Whether that is so.
///
/// # Errors
/// Those of `prctl(PR_GET_NO_NEW_PRIVS)`.
pub fn has_no_new_privileges() -> rustix::io::Result<bool> {
    rustix::thread::no_new_privs()
}
