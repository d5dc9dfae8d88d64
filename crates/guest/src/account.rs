//! What `/proc` says about the processes in the guest.

use std::fs;
use std::io;

/// `USER_HZ`, the unit of times in `/proc/PID/stat`, is 100 on every architecture that we run on.
const TICK_US: u64 = 10_000;

/// One process that is alive, or dead and not yet waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its id.
    pub(crate) pid: i32,
    /// Its parent's.
    pub(crate) parent: i32,
    /// CPU time of it and of the children that it has waited for, µs.
    pub(crate) cpu_us: u64,
}

/// All processes that `/proc` shows.
pub(crate) fn processes() -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for directory in fs::read_dir("/proc")? {
        let name = directory?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        match fs::read(format!("/proc/{pid}/stat")) {
            Ok(stat) => entries.extend(parse(pid, &stat)),
            // It ended meanwhile: `ENOENT` at the open, `ESRCH` at the read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.raw_os_error() == Some(ESRCH) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

const ESRCH: i32 = stockade_sys::Errno::SRCH.raw_os_error();

/// Those of `entries` that descend from `ancestor`, itself not included.
pub(crate) fn descendants(entries: &[Entry], ancestor: i32) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut parents = vec![ancestor];
    while let Some(parent) = parents.pop() {
        for entry in entries.iter().filter(|entry| entry.parent == parent) {
            if entry.pid != ancestor && !found.iter().any(|known| known.pid == entry.pid) {
                found.push(*entry);
                parents.push(entry.pid);
            }
        }
    }
    found
}

/// Reads `/proc/PID/stat`. The name in it is the process's own choice, spaces and `)` included.
fn parse(pid: i32, stat: &[u8]) -> Option<Entry> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let text = std::str::from_utf8(&stat[end + 1..]).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let ticks: u64 = fields
        .skip(9)
        .take(4)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Some(Entry {
        pid,
        parent,
        cpu_us: ticks * TICK_US,
    })
}

/// Largest resident size of this process since its exec, KiB.
pub(crate) fn resident_peak_kib() -> Option<u64> {
    // `ru_maxrss` would count what the supervisor's memory was before the exec.
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_made_to_look_like_fields_is_not_read_as_fields() {
        let stat = b"7 (x) R 1 1) S 3 7 7 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 5 6 7";
        let expected = Entry {
            pid: 7,
            parent: 3,
            cpu_us: 100 * TICK_US,
        };
        assert_eq!(parse(7, stat), Some(expected));
        assert_eq!(parse(7, b"7 (x"), None);
    }

    #[test]
    fn this_process_is_among_the_processes_and_has_used_time() {
        let pid = stockade_sys::process::pid();
        let entries = processes().unwrap();
        assert!(entries.iter().any(|entry| entry.pid == pid));
    }

    #[test]
    fn grandchildren_descend_and_siblings_do_not() {
        let entry = |pid, parent| Entry {
            pid,
            parent,
            cpu_us: 0,
        };
        let entries = [
            entry(1, 0),
            entry(4, 3),
            entry(2, 1),
            entry(3, 2),
            entry(9, 1),
        ];
        let found: Vec<_> = descendants(&entries, 2)
            .iter()
            .map(|entry| entry.pid)
            .collect();
        assert_eq!(found, [3, 4]);
    }
}
