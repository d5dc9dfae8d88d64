//! The most memory that the supervisor and the guest's init ever held, while a job ran.

use super::Report;
use super::census;
use crate::scratch::Scratch;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const TOGETHER_MIB_MAX: f64 = 10.0;
/// The last reading is at most this old when the process ends.
const INTERVAL: Duration = Duration::from_millis(1);
const JOB: &str = "import stockade_guest as g, time\ntime.sleep(0.5)\ng.emit(1)\n";

/// Reads `VmHWM`, which the kernel only raises, of the command and its children until it ends.
pub(super) fn measure(stockade: &Path, report: &mut Report) -> Result<(), String> {
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let job = scratch.path().join("job.py");
    std::fs::write(&job, JOB).map_err(|e| format!("cannot write `{}`: {e}", job.display()))?;
    let mut child = Command::new(stockade)
        .arg("run")
        .arg(&job)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("cannot start `{}`: {e}", stockade.display()))?;
    let supervisor = child.id();
    let mut peaks: BTreeMap<u32, u64> = BTreeMap::new();
    let status = loop {
        for pid in std::iter::once(supervisor).chain(census::children(supervisor)) {
            if let Some(peak) = peak_kib(pid) {
                // Later readings replace earlier ones: before its exec a child has its parent's.
                peaks.insert(pid, peak);
            }
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => thread::sleep(INTERVAL),
            Err(e) => return Err(format!("cannot wait for `stockade`: {e}")),
        }
    };
    if !status.success() {
        return Err(format!(
            "`stockade run` of a sleeping job ended with {status}"
        ));
    }
    let own = peaks
        .remove(&supervisor)
        .ok_or("the supervisor's memory could not be read")?;
    // Of several children all are ours: a second helper process would count as well.
    let inits: u64 = peaks.values().sum();
    if inits == 0 {
        return Err("no child of the supervisor was seen: the guest's init is missing".to_owned());
    }
    let mib = |kib: u64| f64::from(u32::try_from(kib).unwrap_or(u32::MAX)) / 1024.0;
    println!(
        "peak memory: supervisor {:.2} MiB, init {:.2} MiB",
        mib(own),
        mib(inits)
    );
    report.number("supervisor_mib", mib(own));
    report.number("init_mib", mib(inits));
    report.bar(
        "supervisor_and_init_mib",
        mib(own + inits),
        TOGETHER_MIB_MAX,
    );
    Ok(())
}

fn peak_kib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
