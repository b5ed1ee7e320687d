//! Events as events of the `tracing` crate; without the feature `tracing`, nothing.

#[cfg(not(feature = "tracing"))]
mod off;
#[cfg(feature = "tracing")]
mod on;

#[cfg(not(feature = "tracing"))]
pub(super) use off::{emit, is_on};
#[cfg(feature = "tracing")]
pub(super) use on::{emit, is_on};
