//! How many runs at once, and what happens to the others. Behind a trait, so that the queue in
//! front can be another machine's.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use stockade_core::error::{Error, ErrorKind};

/// Lets runs in.
pub trait Admission: Send + Sync + fmt::Debug {
    /// Waits for a place, or refuses.
    ///
    /// # Errors
    /// `Busy` when no place can be had.
    fn admit(&self) -> Result<Seat, Error>;
}

/// A place, given back when dropped.
pub struct Seat(Option<Box<dyn FnOnce() + Send>>);

impl Seat {
    /// A place that calls `free` when it is given back.
    #[must_use]
    pub fn new(free: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(free)))
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seat")
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(free) = self.0.take() {
            free();
        }
    }
}

/// At most so many run, at most so many wait, the others are refused at once.
#[derive(Debug)]
pub struct Bounded {
    shared: Arc<Shared>,
    running_max: usize,
    waiting_max: usize,
}

#[derive(Debug, Default)]
struct Shared {
    count: Mutex<Count>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Count {
    running: usize,
    waiting: usize,
}

impl Default for Bounded {
    /// 128 at once and 1,024 waiting: as many as one uid range serves, and a queue that is
    /// seconds long for short runs.
    fn default() -> Self {
        Self::new(128, 1_024)
    }
}

impl Bounded {
    /// At most `running_max` at once and `waiting_max` waiting.
    #[must_use]
    pub fn new(running_max: usize, waiting_max: usize) -> Self {
        Self {
            shared: Arc::default(),
            running_max,
            waiting_max,
        }
    }
}

impl Admission for Bounded {
    fn admit(&self) -> Result<Seat, Error> {
        // A panic elsewhere leaves two counters, which are right at any time.
        let mut count = self
            .shared
            .count
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if count.running >= self.running_max {
            if count.waiting >= self.waiting_max {
                return Err(Error::new(
                    ErrorKind::Busy,
                    format!(
                        "{} runs are going on and {} are waiting",
                        count.running, count.waiting
                    ),
                )
                .hint("try again in a second"));
            }
            count.waiting += 1;
            while count.running >= self.running_max {
                count = self
                    .shared
                    .freed
                    .wait(count)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            count.waiting -= 1;
        }
        count.running += 1;
        let shared = Arc::clone(&self.shared);
        Ok(Seat::new(move || {
            shared
                .count
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .running -= 1;
            shared.freed.notify_one();
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_house_refuses_and_a_freed_seat_admits() {
        let house = Bounded::new(1, 0);
        let seat = house.admit().unwrap();
        assert_eq!(house.admit().unwrap_err().kind(), ErrorKind::Busy);
        drop(seat);
        assert!(house.admit().is_ok());
    }

    #[test]
    fn one_who_waits_gets_the_seat_that_is_freed() {
        let house = Arc::new(Bounded::new(1, 1));
        let seat = house.admit().unwrap();
        let waiting = std::thread::spawn({
            let house = Arc::clone(&house);
            move || house.admit().is_ok()
        });
        // The waiter is seen in the count, which is the event that matters.
        while house.shared.count.lock().unwrap().waiting == 0 {
            std::thread::yield_now();
        }
        drop(seat);
        assert!(waiting.join().unwrap());
    }
}
