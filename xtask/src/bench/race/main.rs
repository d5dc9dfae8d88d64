//! Warm runs raced against what others do: the release program that `cargo xtask bench warm`
//! starts with what it has found on this machine.
#![forbid(unsafe_code)]

#[path = "../census.rs"]
mod census;
mod chart;
mod contender;
mod floor;
mod fork;
mod job;
mod latency;
mod load;
mod report;
mod sample;
#[path = "../../scratch.rs"]
mod scratch;
mod stable;
mod wish;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use chart::Panel;
use contender::{Contender, Kind};
use job::Job;
use latency::Extent;
use report::{Bar, Report, rounded};
use sample::{Sample, count, milliseconds};
use stable::Stable;
use wish::Wish;

/// Children that wait while one at a time arrives.
const DEPTH: usize = 4;
const BACK_TO_BACK: usize = 500;
/// Times that memory is asked for; the median counts.
const WEIGHINGS: usize = 5;

const P50_MS_MAX: f64 = 1.5;
const P99_MS_MAX: f64 = 4.0;
const PANDAS_P50_MS_MAX: f64 = 5.0;
const TIMES_BWRAP_PYTHON_MIN: f64 = 8.0;
const TIMES_BWRAP_PANDAS_MIN: f64 = 80.0;
const BARE_MIB_MAX: f64 = 2.0;
const PANDAS_MIB_MAX: f64 = 6.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match Wish::parse(&arguments).and_then(|wish| measure(&wish)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn measure(wish: &Wish) -> Result<(), String> {
    let mut report = Report::default();
    report.set("bench", json!("warm"));
    report.set("commit", json!(wish.commit));
    report.set("date", json!(wish.date));
    report.set("machine", machine());
    for (name, why) in &wish.missing {
        report.skip(name, why);
    }
    let mut panels = vec![empty(wish, &mut report)?];
    panels.extend(pandas(wish, &mut report)?);
    let job = Job::empty()?;
    load::storm(&job, wish.runs, &mut report)?;
    let json = report.into_json();
    if let Some(path) = &wish.json {
        write(path, &format!("{json:#}\n"))?;
    }
    if let Some(path) = &wish.svg {
        let note = format!(
            "medians from the submission's bytes to a checked value; {} at {:.9}",
            wish.date, wish.commit
        );
        write(path, &chart::draw(&panels, &note))?;
    }
    Ok(())
}

/// The empty job: one at a time, without a pause, as many as go through, and its memory.
fn empty(wish: &Wish, report: &mut Report) -> Result<Panel, String> {
    let job = Job::empty()?;
    let contenders = ready(wish, &job, None, report);
    let stable = Stable::new(&job, DEPTH)?;
    let extent = Extent {
        rounds: wish.rounds,
        runs: 10,
        budget: wish.budget(Duration::from_secs(8)),
    };
    let ours = latency::race("empty", &job, &stable, &contenders, extent, report)?;
    bars(report, &ours);
    floor::answer("empty", &job, &contenders, &[], report)?;
    let pressed = latency::back_to_back(&stable, BACK_TO_BACK)?;
    println!(
        "\nempty, the next arrival comes with the answer: the making of children is waited for"
    );
    println!("{}", pressed.line("stockade"));
    report.set("empty_back_to_back_us", pressed.json());
    weigh(report, &stable, "bare", &job.weighed(), Some(BARE_MIB_MAX))?;
    drop(stable);
    floor::throughput(Path::new(contender::PYTHON), &job, report)?;
    let stable = Stable::new(&job, load::DEPTH)?;
    load::throughput(&stable, wish.seconds, report)?;
    Ok(panel("An empty job", report, "empty_us"))
}

fn bars(report: &mut Report, ours: &Sample) {
    let ms = |us: Option<u64>| us.map(milliseconds);
    report.bar("empty_p50", ms(ours.p50()), Bar::AtMost(P50_MS_MAX), " ms");
    report.bar("empty_p99", ms(ours.p99()), Bar::AtMost(P99_MS_MAX), " ms");
    let ratio = report.number("ratios", "bwrap_python");
    let bar = Bar::AtLeast(TIMES_BWRAP_PYTHON_MIN);
    report.bar("bwrap_python", ratio, bar, " x");
}

/// The job with numpy and pandas, where its template is built.
fn pandas(wish: &Wish, report: &mut Report) -> Result<Option<Panel>, String> {
    let job = Job::pandas()?;
    if wish.build {
        stable::build(job.template())?;
    }
    let packages = match stable::packages(&job) {
        Ok(packages) => packages,
        Err(why) => {
            report.skip("pandas", &format!("{why}; `--build` builds it"));
            return Ok(None);
        }
    };
    let contenders = ready(wish, &job, Some(&packages), report);
    let stable = Stable::new(&job, DEPTH)?;
    let extent = Extent {
        rounds: wish.rounds.div_ceil(4),
        runs: 10,
        budget: wish.budget(Duration::from_secs(8)),
    };
    let ours = latency::race("pandas", &job, &stable, &contenders, extent, report)?;
    let p50 = ours.p50().map(milliseconds);
    report.bar("pandas_p50", p50, Bar::AtMost(PANDAS_P50_MS_MAX), " ms");
    let ratio = report.number("ratios", "bwrap_pandas");
    let bar = Bar::AtLeast(TIMES_BWRAP_PANDAS_MIN);
    report.bar("bwrap_pandas", ratio, bar, " x");
    floor::answer("pandas", &job, &contenders, &fork::PACKAGES, report)?;
    weigh(
        report,
        &stable,
        "pandas_imported",
        &job::only_imported(),
        Some(PANDAS_MIB_MAX),
    )?;
    weigh(report, &stable, "pandas_used", &job.weighed(), None)?;
    Ok(Some(panel(
        "A job that uses numpy and pandas",
        report,
        "pandas_us",
    )))
}

/// Those who can run the job at all; the others are skipped with their reason.
fn ready(wish: &Wish, job: &Job, packages: Option<&Path>, report: &mut Report) -> Vec<Contender> {
    let mut ready = Vec::new();
    for (kind, program) in &wish.contenders {
        let tried = Contender::new(*kind, program, packages)
            .and_then(|contender| contender.once(job).map(|_| contender));
        match tried {
            Ok(contender) => ready.push(contender),
            Err(why) => report.skip(&format!("{} ({})", kind.name(), job.template()), &why),
        }
    }
    ready
}

/// The memory that is a child's own at the end of its run, as it reads it itself.
fn weigh(
    report: &mut Report,
    stable: &Stable,
    name: &str,
    submission: &stockade::Submission,
    most: Option<f64>,
) -> Result<(), String> {
    let mut weights = Vec::new();
    for _ in 0..WEIGHINGS {
        weights.push(stable.number(submission)?);
    }
    weights.sort_unstable();
    let mib = weights.get(WEIGHINGS / 2).map(|kib| count(*kib) / 1024.0);
    report.put("private_mib", name, json!(mib.map(rounded)));
    match most {
        Some(most) => report.bar(&format!("private_{name}"), mib, Bar::AtMost(most), " MiB"),
        None => println!("  private_{name} {:.2} MiB", mib.unwrap_or(f64::NAN)),
    }
    Ok(())
}

fn panel(title: &str, report: &Report, group: &str) -> Panel {
    let names = std::iter::once("stockade").chain(Kind::ALL.map(Kind::name));
    let bars = names.filter_map(|name| {
        let label = match name {
            "stockade" => "stockade, warm",
            "python" => "bare python",
            "fork" => "waiting fork",
            other => other,
        };
        Some((label.to_owned(), report.p50(group, name)?))
    });
    Panel {
        title: title.to_owned(),
        bars: bars.collect(),
    }
}

fn machine() -> Value {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let processor = read("/proc/cpuinfo");
    let model = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    json!({
        "cpus": std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        "model": model,
        "kernel": read("/proc/sys/kernel/osrelease").trim(),
    })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
}
