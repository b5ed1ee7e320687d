//! What policies count of their calls while somebody wants to know.
//!
//! A policy holds a [`Meter`] and shows it ([`Policy::meter`](crate::Policy::meter)); the stack tells it how each call ended.
//! Calls that no stack sees (`try_acquire`, ..) the policy tells itself. One that counts more holds a [`Tally`] or [`Waits`]
//! too. Without the feature `metrics` they are nothing at all. With it they do nothing until a `Metrics` is made: a call asks
//! once, for all its layers, whether there is one. From then on each layer costs a relaxed addition.
//!
//! Whether anybody counts is known to the whole process, not to the registry: a flag at a fixed address is quicker to ask
//! than one behind the pointers of each policy.

#[cfg(any(not(feature = "metrics"), loom))]
mod off;
#[cfg(all(feature = "metrics", not(loom)))]
mod on;
#[cfg(all(feature = "metrics", not(loom)))]
mod waits;

#[cfg(any(not(feature = "metrics"), loom))]
pub use off::{Meter, Tally, Waits, is_on};
#[cfg(all(feature = "metrics", not(loom)))]
pub use on::{Meter, Tally, is_on};
#[cfg(all(feature = "metrics", not(loom)))]
pub use waits::Waits;

#[cfg(all(feature = "metrics", not(loom)))]
pub(crate) use on::Counting;
