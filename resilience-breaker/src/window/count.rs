//! The last so many calls: a ring with two bits per call, and one word, the head, that says where the next call goes
//! and how many in the ring failed and were slow.
//!
//! To record is to move the head. Most calls succeed, and so did the one that is overwritten: then the ring stays as it
//! is, and one exchange of the head is all. Else the head is locked by a bit for as long as it takes to write two bits.
//!
//! The tempting races: a call whose phase ends while it records. So the head is read *before* the gate is asked whether
//! the phase still lasts. Whoever begins a phase first resets the head, which changes its epoch; an exchange that
//! expects the head of an earlier epoch fails. And a head that comes back to the same position with the same counts over
//! another ring: a success would leave the failure that was written in its place meanwhile. So whoever writes another
//! mark into the ring changes the epoch too. (It has eleven bits: a thread that sleeps between two instructions through
//! a multiple of 2048 such changes, and finds the same position and counts, would be fooled.)

use std::sync::OnceLock;

use resilience_core::sync::{AtomicU64, Ordering, back_off, yield_now};

use crate::{
    gate::{Gate, Word},
    rates::{Mark, Rates},
};

const CELLS_PER_WORD: usize = 32;
const LARGEST: usize = 100_000;

#[derive(Debug)]
pub(crate) struct CountWindow {
    /// Written with every call.
    head: AtomicU64,
    /// How many calls the window holds. Written only while the head is locked.
    size: AtomicU64,
    ring: Box<[AtomicU64]>,
    /// What follows the ring once the window was made larger than it was at first: room for all that may come.
    more: OnceLock<Box<[AtomicU64]>>,
}

/// From the low end: position (17 bits), failed (17), slow (17), full (1), locked (1), epoch (11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head(u64);

const FAILED: u32 = 17;
const SLOW: u32 = 34;
const COUNT: u64 = (1 << 17) - 1;
const FULL: u64 = 1 << 51;
const LOCKED: u64 = 1 << 52;
const EPOCH: u64 = 1 << 53;

impl Head {
    #[inline(always)]
    fn position(self) -> u64 {
        self.0 & COUNT
    }

    #[inline(always)]
    pub(crate) fn failed(self) -> u64 {
        self.0 >> FAILED & COUNT
    }

    #[inline(always)]
    pub(crate) fn slow(self) -> u64 {
        self.0 >> SLOW & COUNT
    }

    /// Whether no call in the window failed or was slow.
    #[inline(always)]
    pub(crate) fn is_good(self) -> bool {
        self.0 & (COUNT << FAILED | COUNT << SLOW) == 0
    }

    #[inline(always)]
    fn is_full(self) -> bool {
        self.0 & FULL != 0
    }

    #[inline(always)]
    fn is_locked(self) -> bool {
        self.0 & LOCKED != 0
    }

    /// The head after one more call. `old`: what its cell held, if that was part of the window.
    #[inline(always)]
    fn next(self, size: u64, mark: Mark, old: Mark) -> Self {
        let old = if self.is_full() { old } else { Mark::GOOD };
        let counts = (self.0 + (mark.failed() << FAILED) + (mark.slow() << SLOW))
            - ((old.failed() << FAILED) + (old.slow() << SLOW));
        let last = self.position() + 1 >= size;
        Self(if last { (counts & !COUNT) | FULL } else { counts + 1 })
    }

    /// The same in the next epoch.
    fn renewed(self) -> Self {
        Self(self.0.wrapping_add(EPOCH))
    }

    /// The head of an empty window in the next epoch.
    fn reset(self) -> Self {
        Self(self.0 & !(EPOCH - 1)).renewed()
    }

    pub(crate) fn rates(self, size: u64) -> Rates {
        let calls = if self.is_full() { size } else { self.position() };
        Rates { calls, failed: self.failed(), slow: self.slow() }
    }
}

impl CountWindow {
    pub(crate) fn new(size: u32) -> Self {
        Self {
            head: AtomicU64::new(0),
            size: AtomicU64::new(size.into()),
            ring: words(size as usize),
            more: OnceLock::new(),
        }
    }

    /// The straight way for a success of the phase of `word`: where the ring holds a success already, one exchange.
    /// `None`: it was not recorded, and takes the other way.
    #[inline(always)]
    pub(crate) fn record_success(&self, gate: &Gate, word: Word) -> Option<(Head, u64)> {
        // Ordering: Acquire; pairs with the Release of whoever moved the head, for the ring, the size and the gate.
        let head = Head(self.head.load(Ordering::Acquire));
        if gate.word() != word || head.is_locked() || self.cell(head.position()) != Mark::GOOD {
            return None;
        }
        // Ordering: Relaxed; changes only under the lock, and then the exchange fails.
        let size = self.size.load(Ordering::Relaxed);
        let next = head.next(size, Mark::GOOD, Mark::GOOD);
        // Ordering: AcqRel, Relaxed; passes on the ring that those before released. A lost exchange tells nothing.
        if self.head.compare_exchange(head.0, next.0, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return Some((next, size));
        }
        back_off();
        None
    }

    /// Adds a call of the phase of `word`, and says what the window holds then; `None` if the phase is over.
    pub(crate) fn record(&self, mark: Mark, gate: &Gate, word: Word) -> Option<Rates> {
        let head = self.lock(|| gate.is_in(word))?;
        // Ordering: Relaxed; changes only under the lock.
        let size = self.size.load(Ordering::Relaxed);
        let old = self.cell(head.position());
        let next = head.next(size, mark, old);
        if mark == old {
            self.unlock(next);
        } else {
            self.set_cell(head.position(), mark);
            self.unlock(next.renewed());
        }
        Some(next.rates(size))
    }

    /// Locks the head, and says what it was; `None` if it no longer makes sense.
    fn lock(&self, makes_sense: impl Fn() -> bool) -> Option<Head> {
        let mut tries = 0_u32;
        loop {
            // Ordering: Acquire; pairs with the Release of whoever moved the head.
            let head = Head(self.head.load(Ordering::Acquire));
            if !makes_sense() {
                return None;
            }
            // Ordering: Acquire, Relaxed; pairs with the Release in `unlock`. A lost exchange tells nothing.
            let lock = || self.head.compare_exchange(head.0, head.0 | LOCKED, Ordering::Acquire, Ordering::Relaxed);
            if !head.is_locked() && lock().is_ok() {
                return Some(head);
            }
            tries += 1;
            // Who holds the lock for so long was sent to sleep with it.
            if tries % 64 == 0 { yield_now() } else { back_off() }
        }
    }

    fn unlock(&self, head: Head) {
        // Ordering: Release; pairs with the Acquire loads of the head: the ring and the size come with it.
        self.head.store(head.0, Ordering::Release);
    }

    /// Forgets all calls. The ring stays as it is: what was written before counts no more, by the flag of the head.
    pub(crate) fn reset(&self) {
        let head = self.lock(|| true).expect("always goes on");
        self.unlock(head.reset());
    }

    /// Another size; the newest calls stay. Cost: as many steps as calls are kept, under the lock of the head.
    pub(crate) fn resize(&self, size: u32) {
        if size as usize > self.ring.len() * CELLS_PER_WORD {
            self.more.get_or_init(|| words(LARGEST));
        }
        let mut marks = Vec::with_capacity(size as usize); // while nobody waits for the head
        let size = u64::from(size);
        let head = self.lock(|| true).expect("always goes on");
        // Ordering: Relaxed; under the lock.
        let old = self.size.load(Ordering::Relaxed);
        let kept = head.rates(old).calls.min(size);
        let first = head.position() + old - kept;
        marks.extend((0..kept).map(|n| self.cell((first + n) % old)));
        let mut next = head.reset();
        for mark in marks {
            self.set_cell(next.position(), mark);
            next = next.next(size, mark, Mark::GOOD);
        }
        // Ordering: Relaxed; released with the head.
        self.size.store(size, Ordering::Relaxed);
        self.unlock(next);
    }

    /// What it holds now. Only under the lock of the breaker's control, under which alone it is resized.
    pub(crate) fn rates(&self) -> Rates {
        // Ordering: Acquire; pairs with the Release of whoever moved the head.
        let head = Head(self.head.load(Ordering::Acquire));
        // Ordering: Relaxed; nobody changes it now.
        head.rates(self.size.load(Ordering::Relaxed))
    }

    /// The word and the shift of a cell.
    #[inline(always)]
    fn place(&self, position: u64) -> (&AtomicU64, u32) {
        let position = position as usize;
        let shift = (position % CELLS_PER_WORD) as u32 * 2;
        let word = position / CELLS_PER_WORD;
        (self.ring.get(word).unwrap_or_else(|| self.word_of_more(word)), shift)
    }

    #[cold]
    #[inline(never)]
    fn word_of_more(&self, word: usize) -> &AtomicU64 {
        &self.more.get().expect("made before the window grew")[word - self.ring.len()]
    }

    #[inline(always)]
    fn cell(&self, position: u64) -> Mark {
        let (word, shift) = self.place(position);
        // Ordering: Relaxed; comes with the head, and if it is newer than that, the exchange of the head fails.
        Mark::from_bits(word.load(Ordering::Relaxed) >> shift)
    }

    /// Only under the lock.
    fn set_cell(&self, position: u64, mark: Mark) {
        let (word, shift) = self.place(position);
        // Ordering: Relaxed; nobody else writes.
        let others = word.load(Ordering::Relaxed) & !(3 << shift);
        // Ordering: Relaxed; released with the head.
        word.store(others | mark.bits() << shift, Ordering::Relaxed);
    }
}

/// Room for so many cells.
fn words(cells: usize) -> Box<[AtomicU64]> {
    (0..cells.div_ceil(CELLS_PER_WORD)).map(|_| AtomicU64::new(0)).collect()
}
