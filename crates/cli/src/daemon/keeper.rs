//! What the daemon keeps warm: ordered by people, and by runs that found nothing of their kind.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stockade::{Engine, Error, ErrorKind, Kept, LimitId, Plan, Policy, Submission};
use stockade_sys::clock;

use super::journal::Journal;
use crate::warm::message::{Failed, Herd, Pattern};

/// Kinds of interpreters at most: each has zygotes with all its modules in memory.
const KINDS_MAX: usize = 8;

/// Copies that wait of a kind, where nobody asks for more.
const DEPTH: u32 = 2;

/// How long what has failed is left alone by runs that would like it.
const TROUBLE_LASTS: Duration = Duration::from_mins(1);

/// How often it is looked what burials have left.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// What zygotes must have in common with a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) template: String,
    pub(crate) calls: bool,
    pub(crate) cpus: u64,
}

/// What of a boundary is fixed when it is built: a copy that waits fits only runs of the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    memory: u64,
    processes: u64,
    disk: u64,
    loopback: bool,
}

/// What is to be kept.
pub(crate) struct Order {
    kind: Kind,
    policy: Policy,
    shape: Shape,
    depth: u32,
}

/// Hears what came of an order.
type Told = Sender<Result<(), Failed>>;

#[derive(Debug)]
struct Entry {
    kind: Kind,
    shape: Shape,
    depth: u32,
    state: State,
    /// Who waits until it is warm.
    told: Vec<Told>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is ordered yet.
    New,
    Warming,
    Warm,
    /// Why, and when by the monotonic clock.
    Trouble(String, Duration),
}

/// Who orders something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A person, who hears what came of it.
    Person,
    /// A run that was cold.
    Run,
}

/// Knows what is kept; one thread of its own does it.
#[derive(Debug)]
pub(crate) struct Keeper {
    entries: Mutex<Vec<Entry>>,
    /// `None` when no more is taken.
    orders: Mutex<Option<Sender<Order>>>,
}

impl Keeper {
    pub(crate) fn new(orders: Sender<Order>) -> Self {
        Self {
            entries: Mutex::default(),
            orders: Mutex::new(Some(orders)),
        }
    }

    /// Has interpreters kept for runs like `pattern`; `told` hears when a copy waits.
    ///
    /// # Errors
    /// Those of planning such a run; `Refused` when too much is kept.
    pub(crate) fn keep(
        &self,
        engine: &Engine,
        pattern: &Pattern,
        depth: Option<u32>,
        by: By,
        told: Told,
    ) -> Result<Kind, Error> {
        let policy = pattern.policy()?;
        let (plan, _) = engine.plan(&Submission::python(""), &policy)?;
        let (kind, shape) = (Kind::of(&plan), Shape::of(&plan));
        let mut entries = self.entries();
        let at = match entries.iter().position(|entry| entry.kind == kind) {
            Some(at) => at,
            None => add(&mut entries, kind.clone(), shape)?,
        };
        let entry = &mut entries[at];
        // A run takes what others have asked for.
        let fits = by == By::Run
            || (depth.is_none_or(|depth| depth == entry.depth) && shape == entry.shape);
        match &entry.state {
            State::Warm
                if fits && still(engine, &kind).is_none_or(|kept| kept.given_up.is_none()) =>
            {
                // Nobody hears it who does not wait.
                let _ = told.send(Ok(()));
                return Ok(kind);
            }
            // Checked with the entries in hand: they are emptied after the orders are closed.
            State::Warming if fits && !self.is_closed() => {
                entry.told.push(told);
                return Ok(kind);
            }
            State::Trouble(_, since)
                if by == By::Run && clock::monotonic() < *since + TROUBLE_LASTS =>
            {
                return Ok(kind);
            }
            State::New | State::Warm | State::Warming | State::Trouble(..) => {}
        }
        entry.state = State::Warming;
        entry.depth = depth.unwrap_or(entry.depth);
        entry.shape = shape;
        entry.told.push(told);
        let depth = entry.depth;
        drop(entries);
        let order = Order {
            kind: kind.clone(),
            policy,
            shape,
            depth,
        };
        if !self.order(order) {
            return Err(Error::new(ErrorKind::Host, "the daemon is ending"));
        }
        Ok(kind)
    }

    /// Has interpreters kept for runs like one that was cold although its template is kept. Where
    /// that is refused, such runs stay cold.
    pub(crate) fn missed(&self, engine: &Engine, pattern: &Pattern) {
        let kept = self
            .entries()
            .iter()
            .any(|entry| entry.kind.template == pattern.template);
        if kept {
            let (told, _) = channel();
            let _ = self.keep(engine, pattern, None, By::Run, told);
        }
    }

    /// Templates of which something is warm.
    pub(crate) fn templates(&self) -> Vec<String> {
        let mut names: Vec<_> = self
            .entries()
            .iter()
            .filter(|entry| entry.state == State::Warm)
            .map(|entry| entry.kind.template.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// What is kept, as it stands.
    pub(crate) fn herds(&self, engine: &Engine) -> Vec<Herd> {
        let kept = engine.kept();
        let entries = self.entries();
        entries.iter().map(|entry| shown(entry, &kept)).collect()
    }

    /// Takes no more orders; who waits for one hears that its sender is gone.
    pub(crate) fn close(&self) {
        self.orders
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        for entry in self.entries().iter_mut() {
            entry.told.clear();
        }
    }

    fn is_closed(&self) -> bool {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.is_none()
    }

    /// Does what is ordered, until [`Keeper::close`].
    pub(crate) fn work(&self, engine: &Engine, orders: &Receiver<Order>, journal: &Journal) {
        loop {
            match orders.recv_timeout(LOOK_EVERY) {
                // Whoever waits for it hears that we are ending.
                Ok(_) if self.is_closed() => return,
                Ok(order) => self.fill(engine, order, journal),
                Err(RecvTimeoutError::Timeout) => {
                    for left in engine.settle() {
                        journal.say(&format!("could not be removed: {left}"));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn fill(&self, engine: &Engine, order: Order, journal: &Journal) {
        let Order {
            kind,
            policy,
            shape,
            depth,
        } = order;
        let warmed = engine.warm(&policy, usize::try_from(depth).unwrap_or(1));
        let name = &kind.template;
        let (state, answer) = match &warmed {
            Ok(()) => {
                let calls = if kind.calls { " for --call" } else { "" };
                journal.say(&format!("{name}{calls} with cpus={} is warm", kind.cpus));
                (State::Warm, Ok(()))
            }
            Err(error) => {
                journal.say(&format!("{name} cannot be kept warm: {error}"));
                (
                    State::Trouble(error.to_string(), clock::monotonic()),
                    Err(Failed::from(error)),
                )
            }
        };
        let mut entries = self.entries();
        let Some(entry) = entries.iter_mut().find(|entry| entry.kind == kind) else {
            return;
        };
        // Another may have been ordered meanwhile; its turn comes.
        if (entry.depth, entry.shape) != (depth, shape) {
            return;
        }
        entry.state = state;
        for told in entry.told.drain(..) {
            // Whoever has asked may be gone.
            let _ = told.send(answer.clone());
        }
    }

    /// Whether it will be done.
    fn order(&self, order: Order) -> bool {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders
            .as_ref()
            .is_some_and(|orders| orders.send(order).is_ok())
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room for a kind; where it is.
fn add(entries: &mut Vec<Entry>, kind: Kind, shape: Shape) -> Result<usize, Error> {
    if entries.len() >= KINDS_MAX {
        // What has failed makes room for what may not.
        let failed = |entry: &Entry| matches!(entry.state, State::Trouble(..));
        let Some(at) = entries.iter().position(failed) else {
            return Err(Error::new(
                ErrorKind::Refused,
                format!("the daemon keeps {KINDS_MAX} kinds of interpreters warm, and no more"),
            )
            .hint("`stockade warm --stop` ends it; another starts with nothing"));
        };
        entries.remove(at);
    }
    entries.push(Entry {
        kind,
        shape,
        depth: DEPTH,
        state: State::New,
        told: Vec::new(),
    });
    Ok(entries.len() - 1)
}

impl Kind {
    fn of(plan: &Plan) -> Self {
        Self {
            template: plan.template.clone(),
            calls: plan.call.is_some(),
            cpus: plan.limits.get(LimitId::Cpus),
        }
    }
}

impl Shape {
    fn of(plan: &Plan) -> Self {
        Self {
            memory: plan.limits.get(LimitId::Memory),
            processes: plan.limits.get(LimitId::Processes),
            disk: plan.limits.get(LimitId::Disk),
            loopback: plan.grants.loopback,
        }
    }
}

fn still(engine: &Engine, kind: &Kind) -> Option<Kept> {
    engine.kept().into_iter().find(|kept| is_of(kept, kind))
}

fn is_of(kept: &Kept, kind: &Kind) -> bool {
    kept.template == kind.template && kept.calls == kind.calls && kept.cpus == kind.cpus
}

fn shown(entry: &Entry, kept: &[Kept]) -> Herd {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let found = kept.iter().find(|kept| is_of(kept, &entry.kind));
    let trouble = match &entry.state {
        State::Trouble(why, _) => Some(why.clone()),
        State::New | State::Warming | State::Warm => found.and_then(|kept| kept.given_up.clone()),
    };
    Herd {
        template: entry.kind.template.clone(),
        digest: found.map_or_else(String::new, |kept| kept.digest.clone()),
        calls: entry.kind.calls,
        cpus: entry.kind.cpus,
        zygotes: found.map_or(0, |kept| count(kept.zygotes)),
        children: found.map_or(0, |kept| kept.children),
        waiting: found.map_or(0, |kept| count(kept.waiting)),
        depth: entry.depth,
        trouble,
        warming: entry.state == State::Warming,
    }
}
