//! What happens, for whoever wants to know. Costs one relaxed load where nobody listens.

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
pub use value::{Fields, Value};

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
