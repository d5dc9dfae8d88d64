//! The chart: medians by contender, as an SVG that stands alone, for light and dark pages.

use std::fmt::Write as _;

use super::sample::milliseconds;

const WIDTH: u32 = 720;
const ROW: u32 = 30;
const BAR: u32 = 18;
/// Where bars begin, and how long the longest is: its figure stands behind it.
const LEFT: u32 = 125;
const LONGEST: u32 = 480;

const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#1f2328}\
.t{font-weight:600;font-size:15px}.n{fill:#59636e}.b{fill:#8c959f}.s{fill:#0969da}\
@media(prefers-color-scheme:dark){\
text{fill:#f0f6fc}.n{fill:#9198a1}.b{fill:#656c76}.s{fill:#4493f8}}";

/// Bars with one title.
#[derive(Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Who, and the median in µs.
    pub(crate) bars: Vec<(String, u64)>,
}

/// Draws them one below the other; each has a scale of its own, from zero.
pub(crate) fn draw(panels: &[Panel], note: &str) -> String {
    let mut body = String::new();
    let mut y = 10;
    for panel in panels {
        y += 22;
        line(&mut body, 12, y, "t", &panel.title);
        y += 10;
        let most = panel.bars.iter().map(|bar| bar.1).max().unwrap_or(1).max(1);
        let mut bars: Vec<_> = panel.bars.iter().collect();
        bars.sort_by_key(|bar| bar.1);
        for (name, us) in bars {
            // At most `LONGEST`, as `us` is at most `most`.
            let length = u64::from(LONGEST) * us / most;
            let class = if name.starts_with("stockade") {
                "s"
            } else {
                "b"
            };
            line(&mut body, 12, y + 14, "", name);
            let _ = write!(
                body,
                "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{}\" height=\"{BAR}\" \
                 rx=\"2\"/>",
                length.max(1)
            );
            let x = u64::from(LEFT) + length + 8;
            let figure = format!("{:.1} ms", milliseconds(*us));
            let _ = write!(body, "<text x=\"{x}\" y=\"{}\">{figure}</text>", y + 14);
            y += ROW;
        }
        y += 8;
    }
    y += 14;
    line(&mut body, 12, y, "n", note);
    let height = y + 14;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\
         <style>{STYLE}</style>{body}</svg>\n",
        escaped(note)
    )
}

fn line(body: &mut String, x: u32, y: u32, class: &str, text: &str) {
    let text = escaped(text);
    // Writing to a string does not fail.
    let _ = write!(
        body,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_is_the_slowest_and_the_quickest_comes_first() {
        let panel = Panel {
            title: "a < b".to_owned(),
            bars: vec![("bwrap".to_owned(), 12_000), ("stockade".to_owned(), 1_200)],
        };
        let drawn = draw(&[panel], "medians");
        assert!(drawn.contains("a &lt; b"));
        assert!(drawn.contains(&format!(
            "class=\"b\" x=\"{LEFT}\" y=\"72\" width=\"{LONGEST}\""
        )));
        assert!(drawn.contains("width=\"48\""), "{drawn}");
        assert!(drawn.find("stockade") < drawn.find("bwrap"));
    }

    #[test]
    fn a_bar_of_nothing_is_still_seen() {
        let panel = Panel {
            title: String::new(),
            bars: vec![("none".to_owned(), 0)],
        };
        assert!(draw(&[panel], "").contains("width=\"1\" "));
    }
}
