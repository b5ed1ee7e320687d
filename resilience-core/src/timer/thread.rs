//! The timer for executors that bring none: one thread per process, started by the first wait that needs it.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use crate::shield::shield;

type Key = (Instant, u64);

#[derive(Default)]
struct Wheel {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    made: u64,
    wakers: BTreeMap<Key, Waker>,
}

#[expect(clippy::disallowed_methods, reason = "this is the waiting half of the clock")]
fn now() -> Instant {
    Instant::now()
}

impl Wheel {
    fn get() -> &'static Self {
        static WHEEL: OnceLock<Wheel> = OnceLock::new();
        static STARTED: OnceLock<()> = OnceLock::new();

        let wheel = WHEEL.get_or_init(Self::default);
        STARTED.get_or_init(|| {
            std::thread::Builder::new()
                .name("resilience-timer".into())
                .spawn(|| wheel.turn())
                .map(drop)
                .expect("the timer thread can be started");
        });
        wheel
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> ! {
        loop {
            let mut waiting = self.lock();
            let now = now();
            let later = waiting.wakers.split_off(&(now, u64::MAX));
            let due = std::mem::replace(&mut waiting.wakers, later);
            let pause = waiting.wakers.keys().next().map_or(Duration::MAX, |(when, _)| *when - now);
            if due.is_empty() {
                drop(self.changed.wait_timeout(waiting, pause));
            } else {
                drop(waiting); // a waker is foreign code: it runs under no lock, and its panic ends no timer
                for waker in due.into_values() {
                    shield(|| waker.wake());
                }
            }
        }
    }
}

/// One wait. In the wheel from the first pending poll until it is due or dropped.
pub(super) struct Entry {
    /// `None`: later than any `Instant` can say.
    when: Option<Instant>,
    key: Option<Key>,
}

impl Entry {
    pub(super) fn new(duration: Duration) -> Self {
        Self { when: now().checked_add(duration), key: None }
    }

    pub(super) fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        let Some(when) = self.when else { return Poll::Pending };
        if now() >= when {
            return Poll::Ready(());
        }
        let (wheel, waker) = (Wheel::get(), cx.waker().clone());
        let mut waiting = wheel.lock();
        let key = *self.key.get_or_insert_with(|| {
            waiting.made += 1;
            (when, waiting.made)
        });
        let replaced = waiting.wakers.insert(key, waker);
        let first = waiting.wakers.keys().next() == Some(&key);
        drop(waiting);
        drop(replaced);
        if first {
            wheel.changed.notify_one();
        }
        Poll::Pending
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = Wheel::get().lock().wakers.remove(&key);
            drop(waker);
        }
    }
}
