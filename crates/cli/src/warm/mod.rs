//! `stockade warm`, and what `stockade run` has to do with the daemon.

pub(crate) mod address;
pub(crate) mod channel;
pub(crate) mod client;
pub(crate) mod message;
pub(crate) mod next;
pub(crate) mod start;

use std::fmt::Write as _;
use std::io::Write as _;

use clap::Args;
use clap::builder::RangedI64ValueParser;
use serde_json::json;
use stockade::{Amount, Error, ErrorKind, LimitId, Limits};
use stockade_sys::clock;

use crate::flag::Format;
use crate::format;
use crate::screen;
use crate::table::Table;
use crate::terminal;
use crate::trouble::Failure;
use address::Address;
use client::{Link, Met};
use message::{FromDaemon, Greeting, Herd, Keep, Pattern, Standing, ToDaemon};
use start::Wishes;

/// Set to anything: `run` neither looks for a daemon nor starts one.
const NONE: &str = "STOCKADE_NO_DAEMON";

/// Most copies that can be asked for: each has a uid of its own, and runs need some as well.
pub(crate) const DEPTH_MAX: u32 = 64;

/// How often to order it of a daemon that ends meanwhile.
const TRIES: usize = 3;

#[derive(Debug, Args)]
pub(crate) struct Request {
    /// The template to keep warm
    #[arg(long, value_name = "NAME", default_value = "python")]
    pub(crate) template: String,

    /// Limits of the runs that it is for, as in `memory=256MiB`: others wait for their boundary
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    pub(crate) limits: Vec<String>,

    /// How many copies wait, each for one run
    #[arg(long, value_name = "N", value_parser = depth())]
    pub(crate) depth: Option<u32>,

    /// End the daemon after this time without a run, as in `30min` [default: 10min]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) idle: Option<u64>,

    /// End the daemon when the runs that go on have ended
    #[arg(long, conflicts_with_all = ["template", "limits", "depth", "idle", "status"])]
    pub(crate) stop: bool,

    /// Show what is kept warm
    #[arg(long, conflicts_with_all = ["template", "limits", "depth", "idle"])]
    pub(crate) status: bool,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

fn depth() -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(1..=i64::from(DEPTH_MAX))
}

/// Milliseconds, written as the limits of time are.
pub(crate) fn duration(text: &str) -> Result<u64, String> {
    let limits = Limits::default().parse(&format!("{}={text}", LimitId::Wall.name()));
    let row = LimitId::Wall.spec();
    limits.map(|limits| limits.get(LimitId::Wall)).map_err(|_| {
        format!(
            "a time from {} to {}, with its unit, as in `30min`",
            Amount::millis(row.min),
            Amount::millis(row.max)
        )
    })
}

pub(crate) fn warm(request: &Request) -> Result<u8, Failure> {
    if request.stop {
        stop(request.format)
    } else if request.status {
        status(request.format)
    } else {
        keep(request)
    }
}

fn keep(request: &Request) -> Result<u8, Failure> {
    let began = clock::monotonic();
    let address = Address::made()?;
    let pattern = Pattern {
        template: request.template.clone(),
        limits: request.limits.clone(),
        ..Pattern::default()
    };
    // What cannot be is refused before a daemon is started for it.
    pattern.policy()?;
    let order = Keep {
        pattern,
        depth: request.depth,
        idle_ms: request.idle,
        wait: true,
    };
    if terminal::stderr_is_one() {
        let name = screen::line(&request.template);
        terminal::say(&format!("loading the modules of {name} ...\r"));
    }
    let kept = ordered(&address, order);
    if terminal::stderr_is_one() {
        terminal::say("\x1b[K");
    }
    let (greeting, [waiting, depth], idle_ms) = kept?;
    let took = clock::monotonic().saturating_sub(began).as_micros();
    let took_us = u64::try_from(took).unwrap_or(u64::MAX);
    match request.format {
        Format::Human => terminal::print(&format!(
            "{} is warm: {waiting} of {depth} copies wait · {} · {}\n",
            screen::line(&request.template),
            format::time(took_us),
            format_args!(
                "daemon {} ends after {} without a run",
                greeting.pid,
                Amount::millis(idle_ms)
            ),
        ))?,
        Format::Json => terminal::print_json(&json!({
            "template": request.template,
            "waiting": waiting,
            "depth": depth,
            "idle_ms": idle_ms,
            "took_us": took_us,
            "pid": greeting.pid,
        }))?,
    }
    Ok(0)
}

/// Orders it of the daemon: who that is, how many copies wait of how many, and when it ends.
fn ordered(address: &Address, order: Keep) -> Result<(Greeting, [u32; 2], u64), Error> {
    let question = ToDaemon::Keep(order);
    for _ in 0..TRIES {
        let (mut link, greeting) = found(address)?;
        let answer = link.ask(&question, |message| match message {
            FromDaemon::Keeps {
                waiting,
                depth,
                idle_ms,
            } => Some(([waiting, depth], idle_ms)),
            FromDaemon::Hello(_)
            | FromDaemon::Standing(_)
            | FromDaemon::Begun
            | FromDaemon::Output { .. }
            | FromDaemon::Part { .. }
            | FromDaemon::Done { .. }
            | FromDaemon::Failed(_) => None,
        })?;
        if let Some((copies, idle_ms)) = answer {
            return Ok((greeting, copies, idle_ms));
        }
        // It was just ending.
    }
    Err(Error::new(
        ErrorKind::Host,
        format!("the daemon ends again and again{}", last_words(address)),
    )
    .hint(format!("its log is {}", address.log().display())))
}

/// The daemon, started if there is none of this build.
fn found(address: &Address) -> Result<(Link, Greeting), Error> {
    let mut wishes = Wishes::default();
    match Link::to(address).map(Link::meet) {
        Some(Met::Ours(link, greeting)) => {
            if greeting.surroundings == address::surroundings() {
                return Ok((link, greeting));
            }
            return Err(Error::new(
                ErrorKind::Refused,
                format!("daemon {} was started in other surroundings", greeting.pid),
            )
            .hint("`stockade warm --stop` ends it; then this starts another")
            .hint("they are the rights, the namespaces, and `STOCKADE_PYTHON` and its like"));
        }
        Some(Met::Other(link, kept)) => {
            wishes.templates = kept;
            // One that has ended by itself has made room as well.
            let _ = link.drain();
        }
        Some(Met::Nobody) | None => {}
    }
    start::and_wait(address, &wishes)?;
    match Link::to(address).map(Link::meet) {
        Some(Met::Ours(link, greeting)) => Ok((link, greeting)),
        Some(Met::Other(..) | Met::Nobody) | None => Err(Error::new(
            ErrorKind::Host,
            format!("the daemon has not started{}", last_words(address)),
        )
        .hint(format!("its log is {}", address.log().display()))),
    }
}

/// The last line of the daemon's log, or why there is none.
fn last_words(address: &Address) -> String {
    let log = std::fs::read(address.log()).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    if let Some(line) = log.lines().rfind(|line| !line.is_empty()) {
        return format!(": {line}");
    }
    // A full disk keeps the daemon from starting and from saying so.
    let log = std::fs::OpenOptions::new().append(true).open(address.log());
    match log.and_then(|mut log| log.write_all(b"\n")) {
        Ok(()) => String::new(),
        Err(error) => format!(", nor can its log be written: {error}"),
    }
}

fn stop(format: Format) -> Result<u8, Failure> {
    let mut stopped = false;
    if let Some(link) = Link::find() {
        let draining = link.drain().map_err(|error| {
            Error::new(ErrorKind::Host, "cannot tell the daemon to end").because(error)
        })?;
        draining.wait()?;
        stopped = true;
    }
    match format {
        Format::Human if stopped => terminal::print("the daemon has ended\n")?,
        Format::Human => terminal::print("no daemon runs\n")?,
        Format::Json => terminal::print_json(&json!({ "stopped": stopped }))?,
    }
    Ok(0)
}

fn status(format: Format) -> Result<u8, Failure> {
    let found = Link::find().or_else(|| {
        // One may be starting.
        start::wait(&Address::from_environment());
        Link::find()
    });
    let (mut link, greeting) = match found.map(Link::meet) {
        Some(Met::Ours(link, greeting)) => (link, greeting),
        Some(Met::Other(..)) => {
            return Err(Error::new(
                ErrorKind::Refused,
                "the daemon that runs is of another version",
            )
            .hint("`stockade warm` replaces it, `stockade warm --stop` ends it")
            .into());
        }
        Some(Met::Nobody) => {
            return Err(Error::new(ErrorKind::Host, "the daemon does not answer")
                .hint("it may be stopped, or just ending")
                .into());
        }
        None => return none(format),
    };
    let answer = link.ask(&ToDaemon::Status, |message| match message {
        FromDaemon::Standing(standing) => Some(standing),
        FromDaemon::Hello(_)
        | FromDaemon::Keeps { .. }
        | FromDaemon::Begun
        | FromDaemon::Output { .. }
        | FromDaemon::Part { .. }
        | FromDaemon::Done { .. }
        | FromDaemon::Failed(_) => None,
    })?;
    let Some(standing) = answer else {
        // It has just ended.
        return none(format);
    };
    match format {
        Format::Human => terminal::print(&text(&greeting, &standing))?,
        Format::Json => terminal::print_json(&document(&greeting, &standing))?,
    }
    Ok(0)
}

fn none(format: Format) -> Result<u8, Failure> {
    match format {
        Format::Human => terminal::print("no daemon runs\n")?,
        Format::Json => terminal::print_json(&json!({ "running": false }))?,
    }
    Ok(0)
}

fn text(greeting: &Greeting, standing: &Standing) -> String {
    let mut out = format!(
        "daemon {}: {}, {} going on · {} destroyed · ends after {} without a run\n",
        greeting.pid,
        format::count(standing.runs, "run"),
        standing.running,
        format::count(standing.teardown.destroyed, "guest"),
        Amount::millis(standing.idle_ms)
    );
    let mut table = Table::default();
    for herd in &standing.herds {
        let name = screen::line(&herd.template);
        let calls = if herd.calls { "for --call" } else { "" };
        let cpus = format!("cpus={}", herd.cpus);
        table.row([&name, &cpus, calls, &state(herd)]);
    }
    out.push_str(&table.text(2));
    if standing.herds.is_empty() {
        out.push_str("  nothing is kept warm\n");
    }
    for left in &standing.teardown.stuck {
        let _ = writeln!(out, "  not removed: {}", screen::line(left));
    }
    out
}

fn state(herd: &Herd) -> String {
    if let Some(trouble) = &herd.trouble {
        return format!("not warm: {}", screen::line(trouble));
    }
    if herd.warming {
        return "loads its modules".to_owned();
    }
    format!(
        "{} of {} copies wait · {}, {} made",
        herd.waiting,
        herd.depth,
        format::count(u64::from(herd.zygotes), "zygote"),
        herd.children
    )
}

fn document(greeting: &Greeting, standing: &Standing) -> serde_json::Value {
    let herds: Vec<_> = standing
        .herds
        .iter()
        .map(|herd| {
            json!({
                "template": herd.template,
                "digest": herd.digest,
                "calls": herd.calls,
                "cpus": herd.cpus,
                "zygotes": herd.zygotes,
                "children": herd.children,
                "waiting": herd.waiting,
                "depth": herd.depth,
                "warming": herd.warming,
                "trouble": herd.trouble,
            })
        })
        .collect();
    json!({
        "running": true,
        "pid": greeting.pid,
        "started_ms": standing.started_ms,
        "runs": standing.runs,
        "running_now": standing.running,
        "idle_ms": standing.idle_ms,
        "kept": herds,
        "teardown": {
            "destroyed": standing.teardown.destroyed,
            "failed": standing.teardown.failed,
            "stuck": standing.teardown.stuck,
        },
    })
}

/// Whether a daemon may be used at all.
pub(crate) fn is_wanted(cold: bool) -> bool {
    !cold && std::env::var_os(NONE).is_none_or(|value| value.is_empty())
}
