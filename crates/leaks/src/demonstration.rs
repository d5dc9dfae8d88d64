//! Every technique in every place.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use stockade::{Engine, Error, ErrorKind, RungSpec};

use crate::canary::Canary;
use crate::child;
use crate::figure::Figures;
use crate::package;
pub use crate::package::Install;
use crate::request::Request;
use crate::rung::Usable;
use crate::sandbox::Sandbox;
use crate::technique::Technique;
use crate::verdict::{Cell, Verdict};

/// What is to be shown.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Against these sandboxes.
    pub sandboxes: Vec<Sandbox>,
    /// And on these rungs.
    pub rungs: Vec<&'static RungSpec>,
    /// With these.
    pub techniques: Vec<Technique>,
    /// Whether the packages of sandboxes may be fetched.
    pub install: Install,
}

/// Where techniques are tried.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// In the interpreter of whoever asks, behind a restriction.
    Sandbox(Sandbox),
    /// Behind a boundary.
    Rung(&'static RungSpec),
}

/// One place, and whether it could be had.
#[derive(Clone, Debug)]
pub struct Column {
    /// Which.
    pub place: Place,
    /// Version of the package, where it is one.
    pub version: Option<&'static str>,
    /// Why nothing was tried here, if nothing was.
    pub skipped: Option<String>,
}

impl Column {
    /// Stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.place {
            Place::Sandbox(sandbox) => sandbox.name(),
            Place::Rung(spec) => spec.name,
        }
    }

    /// What it is, in a phrase.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.place {
            Place::Sandbox(sandbox) => sandbox.what(),
            Place::Rung(spec) => spec.summary,
        }
    }
}

/// One technique in every place.
#[derive(Clone, Debug)]
pub struct Row {
    /// The technique.
    pub technique: Technique,
    /// One for each column.
    pub cells: Vec<Cell>,
}

/// What was shown on this host.
#[derive(Clone, Debug)]
pub struct Demonstration {
    /// The interpreter of the sandboxes.
    pub interpreter: PathBuf,
    /// What it shows to code that was given nothing.
    pub figures: Figures,
    /// The places.
    pub columns: Vec<Column>,
    /// The techniques.
    pub rows: Vec<Row>,
}

/// A column with what is needed to fill it.
enum Ready {
    Sandbox(Sandbox),
    Rung(Box<Usable>),
    Skipped(String),
}

impl Demonstration {
    /// Tries each technique in each place; `told` hears of each that is done, and of how many.
    ///
    /// In-process techniques run in child processes of the host's own interpreter, one each, with
    /// rlimits and a deadline, and with no other fence: that is what is shown. The corpus is ours,
    /// and its values are harmless.
    ///
    /// # Errors
    /// `Refused` when the host has no interpreter, `Host` when it does not answer. What one
    /// place lacks is told there.
    pub fn of(
        engine: &Engine,
        wanted: &Wanted,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, Error> {
        let canary = Canary::new()?;
        let python = engine.host_python()?;
        let figures = Figures::measure(&python.interpreter, &canary)?;
        let needed = wanted.sandboxes.iter().any(|one| one.wheel().is_some());
        let packages = needed.then(|| package::find(engine, &python, wanted.install));
        let packages = packages.transpose();
        let (columns, ready) = places(engine, wanted, packages.as_ref().err())?;
        let stage = Stage {
            engine,
            python: &python.interpreter,
            packages: packages.ok().flatten(),
            canary,
            ready,
            techniques: &wanted.techniques,
        };
        let cells = stage.fill(told)?;
        let rows = wanted.techniques.iter().cloned().zip(cells);
        let rows = rows.map(|(technique, cells)| Row { technique, cells });
        Ok(Self {
            rows: rows.collect(),
            interpreter: python.interpreter,
            figures,
            columns,
        })
    }

    /// How many techniques ended so in a column.
    #[must_use]
    pub fn count(&self, column: usize, verdict: Verdict) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
        cells.filter(|cell| cell.verdict == verdict).count()
    }

    /// The names of rungs on which a technique reached the trusted process.
    #[must_use]
    pub fn reached_rungs(&self) -> Vec<&'static str> {
        let columns = self.columns.iter().enumerate();
        columns
            .filter(|(at, column)| {
                matches!(column.place, Place::Rung(_)) && self.count(*at, Verdict::Reached) > 0
            })
            .map(|(_, column)| column.name())
            .collect()
    }

    /// How many cells were not filled because the demonstration itself failed.
    #[must_use]
    pub fn failures(&self) -> usize {
        (0..self.columns.len())
            .map(|column| self.count(column, Verdict::Failed))
            .sum()
    }
}

/// The columns, and what fills them; `unpacked` is why the packages are not there.
fn places(
    engine: &Engine,
    wanted: &Wanted,
    unpacked: Option<&String>,
) -> Result<(Vec<Column>, Vec<Ready>), Error> {
    let mut columns = Vec::new();
    let mut ready = Vec::new();
    for sandbox in &wanted.sandboxes {
        let state = match (unpacked, sandbox.wheel()) {
            (Some(why), Some(_)) => Ready::Skipped(why.clone()),
            (Some(_) | None, _) => Ready::Sandbox(*sandbox),
        };
        columns.push(Column {
            place: Place::Sandbox(*sandbox),
            version: sandbox.wheel().map(|wheel| wheel.version),
            skipped: state.skipped(),
        });
        ready.push(state);
    }
    for spec in &wanted.rungs {
        let state = match Usable::find(engine, spec) {
            Ok(usable) => Ready::Rung(Box::new(usable)),
            Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Host) => {
                Ready::Skipped(format!("it cannot be used here: {error}"))
            }
            Err(error) => return Err(error),
        };
        columns.push(Column {
            place: Place::Rung(spec),
            version: None,
            skipped: state.skipped(),
        });
        ready.push(state);
    }
    Ok((columns, ready))
}

impl Ready {
    fn skipped(&self) -> Option<String> {
        match self {
            Self::Skipped(why) => Some(why.clone()),
            Self::Sandbox(_) | Self::Rung(_) => None,
        }
    }
}

/// What the workers share.
struct Stage<'a> {
    engine: &'a Engine,
    python: &'a Path,
    packages: Option<PathBuf>,
    canary: Canary,
    ready: Vec<Ready>,
    techniques: &'a [Technique],
}

impl Stage<'_> {
    /// All cells, a row each technique; a worker for each processor.
    fn fill(&self, told: &mut dyn FnMut(usize, usize)) -> Result<Vec<Vec<Cell>>, Error> {
        let width = self.ready.len();
        let total = self.techniques.len() * width;
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        let mut cells: Vec<Option<Cell>> = vec![None; total];
        thread::scope(|scope| {
            for _ in 0..workers.min(total) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let at = next.fetch_add(1, Ordering::Relaxed)
                        && at < total
                    {
                        let cell = self.cell(&self.techniques[at / width], &self.ready[at % width]);
                        if sender.send((at, cell)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for (done, (at, cell)) in receiver.iter().enumerate() {
                cells[at] = Some(cell);
                told(done + 1, total);
            }
        });
        let missing = || Error::new(ErrorKind::Bug, "a cell of the matrix was not filled");
        let mut all = cells.into_iter();
        (0..self.techniques.len())
            .map(|_| {
                let row = all.by_ref().take(width);
                row.map(|cell| cell.ok_or_else(missing)).collect()
            })
            .collect()
    }

    fn cell(&self, technique: &Technique, ready: &Ready) -> Cell {
        match ready {
            Ready::Skipped(why) => Cell::new(Verdict::Skipped, why.clone()),
            Ready::Rung(usable) => usable.cell(self.engine, technique, &self.canary),
            Ready::Sandbox(sandbox) => {
                let packages = self.packages.as_deref().map(Path::to_string_lossy);
                let packages = packages.as_deref();
                let secret = self.canary.word();
                let request = Request::in_sandbox(technique, *sandbox, secret, packages);
                child::cell(self.python, technique, *sandbox, &request)
            }
        }
    }
}
