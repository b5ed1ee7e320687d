use std::{fmt, sync::Arc};

use crate::{Bulkhead, semaphore::NONE};

/// A slot of a [`Bulkhead`]: made by [`Bulkhead::enter`] and its kin. Dropping it gives the slot back.
#[must_use = "dropping a permit gives its slot back, and `let _ =` drops it at once"]
pub struct Permit<'a> {
    bulkhead: &'a Bulkhead,
    permit: u64,
}

impl<'a> Permit<'a> {
    #[inline(always)]
    pub(crate) fn new(bulkhead: &'a Bulkhead, permit: u64) -> Self {
        Self { bulkhead, permit }
    }

    /// The permit alone; whoever takes it gives it back.
    pub(crate) fn into_word(mut self) -> u64 {
        std::mem::replace(&mut self.permit, NONE)
    }
}

impl Drop for Permit<'_> {
    #[inline]
    fn drop(&mut self) {
        self.bulkhead.give_back(self.permit);
    }
}

impl fmt::Debug for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(&self.bulkhead.id()).finish()
    }
}

/// A slot of a [`Bulkhead`] that can be moved into another thread or task: made by [`Bulkhead::enter_owned`] and its
/// kin. Dropping it gives the slot back.
#[must_use = "dropping a permit gives its slot back, and `let _ =` drops it at once"]
pub struct OwnedPermit {
    bulkhead: Arc<Bulkhead>,
    permit: u64,
}

impl OwnedPermit {
    #[inline(always)]
    pub(crate) fn new(bulkhead: Arc<Bulkhead>, permit: u64) -> Self {
        Self { bulkhead, permit }
    }
}

impl Drop for OwnedPermit {
    #[inline]
    fn drop(&mut self) {
        self.bulkhead.give_back(self.permit);
    }
}

impl fmt::Debug for OwnedPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedPermit").field(&self.bulkhead.id()).finish()
    }
}
