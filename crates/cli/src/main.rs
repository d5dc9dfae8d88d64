//! The `stockade` command: bytes in, a validated value on standard output, everything else on
//! standard error.
#![forbid(unsafe_code)]

mod chain;
mod destination;
mod doctor;
mod errno;
mod eval;
mod evidence;
mod example;
mod explain;
mod flag;
mod format;
mod intake;
mod interrupt;
mod json;
mod listing;
mod live;
mod manual;
mod request;
mod run;
mod screen;
mod table;
mod template;
mod template_progress;
mod terminal;
mod trouble;
mod verdict;

use std::process::ExitCode;

use clap::Parser as _;

use flag::{Cli, Command};
use trouble::Failure;

fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|command| command == "run")
    {
        // It is on its way while the arguments are read.
        stockade::Host::anticipate();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(trouble::usage(&error)),
    };
    let format = cli.command.format();
    let done = match cli.command {
        Command::Run(request) => run::run(&request),
        Command::Explain(request) => explain::explain(&request),
        Command::Eval(request) => eval::eval(&request),
        Command::Doctor { format } => doctor::doctor(format),
        Command::Limits { format } => listing::limits(format),
        Command::Rungs { format } => listing::rungs(format),
        Command::Template { command } => template::template(command),
        Command::Audit { command } => chain::audit(command),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { directory } => manual::pages(directory.as_deref()),
    };
    ExitCode::from(match done {
        Ok(code) => code,
        Err(Failure::Unread) => trouble::UNREAD,
        Err(Failure::Error(error)) => trouble::report(&error, format),
    })
}
