//! What every policy has to keep, as tests that run for any policy and for policies nested in one another: the contract
//! suite, and the [`Ledger`] it counts with.
//!
//! A policy crate describes its policy as a [`Subject`] and calls [`contract::check`] in a test.

pub mod contract;
mod ledger;
mod prepared;

use crate::{ManualClock, stack::Stack};

pub use ledger::Ledger;
pub use prepared::{Alone, Books, Prepared, Watched};

/// A kind of policy under test, or of policies nested in one another. All instances are on the clock they are given.
pub trait Subject {
    /// [`Alone`] for one policy, else nested pairs of [`Watched`] policies.
    type Stack: Stack + 'static;

    /// An instance that lets at least three calls in, also at once.
    fn open(&self, clock: &ManualClock) -> Prepared<Self::Stack>;

    /// An instance that is switched off.
    fn disabled(&self, clock: &ManualClock) -> Prepared<Self::Stack>;

    /// An instance at which the next call has to wait, and gets in if it waits long enough. `None` if there is none that
    /// makes calls wait.
    fn waiting(&self, clock: &ManualClock) -> Option<Prepared<Self::Stack>>;

    /// An instance that rejects the next call, and is as it was then. `None` if there is none that rejects on the way in.
    fn rejecting(&self, clock: &ManualClock) -> Option<Prepared<Self::Stack>>;
}
