//! What policies count of their calls while somebody wants to know.
//!
//! A policy holds a [`Meter`] and tells it how each call ended; one that counts more holds a [`Tally`] or [`Waits`] too.
//! Without the feature `metrics` they are nothing at all. With it they do nothing until a `Metrics` is made, and cost each
//! site a comparison and a branch; from then on, a relaxed addition.
//!
//! Whether anybody counts is known to the whole process, not to the registry: a flag at a fixed address is two instructions
//! to ask, one behind a pointer is three.

#[cfg(any(not(feature = "metrics"), loom))]
mod off;
#[cfg(all(feature = "metrics", not(loom)))]
mod on;
#[cfg(all(feature = "metrics", not(loom)))]
mod waits;

#[cfg(any(not(feature = "metrics"), loom))]
pub use off::{Meter, Tally, Waits};
#[cfg(all(feature = "metrics", not(loom)))]
pub use on::{Meter, Tally};
#[cfg(all(feature = "metrics", not(loom)))]
pub use waits::Waits;

#[cfg(all(feature = "metrics", not(loom)))]
pub(crate) use on::Counting;
