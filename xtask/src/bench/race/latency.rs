//! From the submission's bytes to its checked value: Stockade and the others, in turn.

use std::time::{Duration, Instant};

use serde_json::json;
use stockade::report::Phase;

use super::contender::Contender;
use super::job::Job;
use super::report::{Report, rounded};
use super::sample::{Sample, micros, ratio};
use super::stable::Stable;

/// Rounds of which nothing is counted: files get cached.
const WARM_UP: usize = 2;

/// Fewer have no median worth its name.
const ROUNDS_MIN: usize = 5;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Rounds, in each of which every contender runs once.
    pub(crate) rounds: usize,
    /// Runs of Stockade in a round, as it takes that much less time.
    pub(crate) runs: usize,
    /// No round begins after this time, but for the first few.
    pub(crate) budget: Duration,
}

/// Phases by name, in the order in which they came.
#[derive(Debug, Default)]
struct Phases(Vec<(String, Sample)>);

impl Phases {
    fn add(&mut self, name: &str, took: Duration) {
        let at = self.0.iter().position(|(known, _)| known == name);
        let at = at.unwrap_or_else(|| {
            self.0.push((name.to_owned(), Sample::default()));
            self.0.len() - 1
        });
        self.0[at].1.add(took);
    }

    fn extend(&mut self, phases: &[Phase]) {
        for phase in phases {
            self.add(phase.name, Duration::from_micros(phase.us));
        }
    }
}

/// What Stockade needed.
#[derive(Debug, Default)]
struct Ours {
    total: Sample,
    ahead: Phases,
    answer: Phases,
    after: Phases,
}

impl Ours {
    /// One arrival that finds a waiting child, and what follows.
    fn arrival(&mut self, stable: &Stable, counts: bool) -> Result<(), String> {
        let (took, record) = stable.once()?;
        let after = stable.rest()?;
        if !counts {
            return Ok(());
        }
        self.total.add(took);
        self.ahead.extend(&record.evidence.ahead);
        self.answer.extend(&record.evidence.phases);
        let known: u64 = record.evidence.phases.iter().map(|phase| phase.us).sum();
        let rest = micros(took).saturating_sub(known);
        self.answer
            .add("(plan, judge, record)", Duration::from_micros(rest));
        self.after.add("burial", after.burial);
        self.after.add("refill", after.refill);
        Ok(())
    }
}

/// Races `job`, called `name`; says how long Stockade took.
pub(crate) fn race(
    name: &str,
    job: &Job,
    stable: &Stable,
    contenders: &[Contender],
    extent: Extent,
    report: &mut Report,
) -> Result<Sample, String> {
    let mut ours = Ours::default();
    let mut times = vec![Sample::default(); contenders.len()];
    let begun = Instant::now();
    let (mut rounds, mut faults) = (0, None);
    stable.rest()?;
    for round in 0..WARM_UP + extent.rounds {
        if round >= WARM_UP + ROUNDS_MIN && begun.elapsed() > extent.budget {
            break;
        }
        let counts = round >= WARM_UP;
        rounds += usize::from(counts);
        // Whoever runs after one that left namespaces behind shares the machine with the kernel's
        // removal of them: each runs after each other.
        for place in order(contenders.len() + 1, round) {
            match contenders.get(place) {
                Some(contender) => {
                    let (took, faulted) = contender.once(job)?;
                    if counts {
                        times[place].add(took);
                        faults = faulted.or(faults);
                    }
                }
                None => {
                    for _ in 0..extent.runs {
                        ours.arrival(stable, counts)?;
                    }
                }
            }
        }
    }
    print(name, &ours, contenders, &times, rounds);
    if let Some(faults) = faults {
        println!("  page faults of `fork`: {faults}");
        report.put("page_faults", name, json!(faults));
    }
    let group = format!("{name}_us");
    report.put(&group, "stockade", ours.total.json());
    for (contender, sample) in contenders.iter().zip(&times) {
        report.put(&group, contender.kind.name(), sample.json());
        if let Some(ratio) = ratio(sample.p50(), ours.total.p50()) {
            let key = format!("{}_{}", contender.kind.name(), job_key(name));
            report.put("ratios", &key, json!(rounded(ratio)));
        }
    }
    let phases = format!("{name}_phases_us");
    for (part, of) in [
        ("ahead", &ours.ahead),
        ("answer", &ours.answer),
        ("after", &ours.after),
    ] {
        let medians: Vec<_> =
            of.0.iter()
                .map(|(name, sample)| json!([name, sample.p50()]))
                .collect();
        report.put(&phases, part, medians.into());
    }
    Ok(ours.total)
}

/// Runs without a pause: the next child is made while this one runs.
pub(crate) fn back_to_back(stable: &Stable, runs: usize) -> Result<Sample, String> {
    let mut sample = Sample::default();
    stable.rest()?;
    for _ in 0..runs {
        sample.add(stable.once()?.0);
    }
    stable.rest()?;
    Ok(sample)
}

/// The ratios are named after the interpreter that starts or the package that is imported.
fn job_key(name: &str) -> &str {
    if name == "empty" { "python" } else { name }
}

/// The order of `count` in a round: over the rounds each comes first, and after each other.
fn order(count: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).map(|place| (place + round) % count).collect();
    if (round / count) % 2 == 1 {
        order.reverse();
    }
    order
}

fn print(name: &str, ours: &Ours, contenders: &[Contender], times: &[Sample], rounds: usize) {
    println!(
        "\n{name}: bytes to a checked value, {rounds} rounds; `stockade` finds a waiting child"
    );
    println!("{}", ours.total.line("stockade"));
    for (contender, sample) in contenders.iter().zip(times) {
        let times = ratio(sample.p50(), ours.total.p50())
            .map_or_else(String::new, |ratio| format!("  {ratio:.1} x"));
        println!("{}{times}", sample.line(contender.kind.name()));
    }
    for (title, phases) in [
        ("before it came", &ours.ahead),
        ("on the way of the answer", &ours.answer),
        ("after the answer", &ours.after),
    ] {
        println!("  {title}, medians in µs:");
        for (name, sample) in &phases.0 {
            println!("    {name:<24} {:>8}", sample.p50().unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn over_the_rounds_each_follows_each_other() {
        for count in 2..=5 {
            let mut pairs = BTreeSet::new();
            for round in 0..2 * count {
                let order = order(count, round);
                let all: BTreeSet<_> = order.iter().copied().collect();
                assert_eq!(all.len(), count);
                pairs.extend(order.windows(2).map(|pair| (pair[0], pair[1])));
            }
            for place in 0..count {
                assert!(pairs.contains(&(place, (place + 1) % count)));
                assert!(pairs.contains(&((place + 1) % count, place)));
            }
        }
    }

    #[test]
    fn phases_keep_their_order_and_their_names() {
        let mut phases = Phases::default();
        for us in [1, 3] {
            phases.extend(&[
                Phase { name: "send", us },
                Phase {
                    name: "run",
                    us: 2 * us,
                },
            ]);
        }
        let names: Vec<_> = phases.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["send", "run"]);
        assert_eq!(phases.0[1].1.p50(), Some(2));
        assert_eq!(phases.0[1].1.count(), 2);
    }
}
