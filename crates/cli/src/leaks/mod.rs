//! `stockade leaks`: why a restriction inside the interpreter is no boundary, on this host.

mod shown;

use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stockade::{Engine, Error, ErrorKind, Host, LADDER, RungSpec};
use stockade_leaks::{Demonstration, Install, Sandbox, Technique, Wanted, page};

use crate::destination::Destination;
use crate::flag::Format;
use crate::screen;
use crate::terminal::{self, Paint};
use crate::trouble::Failure;

/// Exit code when a technique reached the trusted process from a rung.
const REACHED: u8 = 1;

#[derive(Debug, Args)]
pub(crate) struct Request {
    /// Only this sandbox; again for more
    #[arg(long = "sandbox", value_name = "NAME")]
    sandboxes: Vec<String>,

    /// Only this rung; again for more
    #[arg(long = "rung", value_name = "NAME")]
    rungs: Vec<String>,

    /// Only this technique, by number or id, and every reason in full; again for more
    #[arg(long = "technique", value_name = "ID")]
    techniques: Vec<String>,

    /// Fetch the packages that are sandboxes, into a directory of the cache that nothing else uses
    #[arg(long)]
    install: bool,

    /// Write a page that shows it, one file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// Shows it, and gives the exit code.
pub(crate) fn leaks(request: &Request) -> Result<u8, Failure> {
    let wanted = wanted(request)?;
    let destination = request.html.as_deref().map(Destination::prepare);
    let destination = destination.transpose()?;
    let engine = Engine::new(Host::probe()?)?;
    let bar = Bar::new();
    let shown = Demonstration::of(&engine, &wanted, &mut |done, total| bar.at(done, total))?;
    drop(bar);
    // All is removed before anything is said.
    drop(engine);
    if let Some(destination) = destination {
        destination.write(&page::html(&shown))?;
    }
    let detail = if request.techniques.is_empty() {
        shown::Detail::Line
    } else {
        shown::Detail::Every
    };
    match request.format {
        Format::Human => {
            terminal::print(&shown::text(&shown, detail, Paint::for_stdout()))?;
        }
        Format::Json => terminal::print_json(&shown::document(&shown))?,
    }
    terminal::say(&notes(&shown, Paint::for_stderr()));
    Ok(if !shown.reached_rungs().is_empty() {
        REACHED
    } else if shown.failures() > 0 {
        ErrorKind::Host.exit_code()
    } else {
        0
    })
}

fn wanted(request: &Request) -> Result<Wanted, Error> {
    let all = request.sandboxes.is_empty() && request.rungs.is_empty();
    let sandboxes = request.sandboxes.iter().map(|name| Sandbox::named(name));
    let sandboxes = if all {
        Sandbox::ALL.to_vec()
    } else {
        sandboxes.collect::<Result<_, _>>()?
    };
    let rungs = request.rungs.iter().map(|name| rung(name));
    let rungs = if all {
        LADDER.iter().map(|rung| rung.spec()).collect()
    } else {
        rungs.collect::<Result<_, _>>()?
    };
    Ok(Wanted {
        sandboxes,
        rungs,
        techniques: Technique::named(&request.techniques)?,
        install: if request.install {
            Install::Missing
        } else {
            Install::Never
        },
    })
}

fn rung(name: &str) -> Result<&'static RungSpec, Error> {
    let mut specs = LADDER.iter().map(|rung| rung.spec());
    specs.find(|spec| spec.name == name).ok_or_else(|| {
        let known: Vec<_> = LADDER
            .iter()
            .map(|rung| format!("`{}`", rung.spec().name))
            .collect();
        let text = format!("rung `{name}` is not known");
        Error::new(ErrorKind::InvalidPolicy, text).hint(format!("known are {}", known.join(", ")))
    })
}

/// What must not be overlooked: what was not tried, what failed, and a rung that was reached.
fn notes(shown: &Demonstration, paint: Paint) -> String {
    let mut out = String::new();
    for column in &shown.columns {
        if let Some(why) = &column.skipped {
            let (name, why) = (column.name(), screen::line(why));
            out.extend([format!("{} `{name}`: {why}\n", paint.strong("skipped:"))]);
        }
    }
    for row in &shown.rows {
        for (column, cell) in shown.columns.iter().zip(&row.cells) {
            if cell.verdict == stockade_leaks::Verdict::Failed {
                let (id, name) = (&row.technique.id, column.name());
                let why = screen::line(&cell.why);
                out.extend([format!(
                    "{} {id} on `{name}`: {why}\n",
                    paint.bad("failed:")
                )]);
            }
        }
    }
    for name in shown.reached_rungs() {
        out.extend([format!(
            "{} a technique reached the trusted process from rung `{name}`\n{} report it, see \
             `SECURITY.md`\n",
            paint.bad("error:"),
            paint.strong("hint:")
        )]);
    }
    out
}

/// How far it is, on a terminal.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new() -> Self {
        Self(terminal::stderr_is_one().then(|| {
            let bar = ProgressBar::no_length();
            bar.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("try [{bar:24}] {pos}/{len}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        }))
    }

    fn at(&self, done: usize, total: usize) {
        if let Some(bar) = &self.0 {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
