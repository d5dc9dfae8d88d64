//! Lists of steps, run to the end whatever fails, with a table at the end that says which did.

use crate::{artefact, bench, check, data, demo, interpreter, python, tidy, vm};
use std::time::{Duration, Instant};

type Run = fn() -> Result<(), String>;

/// A step: its name, what it does.
struct Step(&'static str, Run);

/// What a person runs before a commit.
const CHECK: [Step; 7] = [
    Step("fmt", check::fmt),
    Step("clippy", check::clippy),
    Step("tidy", tidy::run),
    Step("generated", || check::generate(&["--check".to_owned()])),
    Step("documents", check::documents),
    Step("dependencies", check::dependencies),
    Step("tests", check::tests),
];

/// What takes longer, or needs more than Rust.
const MORE: [Step; 9] = [
    Step("build", || artefact::stockade().map(drop)),
    Step("python", python::run),
    Step("data", data::run),
    Step("interpreter", interpreter::run),
    Step("machine", check::machine),
    Step("unified cgroups", vm::suite),
    Step("demo", demo::run),
    Step("leftovers", || bench::run(&["leftovers".to_owned()])),
    Step("fuzz", || check::fuzz(&[])),
];

/// `cargo xtask check`.
pub(crate) fn check(arguments: &[String]) -> Result<(), String> {
    run(CHECK.iter(), arguments)
}

/// `cargo xtask test`.
pub(crate) fn test(arguments: &[String]) -> Result<(), String> {
    run(CHECK.iter().chain(&MORE), arguments)
}

/// Runs those of `steps` that `only` names, or all if it names none.
fn run<'a>(steps: impl Iterator<Item = &'a Step>, only: &[String]) -> Result<(), String> {
    let steps: Vec<&Step> = steps.collect();
    if let Some(unknown) = only
        .iter()
        .find(|name| steps.iter().all(|step| step.0 != **name))
    {
        let names: Vec<&str> = steps.iter().map(|step| step.0).collect();
        return Err(format!(
            "no step is called `{unknown}`; there are: {}",
            names.join(", ")
        ));
    }
    let mut ended: Vec<(&str, Duration, Result<(), String>)> = Vec::new();
    for Step(name, run) in steps {
        if !only.is_empty() && !only.iter().any(|wanted| wanted == name) {
            continue;
        }
        eprintln!("\n=== {name}");
        let begun = Instant::now();
        let done = run();
        ended.push((name, begun.elapsed(), done));
    }
    report(&ended)
}

fn report(ended: &[(&str, Duration, Result<(), String>)]) -> Result<(), String> {
    println!();
    for (name, took, done) in ended {
        let verdict = if done.is_ok() { "passed" } else { "FAILED" };
        println!("{verdict}  {:>6.1} s  {name}", took.as_secs_f64());
    }
    let failed: Vec<&str> = ended
        .iter()
        .filter(|(_, _, done)| done.is_err())
        .map(|(name, _, _)| *name)
        .collect();
    println!(
        "steps: {} passed, {} failed",
        ended.len() - failed.len(),
        failed.len()
    );
    for (name, _, done) in ended {
        if let Err(why) = done {
            println!("{name}: {why}");
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "failed: {}; run one alone with its name as the argument",
            failed.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_does_not_hide_the_next_and_fails_the_whole() {
        let steps = [
            Step("bad", || Err("broken".to_owned())),
            Step("good", || Ok(())),
        ];
        let error = run(steps.iter(), &[]).unwrap_err();
        assert!(error.starts_with("failed: bad;"), "{error}");
        assert!(run(steps.iter(), &["good".to_owned()]).is_ok());
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_list() {
        let error = test(&["nonsense".to_owned()]).unwrap_err();
        assert!(
            error.contains("`nonsense`") && error.contains("tidy"),
            "{error}"
        );
    }
}
