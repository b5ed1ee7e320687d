//! Composition: our policies with one another and with those of third parties, as users of the facade see it.

mod order;
mod parity;
mod spawn;
mod third_party;
