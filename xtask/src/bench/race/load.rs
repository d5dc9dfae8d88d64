//! Many runs: as many as go through in some seconds, and many at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::census::{self, Census};
use super::floor;
use super::job::Job;
use super::report::{Bar, Report, rounded};
use super::sample::{Sample, count, ratio};
use super::stable::Stable;

/// Callers of the run for throughput: while one's answer is on its way, another's child is made.
const CALLERS: u64 = 4;
/// Children that wait for them.
pub(crate) const DEPTH: usize = 8;
const AT_ONCE: u64 = 64;
/// Others on this machine make and remove things too: what is still there after this is left.
const SETTLE: Duration = Duration::from_secs(10);
/// Things of which there may not be more.
const THINGS: [&str; 4] = ["process", "mount", "cgroup", "descriptor"];

/// Before the count of throughput begins.
const WARM_UP: Duration = Duration::from_secs(1);
/// Lines that are shown of what went wrong; more say nothing new.
const SAID_MAX: usize = 5;

const RATE_MIN: f64 = 500.0;
const TAIL_MAX: f64 = 10.0;

/// What `callers` did together.
#[derive(Debug, Default)]
struct Done {
    sample: Sample,
    failures: Vec<String>,
    took: Duration,
}

/// Lets `callers` run, each until `go_on` says no.
fn drive(stable: &Stable, callers: u64, go_on: impl Fn() -> bool + Sync) -> Result<Done, String> {
    let done = Mutex::new(Done::default());
    let begun = Instant::now();
    let caller = || {
        let (mut sample, mut failures) = (Sample::default(), Vec::new());
        while go_on() {
            match stable.once() {
                Ok((took, _)) => sample.add(took),
                Err(why) => failures.push(why),
            }
        }
        match done.lock() {
            Ok(mut done) => {
                done.sample.extend(sample);
                done.failures.extend(failures);
                Ok(())
            }
            Err(_) => Err("another caller of the benchmark died"),
        }
    };
    thread::scope(|scope| {
        let callers: Vec<_> = (0..callers).map(|_| scope.spawn(caller)).collect();
        callers.into_iter().try_for_each(|caller| {
            let ended = caller.join().map_err(|_| "a caller of the benchmark died");
            ended.flatten().map_err(str::to_owned)
        })
    })?;
    let mut done = done
        .into_inner()
        .map_err(|_| "a caller of the benchmark died".to_owned())?;
    done.took = begun.elapsed();
    Ok(done)
}

/// While it lives, a process that outlives what started it becomes this one's child, so that it is
/// counted. What the others leave behind is not for us to count.
struct Adoption;

impl Adoption {
    fn begin() -> Result<Self, String> {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|e| format!("cannot become the parent of orphans: {e}"))?;
        Ok(Self)
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        // It only ever fails for arguments that are not these.
        let _ = rustix::process::set_child_subreaper(None);
    }
}

/// How many runs end in a second, for `seconds`, and what grows meanwhile.
pub(crate) fn throughput(stable: &Stable, seconds: u64, report: &mut Report) -> Result<(), String> {
    let _adoption = Adoption::begin()?;
    // What the first runs make for good is no growth.
    let begun = Instant::now();
    drive(stable, CALLERS, || begun.elapsed() < WARM_UP)?;
    stable.rest()?;
    let (before, memory_before) = (Census::now()?, memory_kib()?);
    let (begun, busy_before) = (Instant::now(), floor::busy_us()?);
    let done = drive(stable, CALLERS, || {
        begun.elapsed() < Duration::from_secs(seconds)
    })?;
    stable.rest()?;
    // The last are buried: that is part of the work.
    let took = begun.elapsed();
    let busy_us = floor::busy_us()?.saturating_sub(busy_before);
    let (after, memory_after) = (Census::now()?, memory_kib()?);
    let rate = count_of(done.sample.count()) / took.as_secs_f64();
    println!("\nthroughput: {CALLERS} callers, {DEPTH} children wait, {seconds} s");
    println!("{}", done.sample.line("a run"));
    println!(
        "  runs {}, failures {}",
        done.sample.count(),
        done.failures.len()
    );
    println!("  memory of all processes: {memory_before} KiB before, {memory_after} KiB after");
    let mut grown = json!({"memory_kib": [memory_before, memory_after]});
    for thing in THINGS {
        let [before, after] = [&before, &after].map(|census| ours(census, thing));
        println!("  {thing}: {before} before, {after} after");
        grown[thing] = json!([before, after]);
    }
    report.set(
        "throughput",
        json!({
            "runs_per_s": rounded(rate), "seconds": seconds, "callers": CALLERS, "depth": DEPTH,
            "run_us": done.sample.json(), "failures": done.failures.len(),
            "before_and_after": grown,
        }),
    );
    let runs = u64::try_from(done.sample.count()).unwrap_or(u64::MAX);
    floor::beside(busy_us.checked_div(runs), report);
    report.bar("throughput", Some(rate), Bar::AtLeast(RATE_MIN), " runs/s");
    let more: usize = THINGS
        .iter()
        .map(|thing| ours(&after, thing).saturating_sub(ours(&before, thing)))
        .sum();
    report.bar(
        "more_after_throughput",
        Some(count_of(more)),
        Bar::AtMost(0.0),
        "",
    );
    say(&done.failures);
    Ok(())
}

/// `runs` runs, many at once, by an engine that ends afterwards: nothing of it may be left.
pub(crate) fn storm(job: &Job, runs: u64, report: &mut Report) -> Result<(), String> {
    let _adoption = Adoption::begin()?;
    // The cgroup above all runs and the template stay.
    Stable::new(job, 1)?.once()?;
    let before = Census::now()?;
    let stable = Stable::new(job, DEPTH)?;
    stable.rest()?;
    let started = AtomicU64::new(0);
    let done = drive(&stable, AT_ONCE, || {
        started.fetch_add(1, Ordering::Relaxed) < runs
    })?;
    stable.rest()?;
    drop(stable);
    let left = left_since(&before)?;
    println!(
        "\nstorm: {runs} runs, {AT_ONCE} at once, in {:.1} s",
        done.took.as_secs_f64()
    );
    println!("{}", done.sample.line("a run"));
    let tail = ratio(done.sample.p99(), done.sample.p50());
    report.set(
        "storm",
        json!({
            "runs": runs, "at_once": AT_ONCE, "seconds": rounded(done.took.as_secs_f64()),
            "run_us": done.sample.json(), "failures": done.failures.len(), "left": left.len(),
            "p99_over_p50": tail.map(rounded),
        }),
    );
    let failed = Some(count_of(done.failures.len()));
    report.bar("storm_failures", failed, Bar::AtMost(0.0), "");
    report.bar(
        "storm_left",
        Some(count_of(left.len())),
        Bar::AtMost(0.0),
        "",
    );
    report.bar("storm_p99_over_p50", tail, Bar::AtMost(TAIL_MAX), " x");
    say(&done.failures);
    say(&left);
    Ok(())
}

/// Looks again while something seems to be left, for as long as [`SETTLE`].
fn left_since(before: &Census) -> Result<Vec<String>, String> {
    let begun = Instant::now();
    loop {
        let mut left = Census::now()?.since(before);
        left.retain(|thing| !is_another_engines(thing));
        if left.is_empty() || begun.elapsed() > SETTLE {
            return Ok(left);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// How many things there are that may be this process's.
fn ours(census: &Census, kind: &str) -> usize {
    let things = census.of(kind);
    things.filter(|thing| !is_another_engines(thing)).count()
}

/// Whether a thing is the cgroup of a run of another process: those have its pid in their names.
fn is_another_engines(thing: &str) -> bool {
    let name = thing.rsplit('/').next().unwrap_or_default();
    let pid = name
        .strip_prefix('s')
        .and_then(|rest| rest.split('-').next());
    let pid = pid.and_then(|digits| digits.parse::<u32>().ok());
    thing.starts_with("cgroup ") && pid.is_some_and(|pid| pid != std::process::id())
}

/// The first few.
fn say(lines: &[String]) {
    for line in lines.iter().take(SAID_MAX) {
        eprintln!("  {line}");
    }
}

/// What this process and all below it hold together; a page that several hold counts once.
fn memory_kib() -> Result<u64, String> {
    let mut pids = vec![std::process::id()];
    let mut next = 0;
    while let Some(&pid) = pids.get(next) {
        pids.extend(census::children(pid));
        next += 1;
    }
    let own = proportional_kib(pids[0]).ok_or("cannot read `/proc/self/smaps_rollup`")?;
    // A process that has just ended holds nothing.
    let below = pids[1..].iter().filter_map(|pid| proportional_kib(*pid));
    Ok(own + below.sum::<u64>())
}

fn proportional_kib(pid: u32) -> Option<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

fn count_of(number: usize) -> f64 {
    count(u64::try_from(number).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgroup_of_another_process_is_not_ours_and_anything_else_may_be() {
        let own = format!(
            "cgroup /sys/fs/cgroup/pids/stockade/s{}-f0-7",
            std::process::id()
        );
        assert!(is_another_engines(
            "cgroup /sys/fs/cgroup/pids/stockade/s1-f062-4412"
        ));
        for ours in [
            &own,
            "cgroup /sys/fs/cgroup/system.slice",
            "process 7 s1-f0",
        ] {
            assert!(!is_another_engines(ours), "{ours}");
        }
    }

    #[test]
    fn memory_of_this_process_is_counted() {
        let before = memory_kib().unwrap();
        let block = std::hint::black_box(vec![1_u8; 32 << 20]);
        let with = memory_kib().unwrap();
        assert!(with > before + 16 * 1024, "{before} KiB, then {with} KiB");
        drop(block);
    }
}
