//! Counts of something, second by second.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use resilience::Nanos;

pub(crate) struct Timeline<T> {
    start: Nanos,
    seconds: Mutex<Vec<T>>,
}

impl<T: Clone + Default> Timeline<T> {
    /// For so many seconds from `start` on.
    pub(crate) fn new(start: Nanos, seconds: u16) -> Self {
        Self { start, seconds: Mutex::new(vec![T::default(); seconds.into()]) }
    }

    /// When the second of this number, from 0, begins; after the last one, the end.
    pub(crate) fn second(&self, number: u16) -> Nanos {
        self.start.after(Duration::from_secs(number.into()))
    }

    /// Counts something at its time. What comes after the end does not count.
    pub(crate) fn count(&self, at: Nanos, what: impl FnOnce(&mut T)) {
        let second = usize::try_from(at.since(self.start).as_secs()).unwrap_or(usize::MAX);
        if let Some(counts) = lock(&self.seconds).get_mut(second) {
            what(counts);
        }
    }

    /// The counts of the second of this number.
    pub(crate) fn get(&self, second: u16) -> T {
        lock(&self.seconds)[usize::from(second)].clone()
    }

    pub(crate) fn all(&self) -> Vec<T> {
        lock(&self.seconds).clone()
    }
}

/// A panic elsewhere is told elsewhere.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
