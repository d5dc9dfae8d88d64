//! Uids and gids on the host that belong to one run at a time.

use std::sync::{Mutex, PoisonError};

use stockade_core::error::{Error, ErrorKind};

/// First uid used. Above what `/etc/subuid` ranges, systemd and NFS use, below 2^31: the largest,
/// `FIRST + pid_max * SLOTS`, is.
const FIRST: u32 = 1 << 30;

/// Runs that one process can have at once.
const SLOTS: u32 = 256;

/// Of these, how many may be held for runs that are yet to come: the others are for those that are
/// there.
pub(crate) const AHEAD_MAX: usize = SLOTS as usize / 2;

/// Which are in use; one table for all engines of this process.
static TAKEN: Mutex<[bool; SLOTS as usize]> = Mutex::new([false; SLOTS as usize]);

/// Uids for the runs of this process: no other process has them, because no other process has its
/// pid.
#[derive(Clone, Debug)]
pub(crate) struct Identities {
    first: u32,
}

/// One uid, given back when dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    uid: u32,
    slot: usize,
}

impl Identities {
    pub(crate) fn of_this_process() -> Self {
        // The kernel's largest pid is 2^22.
        let pid = u32::try_from(stockade_sys::process::pid()).unwrap_or(0) & ((1 << 22) - 1);
        Self {
            first: FIRST + pid * SLOTS,
        }
    }

    /// The first, and how many.
    pub(crate) fn range(&self) -> (u32, u32) {
        (self.first, SLOTS)
    }

    pub(crate) fn lease(&self) -> Result<Lease, Error> {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(slot) = taken.iter().position(|taken| !taken) else {
            return Err(Error::new(
                ErrorKind::Busy,
                format!("all {SLOTS} identities for runs of this process are in use"),
            )
            .hint("try again when a run has ended"));
        };
        taken[slot] = true;
        let uid = self.first + u32::try_from(slot).unwrap_or(0);
        Ok(Lease { uid, slot })
    }
}

impl Lease {
    pub(crate) fn uid(&self) -> u32 {
        self.uid
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        TAKEN.lock().unwrap_or_else(PoisonError::into_inner)[self.slot] = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_have_one_uid_at_once() {
        let identities = Identities::of_this_process();
        let leases: Vec<_> = (0..SLOTS).map(|_| identities.lease().unwrap()).collect();
        let uids: std::collections::BTreeSet<_> = leases.iter().map(Lease::uid).collect();
        assert_eq!(uids.len(), SLOTS as usize);
        assert_eq!(identities.lease().unwrap_err().kind(), ErrorKind::Busy);
        drop(leases);
        assert!(identities.lease().is_ok());
    }

    #[test]
    fn the_largest_uid_is_below_the_kernels_signed_range() {
        let largest = u64::from(FIRST) + u64::from((1_u32 << 22) - 1) * 256 + 255;
        assert!(largest < 1 << 31);
    }
}
