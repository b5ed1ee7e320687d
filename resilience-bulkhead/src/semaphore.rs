//! A semaphore for threads and tasks together: one word that callers change, and a queue behind a lock for those who
//! find no slot.
//!
//! # The protocol
//!
//! The word holds the maximum (0 while switched off), the flag `QUEUED`, and the number of slots in use.
//!
//! - A **newcomer** adds one with an exchange, if the flag is down and a slot is free.
//! - **Who leaves** takes one off, and looks at the flag in the word as it was. If it was up, it takes the lock and hands
//!   the slot over: it adds one again *for* the first in line, and wakes them. They find the slot theirs.
//! - **Who waits** takes the lock, and raises the flag with an exchange on the very word that shows no free slot.
//! - Under the lock, the flag is up if and only if somebody is in line.
//!
//! The tempting races: to look for a slot, then to queue, in two steps, so that the last slot comes back in between and
//! nobody hears of it; here the exchange that raises the flag fails. And to wake the first in line and let it take the
//! slot itself, so that a newcomer is faster; here the flag keeps newcomers out from before the slot is free until it
//! is somebody's again. A waiter that is gone when it was given a slot gives it back like anybody who leaves.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::Waker,
};

use resilience_core::{
    Nanos,
    sync::{AtomicU64, Mutex, Ordering, OwnLine, back_off, lock, spin_loop},
};

use crate::queue::{Answer, Called, Left, Queue};

/// The permit of a call that took no slot: it came while the semaphore was switched off.
pub(crate) const NONE: u64 = 0;
/// The permit of a call that has a slot.
pub(crate) const HELD: u64 = 1;

/// Somebody is in line.
const QUEUED: u64 = 1 << 31;
/// The slots in use.
const IN_USE: u64 = QUEUED - 1;
/// The maximum is above this bit.
const MAX: u32 = 32;

#[derive(Debug)]
pub(crate) struct Semaphore {
    word: OwnLine<AtomicU64>,
    queue: Mutex<Queue>,
}

/// The word at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

/// Where the straight way in ends.
pub(crate) enum Straight {
    /// The slot is taken.
    Taken,
    /// Somebody else was faster.
    Lost,
    /// No slot is free, somebody is in line, or the semaphore is switched off.
    Off,
}

/// What became of a call that is ready to wait.
pub(crate) enum Joined {
    /// It need not: it has this permit.
    Go(u64),
    /// It is in line at this place, one of so many.
    InLine { place: u32, of: u32 },
    /// As many wait as may.
    Full,
}

impl Word {
    pub(crate) fn max(self) -> u32 {
        (self.0 >> MAX) as u32
    }

    pub(crate) fn in_use(self) -> u32 {
        (self.0 & IN_USE) as u32
    }

    pub(crate) fn is_off(self) -> bool {
        self.max() == 0
    }

    fn is_queued(self) -> bool {
        self.0 & QUEUED != 0
    }

    /// Whether a newcomer gets a slot. One comparison tells: with the flag up the lower half exceeds every maximum.
    #[inline(always)]
    fn is_open(self) -> bool {
        (self.0 as u32) < self.max()
    }

    /// Whether the first in line, if there is one, can go.
    fn can_call(self) -> bool {
        self.is_queued() && (self.is_off() || self.in_use() < self.max())
    }
}

impl Semaphore {
    /// With this maximum; 0 switches it off.
    pub(crate) fn new(max: u32) -> Self {
        Self { word: OwnLine(AtomicU64::new(u64::from(max) << MAX)), queue: Mutex::new(Queue::new()) }
    }

    /// Takes a slot if one is free and nobody is in line.
    #[inline(always)]
    pub(crate) fn take(&self) -> Straight {
        // Ordering: Relaxed; the exchange tells whether it was the latest.
        let word = Word(self.word.load(Ordering::Relaxed));
        if !word.is_open() {
            return Straight::Off;
        }
        if self.exchange(word, word.0 + 1) { Straight::Taken } else { Straight::Lost }
    }

    /// As [`Semaphore::take`], again and again while others are faster. `None`: no slot is free, or somebody is in line.
    pub(crate) fn take_any(&self) -> Option<u64> {
        loop {
            match self.take() {
                Straight::Taken => return Some(HELD),
                Straight::Lost => back_off(),
                Straight::Off => return self.view().is_off().then_some(NONE),
            }
        }
    }

    /// Gives a slot back. True if somebody is in line: then [`Semaphore::call`] has to follow.
    #[inline(always)]
    #[must_use]
    pub(crate) fn give(&self) -> bool {
        // Ordering: Release; pairs with the Acquire in exchange: who gets the slot sees what was done in it.
        Word(self.word.fetch_sub(1, Ordering::Release)).is_queued()
    }

    /// Hands free slots to those in line, in order, as long as there are both. Whose time was up before `now` goes
    /// without.
    #[cold]
    #[inline(never)]
    pub(crate) fn call(&self, now: Nanos) {
        while self.view().can_call() {
            let mut queue = lock(&self.queue);
            let called = self.call_first(&mut queue, now);
            drop(queue);
            match called {
                Some(called) => wake(called),
                None => return,
            }
        }
    }

    fn call_first(&self, queue: &mut Queue, now: Nanos) -> Option<Called> {
        queue.skip_late(now);
        loop {
            let (word, in_line) = (self.view(), queue.in_line());
            if in_line == 0 {
                self.lower_flag(queue);
                return None;
            }
            if !word.can_call() {
                return None;
            }
            let permit = if word.is_off() { NONE } else { HELD };
            let taken = word.0 + permit;
            if self.exchange(word, if in_line == 1 { taken & !QUEUED } else { taken }) {
                return queue.call(permit);
            }
            spin_loop();
        }
    }

    /// Goes in line, until `until`, unless there is a slot after all, or `most` are in line already.
    pub(crate) fn join(&self, most: u32, since: Nanos, until: Nanos, waker: Option<Waker>) -> Joined {
        let mut queue = lock(&self.queue);
        queue.skip_late(since);
        self.lower_flag(&queue);
        loop {
            let word = self.view();
            if word.is_off() {
                return Joined::Go(NONE);
            }
            if word.is_open() {
                if self.exchange(word, word.0 + 1) {
                    return Joined::Go(HELD);
                }
            } else if queue.in_line() >= most {
                return Joined::Full;
            } else if word.is_queued() || self.exchange(word, word.0 | QUEUED) {
                let place = queue.push(since, until, waker);
                return Joined::InLine { place, of: queue.in_line() };
            }
            spin_loop();
        }
    }

    /// What became of the call at this place. A slot that came free at this very moment still goes to the first in line.
    pub(crate) fn ask(&self, place: u32, now: Nanos, waker: Option<Waker>) -> Answer {
        if self.view().can_call() {
            self.call(now); // for somebody who gave a slot back and has not called yet
        }
        let mut queue = lock(&self.queue);
        let (answer, _unneeded) = queue.ask(place, now, waker);
        self.lower_flag(&queue);
        drop(queue); // the wakers, which are foreign code, go after it
        answer
    }

    /// The call at this place is gone. If it had been given a slot, that has to be given back.
    pub(crate) fn leave(&self, place: u32) -> Left {
        let mut queue = lock(&self.queue);
        let left = queue.leave(place);
        self.lower_flag(&queue);
        left
    }

    /// Changes the maximum; 0 switches the semaphore off. True if somebody in line can go: then [`Semaphore::call`] has
    /// to follow.
    pub(crate) fn resize(&self, max: u32) -> bool {
        loop {
            let word = self.view();
            let resized = Word(u64::from(max) << MAX | word.0 & (QUEUED | IN_USE));
            if self.exchange(word, resized.0) {
                return resized.can_call();
            }
            spin_loop();
        }
    }

    /// The word now.
    pub(crate) fn view(&self) -> Word {
        // Ordering: Relaxed; a look, or an exchange follows that tells whether it was the latest.
        Word(self.word.load(Ordering::Relaxed))
    }

    /// How many are in line.
    pub(crate) fn in_line(&self) -> u32 {
        lock(&self.queue).in_line()
    }

    #[inline(always)]
    fn exchange(&self, word: Word, next: u64) -> bool {
        // Ordering: Acquire on success, Relaxed on failure; pairs with the Release in give. A lost word is read anew.
        self.word.compare_exchange(word.0, next, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Lets newcomers in again, once nobody is in line. Takes the queue as proof of the lock.
    fn lower_flag(&self, queue: &Queue) {
        if queue.in_line() == 0 && self.view().is_queued() {
            // Ordering: Relaxed; it keeps the Release of those who gave back, as every exchange does.
            self.word.fetch_and(!QUEUED, Ordering::Relaxed);
        }
    }
}

/// Wakers are foreign code: a panic in one is not the fault of whoever gave a slot back.
fn wake(Called(waker): Called) {
    let Some(waker) = waker else { return };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
        std::mem::forget(payload); // its drop could panic again
    }
}
