use std::{collections::VecDeque, fmt};

use super::{Event, Listener, OwnedEvent, Subscription};
use crate::sync::{Arc, Mutex, lock};

/// The last events of a bus, for debugging: made by [`Events::recent`](super::Events::recent). Dropping it unsubscribes.
///
/// Never more than its capacity, and nothing unless somebody asks for it. Each event it keeps costs a copy of its
/// payload, on the thread of the call.
#[must_use = "dropping it ends it"]
pub struct RecentEvents {
    _subscription: Subscription,
    ring: Arc<Ring>,
}

/// What listens. The lock is never held while a payload is copied or dropped.
struct Ring {
    events: Mutex<VecDeque<OwnedEvent>>,
    capacity: usize,
}

pub(super) struct Writer(Arc<Ring>);

impl Listener for Writer {
    fn on_event(&self, event: &Event<'_>) {
        let event = OwnedEvent::from(event);
        let mut events = lock(&self.0.events);
        let oldest = if events.len() < self.0.capacity { None } else { events.pop_front() };
        events.push_back(event);
        drop(events);
        drop(oldest);
    }
}

impl RecentEvents {
    pub(super) fn new(capacity: usize, subscribe: impl FnOnce(Writer) -> Subscription) -> Self {
        let ring = Arc::new(Ring { events: Mutex::default(), capacity: capacity.max(1) });
        Self { _subscription: subscribe(Writer(Arc::clone(&ring))), ring }
    }

    /// The events, oldest first. Cost: a copy of the list; the payloads are shared.
    pub fn list(&self) -> Vec<OwnedEvent> {
        lock(&self.ring.events).iter().cloned().collect()
    }
}

impl fmt::Debug for RecentEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list().iter().map(ToString::to_string)).finish()
    }
}
