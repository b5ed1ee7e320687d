//! The list of listeners is replaced, never changed, so a publisher reads it under a short read lock and calls the
//! listeners under none. The tempting race: a listener that is dropped while a publisher holds the old list. Each
//! listener therefore has a flag, set before it leaves the list and asked before each call.

use std::{fmt, sync::PoisonError};

use super::{Event, Payload};
use crate::{
    Id, Nanos,
    shield::shield,
    sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, RwLock, lock},
};

/// Hears events. Closures `Fn(&Event)` are listeners.
///
/// Runs on the thread of the call it hears of, after the state has changed and under no lock. It may call back into
/// the registry. A panic in it is caught and counted ([`Events::listener_panics`]), and the first one of a listener is
/// told to all listeners.
pub trait Listener: Send + Sync + 'static {
    /// Something happened.
    fn on_event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync + 'static> Listener for F {
    fn on_event(&self, event: &Event<'_>) {
        self(event);
    }
}

/// The event bus of a registry. Clones are one bus.
///
/// The same closure subscribed twice is called twice.
#[derive(Clone, Default)]
pub struct Events(Arc<Bus>);

type List = Arc<Vec<Arc<Entry>>>;

#[derive(Default)]
struct Bus {
    /// How many listeners there are. A hint for publishers: written under the lock of `changes`, after the list.
    count: AtomicUsize,
    /// Replaced as a whole, under the lock of `changes`.
    listeners: RwLock<List>,
    changes: Mutex<()>,
    panics: AtomicU64,
}

struct Entry {
    listener: Box<dyn Listener>,
    /// Set when the subscription is dropped; never taken back.
    gone: AtomicBool,
    panicked: AtomicBool,
}

impl Events {
    /// A bus without listeners.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `listener` for each event from now on, until the subscription is dropped: keep it in a variable or a field.
    ///
    /// ```
    /// # let events = resilience_core::Events::new();
    /// let _subscription = events.subscribe(|event| println!("{event}"));
    /// ```
    pub fn subscribe(&self, listener: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Subscription {
        self.subscribe_listener(listener)
    }

    /// As [`Events::subscribe`], for listeners that are not closures.
    pub fn subscribe_listener(&self, listener: impl Listener) -> Subscription {
        let entry = Arc::new(Entry {
            listener: Box::new(listener),
            gone: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
        });
        self.change(|listeners| listeners.push(Arc::clone(&entry)));
        Subscription { events: self.clone(), entry }
    }

    /// Whether anybody listens. Ask before building an event.
    #[inline(always)]
    pub fn is_heard(&self) -> bool {
        // Ordering: Relaxed; a hint. Who subscribed a moment ago may miss what happened before the news came round.
        self.0.count.load(Ordering::Relaxed) != 0
    }

    /// Tells the listeners, if there are any.
    #[inline]
    pub fn publish(&self, policy: &'static str, instance: Id, at: Nanos, payload: &dyn Payload) {
        if self.is_heard() {
            self.tell(&Event { at, policy, instance, payload });
        }
    }

    /// How many listeners there are.
    pub fn listener_count(&self) -> usize {
        self.listeners().len()
    }

    /// How often a listener panicked.
    pub fn listener_panics(&self) -> u64 {
        // Ordering: Relaxed; a count.
        self.0.panics.load(Ordering::Relaxed)
    }

    #[cold]
    fn tell(&self, event: &Event<'_>) {
        let listeners = self.listeners();
        for entry in listeners.iter() {
            // Ordering: Acquire; pairs with the Release in the drop of the subscription.
            if entry.gone.load(Ordering::Acquire) {
                continue;
            }
            if shield(|| entry.listener.on_event(event)).is_none() {
                // Ordering: Relaxed; a count.
                self.0.panics.fetch_add(1, Ordering::Relaxed);
                // Ordering: Relaxed; the first of several panics is the one that finds the flag down.
                if !entry.panicked.swap(true, Ordering::Relaxed) {
                    self.tell(&Event { payload: &ListenerPanicked, ..*event });
                }
            }
        }
        shield(|| drop(listeners)); // perhaps the last owner of a listener that has left
    }

    fn listeners(&self) -> List {
        Arc::clone(&self.0.listeners.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, op: impl FnOnce(&mut Vec<Arc<Entry>>)) {
        let turn = lock(&self.0.changes);
        let mut listeners = Vec::clone(&self.listeners());
        op(&mut listeners);
        let count = listeners.len();
        let mut list = self.0.listeners.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *list, Arc::new(listeners));
        drop(list);
        // Ordering: Relaxed; see is_heard. The list itself is read under its lock.
        self.0.count.store(count, Ordering::Relaxed);
        drop(turn);
        drop(old); // may drop a listener, which is foreign code: under no lock
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("listeners", &self.listener_count()).finish()
    }
}

/// A listener panicked. Told once per listener.
#[derive(Debug)]
struct ListenerPanicked;

impl Payload for ListenerPanicked {
    fn name(&self) -> &'static str {
        "listener_panicked"
    }
}

impl fmt::Display for ListenerPanicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a listener panicked while it heard of this instance")
    }
}

/// Keeps a listener subscribed; dropping it ends that, also from inside the listener itself. A call of the listener
/// that another thread has begun by then runs to its end.
#[must_use = "keep it in a variable or a field: dropping it ends it, and `let _ =` drops it at once"]
pub struct Subscription {
    events: Events,
    entry: Arc<Entry>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire in tell: who looks after the drop calls no more.
        self.entry.gone.store(true, Ordering::Release);
        self.events.change(|listeners| listeners.retain(|entry| !Arc::ptr_eq(entry, &self.entry)));
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscription")
    }
}
