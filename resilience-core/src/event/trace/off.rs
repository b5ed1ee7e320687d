use crate::event::{Event, Level};

/// Whether a subscriber may want events of this level.
#[inline(always)]
pub(in crate::event) const fn is_on(_: Level) -> bool {
    false
}

/// Tells the subscriber.
pub(in crate::event) fn emit(_: &Event<'_>) {}
