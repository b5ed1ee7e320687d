//! What happens, for whoever wants to know. Costs one relaxed load where nobody listens.
//!
//! # Listeners
//!
//! [`Events::subscribe`] calls a closure for each [`Event`], until the [`Subscription`] is dropped. It runs on the thread
//! of the call, under no lock, after the state has changed; a panic in it is caught and counted. The call goes on when it
//! is done, so it should be quick.
//!
//! ```
//! use resilience_core::{Registry, event::Filter};
//!
//! let registry = Registry::new();
//! let reloads = Filter::new().policy("config");
//! let _subscription = registry.events().filtered(reloads).subscribe(|event| eprintln!("{event}"));
//! ```
//!
//! # Channels
//!
//! Whatever takes its time belongs behind a channel. A full one drops what comes, and counts it: no call waits. [`Receiver`]
//! is for a thread or a task; it ends with its registry.
//!
//! ```
//! use resilience_core::{Events, FallbackApplied, Id, Kind, Nanos};
//!
//! let events = Events::new();
//! let mut receiver = events.subscribe_channel(2);
//! for _ in 0..3 {
//!     events.publish("fallback", Id::new("search"), Nanos::ZERO, &FallbackApplied { kind: Kind::FAILED });
//! }
//! assert_eq!(receiver.dropped(), 1);
//! drop(events);
//! assert_eq!(receiver.by_ref().count(), 2);
//! # futures_lite::future::block_on(async {
//! assert!(receiver.recv_async().await.is_none());
//! # });
//! ```
//!
//! [`Events::recent`] keeps the last events, for a look at what led to a fault. Both go through [`Events::filtered`] too.
//!
//! # For machines
//!
//! [`Payload::fields`] says what an event tells as names and values. With the feature `serde`, events are `Serialize`:
//! `time` (seconds on the clock of the policy), `kind`, `instance`, `type` and `payload`, an object of these fields. Names
//! stay; times and durations are seconds.
//!
//! ```json
//! {"time":2.0,"kind":"rate_limiter","instance":"search","type":"rejected",
//!  "payload":{"code":"R4C-RT-001","reason":"rate_limit_exceeded","retry_after":0.25,"late":false}}
//! ```
//!
//! # `tracing`
//!
//! With the feature `tracing`, each event is an event of that crate too, whenever the subscriber came: target
//! `resilience::<kind>`, the [`Level`] of its payload, the text as `message`, and beside it `kind`, `instance`, `type`,
//! `time` and the fields of the payload. A refused reload is a `WARN` with its code. The level is asked before an event is
//! built: without a subscriber that wants it, an event costs two instructions more than without the feature.
//!
//! A policy that several pipelines share is one instance, and neither its events nor its rejections name the pipeline: for
//! the limit it does not matter who came. The span of a call does (`Pipeline::traced`): it has the pipeline's id, and is
//! current while the events of its policies are told.

mod bus;
mod channel;
mod filter;
#[cfg(feature = "serde")]
mod form;
mod level;
mod owned;
mod payload;
mod recent;
mod trace;
mod value;

use std::fmt;

use crate::{Id, Nanos};

pub use bus::{Events, Listener, Subscription};
pub use channel::{Receiver, RecvError};
pub use filter::{Filter, Filtered};
pub use level::Level;
pub use owned::OwnedEvent;
pub use payload::{Keep, Payload};
pub use recent::RecentEvents;
pub use value::{Fields, Value, write_changes};

/// Something that happened in a policy.
///
/// ```
/// use resilience_core::Registry;
///
/// let registry = Registry::new();
/// let subscription = registry.events().subscribe(|event| println!("{event}"));
/// drop(subscription); // stops listening
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// When, on the clock of the policy.
    pub at: Nanos,
    /// The kind of policy, as configuration names it: `rate_limiter`, ..
    pub policy: &'static str,
    /// The instance.
    pub instance: Id,
    /// What happened.
    pub payload: &'a dyn Payload,
}

impl<'a> Event<'a> {
    /// What happened, if it is of the type `P`: each policy crate has its own.
    pub fn payload<P: Payload>(&self) -> Option<&'a P> {
        self.payload.as_any().downcast_ref()
    }
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, policy, instance, payload } = self;
        write!(f, "[{at:?}] {policy} `{}`: {payload}", instance.escaped())
    }
}
