//! A span of the `tracing` crate around a call; without the feature `tracing`, nothing.

#[cfg(not(feature = "tracing"))]
mod off;
#[cfg(feature = "tracing")]
mod on;

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{CallSpan, Spans};
#[cfg(feature = "tracing")]
pub(crate) use on::{CallSpan, Spans};
