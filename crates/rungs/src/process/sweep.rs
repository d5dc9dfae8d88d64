//! Ends what a run without a PID namespace may have left: everything that bears its uid.

use std::fs;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};

/// How often new processes may have appeared while the others were killed. Each look finds all
/// that there are, and what is being killed forks no more.
const ROUNDS_MAX: usize = 64;

/// How long a killed process may take to end.
const WITHIN: Duration = Duration::from_secs(5);

/// Kills all processes of `uid`, which is one run's alone, and waits for their ends.
///
/// # Errors
/// `Host` when some are still there.
pub(super) fn sweep(uid: u32) -> Result<String, Error> {
    let mut killed = 0;
    for _ in 0..ROUNDS_MAX {
        let found = processes(uid)?;
        if found.is_empty() {
            return Ok(match killed {
                0 => "none left".to_owned(),
                killed => format!("{killed} killed, none left"),
            });
        }
        for pid in found {
            // One that does not end shows in the next look.
            let _ = stockade_sys::pidfd::kill_and_wait(pid, |pid| bears(pid, uid), WITHIN);
            killed += 1;
        }
    }
    Err(Error::new(
        ErrorKind::Host,
        format!("teardown: processes of uid {uid} do not end"),
    )
    .hint(format!(
        "`pkill -KILL -u {uid}` as root, and look for state D in `ps -u {uid}`"
    )))
}

fn processes(uid: u32) -> Result<Vec<i32>, Error> {
    let entries = fs::read_dir("/proc")
        .map_err(|error| Error::new(ErrorKind::Host, "cannot read /proc").because(error))?;
    Ok(entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| bears(*pid, uid))
        .collect())
}

/// Whether the process is alive and has the uid as its real one.
fn bears(pid: i32, uid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()
    };
    field("State:").is_some_and(|state| state != "Z")
        && field("Uid:").is_some_and(|real| real.parse() == Ok(uid))
}
