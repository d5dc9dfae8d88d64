//! The `stockade` command: bytes in, a validated value on standard output, everything else on
//! standard error.
#![forbid(unsafe_code)]

mod answer;
mod asked;
mod chain;
mod check;
mod daemon;
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
mod leaks;
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
mod warm;

use std::process::ExitCode;

use clap::Parser as _;

use flag::{Cli, Command};
use trouble::Failure;
use warm::start;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|command| command == start::COMMAND) {
        return daemon();
    }
    let link = anticipate();
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(check::exit_code(trouble::usage(&error))),
    };
    let format = cli.command.format();
    let done = match cli.command {
        Command::Run(request) => run::run(&request, link),
        Command::Explain(request) => explain::explain(&request),
        Command::Eval(request) => eval::eval(&request),
        Command::Check(request) => check::check(&request),
        Command::Doctor(request) => doctor::doctor(&request),
        Command::Leaks(request) => leaks::leaks(&request),
        Command::Limits { format } => listing::limits(format),
        Command::Rungs { format } => listing::rungs(format),
        Command::Warm(request) => warm::warm(&request),
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

/// The daemon, which is no command for people: no help or completion has it.
fn daemon() -> ExitCode {
    let request = match daemon::Request::try_parse_from(std::env::args_os().skip(1)) {
        Ok(request) => request,
        Err(error) => return ExitCode::from(trouble::usage(&error)),
    };
    ExitCode::from(match daemon::daemon(&request) {
        Ok(()) => 0,
        Err(error) if terminal::stderr_is_one() => trouble::report(&error, flag::Format::Human),
        // Standard error is the log, which has it.
        Err(error) => error.kind().exit_code(),
    })
}

/// Begins what takes longest before a run, while the arguments are read: the daemon says who it is,
/// or where there is none the run's network is made. A wrong guess costs time and nothing else.
fn anticipate() -> Option<warm::client::Link> {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_none_or(|command| command != "run") {
        return None;
    }
    let link = if warm::is_wanted(args.any(|arg| arg == "--cold")) {
        warm::client::Link::find()
    } else {
        None
    };
    if link.is_none() {
        stockade::Host::anticipate();
    }
    link
}
