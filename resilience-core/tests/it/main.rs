//! The core as its users see it, with small policies of its own: what a third party can write.

#![expect(clippy::unchecked_time_subtraction, reason = "a test that subtracts too much should panic")]

mod adversity;
mod channel;
mod clock;
mod compile;
mod driver;
mod events;
mod executors;
mod fallback;
mod locks;
mod metrics;
mod policies;
mod registry;
mod remaining;
mod words;
