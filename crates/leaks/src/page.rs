//! The demonstration as one file to show: no script, no request, readable on a phone.

use std::fmt::Write as _;

use stockade::value::is_unsafe_to_print;

use crate::demonstration::{Column, Demonstration, Place, Row};
use crate::verdict::{Cell, Verdict};

const STYLE: &str = include_str!("page.css");

/// The page. Everything that is not ours in it is text, escaped.
#[must_use]
pub fn html(shown: &Demonstration) -> String {
    let mut page = Page(String::new());
    page.add(&format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n\
         <title>A restriction inside Python is not a boundary</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    ));
    head(&mut page, shown);
    tiles(&mut page, shown);
    figures(&mut page, shown);
    matrix(&mut page, shown);
    about(&mut page, shown);
    each(&mut page, shown);
    foot(&mut page, shown);
    page.add("</main>\n</body>\n</html>");
    page.0
}

struct Page(String);

impl Page {
    fn add(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// `<TAG>text</TAG>`, with back-ticks in the text made into code.
    fn prose(&mut self, tag: &str, class: &str, text: &str) {
        let class = match class {
            "" => String::new(),
            class => format!(" class=\"{class}\""),
        };
        let text = prose(text);
        self.add(&format!("<{tag}{class}>{text}</{tag}>\n"));
    }
}

fn head(page: &mut Page, shown: &Demonstration) {
    page.prose("p", "kicker", "stockade leaks");
    page.prose("h1", "", "A restriction inside Python is not a boundary");
    let places = shown.columns.iter();
    let sandboxes = places.filter(|column| matches!(column.place, Place::Sandbox(_)));
    let rungs = shown.columns.len() - sandboxes.clone().count();
    let text = format!(
        "{} known techniques, each tried on this host against {} that people write to run \
         somebody else's Python in their own process, and then as a submission on {} of Stockade. \
         Python {}.",
        shown.rows.len(),
        counted(sandboxes.count(), "sandbox", "sandboxes"),
        counted(rungs, "rung", "rungs"),
        shown.figures.version
    );
    page.prose("p", "lede", &text);
    page.prose(
        "p",
        "soft",
        "Every value is harmless: what is reached is named or counted, and not used. In each \
         sandbox the host judges what the submission holds in `leak` by what that object is. \
         On a rung the trusted process keeps a secret, and looks for it in everything that comes \
         back. This is a demonstration and no score: the techniques were chosen because they work.",
    );
}

fn tiles(page: &mut Page, shown: &Demonstration) {
    page.prose("h2", "", "What came of it");
    page.add("<ul class=\"tiles\">\n");
    for (at, column) in shown.columns.iter().enumerate() {
        let reached = shown.count(at, Verdict::Reached);
        let tried = reached + shown.count(at, Verdict::Stopped);
        let rung = matches!(column.place, Place::Rung(_));
        let (class, part) = match (tried, reached, rung) {
            (0, ..) => ("none", 0),
            (_, 0, true) => ("held", 100),
            (_, 0, false) => ("even", 0),
            (tried, reached, _) => ("bad", reached * 100 / tried),
        };
        page.add(&format!("<li class=\"tile {class}\">\n"));
        page.prose("h3", "", &titled(column));
        page.prose("div", "count", &count(tried, reached, rung));
        page.add(&format!(
            "<div class=\"bar\"><i style=\"width: {part}%\"></i></div>\n"
        ));
        let note = match (&column.skipped, tried, rung) {
            (Some(why), ..) => format!("not tried: {why}"),
            (None, 0, _) => "nothing here can be tried".to_owned(),
            (None, _, true) => "nothing of the trusted process came back".to_owned(),
            (None, _, false) => format!("{reached} of {tried} that can be tried reach something"),
        };
        page.prose("p", "", &note);
        page.prose("p", "soft what", column.what());
        page.add("</li>\n");
    }
    page.add("</ul>\n");
}

/// What stands largest on a tile.
fn count(tried: usize, reached: usize, rung: bool) -> String {
    match (tried, rung) {
        (0, _) => "–".to_owned(),
        (_, true) if reached == 0 => format!("{tried} held"),
        (_, true | false) => format!("{reached} through"),
    }
}

fn figures(page: &mut Page, shown: &Demonstration) {
    page.prose("h2", "", "Figures, measured here");
    page.add("<ul class=\"figures\">\n");
    for sentence in shown.figures.sentences() {
        page.prose("li", "", &sentence);
    }
    page.add("</ul>\n");
}

fn matrix(page: &mut Page, shown: &Demonstration) {
    page.prose("h2", "", "Technique by sandbox");
    page.add("<ul class=\"legend\">\n");
    for (verdict, meaning) in [
        (Verdict::Reached, "reached something of the host"),
        (Verdict::Stopped, "has nothing"),
        (Verdict::Inapplicable, "cannot be tried there"),
        (Verdict::Skipped, "not tried"),
    ] {
        let (class, mark) = (verdict.slug(), verdict.mark());
        page.add(&format!(
            "<li><b class=\"{class}\">{mark}</b>{meaning}</li>\n"
        ));
    }
    let columns = shown.columns.len();
    page.add(&format!(
        "</ul>\n<table style=\"--columns: {columns}\">\n<thead>\n\
         <tr><th scope=\"col\">Technique</th>"
    ));
    for (at, column) in shown.columns.iter().enumerate() {
        let class = place_class(shown, at);
        let name = escaped(column.name());
        page.add(&format!(
            "<th scope=\"col\" class=\"{class}\"><span>{name}</span></th>"
        ));
    }
    page.add("</tr>\n</thead>\n<tbody>\n");
    let mut family = "";
    for row in &shown.rows {
        if row.technique.family != family {
            family = &row.technique.family;
            let name = escaped(family);
            page.add(&format!(
                "<tr class=\"family\"><th scope=\"rowgroup\" colspan=\"{}\">{name}</th></tr>\n",
                columns + 1
            ));
        }
        matrix_row(page, shown, row);
    }
    page.add("</tbody>\n</table>\n");
}

fn matrix_row(page: &mut Page, shown: &Demonstration, row: &Row) {
    let number = escaped(row.technique.number());
    let title = escaped(&row.technique.title);
    page.add(&format!(
        "<tr><th scope=\"row\"><a href=\"#t{number}\"><span class=\"number\">{number}</span>{title}\
         </a></th>"
    ));
    for (at, cell) in row.cells.iter().enumerate() {
        let (class, slug) = (place_class(shown, at), cell.verdict.slug());
        let (mark, why) = (cell.verdict.mark(), escaped(&cell.sentence()));
        page.add(&format!(
            "<td class=\"{class} {slug}\" title=\"{why}\"><span class=\"mark\" \
             aria-hidden=\"true\">{mark}</span><span class=\"said\">{slug}</span></td>"
        ));
    }
    page.add("</tr>\n");
}

fn place_class(shown: &Demonstration, at: usize) -> &'static str {
    let is_rung = |column: &Column| matches!(column.place, Place::Rung(_));
    let first = shown.columns.iter().position(is_rung);
    match first {
        Some(first) if first == at => "rung rung-first",
        Some(first) if first < at => "rung",
        Some(_) | None => "sandbox",
    }
}

fn about(page: &mut Page, shown: &Demonstration) {
    page.prose("h2", "", "What each is for");
    page.add("<div class=\"about\">\n");
    for column in &shown.columns {
        let text = match column.place {
            Place::Sandbox(sandbox) => sandbox.purpose().to_owned(),
            Place::Rung(spec) => {
                let given: Vec<_> = spec.guarantees.iter().map(|g| g.slug()).collect();
                format!(
                    "{}. It promises {}.",
                    capital(spec.summary),
                    given.join(", ")
                )
            }
        };
        page.add("<div>\n");
        page.prose("h3", "", &titled(column));
        page.prose("p", "", &text);
        page.add("</div>\n");
    }
    page.add("</div>\n");
    page.prose(
        "p",
        "",
        "On a rung that runs Python, no restriction of Python's is in the way: the submission may \
         walk to every class, module and frame of its own interpreter, and often does. It is \
         another interpreter, in another process, and nothing of yours is in it. What a helper \
         knows stays with you; what it answers goes in as data.",
    );
}

fn each(page: &mut Page, shown: &Demonstration) {
    page.prose("h2", "", "Each technique, and why");
    for row in &shown.rows {
        let technique = &row.technique;
        let number = escaped(technique.number());
        let title = escaped(&technique.title);
        page.add(&format!(
            "<details>\n<summary><span class=\"number\">{number}</span>{title}\
             </summary>\n<div id=\"t{number}\">\n<pre>{}</pre>\n",
            escaped(&technique.program())
        ));
        if let Some(seen) = &technique.seen_in {
            page.prose("p", "soft", &format!("Seen in: {seen}"));
        }
        page.add("<dl>\n");
        for (column, cell) in shown.columns.iter().zip(&row.cells) {
            verdict(page, column, cell);
        }
        page.add("</dl>\n</div>\n</details>\n");
    }
}

fn verdict(page: &mut Page, column: &Column, cell: &Cell) {
    page.prose("dt", "", column.name());
    let text = match cell.verdict {
        Verdict::Reached | Verdict::Stopped => cell.sentence(),
        Verdict::Inapplicable | Verdict::Skipped | Verdict::Failed => {
            format!("{}: {}", cell.verdict.slug(), cell.sentence())
        }
    };
    page.prose("dd", cell.verdict.slug(), &text);
}

fn foot(page: &mut Page, shown: &Demonstration) {
    page.add("<footer>\n");
    let interpreter = shown.interpreter.display();
    let text = format!(
        "Made by `stockade leaks --html`, version {}, with `{interpreter}` ({} {}). Type it on \
         your own host: another Python, other packages and another kernel may differ.",
        env!("CARGO_PKG_VERSION"),
        shown.figures.implementation,
        shown.figures.version
    );
    page.prose("p", "", &text);
    page.add("</footer>\n");
}

fn titled(column: &Column) -> String {
    match column.version {
        Some(version) => format!("{} {version}", column.name()),
        None => column.name().to_owned(),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn counted(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// Text as text, in an element or an attribute. What reorders or hides text is shown as its number.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            // Writing to a `String` cannot fail.
            c if is_unsafe_to_print(c) => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// [`escaped`], with what is between back-ticks as code. A back-tick without a second is itself.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, after)) = after.split_once('`') else {
            break;
        };
        out.push_str(&escaped(before));
        out.extend([format!("<code>{}</code>", escaped(code))]);
        rest = after;
    }
    out.push_str(&escaped(rest));
    out
}

#[cfg(test)]
mod tests;
