use resilience_core::Nanos;

use crate::plans::Mode;

/// What a call holds: which attempt it is in, and what the next decision needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// From 1; 0 if the retry is disabled for this call.
    number: u64,
    mode: u64,
    /// When the call began, or `NEVER` if nobody will ask.
    pub(crate) start: Nanos,
    /// The nanoseconds drawn for the delay before this attempt; 0 before the first.
    pub(crate) previous: u64,
}

impl Attempt {
    /// A call begins.
    #[inline(always)]
    pub(crate) const fn first(mode: Mode) -> Self {
        Self { number: 1, mode: mode.0, start: Nanos::NEVER, previous: 0 }
    }

    /// A call begins that is let alone.
    pub(crate) const fn unwatched(mode: Mode) -> Self {
        Self { number: 0, ..Self::first(mode) }
    }

    /// The same, for a call whose begin matters.
    pub(crate) const fn begun_at(self, start: Nanos) -> Self {
        Self { start, ..self }
    }

    /// The attempt after this one, after a delay of which so many nanoseconds were drawn.
    pub(crate) const fn next(self, drawn: u64) -> Self {
        Self { number: self.number + 1, previous: drawn, ..self }
    }

    #[inline(always)]
    pub(crate) const fn is_first(&self) -> bool {
        self.number <= 1
    }

    pub(crate) const fn is_unwatched(&self) -> bool {
        self.number == 0
    }

    pub(crate) const fn mode(&self) -> Mode {
        Mode(self.mode)
    }

    /// The number of this attempt; `max_attempts` keeps it within 32 bits.
    pub(crate) fn number(&self) -> u32 {
        u32::try_from(self.number).unwrap_or(u32::MAX)
    }
}
