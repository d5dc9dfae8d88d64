//! What the kernel and Python alone take on this machine, with nothing of Stockade: no run that
//! does what is promised can take less.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::contender::{Contender, Kind};
use super::fork::Server;
use super::job::Job;
use super::report::{Report, rounded};
use super::sample::{count, milliseconds, ratio};
use crate::scratch::Scratch;

/// How long each floor is measured.
const SECONDS: f64 = 0.3;

/// For the kernel's workers, which take namespaces apart after their last process; that they are
/// done is no event.
const AFTER: Duration = Duration::from_millis(150);

/// A tick of `/proc/stat`, µs: `USER_HZ` is 100 on every architecture of ours.
const TICK_US: u64 = 10_000;

/// Does one of [`KINDS`] again and again. A clone is the system call itself, so that the copy is in
/// the new namespaces, as PID 1.
const LOOP: &str = r#"
import ctypes, gc, importlib, json, mmap, os, resource, signal, struct, sys, time
kind, seconds, work = sys.argv[1], float(sys.argv[2]), sys.argv[3]
for name in sys.argv[4:]:
    importlib.import_module(name)
os.chdir(work)
out = "out-%d.json" % os.getpid()
sys.argv = ["job.py", out]
NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000 | 0x02000000
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
syscall = ctypes.CDLL(None).syscall
flags = NAMESPACES if "namespaces" in kind else 0

shared = mmap.mmap(-1, 16)

def job():
    with open("job.py", "rb") as file:
        source = file.read()
    exec(compile(source, "job.py", "exec"), {"__name__": "__main__"})

def copy():
    pid = syscall(CLONE, flags | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        code = 1
        try:
            if "job" in kind:
                timed()
            code = 0
        finally:
            os._exit(code)
    if pid < 0 or os.waitpid(pid, 0)[1]:
        raise SystemExit("a copy failed")

def timed():
    had = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    began = time.monotonic()
    job()
    took = time.monotonic() - began
    had = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - had
    shared[:] = struct.pack("dq", took, had)

step = timed if kind == "again" else copy
if "prepared" in kind:
    for _ in range(20):
        job()
gc.collect()
gc.freeze()
for _ in range(20):
    step()
print("ready", flush=True)
sys.stdin.readline()
def faults():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
before, jobs = faults(), []
end = time.monotonic() + seconds
while time.monotonic() < end:
    step()
    jobs.append(struct.unpack("dq", shared[:]))
jobs.sort()
took, had = jobs[len(jobs) // 2]
print(json.dumps({
    "cycles": len(jobs), "faults": (faults() - before) // len(jobs),
    "job_us": int(took * 1e6), "job_faults": had,
}), flush=True)
"#;

/// What is done, and what it is called.
const KINDS: [(&str, &str); 4] = [
    ("fork", "an interpreter is forked, and the copy exits"),
    (
        "namespaces",
        "the same into new namespaces, which are destroyed",
    ),
    ("fork+job", "a fork that runs the job"),
    (
        "namespaces+job",
        "a fork into new namespaces that runs the job",
    ),
];

/// The least that throughput takes: CPU time of all processors, the kernel's workers included, for
/// each cycle, with as many at a time as there are processors.
pub(crate) fn throughput(python: &Path, job: &Job, report: &mut Report) -> Result<(), String> {
    if !rustix::process::geteuid().is_root() {
        report.skip(
            "floors",
            "to make namespaces without a user namespace takes root",
        );
        return Ok(());
    }
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    println!("\nfloors of throughput, {cpus} at a time: CPU time of all processors for each");
    let mut floors = json!({"at_a_time": cpus});
    let mut bound = None;
    for (kind, text) in KINDS {
        let cycle = measured(python, job, kind, cpus)?;
        println!(
            "  {:>6.3} ms  {:>4} page faults  {text}",
            milliseconds(cycle.cpu_us),
            cycle.faults
        );
        floors[kind] = json!({"cpu_us": cycle.cpu_us, "page_faults": cycle.faults});
        let processors = count(u64::try_from(cpus).unwrap_or(1));
        bound = Some(processors * 1e6 / count(cycle.cpu_us.max(1)));
    }
    // Of the last, which does all that a run must.
    let bound = bound.unwrap_or(f64::NAN);
    println!("  no more than {bound:.0} runs/s, were there nothing else to do for one");
    floors["runs_per_s_max"] = json!(rounded(bound));
    report.put("floors", "throughput", floors);
    Ok(())
}

/// The CPU time that a run took while throughput was measured, beside its floor.
pub(crate) fn beside(cpu_us_per_run: Option<u64>, report: &mut Report) {
    let (Some(used_us), Some(rate)) = (cpu_us_per_run, report.number("throughput", "runs_per_s"))
    else {
        return;
    };
    println!(
        "  a run took {:.3} ms of CPU time, at {rate:.0} runs/s",
        milliseconds(used_us)
    );
    report.put("floors", "measured_cpu_us_per_run", json!(used_us));
}

/// How the job is run for the floors of an answer, and what that is called.
const RUNS: [(&str, &str); 3] = [
    ("again", "run again by one interpreter: Python's work alone"),
    (
        "prepared+fork+job",
        "run by a copy of one that has run it: and a copy's page faults",
    ),
    (
        "fork+job",
        "run by a copy of one that has not: and what is done once",
    ),
];

/// The least that an answer takes: the job alone, with no boundary, no start and no end.
pub(crate) fn answer(
    name: &str,
    job: &Job,
    contenders: &[Contender],
    modules: &[&str],
    report: &mut Report,
) -> Result<(), String> {
    let Some(python) = contenders.iter().find(|one| one.kind == Kind::Python) else {
        report.skip(&format!("floor of {name}"), "it takes `--against python`");
        return Ok(());
    };
    let scratch = Scratch::under(&std::env::temp_dir())?;
    write_job(&scratch, job)?;
    let bwrap_us = report.p50(&format!("{name}_us"), "bwrap");
    println!("  floors of an answer, medians, and how many times as long `bwrap` takes");
    let mut floors = json!({});
    for (kind, text) in RUNS {
        let mut process = Looping::start(python.python(), scratch.path(), kind, modules)?;
        process.begin()?;
        let Said {
            job_us, job_faults, ..
        } = process.said()?;
        process.finish()?;
        let times = ratio(bwrap_us, Some(job_us));
        let shown = times.map_or_else(|| "-".to_owned(), |times| format!("{times:.0} x"));
        println!(
            "  {:>7.3} ms {shown:>6} {job_faults:>5} page faults  {text}",
            milliseconds(job_us)
        );
        floors[kind] = json!({
            "us": job_us, "page_faults": job_faults, "bwrap_over_it": times.map(rounded),
        });
    }
    report.put("floors", name, floors);
    Ok(())
}

/// One pass of a loop.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    cpu_us: u64,
    faults: u64,
}

fn measured(python: &Path, job: &Job, kind: &str, at_a_time: usize) -> Result<Cycle, String> {
    let scratch = Scratch::under(&std::env::temp_dir())?;
    write_job(&scratch, job)?;
    let mut loops = (0..at_a_time)
        .map(|_| Looping::start(python, scratch.path(), kind, &[]))
        .collect::<Result<Vec<_>, _>>()?;
    // What their first copies left is not counted.
    std::thread::sleep(AFTER);
    let before = busy_us()?;
    for one in &mut loops {
        one.begin()?;
    }
    let (mut cycles, mut faults) = (0, 0);
    for one in &mut loops {
        let said = one.said()?;
        cycles += said.cycles;
        faults = said.faults;
    }
    std::thread::sleep(AFTER);
    let used = busy_us()?.saturating_sub(before);
    loops.into_iter().try_for_each(Looping::finish)?;
    Ok(Cycle {
        cpu_us: used / cycles.max(1),
        faults,
    })
}

fn write_job(scratch: &Scratch, job: &Job) -> Result<(), String> {
    let path = scratch.path().join("job.py");
    std::fs::write(&path, job.source).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
}

/// CPU time that all processors have spent on anything, µs.
pub(crate) fn busy_us() -> Result<u64, String> {
    let stat = std::fs::read_to_string("/proc/stat")
        .map_err(|e| format!("cannot read `/proc/stat`: {e}"))?;
    busy(&stat).ok_or_else(|| "`/proc/stat` is not as it should be".to_owned())
}

/// User, nice, system, irq and softirq of the first line; neither idle nor stolen.
fn busy(stat: &str) -> Option<u64> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let of = |at: usize| ticks.get(at).copied();
    Some((of(0)? + of(1)? + of(2)? + of(5)? + of(6)?) * TICK_US)
}

/// What a loop says at its end.
#[derive(Debug)]
struct Said {
    cycles: u64,
    /// Of a whole copy, from its making to its end.
    faults: u64,
    /// Of the job alone.
    job_us: u64,
    job_faults: u64,
}

/// A process in [`LOOP`].
#[derive(Debug)]
struct Looping(Server);

impl Looping {
    /// Starts it, and waits until it is to begin.
    fn start(python: &Path, work: &Path, kind: &str, modules: &[&str]) -> Result<Self, String> {
        let seconds = SECONDS.to_string();
        let mut arguments: Vec<&OsStr> = vec![kind.as_ref(), seconds.as_ref(), work.as_ref()];
        arguments.extend(modules.iter().map(OsStr::new));
        let mut server = Server::start(python, LOOP, &arguments)?;
        match server.line()?.as_str() {
            "ready" => Ok(Self(server)),
            other => Err(format!("the loop `{kind}` says `{other}`")),
        }
    }

    fn begin(&mut self) -> Result<(), String> {
        self.0.say("")
    }

    fn said(&mut self) -> Result<Said, String> {
        let line = self.0.line()?;
        let said: Value =
            serde_json::from_str(&line).map_err(|e| format!("a loop says `{line}`: {e}"))?;
        let number = |name: &str| {
            said[name]
                .as_u64()
                .ok_or(format!("a loop says no `{name}`"))
        };
        Ok(Said {
            cycles: number("cycles")?,
            faults: number("faults")?,
            job_us: number("job_us")?,
            job_faults: number("job_faults")?,
        })
    }

    fn finish(mut self) -> Result<(), String> {
        match self.0.child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("a loop ended with {status}")),
            Err(e) => Err(format!("cannot wait for a loop: {e}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_nobody_used_is_not_counted() {
        let stat = "cpu  1 2 4 1000 1000 8 16 1000 0 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n";
        assert_eq!(busy(stat), Some(31 * TICK_US));
        assert_eq!(busy("intr 1 2 3"), None);
        assert_eq!(busy("cpu  1 2"), None);
    }

    #[test]
    fn a_loop_that_runs_the_job_counts_its_page_faults_and_a_job_that_fails_ends_it() {
        let scratch = Scratch::under(&std::env::temp_dir()).unwrap();
        let mut job = Job::empty().unwrap();
        write_job(&scratch, &job).unwrap();
        let python = Path::new("/usr/bin/python3");
        let mut one = Looping::start(python, scratch.path(), "fork+job", &[]).unwrap();
        one.begin().unwrap();
        let said = one.said().unwrap();
        assert!(said.cycles > 0 && said.faults > said.job_faults, "{said:?}");
        assert!(said.job_us > 0 && said.job_faults > 0, "{said:?}");
        one.finish().unwrap();
        job.source = "raise SystemExit(3)";
        write_job(&scratch, &job).unwrap();
        assert!(Looping::start(python, scratch.path(), "fork+job", &[]).is_err());
    }
}
