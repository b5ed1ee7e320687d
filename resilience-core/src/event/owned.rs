use std::{fmt, sync::Arc};

use super::{Event, Payload};
use crate::{Id, Nanos};

/// An [`Event`] that was kept: what channels give. Clones share the payload.
#[derive(Clone, Debug)]
pub struct OwnedEvent {
    /// When, on the clock of the policy.
    pub at: Nanos,
    /// The kind of policy, as configuration names it: `rate_limiter`, ..
    pub policy: &'static str,
    /// The instance.
    pub instance: Id,
    /// What happened.
    pub payload: Arc<dyn Payload>,
}

impl OwnedEvent {
    /// The event itself, as listeners hear it.
    pub fn as_event(&self) -> Event<'_> {
        Event { at: self.at, policy: self.policy, instance: self.instance, payload: &*self.payload }
    }

    /// What happened, if it is of the type `P`: each policy crate has its own.
    pub fn payload<P: Payload>(&self) -> Option<&P> {
        self.as_event().payload()
    }
}

impl From<&Event<'_>> for OwnedEvent {
    fn from(event: &Event<'_>) -> Self {
        Self { at: event.at, policy: event.policy, instance: event.instance, payload: event.payload.keep() }
    }
}

impl fmt::Display for OwnedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_event().fmt(f)
    }
}
