//! `stockade eval`: a formula in this process. The language is total, so that nothing else is
//! between it and us.

mod row;
mod shown;
mod table;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

use clap::Args;
use stockade::{Error, ErrorKind, LimitId};
use stockade_formula::{Budget, Compiled, Evaluated, Family, Formula, FormulaError, Signature};

use crate::flag::Format;
use crate::intake::{Intake, Pipes};
use crate::terminal;
use crate::trouble::Failure;
use row::{Found, Rows};

/// A formula that is longer is none.
const FORMULA_BYTES_MAX: u64 = 64 << 10;

#[derive(Debug, Args)]
pub(crate) struct Request {
    /// The formula, as in `'price * qty > 100'`; `@FILE` reads it from a file
    #[arg(value_name = "FORMULA")]
    pub(crate) formula: String,

    /// JSON object with the inputs; with `--each`, rows as JSON, JSON lines or CSV; `-` for
    /// standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<OsString>,

    /// Evaluate it for each row, one line of output a row
    #[arg(long, requires = "input")]
    pub(crate) each: bool,

    /// The inputs are CSV with names in the first line; a file called `*.csv` is taken for it
    #[arg(long, requires = "each")]
    pub(crate) csv: bool,

    /// Names and types of the inputs, as in `'price: decimal, qty: int, name: str[64]'`; `@FILE`
    /// reads them from a file. Without it any name is an input
    #[arg(long, value_name = "TYPES")]
    pub(crate) signature: Option<String>,

    /// Most cost units for one evaluation
    #[arg(long, value_name = "UNITS", default_value_t = Budget::default().cost_max)]
    pub(crate) cost_max: u64,

    /// Show what is known of the formula, and stop
    #[arg(long)]
    pub(crate) explain: bool,

    /// How to print it: the value alone, or with cost and version
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// Evaluates the formula, prints what came of it, gives the exit code.
pub(crate) fn eval(request: &Request) -> Result<u8, Failure> {
    let signature = match &request.signature {
        None => Signature::open(),
        Some(given) => {
            let text = text_of(given, "signature")?;
            match Signature::parse(&text) {
                Ok(signature) => signature,
                Err(error) => return shown::error(&error, &text, request.format),
            }
        }
    };
    let source = text_of(&request.formula, "formula")?;
    let formula = match Formula::compile(&source, &signature) {
        Ok(formula) => formula,
        Err(error) => return shown::error(&error, &source, request.format),
    };
    if request.explain {
        return shown::explain(&formula, request.format).map(|()| 0);
    }
    let budget = Budget {
        cost_max: request.cost_max,
        ..Budget::default()
    };
    match &request.input {
        Some(name) if request.each => each(request, &formula, budget, name),
        input => one(request, &formula, budget, input.as_ref()),
    }
}

/// What was typed, or the content of the file that it names.
fn text_of(given: &str, what: &'static str) -> Result<String, Error> {
    let Some(name) = given.strip_prefix('@') else {
        return Ok(given.to_owned());
    };
    let intake = Intake {
        what,
        limit: None,
        bytes_max: FORMULA_BYTES_MAX,
        pipes: Pipes::Taken,
        kind: ErrorKind::InvalidSubmission,
    };
    String::from_utf8(intake.read_named(name.as_ref())?).map_err(|error| {
        Error::new(
            ErrorKind::InvalidSubmission,
            format!("{what} `{name}` is not UTF-8"),
        )
        .because(error)
    })
}

fn one(
    request: &Request,
    formula: &Compiled,
    budget: Budget,
    input: Option<&OsString>,
) -> Result<u8, Failure> {
    let json = match input {
        None => b"{}".to_vec(),
        Some(name) => Intake {
            what: "input",
            limit: Some(LimitId::Files),
            bytes_max: LimitId::Files.spec().default,
            pipes: Pipes::Taken,
            kind: ErrorKind::InvalidSubmission,
        }
        .read_named(name)?,
    };
    let evaluated = formula
        .inputs_from_json(&json)
        .and_then(|inputs| formula.eval(&inputs, budget));
    match evaluated {
        Ok(evaluated) => {
            let mut line = String::new();
            write_line(&mut line, &Ok(evaluated), request.format);
            terminal::print(&line)?;
            Ok(0)
        }
        Err(error) => shown::error(&error, formula.source(), request.format),
    }
}

/// One line of output for each row, in order; a row that fails is a line with its error.
fn each(
    request: &Request,
    formula: &Compiled,
    budget: Budget,
    name: &OsString,
) -> Result<u8, Failure> {
    let mut rows = Rows::open(name, request.csv, formula)?;
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let (mut count, mut failed, mut worst) = (0_u64, 0_u64, 0);
    let mut line = String::new();
    loop {
        let evaluated = match rows.next(formula)? {
            Found::End => break,
            Found::Inputs(inputs) => formula.eval(&inputs, budget),
            Found::Unreadable(error) => Err(error),
        };
        count += 1;
        line.clear();
        if let Err(error) = &evaluated {
            failed += 1;
            worst = worst.max(exit_code(error));
        }
        write_line(&mut line, &evaluated, request.format);
        out.write_all(line.as_bytes())
            .map_err(terminal::unwritten)?;
    }
    out.flush().map_err(terminal::unwritten)?;
    if failed > 0 {
        terminal::say(&format!("{failed} of {count} rows failed\n"));
    }
    Ok(worst)
}

/// A wrong formula is a wrong submission; wrong data is what came of it; a budget is a limit.
fn exit_code(error: &FormulaError) -> u8 {
    match error.family() {
        Family::Source | Family::Language | Family::Types => 65,
        Family::Evaluation => 1,
        Family::Budget => 3,
    }
}

fn write_line(line: &mut String, evaluated: &Result<Evaluated, FormulaError>, format: Format) {
    match (evaluated, format) {
        (Ok(evaluated), Format::Human) => evaluated.value.write_json(line),
        (Ok(evaluated), Format::Json) => {
            line.push_str("{\"value\":");
            evaluated.value.write_json(line);
            let (cost, version) = (evaluated.cost, stockade_formula::LANGUAGE_VERSION);
            line.extend([format!(",\"cost\":{cost},\"language_version\":{version}}}")]);
        }
        (Err(error), Format::Human | Format::Json) => {
            line.extend([shown::document(error).to_string()]);
        }
    }
    line.push('\n');
}
