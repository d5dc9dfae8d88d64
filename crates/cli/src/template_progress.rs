//! How far a long step is: a bar on a terminal, lines elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stockade::template::Progress;

use crate::screen;
use crate::terminal;

const BAR: &str = "{prefix} [{bar:24}] {pos}/{len} {msg}";
const SPINNER: &str = "{prefix} {msg}";

/// Whoever is told on standard error.
pub(crate) struct Shown {
    /// `None` where that is no terminal.
    bar: Option<ProgressBar>,
}

impl Shown {
    pub(crate) fn new() -> Self {
        let bar = terminal::stderr_is_one().then(|| {
            let bar = ProgressBar::no_length();
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar
        });
        Self { bar }
    }
}

impl Progress for Shown {
    fn begin(&mut self, step: &str, parts: u64) {
        let step = screen::line(step);
        let Some(bar) = &self.bar else {
            terminal::say(&format!("{step}\n"));
            return;
        };
        let template = if parts > 1 { BAR } else { SPINNER };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.reset();
        bar.set_length(parts);
        bar.set_message("");
        bar.set_prefix(step);
        bar.tick();
    }

    fn next(&mut self, part: &str) {
        let part = screen::line(part);
        match &self.bar {
            Some(bar) => {
                bar.set_message(part);
                bar.inc(1);
            }
            None => terminal::say(&format!("  {part}\n")),
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
