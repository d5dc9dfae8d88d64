//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::example;
use crate::template::Template;

/// Runs Python that you did not write, and gives back a checked value.
///
/// The submission runs somewhere disposable, under fences that the kernel enforces. One JSON value
/// comes out on standard output, checked here against your schema; everything else is on standard
/// error. The place where it ran is destroyed.
#[derive(Debug, Parser)]
#[command(
    name = "stockade",
    version = version(),
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = example::TOP,
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// `stockade run` alone: to build the arguments of all commands takes a hundred microseconds, which
/// no other command's user would notice.
#[derive(Debug, Parser)]
#[command(name = "stockade run", disable_help_flag = true)]
struct RunAlone {
    #[command(flatten)]
    request: Request,
}

impl Cli {
    /// What was asked for.
    ///
    /// # Errors
    /// Those of the parser: its help, its version, or what is wrong with the arguments.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut args = std::env::args_os().skip(1);
        if args.next().is_some_and(|command| command == "run") {
            let alone = RunAlone::try_parse_from(std::iter::once("run".into()).chain(args));
            // What it does not take is told by the whole, which has the right usage and help.
            if let Ok(RunAlone { request }) = alone {
                let command = Command::Run(Box::new(request));
                return Ok(Self { command });
            }
        }
        Self::try_parse()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a submission and print its value
    #[command(after_help = example::RUN)]
    Run(Box<Request>),
    /// Show what `run` would do with the same arguments, and stop
    #[command(after_help = example::EXPLAIN)]
    Explain(Box<Request>),
    /// Evaluate a formula, in microseconds and in this process
    #[command(after_help = example::EVAL)]
    Eval(Box<crate::eval::Request>),
    /// Say what a policy objects to in Python whose author has a name, and run nothing
    ///
    /// A guardrail for authors you can talk to, not a boundary: Python decides at run time what
    /// names mean. `stockade run` is for everybody else.
    #[command(after_help = example::CHECK, arg_required_else_help = true)]
    Check(Box<crate::check::Request>),
    /// Try each fence on this host for real, and say what is usable
    #[command(after_help = example::DOCTOR)]
    Doctor(crate::doctor::Request),
    /// Show what sandboxes inside an interpreter let through, and what comes of it on each rung
    ///
    /// Known techniques, with harmless values, against the ways in which people run somebody else's
    /// Python in their own process, and as submissions on the rungs of this host.
    #[command(after_help = example::LEAKS)]
    Leaks(crate::leaks::Request),
    /// List the limits: names, units, ranges, defaults, and what each does not cover
    #[command(after_help = example::LIMITS)]
    Limits {
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// List the rungs, the guarantees that each gives, and what each shares with the host
    #[command(after_help = example::RUNGS)]
    Rungs {
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Keep interpreters ready that have loaded a template's modules, for the runs that come
    ///
    /// A daemon of this user's holds them. `stockade run` finds it by itself and is warm then,
    /// under the same fences and to the same end; without it a run is cold. A copy serves one run.
    #[command(after_help = example::WARM)]
    Warm(crate::warm::Request),
    /// Build and keep templates: what a program finds around it
    #[command(after_help = example::TEMPLATE, arg_required_else_help = true)]
    Template {
        #[command(subcommand)]
        command: Template,
    },
    /// Read and check audit files
    #[command(after_help = example::AUDIT, arg_required_else_help = true)]
    Audit {
        #[command(subcommand)]
        command: Audit,
    },
    /// Print the completions for a shell
    #[command(after_help = example::COMPLETIONS)]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page, or write one page a command into a directory
    #[command(after_help = example::MAN)]
    Man {
        /// Directory to write the pages into
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
    },
}

impl Command {
    /// The form in which errors are told as well.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Run(request) | Self::Explain(request) => request.format,
            Self::Eval(request) => request.format,
            Self::Check(request) => request.format(),
            Self::Doctor(request) => request.format(),
            Self::Limits { format } | Self::Rungs { format } => *format,
            Self::Template { command } => command.format(),
            Self::Warm(request) => request.format,
            Self::Leaks(request) => request.format,
            Self::Audit { command } => match command {
                Audit::Show { format, .. } | Audit::Verify { format, .. } => *format,
            },
            Self::Completions { .. } | Self::Man { .. } => Format::Human,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// One JSON document on standard output
    Json,
}

#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch that is typed or not"
)]
pub(crate) struct Request {
    /// The Python program, or a formula in a file called `*.formula`; `-` reads a program from
    /// standard input
    #[arg(value_name = "JOB.py")]
    pub(crate) job: OsString,

    /// JSON Schema (2020-12) that the value must satisfy
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// JSON value that the program finds as its input; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<OsString>,

    /// File that the program finds below `/work`, under its own name or as DEST
    ///
    /// The last colon separates the two, unless a file of the whole name exists.
    #[arg(long = "file", value_name = "SRC[:DEST]")]
    pub(crate) files: Vec<OsString>,

    /// Call the program's function NAME with the input; what it returns is the value
    #[arg(long, value_name = "NAME")]
    pub(crate) call: Option<String>,

    /// Ask for no value; the program's standard output goes to standard output
    #[arg(long)]
    pub(crate) no_value: bool,

    /// Refuse to run a program that `stockade check` finds fault with under this policy
    #[arg(long, value_name = "P.toml")]
    pub(crate) check: Option<PathBuf>,

    /// Set a limit, as in `memory=256MiB`; `stockade limits` lists them
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    pub(crate) limits: Vec<String>,

    /// Rung to run on; `auto` takes the cheapest that gives what is required
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) rung: String,

    /// Require a guarantee; `stockade rungs` lists them
    #[arg(long = "require", value_name = "GUARANTEE")]
    pub(crate) required: Vec<String>,

    /// Let something through that is closed otherwise: `loopback` is the run's own 127.0.0.1
    #[arg(long = "allow", value_name = "WHAT")]
    pub(crate) grants: Vec<String>,

    /// What the program finds around it
    #[arg(long, value_name = "NAME", default_value = "python")]
    pub(crate) template: String,

    /// Build the boundary now, though interpreters be kept warm (`stockade warm`)
    #[arg(long)]
    pub(crate) cold: bool,

    /// How to print the result: the value alone, or the whole record
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,

    /// Write the value (or the record) to FILE instead, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Append the record to this hash-chained audit file
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,

    /// Keep source and value in the audit file, not only their digests
    #[arg(long, requires = "audit")]
    pub(crate) audit_content: bool,

    /// Print the evidence as well: each fence, limit and check of this run
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Be silent when it finishes; else print its standard error and the verdict
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Print the records
    Show {
        /// The audit file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How to print them: a line each, or a JSON document each
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        /// Only the last N
        #[arg(long, value_name = "N")]
        last: Option<usize>,
    },
    /// Check that no record was changed, dropped or reordered
    ///
    /// Prints the number of records and the hash of the last one. Keep these elsewhere: what was
    /// cut off at the end can be noticed only by them. Ends with 1 when something is wrong.
    Verify {
        /// The audit file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How to print what was found
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

fn version() -> String {
    format!(
        "{} (guest protocol {})",
        env!("CARGO_PKG_VERSION"),
        stockade::PROTOCOL_VERSION
    )
}
