//! Rows, one by one: JSON lines, a JSON array, or CSV. Memory does not grow with their number,
//! but for an array, which is read as a whole.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use stockade::{Error, ErrorKind, LimitId};
use stockade_formula::{Compiled, FormulaError, Inputs};

use super::table::Table;

/// Longest row, bytes.
pub(super) const ROW_BYTES_MAX: u64 = 1 << 20;

/// What came next.
pub(super) enum Found {
    Inputs(Inputs),
    Unreadable(FormulaError),
    End,
}

pub(super) enum Rows {
    Lines {
        from: Lines,
    },
    Array {
        bytes: Vec<u8>,
        items: std::vec::IntoIter<Range<usize>>,
    },
    Table(Box<Table>),
}

/// Lines of bounded length.
pub(super) struct Lines {
    from: Box<dyn BufRead>,
    number: u64,
    pub(super) line: Vec<u8>,
}

impl Lines {
    /// The next line, with its end; `false` after the last.
    pub(super) fn next(&mut self) -> Result<bool, Error> {
        self.line.clear();
        self.more()
    }

    /// Adds the next line to this one.
    pub(super) fn more(&mut self) -> Result<bool, Error> {
        self.number += 1;
        let left = (ROW_BYTES_MAX + 1).saturating_sub(self.line.len() as u64);
        let mut limited = (&mut self.from).take(left);
        let count = limited.read_until(b'\n', &mut self.line).map_err(|error| {
            Error::new(ErrorKind::InvalidSubmission, "cannot read the rows").because(error)
        })?;
        if self.line.len() as u64 > ROW_BYTES_MAX {
            let number = self.number;
            let message = format!("line {number}: a row has more than {ROW_BYTES_MAX} bytes");
            return Err(Error::new(ErrorKind::InvalidSubmission, message)
                .hint("rows are lines; in CSV, look for a quote that is not closed"));
        }
        Ok(count > 0)
    }
}

impl Rows {
    pub(super) fn open(name: &OsStr, csv: bool, formula: &Compiled) -> Result<Self, Error> {
        let mut from: Box<dyn BufRead> = if name == "-" {
            Box::new(BufReader::with_capacity(256 << 10, io::stdin()))
        } else {
            let path = Path::new(name);
            let file = File::open(path).map_err(|error| {
                let message = format!("cannot read rows `{}`", path.display());
                Error::new(ErrorKind::InvalidSubmission, message).because(error)
            })?;
            Box::new(BufReader::with_capacity(256 << 10, file))
        };
        let is_csv = Path::new(name)
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("csv"));
        if csv || is_csv {
            let lines = Lines {
                from,
                number: 0,
                line: Vec::new(),
            };
            return Table::open(lines, formula).map(|table| Self::Table(Box::new(table)));
        }
        let begins = from.fill_buf().map_err(|error| {
            Error::new(ErrorKind::InvalidSubmission, "cannot read the rows").because(error)
        })?;
        let first = begins.iter().copied().find(|b| !b.is_ascii_whitespace());
        if first == Some(b'[') {
            return Self::array(from);
        }
        Ok(Self::Lines {
            from: Lines {
                from,
                number: 0,
                line: Vec::new(),
            },
        })
    }

    fn array(from: Box<dyn BufRead>) -> Result<Self, Error> {
        let max = LimitId::Files.spec().default;
        let mut bytes = Vec::new();
        let read = from.take(max + 1).read_to_end(&mut bytes);
        read.map_err(|error| {
            Error::new(ErrorKind::InvalidSubmission, "cannot read the rows").because(error)
        })?;
        if bytes.len() as u64 > max {
            let message = format!("the array of rows has more than {max} bytes");
            return Err(Error::new(ErrorKind::InvalidSubmission, message)
                .hint("write a row a line: `jq -c '.[]' rows.json`"));
        }
        let items = Compiled::items_of_json(&bytes).map_err(|error| {
            let message = format!("the array of rows: {}", error.message());
            Error::new(ErrorKind::InvalidSubmission, message)
        })?;
        Ok(Self::Array {
            bytes,
            items: items.into_iter(),
        })
    }

    /// The inputs of the next row.
    pub(super) fn next(&mut self, formula: &Compiled) -> Result<Found, Error> {
        let read = match self {
            Self::Lines { from } => loop {
                if !from.next()? {
                    return Ok(Found::End);
                }
                if !from.line.trim_ascii().is_empty() {
                    break formula.inputs_from_json(&from.line);
                }
            },
            Self::Array { bytes, items } => match items.next() {
                Some(range) => formula.inputs_from_json(&bytes[range]),
                None => return Ok(Found::End),
            },
            Self::Table(table) => match table.next(formula)? {
                Some(read) => read,
                None => return Ok(Found::End),
            },
        };
        Ok(match read {
            Ok(inputs) => Found::Inputs(inputs),
            Err(error) => Found::Unreadable(error),
        })
    }
}
