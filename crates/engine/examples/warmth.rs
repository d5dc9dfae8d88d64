//! Times warm runs of an empty job.
use stockade::{Engine, Host, Policy, Submission};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new(Host::probe()?)?;
    let policy = Policy::default();
    let begun = std::time::Instant::now();
    engine.warm(&policy, 4)?;
    println!("warm after {:?}", begun.elapsed());
    let source = std::env::args()
        .nth(2)
        .unwrap_or("import stockade_guest as g; g.emit(6 * 7)".to_owned());
    let policy = if std::env::args().nth(3).is_some() {
        policy.no_value()
    } else {
        policy
    };
    let job = Submission::python(source);
    let mut times = Vec::new();
    let count: usize = std::env::args().nth(1).map_or(50, |n| n.parse().unwrap());
    for n in 0..count {
        std::thread::sleep(std::time::Duration::from_millis(
            std::env::var("PACE").map_or(0, |n| n.parse().unwrap()),
        ));
        let begun = std::time::Instant::now();
        let record = engine.run(&job, &policy)?;
        times.push(begun.elapsed().as_micros());
        if n < 2 || n + 1 == count {
            println!("{} {:?}", record.outcome.verdict(), record.evidence.phases);
            println!(
                "ahead {:?} {:?} {:?}",
                record.evidence.ahead, record.evidence.warmth, record.usage
            );
            println!("stderr {}", record.stderr.text());
        }
    }
    times.sort_unstable();
    println!(
        "p50 {} p99 {} min {}",
        times[count / 2],
        times[count * 99 / 100],
        times[0]
    );
    Ok(())
}
