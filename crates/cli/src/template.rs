//! `stockade template`: builds and keeps templates.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};
use stockade::template::{self, Details, Listed, Standing};
use stockade::{Engine, Error, ErrorKind, Host};

use crate::flag::Format;
use crate::format;
use crate::screen;
use crate::table::Table;
use crate::template_progress::Shown;
use crate::terminal::{self, Paint};
use crate::trouble::Failure;

/// Exit code when a template is not what its digest says.
const DAMAGED: u8 = 1;

#[derive(Debug, Subcommand)]
pub(crate) enum Template {
    /// Build the template that a file describes, or one that comes with Stockade
    Build {
        /// The file, or `code-interpreter`
        #[arg(value_name = "FILE.toml|NAME")]
        what: PathBuf,
        /// Take wheels from this directory and from nowhere else
        #[arg(long, value_name = "DIR")]
        find_links: Option<PathBuf>,
        /// How to print what was built
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Resolve the packages of a template; write versions and digests into its lock
    Lock {
        /// The file
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,
        /// Take wheels from this directory and from nowhere else
        #[arg(long, value_name = "DIR")]
        find_links: Option<PathBuf>,
    },
    /// List the templates
    List {
        /// How to print them
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Show what a template holds
    Show {
        /// Its name
        name: String,
        /// Print the file that it was made from, of one that comes with Stockade
        #[arg(long)]
        source: bool,
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Read all of a template, and compare it with its digest
    ///
    /// Ends with 1 when something differs.
    Verify {
        /// Its name
        name: String,
        /// How to print what was found
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Remove a template
    Remove {
        /// Its name
        name: String,
    },
    /// Take away what no template refers to: files of earlier builds, downloaded packages
    Prune {
        /// How to print what was taken away
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

impl Template {
    /// The form in which errors are told as well.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Build { format, .. }
            | Self::List { format }
            | Self::Show { format, .. }
            | Self::Verify { format, .. }
            | Self::Prune { format } => *format,
            Self::Lock { .. } | Self::Remove { .. } => Format::Human,
        }
    }
}

pub(crate) fn template(command: Template) -> Result<u8, Failure> {
    if let Template::Show {
        name, source: true, ..
    } = &command
    {
        return source(name);
    }
    let engine = Engine::new(Host::probe()?)?;
    match command {
        Template::Build {
            what,
            find_links,
            format,
        } => {
            let mut shown = Shown::new();
            let built = engine.build_template(&what, find_links.as_deref(), &mut shown);
            drop(shown);
            tell_built(&built?, format)
        }
        Template::Lock { file, find_links } => {
            let mut shown = Shown::new();
            let locked = engine.lock_template(&file, find_links.as_deref(), &mut shown);
            drop(shown);
            let (path, count) = locked?;
            let count = format::count(count as u64, "wheel");
            let path = screen::line(&path.to_string_lossy());
            terminal::print(&format!("{path}: {count}\n"))?;
            Ok(0)
        }
        Template::List { format } => list(&engine.templates()?, format),
        Template::Show { name, format, .. } => show(&engine.template_named(&name)?, format),
        Template::Verify { name, format } => verify(&engine, &name, format),
        Template::Remove { name } => {
            let gone = engine.remove_template(&name)?;
            let rest = if gone {
                ""
            } else {
                "; its files are still in use"
            };
            terminal::print(&format!("removed {}{rest}\n", screen::line(&name)))?;
            Ok(0)
        }
        Template::Prune { format } => prune(&engine, format),
    }
}

fn source(name: &str) -> Result<u8, Failure> {
    let Some(text) = template::source(name) else {
        let text = format!("template `{name}` comes with no file");
        return Err(Error::new(ErrorKind::InvalidPolicy, text)
            .hint("`code-interpreter` does")
            .into());
    };
    terminal::print(text)?;
    Ok(0)
}

fn tell_built(built: &template::Built, format: Format) -> Result<u8, Failure> {
    match format {
        Format::Human => {
            let verb = if built.found { "found" } else { "built" };
            let (major, minor, patch) = built.version;
            terminal::print(&format!(
                "{verb} {}: Python {major}.{minor}.{patch}, {}, digest {}\n",
                screen::line(&built.name),
                format::bytes(built.bytes),
                built.digest
            ))?;
        }
        Format::Json => terminal::print_json(&json!({
            "name": built.name,
            "digest": built.digest,
            "version": version(built.version),
            "bytes": built.bytes,
            "found": built.found,
        }))?,
    }
    Ok(0)
}

fn standing(standing: &Standing) -> (&'static str, Option<&str>) {
    match standing {
        Standing::Ready => ("ready", None),
        Standing::BuiltOnUse => ("built on use", None),
        Standing::NotBuilt => ("not built", None),
        Standing::Stale(why) => ("to be built again", Some(why)),
    }
}

fn list(all: &[Listed], format: Format) -> Result<u8, Failure> {
    match format {
        Format::Human => {
            let paint = Paint::for_stdout();
            let mut text = String::new();
            for one in all {
                let size = one.details.as_ref().map(|found| format::bytes(found.bytes));
                let size = size.map_or_else(String::new, |size| format!(", {size}"));
                text.extend([format!(
                    "{}  {}{size}\n",
                    paint.strong(&screen::line(&one.name)),
                    standing(&one.standing).0
                )]);
                if !one.description.is_empty() {
                    text.extend([format!("    {}\n", screen::line(&one.description))]);
                }
            }
            terminal::print(&text)?;
        }
        Format::Json => {
            let all: Vec<_> = all.iter().map(document).collect();
            terminal::print_json(&json!(all))?;
        }
    }
    Ok(0)
}

fn document(one: &Listed) -> Value {
    let (standing, why) = standing(&one.standing);
    let mut document = json!({
        "name": one.name,
        "description": one.description,
        "standing": standing,
    });
    if let Some(why) = why {
        document["why"] = json!(why);
    }
    if let Some(found) = &one.details {
        let pairs = |pairs: &[(String, String)]| {
            let pairs = pairs.iter();
            Value::Object(
                pairs
                    .map(|(key, value)| (key.clone(), json!(value)))
                    .collect(),
            )
        };
        document["digest"] = json!(found.digest);
        document["version"] = json!(version(found.version));
        document["bytes"] = json!(found.bytes);
        document["packages"] = pairs(&found.packages);
        document["preload"] = json!(found.preload);
        document["env"] = pairs(&found.env);
        document["limits"] = pairs(&found.limits);
    }
    document
}

fn version((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{major}.{minor}.{patch}")
}

fn show(one: &Listed, format: Format) -> Result<u8, Failure> {
    match format {
        Format::Json => terminal::print_json(&document(one))?,
        Format::Human => {
            let mut table = Table::default();
            table.row(["name", &screen::line(&one.name)]);
            if !one.description.is_empty() {
                table.row(["description", &screen::line(&one.description)]);
            }
            let (text, why) = standing(&one.standing);
            let text = why.map_or_else(|| text.to_owned(), |why| format!("{text}: {why}"));
            table.row(["standing", &screen::line(&text)]);
            if let Some(found) = &one.details {
                rows(&mut table, found);
            }
            terminal::print(&table.text(0))?;
        }
    }
    Ok(0)
}

fn rows(table: &mut Table, found: &Details) {
    table.row(["digest", &found.digest]);
    table.row(["python", &version(found.version)]);
    table.row(["size", &format::bytes(found.bytes)]);
    let pairs = |pairs: &[(String, String)], between: &str| {
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(key, value)| format!("{key}{between}{value}"))
            .collect();
        screen::line(&pairs.join(", "))
    };
    for (name, text) in [
        ("packages", pairs(&found.packages, " ")),
        ("preload", screen::line(&found.preload.join(", "))),
        ("env", pairs(&found.env, "=")),
        ("limits", pairs(&found.limits, "=")),
    ] {
        if !text.is_empty() {
            table.row([name, &text]);
        }
    }
}

fn verify(engine: &Engine, name: &str, format: Format) -> Result<u8, Failure> {
    let faults = engine.verify_template(name)?;
    match format {
        Format::Human => {
            let name = screen::line(name);
            let mut lines: Vec<_> = faults.iter().map(|fault| screen::line(fault)).collect();
            lines.push(match faults.len() {
                0 => "as its digest says".to_owned(),
                found => format::count(found as u64, "fault"),
            });
            let text = lines.join(&format!("\n{name}: "));
            terminal::print(&format!("{name}: {text}\n"))?;
        }
        Format::Json => {
            terminal::print_json(&json!({ "name": name, "faults": faults }))?;
        }
    }
    Ok(if faults.is_empty() { 0 } else { DAMAGED })
}

fn prune(engine: &Engine, format: Format) -> Result<u8, Failure> {
    let pruned = engine.prune_templates()?;
    match format {
        Format::Human => {
            let mut text = format!(
                "took away {} and {}, {}\n",
                format::count(pruned.trees as u64, "tree"),
                format::count(pruned.wheels as u64, "wheel"),
                format::bytes(pruned.bytes)
            );
            if pruned.kept > 0 {
                let kept = format::count(pruned.kept as u64, "tree");
                text.extend([format!("{kept} more in use\n")]);
            }
            terminal::print(&text)?;
        }
        Format::Json => terminal::print_json(&json!({
            "trees": pruned.trees,
            "in_use": pruned.kept,
            "wheels": pruned.wheels,
            "bytes": pruned.bytes,
        }))?,
    }
    Ok(0)
}
