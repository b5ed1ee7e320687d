use resilience_core::Nanos;

use crate::plans::Mode;

/// What a call holds: which attempt it is in, and what the next decision needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The number of the attempt, from 1 (0 if the retry is disabled for this call), in the low 32 bits; above it the
    /// mode.
    pub(crate) word: u64,
    /// When the call began, or `NEVER` if nobody will ask; below that the nanoseconds drawn for the delay before this
    /// attempt, 0 before the first. Two numbers and no more are kept in registers on the straight way.
    pub(crate) times: u128,
}

impl Attempt {
    /// A call begins.
    #[inline(always)]
    pub(crate) const fn first(mode: Mode) -> Self {
        Self { word: (mode.0 as u64) << 32 | 1, times: (u64::MAX as u128) << 64 }
    }

    /// A call begins that is let alone.
    pub(crate) const fn unwatched(mode: Mode) -> Self {
        Self { word: Self::first(mode).word - 1, ..Self::first(mode) }
    }

    /// The same, for a call whose begin matters.
    pub(crate) const fn begun_at(self, start: Nanos) -> Self {
        Self { times: (start.as_u64() as u128) << 64, ..self }
    }

    /// The attempt after this one, after a delay of which so many nanoseconds were drawn.
    pub(crate) const fn next(self, drawn: u64) -> Self {
        let start = self.times >> 64 << 64;
        Self { word: self.word + 1, times: start | drawn as u128 }
    }

    #[inline(always)]
    pub(crate) const fn is_first(&self) -> bool {
        self.number() <= 1
    }

    pub(crate) const fn is_unwatched(&self) -> bool {
        self.number() == 0
    }

    /// When the call began.
    pub(crate) const fn start(&self) -> Nanos {
        Nanos::new((self.times >> 64) as u64)
    }

    /// The delay before this attempt, as far as it was drawn.
    pub(crate) const fn previous(&self) -> u64 {
        self.times as u64
    }

    pub(crate) const fn mode(&self) -> Mode {
        Mode((self.word >> 32) as u32)
    }

    /// The number of this attempt; `max_attempts` keeps it within 32 bits.
    #[inline(always)]
    pub(crate) const fn number(&self) -> u32 {
        self.word as u32
    }
}
