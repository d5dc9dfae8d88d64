//! A thousand runs in a row and two hundred at sixteen at a time leave nothing behind.

use super::Report;
use super::census::Census;
use crate::scratch::Scratch;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const IN_A_ROW: u32 = 1000;
const AT_ONCE: u32 = 16;
const CONCURRENT: u32 = 200;
/// Others on this machine make and remove things too: what is still there after this is left.
const SETTLE: Duration = Duration::from_secs(10);

/// Runs them and compares what exists; fails if a run fails or anything is left.
pub(super) fn measure(stockade: &Path, report: &mut Report) -> Result<(), String> {
    // A process that outlives its `stockade` becomes this one's child, so that it is seen.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|e| format!("cannot become the parent of orphans: {e}"))?;
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let job = scratch.path().join("empty.py");
    std::fs::write(&job, "").map_err(|e| format!("cannot write `{}`: {e}", job.display()))?;
    // What the first run makes for good (the template, the cgroup above all runs) is no leftover.
    once(stockade, &job)?;
    for (title, runs, at_once) in [
        ("in a row", IN_A_ROW, 1),
        ("sixteen at a time", CONCURRENT, AT_ONCE),
    ] {
        let before = Census::now()?;
        let begun = Instant::now();
        many(stockade, &job, runs, at_once)?;
        let took = begun.elapsed().as_secs_f64();
        let (after, left) = settled(&before)?;
        println!(
            "{runs} runs {title} in {took:.1} s, {:.1} ms each",
            took * 1e3 / f64::from(runs)
        );
        for (kind, many) in [
            ("process", "processes"),
            ("mount", "mounts"),
            ("cgroup", "cgroups"),
            ("descriptor", "descriptors"),
            ("entry", "directory entries"),
        ] {
            println!(
                "  {many}: {} before, {} after",
                before.of(kind).count(),
                after.of(kind).count()
            );
        }
        report.number(&format!("runs_{at_once}_at_a_time_s"), took);
        if !left.is_empty() {
            return Err(format!(
                "{runs} runs {title} left:\n  {}",
                left.join("\n  ")
            ));
        }
    }
    Ok(())
}

/// Looks again while something seems to be left, for as long as [`SETTLE`].
fn settled(before: &Census) -> Result<(Census, Vec<String>), String> {
    let begun = Instant::now();
    loop {
        let after = Census::now()?;
        let left = after.since(before);
        if left.is_empty() || begun.elapsed() > SETTLE {
            return Ok((after, left));
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn many(stockade: &Path, job: &Path, runs: u32, at_once: u32) -> Result<(), String> {
    let next = AtomicU32::new(0);
    let worker = || -> Result<(), String> {
        while next.fetch_add(1, Ordering::Relaxed) < runs {
            once(stockade, job)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            worker
                .join()
                .map_err(|_| "a worker of the benchmark died".to_owned())??;
        }
        Ok(())
    })
}

fn once(stockade: &Path, job: &Path) -> Result<(), String> {
    let output = Command::new(stockade)
        .args(["run", "--no-value"])
        .arg(job)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|e| format!("cannot start `{}`: {e}", stockade.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "`stockade run` of an empty job ended with {}: {said}",
        output.status
    ))
}
