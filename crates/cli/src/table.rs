//! Text in columns.

/// Columns of a line at most.
const WIDTH: usize = 96;

/// Rows whose cells are aligned; the last cell is wrapped.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(str::to_owned).to_vec());
    }

    /// The rows, each indented by `indent` columns.
    pub(crate) fn text(&self, indent: usize) -> String {
        let mut widths = Vec::new();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate().take(row.len().saturating_sub(1)) {
                if widths.len() <= column {
                    widths.push(0);
                }
                widths[column] = widths[column].max(columns(cell));
            }
        }
        let mut out = String::new();
        for row in &self.rows {
            let Some((last, before)) = row.split_last() else {
                continue;
            };
            let mut line = " ".repeat(indent);
            for (cell, width) in before.iter().zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(width - columns(cell) + 2));
            }
            let start = columns(&line);
            line.push_str(&wrapped(last, start));
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// `text` broken at spaces so that it fits to the right of column `start`. A word that is longer
/// than a line stays whole: it may be a path to copy.
pub(crate) fn wrapped(text: &str, start: usize) -> String {
    let room = WIDTH.saturating_sub(start).max(24);
    let mut out = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let long = columns(word);
        if used > 0 && used + 1 + long > room {
            out.push('\n');
            out.push_str(&" ".repeat(start));
            used = 0;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += long;
    }
    out
}

/// How many columns a terminal gives `text`, colours left out. What we print of our own is one
/// column a character.
fn columns(text: &str) -> usize {
    let mut count = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            chars.find(|c| *c == 'm');
        } else {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::default();
        table.row(["a", "bb", "c"]);
        table.row(["aaa", "\x1b[1mb\x1b[0m", "c d"]);
        assert_eq!(table.text(1), " a    bb  c\n aaa  \x1b[1mb\x1b[0m   c d\n");
    }

    #[test]
    fn a_long_last_cell_goes_on_below_itself() {
        let text = wrapped(&"word ".repeat(40), 10);
        assert!(text.lines().count() > 1);
        for (at, line) in text.lines().enumerate() {
            let start = if at == 0 { 10 } else { 0 };
            assert!(start + line.len() <= WIDTH, "{line}");
            assert!(at == 0 || line.starts_with("          word"), "{line}");
        }
    }
}
