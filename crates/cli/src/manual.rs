//! Completions and manual pages, made from the definition of the flags.

use std::fs;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;
use stockade::{Error, ErrorKind};

use crate::flag::Cli;
use crate::terminal;
use crate::trouble::Failure;

/// Prints the completions for `shell`.
pub(crate) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "stockade", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// Prints the page of the command, or writes those of all commands into `directory`.
pub(crate) fn pages(directory: Option<&Path>) -> Result<u8, Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(directory) = directory else {
        terminal::print(&page(command)?)?;
        return Ok(0);
    };
    fs::create_dir_all(directory).map_err(|error| unwritable(directory, error))?;
    write_all(&command, "stockade", directory)?;
    Ok(0)
}

fn write_all(command: &clap::Command, name: &str, directory: &Path) -> Result<(), Error> {
    let path = directory.join(format!("{name}.1"));
    let named = command.clone().name(name.to_owned());
    fs::write(&path, page(named)?).map_err(|error| unwritable(&path, error))?;
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        write_all(below, &format!("{name}-{}", below.get_name()), directory)?;
    }
    Ok(())
}

fn page(command: clap::Command) -> Result<String, Error> {
    let examples = command.get_after_help().map(ToString::to_string);
    let mut text = Vec::new();
    clap_mangen::Man::new(command.after_help(None))
        .render(&mut text)
        .map_err(|error| {
            Error::new(ErrorKind::Bug, "cannot lay out the manual page").because(error)
        })?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if let Some(examples) = examples {
        text.push_str(".SH NOTES\n.nf\n");
        for line in examples.lines() {
            // A dot or a quote at the start of a line would be a command of the typesetter.
            text.extend(["\\&", &line.replace('\\', "\\e"), "\n"]);
        }
        text.push_str(".fi\n");
    }
    Ok(text)
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    Error::new(
        ErrorKind::Host,
        format!("cannot write manual pages to `{}`", path.display()),
    )
    .because(error)
}
