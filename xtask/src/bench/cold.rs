//! From nothing to the end of an empty job: bare Python, bubblewrap, Stockade, in turn.

use super::Report;
use crate::apt;
use crate::scratch::Scratch;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs before anything is counted: files get cached, the template prepared.
const WARM_UP: u32 = 5;
/// What the issue asks of the medians.
const TIMES_PYTHON_MAX: f64 = 1.5;
const TIMES_BWRAP_MAX: f64 = 1.0;

/// A contender and its times in milliseconds.
struct Contender {
    name: &'static str,
    argv: Vec<String>,
    times: Vec<f64>,
}

impl Contender {
    fn new<'a>(name: &'static str, argv: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            name,
            argv: argv.into_iter().map(str::to_owned).collect(),
            times: Vec::new(),
        }
    }

    fn once(&self) -> Result<f64, String> {
        let (program, arguments) = self
            .argv
            .split_first()
            .ok_or("a contender has no command")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let begun = Instant::now();
        let output = command
            .output()
            .map_err(|e| format!("cannot start `{program}`: {e}"))?;
        let took = begun.elapsed();
        if output.status.success() {
            return Ok(took.as_secs_f64() * 1e3);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "`{}` ended with {}: {said}",
            self.argv.join(" "),
            output.status
        ))
    }

    /// The value below which `percent` of the times lie.
    fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * percent)
            .div_ceil(100)
            .clamp(1, sorted.len().max(1));
        sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
    }

    fn print(&self, report: &mut Report) {
        let [min, p50, p99] = [0, 50, 99].map(|percent| self.percentile(percent));
        println!(
            "{:<10} min {min:>7.2}  p50 {p50:>7.2}  p99 {p99:>7.2} ms",
            self.name
        );
        for (what, value) in [("min", min), ("p50", p50), ("p99", p99)] {
            report.number(&format!("{}_{what}_ms", self.name), value);
        }
    }
}

/// All orders of three.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
    [2, 0, 1],
    [0, 2, 1],
    [1, 2, 0],
];

/// Measures `rounds` rounds, in each of which every contender runs once, in all orders in turn.
pub(super) fn measure(stockade: &Path, rounds: u32, report: &mut Report) -> Result<(), String> {
    apt::ensure(&[apt::PYTHON, apt::BWRAP])?;
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let job = scratch.path().join("empty.py");
    std::fs::write(&job, "").map_err(|e| format!("cannot write `{}`: {e}", job.display()))?;
    let (job, stockade) = (job.to_string_lossy(), stockade.to_string_lossy());
    let python = [apt::PYTHON.program, "-I", "-c", "pass"];
    let mut bwrap: Vec<&str> =
        "bwrap --unshare-all --die-with-parent --clearenv --ro-bind /usr /usr \
        --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc \
        --dev /dev --tmpfs /tmp"
            .split_whitespace()
            .collect();
    bwrap.extend(python);
    let mut contenders = [
        Contender::new("python", python),
        Contender::new("bwrap", bwrap),
        Contender::new("stockade", [&*stockade, "run", "--no-value", &*job]),
    ];
    for round in 0..WARM_UP + rounds {
        // Whoever runs after one that left namespaces behind shares the machine with the kernel's
        // removal of them: each runs as often after each other.
        let order = ORDERS[usize::try_from(round).unwrap_or_default() % ORDERS.len()];
        for index in order {
            let took = contenders[index].once()?;
            if round >= WARM_UP {
                contenders[index].times.push(took);
            }
        }
    }
    println!("an empty job, cold, {rounds} rounds:");
    for contender in &contenders {
        contender.print(report);
    }
    let [python, bwrap, stockade] = contenders.each_ref().map(|one| one.percentile(50));
    report.bar("stockade_over_python", stockade / python, TIMES_PYTHON_MAX);
    report.bar("stockade_over_bwrap", stockade / bwrap, TIMES_BWRAP_MAX);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let mut contender = Contender::new("numbers", ["true"]);
        contender.times = (1..=200).rev().map(f64::from).collect();
        for (percent, time) in [(0, 1.0), (50, 100.0), (99, 198.0), (100, 200.0)] {
            let found = contender.percentile(percent);
            assert!(
                (found - time).abs() < 1e-9,
                "p{percent} is {time}, not {found}"
            );
        }
    }
}
