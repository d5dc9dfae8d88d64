//! CSV (RFC 4180): commas, quotes doubled within quotes, names in the first line.

use stockade::{Error, ErrorKind};
use stockade_formula::{Compiled, FormulaError, Inputs, Type, Value};

use super::row::Lines;

pub(super) struct Table {
    lines: Lines,
    /// For each column, the input that it is.
    columns: Vec<Option<usize>>,
    kinds: Vec<Type>,
    cells: Cells,
    number: u64,
}

/// The cells of one row, without their quotes, in one text.
#[derive(Default)]
struct Cells {
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.text[start..*end])
    }
}

impl Table {
    pub(super) fn open(lines: Lines, formula: &Compiled) -> Result<Self, Error> {
        let mut table = Self {
            lines,
            columns: Vec::new(),
            kinds: formula.names().map(|(_, kind, _)| kind.clone()).collect(),
            cells: Cells::default(),
            number: 0,
        };
        if !table.read()? {
            return Err(Error::new(
                ErrorKind::InvalidSubmission,
                "the CSV has no line of names",
            ));
        }
        let names: Vec<&str> = table
            .cells
            .iter()
            .map(|name| name.trim_start_matches('\u{feff}'))
            .collect();
        let mut found = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                let message = format!("the CSV has the name `{name}` twice");
                return Err(Error::new(ErrorKind::InvalidSubmission, message));
            }
            found.push(
                formula
                    .names()
                    .position(|(input, _, used)| used && input == *name),
            );
        }
        table.columns = found;
        Ok(table)
    }

    /// Reads one row into the cells; `false` after the last.
    fn read(&mut self) -> Result<bool, Error> {
        self.number += 1;
        loop {
            if !self.lines.next()? {
                return Ok(false);
            }
            // An empty line is no row.
            if !self.lines.line.trim_ascii().is_empty() {
                break;
            }
        }
        while quotes(&self.lines.line) % 2 == 1 {
            if !self.lines.more()? {
                return Err(self.wrong("a quote is not closed"));
            }
        }
        let text = std::str::from_utf8(&self.lines.line)
            .map_err(|error| self.wrong("not UTF-8").because(error))?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        self.cells.text.clear();
        self.cells.ends.clear();
        if split(text, &mut self.cells).is_none() {
            return Err(self.wrong("a quote within a cell that does not begin with one"));
        }
        Ok(true)
    }

    fn wrong(&self, what: &str) -> Error {
        let number = self.number;
        Error::new(
            ErrorKind::InvalidSubmission,
            format!("row {number} of the CSV: {what}"),
        )
    }

    pub(super) fn next(
        &mut self,
        formula: &Compiled,
    ) -> Result<Option<Result<Inputs, FormulaError>>, Error> {
        if !self.read()? {
            return Ok(None);
        }
        if self.cells.ends.len() != self.columns.len() {
            let (count, wanted) = (self.cells.ends.len(), self.columns.len());
            return Err(self.wrong(&format!("{count} cells, and there are {wanted} names")));
        }
        let mut slots: Vec<Option<Value>> = vec![None; self.kinds.len()];
        for (cell, column) in self.cells.iter().zip(&self.columns) {
            let Some(at) = column else { continue };
            match Value::from_text(cell, &self.kinds[*at]) {
                Ok(value) => slots[*at] = Some(value),
                Err(error) => return Ok(Some(Err(error))),
            }
        }
        Ok(Some(formula.check(slots)))
    }
}

fn quotes(line: &[u8]) -> usize {
    // One piece more than there are quotes.
    line.split(|byte| *byte == b'"').count() - 1
}

/// `None` where a quote stands where none may.
fn split(mut text: &str, cells: &mut Cells) -> Option<()> {
    loop {
        if let Some(quoted) = text.strip_prefix('"') {
            text = quoted;
            loop {
                let end = text.find('"')?;
                cells.text.push_str(&text[..end]);
                text = &text[end + 1..];
                match text.strip_prefix('"') {
                    Some(rest) => {
                        cells.text.push('"');
                        text = rest;
                    }
                    None => break,
                }
            }
            if !text.is_empty() && !text.starts_with(',') {
                return None;
            }
        } else {
            let end = text.find(',').unwrap_or(text.len());
            if text[..end].contains('"') {
                return None;
            }
            cells.text.push_str(&text[..end]);
            text = &text[end..];
        }
        cells.ends.push(cells.text.len());
        match text.strip_prefix(',') {
            Some(rest) => text = rest,
            None => return Some(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Option<Vec<String>> {
        let mut cells = Cells::default();
        split(line, &mut cells)?;
        Some(cells.iter().map(str::to_owned).collect())
    }

    #[test]
    fn quotes_keep_commas_and_double() {
        assert_eq!(
            cells("a,\"b,\"\"c\"\"\",,\"\"").unwrap(),
            ["a", "b,\"c\"", "", ""]
        );
        assert_eq!(cells("").unwrap(), [""]);
        assert_eq!(cells("a\"b"), None);
        assert_eq!(cells("\"a\"b"), None);
    }
}
