//! What the sources of the configuration have to say about instances: nothing, without the feature `config`.

#[cfg(not(feature = "config"))]
mod off;
#[cfg(feature = "config")]
mod on;

#[cfg(not(feature = "config"))]
pub(super) use off::{Layers, Live};
#[cfg(feature = "config")]
pub(super) use on::{Layers, Live};

/// The configuration of an instance, checked.
pub(super) struct Asked<C, S> {
    pub(super) config: C,
    /// Which state of the sources it is of.
    stamp: S,
}
