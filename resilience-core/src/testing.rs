//! What every policy has to keep, as tests that run for any policy: the contract suite, and the [`Ledger`] it counts
//! with.
//!
//! A policy crate describes its policy as a [`Subject`] and calls [`contract::check`] in a test.

pub mod contract;
mod ledger;

use std::{any::Any, sync::Arc};

use crate::{ManualClock, Policy};

pub use ledger::Ledger;

/// A kind of policy under test. All instances are on the clock they are given.
pub trait Subject {
    /// The policy.
    type Policy: Policy + 'static;

    /// An instance that lets at least three calls in, also at once.
    fn open(&self, clock: &ManualClock) -> Prepared<Self::Policy>;

    /// An instance that is switched off.
    fn disabled(&self, clock: &ManualClock) -> Prepared<Self::Policy>;

    /// An instance at which the next call has to wait, and gets in if it waits long enough. `None` if the policy never
    /// makes calls wait.
    fn waiting(&self, clock: &ManualClock) -> Option<Prepared<Self::Policy>>;

    /// An instance that rejects the next call. `None` if the policy never rejects on the way in.
    fn rejecting(&self, clock: &ManualClock) -> Option<Prepared<Self::Policy>>;

    /// All that the policy shows of itself: equal texts, equal states.
    fn state(&self, policy: &Self::Policy) -> String;
}

/// An instance, and whatever has to stay alive for it to be as it is.
pub struct Prepared<P> {
    /// The instance.
    pub policy: Arc<P>,
    /// Kept until the end of the check.
    pub keep: Box<dyn Any>,
}

impl<P> Prepared<P> {
    /// An instance that needs nothing else.
    pub fn new(policy: P) -> Self {
        Self { policy: Arc::new(policy), keep: Box::new(()) }
    }
}

impl<P> std::fmt::Debug for Prepared<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Prepared")
    }
}
