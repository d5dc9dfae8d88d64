//! Takes away what is left of warm runs, off the way of their answers, and sees that nothing stays.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use stockade_core::host::Cgroup;
use stockade_rungs::{Remains, cgroup};

use crate::admission::Seat;
use crate::grave::Graves;
use crate::place::Place;

/// One run's remains, with what is free again when they are gone.
struct Burial {
    run: String,
    /// What the guest's cgroups are called.
    name: String,
    remains: Remains,
    place: Place,
    seat: Seat,
}

#[derive(Debug, Default)]
struct Count {
    due: usize,
}

#[derive(Debug, Default)]
struct Shared {
    count: Mutex<Count>,
    settled: Condvar,
    graves: Arc<Graves>,
}

/// A thread that buries.
#[derive(Debug, Default)]
pub(crate) struct Undertaker {
    shared: Arc<Shared>,
    thread: Mutex<Option<(Sender<Burial>, JoinHandle<()>)>>,
}

impl Undertaker {
    /// Takes over what is left of a run.
    pub(crate) fn take(&self, run: &str, remains: Remains, place: Place, seat: Seat) {
        let burial = Burial {
            run: run.to_owned(),
            name: place.child().unwrap_or(run).to_owned(),
            remains,
            place,
            seat,
        };
        self.shared.lock().due += 1;
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let (sender, _) = thread.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let shared = Arc::clone(&self.shared);
            (sender, std::thread::spawn(move || work(&receiver, &shared)))
        });
        // The thread ends after the last sender alone; should it have panicked, we do it ourselves.
        if let Err(unsent) = sender.send(burial) {
            bury(unsent.0, &self.shared);
        }
    }

    /// Looks what is left of a run that has taken its boundary away itself, if it was warm: a cold
    /// one has said so.
    pub(crate) fn see(&self, run: &str, place: &Place, host: &Cgroup) {
        if let Some(child) = place.child() {
            let left = cgroup::remove(host, child);
            self.shared.graves.tell(run, child, left);
        }
    }

    /// Waits until nothing is left to do, and says what could not be taken away since the last
    /// time that it was asked.
    pub(crate) fn settle(&self) -> Vec<String> {
        let mut count = self.shared.lock();
        while count.due > 0 {
            count = self
                .shared
                .settled
                .wait(count)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(count);
        self.shared.graves.news()
    }

    /// The account of what was taken away.
    pub(crate) fn graves(&self) -> &Arc<Graves> {
        &self.shared.graves
    }
}

impl Drop for Undertaker {
    fn drop(&mut self) {
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some((sender, thread)) = thread {
            drop(sender);
            // What it could not do shows to the reaper of the next start.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn work(burials: &Receiver<Burial>, shared: &Shared) {
    for burial in burials {
        bury(burial, shared);
    }
}

fn bury(burial: Burial, shared: &Shared) {
    let Burial {
        run,
        name,
        remains,
        place,
        seat,
    } = burial;
    shared.graves.tell(&run, &name, remains.bury().map(drop));
    // The uid is nobody's until here.
    drop((place, seat));
    let mut count = shared.lock();
    count.due -= 1;
    if count.due == 0 {
        shared.settled.notify_all();
    }
}
