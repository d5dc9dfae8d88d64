//! The project's scripts, in Rust: what a person types and what CI runs are the same commands.
//!
//! A script: it starts programs with `std::process::Command` and reads clocks where it
//! likes, which nothing else in the workspace may (see [`tidy`]).
#![forbid(unsafe_code)]

mod apt;
mod artefact;
mod bench;
mod check;
mod data;
mod demo;
mod interpreter;
mod nsjail;
mod python;
mod scratch;
mod shell;
mod suite;
mod tidy;
mod vm;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  demo               install what is missing, build, and run the examples: start here
  test               everything: check, fuzzing, the virtual machine, leftovers, demo
  check              what to run before a commit: formatting, lints, tidy, tests, licences
  tidy               the house rules that no other tool knows
  gen [--check]      write (or compare) what is generated from the tables in `crates/core`
  build              the release `stockade`, one static file; prints its path
  python             the wheel, and its tests in an environment of its own; prints its path
  bench [cold|warm|memory|leftovers|all] [--rounds N] [--json FILE]
                     the figures that the project promises, as ratios measured in one run;
                     `bench --help` has the rest
  fuzz [SECONDS]     each fuzz target for so long (60)
  vm [--user] [--memory MIB] -- CMD…
                     run a command in a throw-away virtual machine with unified cgroups
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let done = match command {
        "demo" => demo::run(),
        "test" => suite::test(rest),
        "check" => suite::check(rest),
        "tidy" => tidy::run(),
        "gen" => check::generate(rest),
        "build" => artefact::stockade().map(|path| println!("{}", path.display())),
        "python" => python::run(),
        "bench" => bench::run(rest),
        "fuzz" => check::fuzz(rest),
        "vm" => vm::command(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown command `{other}`\n\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
