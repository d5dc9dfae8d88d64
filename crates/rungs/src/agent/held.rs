//! A guest that was started, with what is ours of it: killed, waited for, taken away.

use std::os::fd::OwnedFd;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::report::Checked;
use stockade_sys::clock;
use stockade_sys::poll::{Ready, poll_all};
use stockade_sys::signal::Signal;
use stockade_sys::spawn::Child;

use crate::cgroup::Group;

/// How long init may take, once all has ended, to send the result and to end itself.
pub(super) const MARGIN: Duration = Duration::from_secs(10);

/// How long a killed init may take to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(30);

/// A guest that was started.
#[derive(Debug)]
pub(crate) struct Held {
    /// Its init. Killed when this is dropped, and everything with it.
    pub(super) child: Child,
    /// Our end of its control socket.
    pub(super) socket: OwnedFd,
    /// Its cgroup; removed when this is dropped, after init.
    pub(super) group: Option<Group>,
}

/// A guest that has said its last word and is still to be taken away.
#[derive(Debug)]
pub struct Remains(Held);

impl Remains {
    /// Waits until it is gone, and removes its cgroup.
    ///
    /// # Errors
    /// `Host` when something of it stays.
    pub fn bury(mut self) -> Result<Vec<Checked>, Error> {
        let mut checked = vec![self.0.bury(true)?];
        checked.extend(self.0.clear()?);
        Ok(checked)
    }
}

impl Held {
    pub(super) fn into_remains(self) -> Remains {
        Remains(self)
    }

    pub(crate) fn new(child: Child, socket: OwnedFd, group: Option<Group>) -> Self {
        Self {
            child,
            socket,
            group,
        }
    }

    pub(super) fn oom_kills(&self) -> u64 {
        self.group.as_ref().map_or(0, Group::oom_kills)
    }

    /// Removes the cgroup, if there is one.
    ///
    /// # Errors
    /// `Host` when it cannot be removed: something is in it.
    pub(super) fn clear(&mut self) -> Result<Option<Checked>, Error> {
        let Some(group) = self.group.take() else {
            return Ok(None);
        };
        group.destroy()?;
        let found = "removed, so it was empty".to_owned();
        Ok(Some(Checked {
            what: "cgroup",
            found,
        }))
    }

    /// Whether its init has ended, as far as can be told now.
    pub(super) fn has_ended(&self) -> bool {
        let ready = poll_all(&[(self.child.pidfd(), Ready::READ)], Some(Duration::ZERO));
        ready.is_ok_and(|ready| ready[0].any())
    }

    pub(super) fn kill(&self) {
        // What this cannot kill shows in `bury`.
        let _ = self.child.kill(Signal::KILL);
        if let Some(group) = &self.group {
            group.kill();
        }
    }

    /// Waits until init is gone. In a PID namespace of its own that means that everything is:
    /// the kernel lets its init be reaped last.
    pub(super) fn bury(&mut self, finished: bool) -> Result<Checked, Error> {
        let within = if finished { MARGIN } else { GONE_WITHIN };
        let mut gone = self.wait_for_end(within)?;
        if !gone && finished {
            self.kill();
            gone = self.wait_for_end(GONE_WITHIN)?;
        }
        if !gone {
            return Err(Error::new(
                ErrorKind::Host,
                format!(
                    "teardown: the guest's init, pid {}, does not end",
                    self.child.pid()
                ),
            )
            .hint(
                "a process in uninterruptible sleep (state D) is a matter for the kernel's log",
            ));
        }
        let found = match self.child.wait() {
            Ok(status) => format!("reaped, {:?}", status.exit),
            Err(errno) => format!("gone ({errno})"),
        };
        Ok(Checked {
            what: "init",
            found,
        })
    }

    fn wait_for_end(&self, within: Duration) -> Result<bool, Error> {
        let end = clock::monotonic() + within;
        loop {
            let left = end.saturating_sub(clock::monotonic());
            let ready = poll_all(&[(self.child.pidfd(), Ready::READ)], Some(left));
            let ready = ready.map_err(|errno| {
                Error::new(ErrorKind::Host, "cannot wait for the guest's init")
                    .because(std::io::Error::from(errno))
            })?;
            if ready[0].any() {
                return Ok(true);
            }
            if left.is_zero() {
                return Ok(false);
            }
        }
    }
}
