//! Nobody can want to know: nothing is counted.

use std::time::Duration;

use crate::{Code, Outcome, keys::metric::Metric, measure::Measures};

/// Nobody does.
#[inline(always)]
pub const fn is_on() -> bool {
    false
}

/// How calls of one instance ended: nothing, without the feature `metrics`.
#[derive(Debug, Default)]
pub struct Meter(());

impl Meter {
    /// A call was let in, and nobody will say how it ended.
    #[inline(always)]
    pub fn succeeded(&self) {}

    /// A call ended, as the policy was told.
    #[inline(always)]
    pub fn ended(&self, _: &Outcome) {}

    /// A call is gone before it ended.
    #[inline(always)]
    pub fn dropped(&self) {}

    /// The policy itself rejected a call.
    #[inline(always)]
    pub fn rejected(&self, _: Code) {}

    /// Writes down what was counted.
    pub fn measure(&self, _: &mut Measures) {}
}

/// `N` counts of rare things: nothing, without the feature `metrics`.
#[derive(Debug, Default)]
pub struct Tally<const N: usize>(());

impl<const N: usize> Tally<N> {
    /// One more of the thing with this number.
    ///
    /// # Panics
    ///
    /// With the feature `metrics`, if there is no such number.
    #[inline(always)]
    pub fn add(&self, _: usize) {}

    /// Writes down those that happened, each with the labels of its number.
    pub fn measure(&self, _: &mut Measures, _: &'static Metric, _: impl Fn(usize) -> [&'static str; 2]) {}
}

/// How long calls waited: nothing, without the feature `metrics`.
#[derive(Debug, Default)]
pub struct Waits(());

impl Waits {
    /// A call has waited, or is told to wait, this long; asked only while metrics are on.
    #[inline(always)]
    pub fn add(&self, _: impl FnOnce() -> Duration) {}

    /// Writes down how many waited how long.
    pub fn measure(&self, _: &mut Measures) {}
}
