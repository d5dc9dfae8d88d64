//! What is kept warm: zygotes, and children of theirs that wait for a submission.
//!
//! A child is made, with its whole boundary, before the submission comes; it serves one, and is
//! destroyed. Nothing comes back.

mod kept;
mod unused;

pub use kept::Kept;
pub(crate) use unused::Unused;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use stockade_core::error::{Error, ErrorKind};
use stockade_core::host::Facts;
use stockade_core::limits::{Amount, LimitId};
use stockade_core::plan::Plan;
use stockade_core::report::Warmth;
use stockade_core::template::Template;
use stockade_rungs::{Ground, Guest, Zygote, cgroup};
use stockade_sys::clock;

use crate::grave::Graves;
use crate::identity::{AHEAD_MAX, Identities, Lease};

/// Zygotes of one template: each has a hash seed of its own, and a run gets any.
const ZYGOTES: usize = 2;

/// Children of a zygote, after which another takes its place: what it leaks, if it does, ends then.
const CHILDREN_MAX: u64 = 20_000;

/// How often the template is looked at while nothing is made.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// For how long a look holds while children are made: a look is a hundred `stat` calls, and those
/// that wait already are of a template that was looked at [`LOOK_EVERY`] so often.
const LOOK_HOLDS: Duration = Duration::from_millis(100);

/// Threads that make children.
const MAKERS: usize = 2;

/// How long to wait after a zygote or a child could not be made, and how often to try in a row.
const RETRY_AFTER: Duration = Duration::from_millis(500);
const RETRIES: u32 = 5;

/// What a zygote must have in common with a run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kind {
    /// The template's name: who makes a child looks at whether it has changed.
    template: String,
    calls: bool,
    cpus: u64,
}

impl Kind {
    fn of(plan: &Plan) -> Self {
        Self {
            template: plan.template.clone(),
            calls: plan.call.is_some(),
            // Libraries size their pools of threads when they are loaded.
            cpus: plan.limits.get(LimitId::Cpus),
        }
    }
}

/// What a child must have in common with the run besides: what is fixed when its boundary is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    loopback: bool,
    memory: u64,
    processes: u64,
    disk: u64,
}

impl Shape {
    fn of(plan: &Plan) -> Self {
        let limit = |id| plan.limits.get(id);
        Self {
            loopback: plan.grants.loopback,
            memory: limit(LimitId::Memory),
            processes: limit(LimitId::Processes),
            disk: limit(LimitId::Disk),
        }
    }
}

/// All that is kept warm by one engine.
#[derive(Debug, Default)]
pub(crate) struct Warm {
    herds: Mutex<Vec<Herd>>,
}

/// The names and uids of what is made, and the account of what is destroyed.
#[derive(Clone, Debug)]
pub(crate) struct Issue {
    pub(crate) prefix: String,
    pub(crate) next: Arc<AtomicU64>,
    pub(crate) identities: Identities,
    pub(crate) graves: Arc<Graves>,
}

impl Issue {
    fn name(&self) -> String {
        format!(
            "{}{}",
            self.prefix,
            self.next.fetch_add(1, Ordering::Relaxed)
        )
    }
}

/// A child, taken for one run.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) ready: Unused,
    pub(crate) identity: Lease,
    pub(crate) warmth: Warmth,
    /// Lives as long as its child.
    pub(crate) zygote: Arc<Mother>,
    pub(crate) replacement: Option<Replacement>,
    /// As it was when the child was made.
    pub(crate) ground: Arc<Ground>,
}

/// Has another child made when it is dropped: when a run is over, so that the two do not share the
/// machine.
#[derive(Debug)]
pub(crate) struct Replacement(Arc<Shared>);

impl Drop for Replacement {
    fn drop(&mut self) {
        self.0.changed.notify_one();
    }
}

/// A zygote and its uid, which is given back after its end.
#[derive(Debug)]
pub(crate) struct Mother {
    zygote: Zygote,
    ground: Arc<Ground>,
    children: AtomicU64,
    /// What its cgroups are called.
    name: String,
    graves: Arc<Graves>,
    _identity: Lease,
}

impl Drop for Mother {
    fn drop(&mut self) {
        self.zygote.finish();
        let left = cgroup::remove(&self.ground.host.cgroup, &self.name);
        self.graves.tell(&self.name, &self.name, left);
    }
}

/// Zygotes of one kind and the children of them that wait.
#[derive(Debug)]
struct Herd {
    kind: Kind,
    shared: Arc<Shared>,
    makers: Vec<JoinHandle<()>>,
}

struct Shared {
    plan: Plan,
    shape: Shape,
    /// Prepares the template anew.
    prepare: Prepare,
    guest: Arc<Guest>,
    issue: Issue,
    depth: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// One more waits, or no more are made.
    added: Condvar,
    turn: AtomicUsize,
}

#[derive(Debug)]
struct State {
    ground: Arc<Ground>,
    /// When the template was last looked at, by the monotonic clock.
    looked: Duration,
    mothers: Mothers,
    waiting: VecDeque<Taken>,
    making: usize,
    ended: bool,
    /// Why no more are made.
    given_up: Option<String>,
}

/// Zygotes whose children have no TCP, as they have none themselves, and those for runs with a
/// loopback, which are made when one comes; by their class.
type Mothers = [[Option<Arc<Mother>>; ZYGOTES]; 2];

/// Prepares a template, or finds that it is prepared and has not changed.
pub(crate) type Prepare = Box<dyn Fn() -> Result<Template, Error> + Send + Sync>;

/// What to keep.
pub(crate) struct Order {
    /// What the runs will be like.
    pub(crate) plan: Plan,
    pub(crate) prepare: Prepare,
    pub(crate) host: Facts,
    pub(crate) issue: Issue,
    pub(crate) guest: Arc<Guest>,
    /// The zygote's library.
    pub(crate) extension: PathBuf,
    pub(crate) scratch: PathBuf,
    /// How many children wait.
    pub(crate) depth: usize,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("shape", &self.shape)
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}

impl Warm {
    /// Keeps `depth` children for runs like `plan`. Returns when the zygotes have loaded their
    /// modules and one child waits.
    pub(crate) fn keep(&self, order: Order) -> Result<(), Error> {
        let Order {
            plan,
            prepare,
            host,
            issue,
            guest,
            extension,
            scratch,
            depth,
        } = order;
        let kind = Kind::of(&plan);
        self.has_room(&kind, depth)?;
        let ground = Ground {
            plan: roomy(&plan)?,
            template: prepare()?,
            host,
            uids: issue.identities.range(),
            extension,
            scratch,
        };
        let shared = Arc::new(Shared {
            shape: Shape::of(&plan),
            plan: plan.clone(),
            prepare,
            guest,
            issue,
            depth,
            state: Mutex::new(State {
                ground: Arc::new(ground),
                looked: clock::monotonic(),
                mothers: Mothers::default(),
                waiting: VecDeque::new(),
                making: 0,
                ended: false,
                given_up: None,
            }),
            changed: Condvar::new(),
            added: Condvar::new(),
            turn: AtomicUsize::new(0),
        });
        for class in 0..ZYGOTES {
            shared.fit_mother(class, plan.grants.loopback)?;
        }
        let first = shared.make(&plan)?;
        shared.lock().waiting.push_back(first);
        let makers = (0..MAKERS)
            .map(|_| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.fill())
            })
            .collect();
        let herd = Herd {
            kind: kind.clone(),
            shared,
            makers,
        };
        let mut herds = self.herds.lock().unwrap_or_else(PoisonError::into_inner);
        // Children of the old ones that run keep their zygotes until they end.
        let old: Vec<_> = herds.extract_if(.., |old| old.kind == kind).collect();
        herds.push(herd);
        drop(herds);
        drop(old);
        Ok(())
    }

    /// Whether as many more may wait, beside what other kinds have.
    fn has_room(&self, kind: &Kind, depth: usize) -> Result<(), Error> {
        let herds = self.herds.lock().unwrap_or_else(PoisonError::into_inner);
        let others = herds.iter().filter(|herd| herd.kind != *kind);
        let held: usize = others.map(|herd| herd.shared.depth + ZYGOTES).sum();
        let most = AHEAD_MAX.saturating_sub(held + ZYGOTES);
        if depth <= most {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InvalidPolicy,
            format!("at most {most} children can wait for runs of this kind, not {depth}"),
        )
        .hint("the others of this process's uids are for runs; start another process for more"))
    }

    /// A child for this run, if zygotes of its kind are kept: one that waits, or one made now.
    pub(crate) fn take(&self, plan: &Plan) -> Option<Taken> {
        let kind = Kind::of(plan);
        let shared = {
            let herds = self.herds.lock().unwrap_or_else(PoisonError::into_inner);
            let herd = herds.iter().find(|herd| herd.kind == kind)?;
            Arc::clone(&herd.shared)
        };
        if shared.shape == Shape::of(plan)
            && let Some(mut taken) = shared.pop()
        {
            taken.replacement = Some(Replacement(Arc::clone(&shared)));
            return Some(taken);
        }
        // What cannot be made warm is made cold, which says what is wrong.
        let made = shared.make(plan).ok()?;
        // What stood in the way is gone.
        if shared.lock().given_up.take().is_some() {
            shared.changed.notify_all();
        }
        Some(made)
    }

    /// Waits until all that is to be kept waits, and says how many do.
    pub(crate) fn replenish(&self) -> Result<usize, Error> {
        let shared: Vec<_> = {
            let herds = self.herds.lock().unwrap_or_else(PoisonError::into_inner);
            herds.iter().map(|herd| Arc::clone(&herd.shared)).collect()
        };
        shared.iter().map(|shared| shared.full()).sum()
    }

    /// Whether anything is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.herds
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }
}

/// The plan of a zygote: a run's own limits are its children's. It needs room for them until each
/// is in its own cgroup, and for all of the template's modules, whatever one run may use.
fn roomy(plan: &Plan) -> Result<Plan, Error> {
    let mut roomy = plan.clone();
    for id in [LimitId::Processes, LimitId::Memory] {
        let enough = id.spec().default.max(plan.limits.get(id));
        roomy.limits = roomy.limits.with(id, Amount::of(id, enough))?;
    }
    Ok(roomy)
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until as many wait as are wanted.
    fn full(&self) -> Result<usize, Error> {
        let mut state = self.lock();
        while state.waiting.len() < self.depth {
            if let Some(why) = &state.given_up {
                return Err(Error::new(
                    ErrorKind::Host,
                    format!("no more children are made for warm runs: {why}"),
                ));
            }
            if state.ended {
                return Ok(0);
            }
            // Whoever died while it waited is found by the run that takes it, which wakes nobody.
            self.changed.notify_one();
            state = self
                .added
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(state.waiting.len())
    }

    /// One that waits and has not changed while it did.
    fn pop(&self) -> Option<Taken> {
        loop {
            let taken = self.lock().waiting.pop_front()?;
            if taken.ready.is_quiet() {
                return Some(taken);
            }
            // It has died: of memory, or with its zygote.
            drop(taken);
        }
    }

    /// Starts a zygote for runs with or without a loopback.
    fn mother(&self, ground: &Arc<Ground>, loopback: bool) -> Result<Arc<Mother>, Error> {
        let mut own = Ground::clone(ground);
        own.plan.grants.loopback = loopback;
        let identity = self.issue.identities.lease()?;
        let name = self.issue.name();
        let zygote = Zygote::start(own, name.clone(), identity.uid(), Arc::clone(&self.guest))?;
        Ok(Arc::new(Mother {
            zygote,
            ground: Arc::clone(ground),
            children: AtomicU64::new(0),
            name,
            graves: Arc::clone(&self.issue.graves),
            _identity: identity,
        }))
    }

    /// Looks at the template; if it has changed, what was made of the old one makes room.
    fn refresh(&self) -> Result<(), Error> {
        let now = clock::monotonic();
        let template = (self.prepare)()?;
        let mut state = self.lock();
        state.looked = now;
        if state.ground.template.digest == template.digest {
            return Ok(());
        }
        state.ground = Arc::new(Ground {
            template,
            ..Ground::clone(&state.ground)
        });
        let waiting = std::mem::take(&mut state.waiting);
        let mothers = std::mem::take(&mut state.mothers);
        drop(state);
        drop((waiting, mothers));
        Ok(())
    }

    /// Makes a child of the zygote whose turn it is.
    fn make(&self, plan: &Plan) -> Result<Taken, Error> {
        if clock::monotonic().saturating_sub(self.lock().looked) >= LOOK_HOLDS {
            self.refresh()?;
        }
        let class = self.turn.fetch_add(1, Ordering::Relaxed) % ZYGOTES;
        let mother = self.fit_mother(class, plan.grants.loopback)?;
        let identity = self.issue.identities.lease()?;
        mother.children.fetch_add(1, Ordering::Relaxed);
        let name = self.issue.name();
        let ready = mother.zygote.child(plan, &name, identity.uid())?;
        Ok(Taken {
            ready: Unused::new(ready, name, &self.issue.graves),
            identity,
            warmth: Warmth {
                seed_class: class,
                seed_classes: ZYGOTES,
            },
            ground: Arc::clone(&mother.ground),
            zygote: mother,
            replacement: None,
        })
    }

    /// The zygote of a class, a new one if it has ended or is due.
    fn fit_mother(&self, class: usize, loopback: bool) -> Result<Arc<Mother>, Error> {
        let side = usize::from(loopback);
        let (present, ground) = {
            let state = self.lock();
            let present = state.mothers[side][class].clone();
            (present, Arc::clone(&state.ground))
        };
        let fit = present.filter(|mother| {
            mother.zygote.is_alive()
                && mother.children.load(Ordering::Relaxed) < CHILDREN_MAX
                && Arc::ptr_eq(&mother.ground, &ground)
        });
        if let Some(mother) = fit {
            return Ok(mother);
        }
        let mother = self.mother(&ground, loopback)?;
        let mut state = self.lock();
        if state.ended {
            return Err(Error::new(ErrorKind::Host, "the engine is ending"));
        }
        let old = state.mothers[side][class].replace(Arc::clone(&mother));
        drop(state);
        drop(old);
        Ok(mother)
    }

    /// Keeps as many waiting as are wanted, until the end.
    fn fill(&self) {
        let mut failures = 0;
        loop {
            let mut state = self.lock();
            while !state.ended
                && (state.waiting.len() + state.making >= self.depth || state.given_up.is_some())
            {
                let (woken, waited) = self
                    .changed
                    .wait_timeout(state, LOOK_EVERY)
                    .unwrap_or_else(PoisonError::into_inner);
                state = woken;
                if waited.timed_out() && !state.ended && state.given_up.is_none() {
                    drop(state);
                    // What cannot be prepared now is said when a child is made of it.
                    let _ = self.refresh();
                    state = self.lock();
                }
            }
            if state.ended {
                return;
            }
            state.making += 1;
            drop(state);
            let made = self.make(&self.plan);
            let mut state = self.lock();
            state.making -= 1;
            match made {
                Ok(taken) => {
                    failures = 0;
                    if state.ended {
                        drop(state);
                        drop(taken);
                        return;
                    }
                    state.waiting.push_back(taken);
                    self.added.notify_all();
                }
                Err(error) => {
                    failures += 1;
                    if failures >= RETRIES {
                        state.given_up = Some(error.to_string());
                        self.added.notify_all();
                    } else {
                        let waited = self.changed.wait_timeout(state, RETRY_AFTER);
                        drop(waited.unwrap_or_else(PoisonError::into_inner));
                    }
                }
            }
        }
    }
}

impl Drop for Herd {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.ended = true;
        let waiting = std::mem::take(&mut state.waiting);
        let mothers = std::mem::take(&mut state.mothers);
        drop(state);
        self.shared.changed.notify_all();
        self.shared.added.notify_all();
        for maker in self.makers.drain(..) {
            // One that panicked has nothing left to do either.
            let _ = maker.join();
        }
        drop(waiting);
        drop(mothers);
    }
}
