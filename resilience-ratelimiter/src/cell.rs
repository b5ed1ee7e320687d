//! The state of a limiter: one word that callers move forward, and back when they give up.
//!
//! The tempting race is to read, decide and write in two steps: two callers would share a permit. Here every change is
//! one compare-exchange of what was decided on; who loses decides anew on what the winner left.

use resilience_core::sync::{AtomicU64, Ordering, OwnLine, spin_loop};

/// The theoretical arrival time, in units of the rate. On a cache line of its own: the numbers next to it are read by
/// everybody and written by nobody.
#[derive(Debug)]
pub(crate) struct Cell(OwnLine<AtomicU64>);

/// How often a caller that lost an exchange spins before it tries again.
const BACK_OFF: u32 = 16;

impl Cell {
    /// Full, since ever.
    pub(crate) fn new() -> Self {
        Self(OwnLine(AtomicU64::new(0)))
    }

    #[inline(always)]
    pub(crate) fn load(&self) -> u64 {
        // Ordering: Relaxed; the number is all there is to know, and one word has one order of changes for all.
        self.0.load(Ordering::Relaxed)
    }

    /// Changes the state to what `decide` makes of it, unless it makes nothing of it: then nothing changes.
    #[inline(always)]
    pub(crate) fn update<R>(&self, decide: impl Fn(u64) -> Result<u64, R>) -> Result<(), R> {
        let mut state = self.load();
        loop {
            let next = decide(state)?;
            // Ordering: Relaxed, Relaxed; see load. Permits order nothing but themselves.
            match self
                .0
                .compare_exchange_weak(state, next, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Ok(()),
                Err(seen) => state = seen,
            }
            for _ in 0..BACK_OFF {
                spin_loop();
            }
        }
    }
}
