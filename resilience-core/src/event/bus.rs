//! The list of listeners is replaced, never changed, so a publisher reads it under a short read lock and calls the
//! listeners under none. The tempting race: a listener that is dropped while a publisher holds the old list. Each
//! listener therefore has a flag, set before it leaves the list and asked before each call.

use std::{
    fmt,
    sync::{PoisonError, Weak},
};

use super::{Event, Filter, Filtered, Level, Payload, Receiver, RecentEvents, trace};
use crate::{
    Id, Nanos,
    shield::shield,
    sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, RwLock, lock},
};

/// Hears events. Closures `Fn(&Event)` are listeners.
///
/// Runs after the state has changed and under no lock, on the thread that changed it: that of the call, with one
/// exception. Transitions of a circuit breaker are told in their order, so one that follows while another is being told
/// is told by that other call's thread. A listener may call back into the registry. A call goes on once its listeners
/// are done: one that takes its time belongs behind a channel ([`Events::subscribe_channel`]). A panic in it is caught
/// and counted ([`Events::listener_panics`]), and the first one of a listener is told to all listeners.
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
pub struct Events(std::sync::Arc<Bus>); // `std`'s also under loom, whose own has no `Weak`

type List = Arc<Vec<Arc<Entry>>>;

#[derive(Default)]
struct Bus {
    /// 0 without a listener; else one more than the most detailed level that one of them wants. A hint for publishers:
    /// written under the lock of `changes`, after the list.
    detail: AtomicUsize,
    /// Replaced as a whole, under the lock of `changes`.
    listeners: RwLock<List>,
    changes: Mutex<()>,
    panics: AtomicU64,
}

struct Entry {
    listener: Box<dyn Listener>,
    level: Level,
    /// Set when the subscription is dropped; never taken back. Shared with the subscription, which holds nothing else of
    /// the listener: it goes with the bus.
    gone: Arc<AtomicBool>,
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
        self.subscribe_at(Level::Trace, listener)
    }

    /// For a listener that wants events down to this level; it may hear others.
    pub(super) fn subscribe_at(&self, level: Level, listener: impl Listener) -> Subscription {
        let gone = Arc::new(AtomicBool::new(false));
        let panicked = AtomicBool::new(false);
        let entry = Arc::new(Entry { listener: Box::new(listener), level, gone: Arc::clone(&gone), panicked });
        self.0.change(|listeners| listeners.push(Arc::clone(&entry)));
        Subscription { bus: std::sync::Arc::downgrade(&self.0), gone }
    }

    /// A channel that takes up to `capacity` events (at least one) until somebody receives them. What comes while it is
    /// full is dropped, and counted: no call ever waits for it.
    ///
    /// ```
    /// # let events = resilience_core::Events::new();
    /// let mut receiver = events.subscribe_channel(1_000);
    /// std::thread::spawn(move || {
    ///     for event in &mut receiver {
    ///         println!("{event}"); // may take its time
    ///     }
    ///     println!("{} events too many", receiver.dropped());
    /// });
    /// ```
    pub fn subscribe_channel(&self, capacity: usize) -> Receiver {
        self.filtered(Filter::new()).subscribe_channel(capacity)
    }

    /// Keeps the last `capacity` events (at least one), to look at when something went wrong.
    ///
    /// ```
    /// # let events = resilience_core::Events::new();
    /// let recent = events.recent(100);
    /// // ..
    /// for event in recent.list() {
    ///     println!("{event}");
    /// }
    /// ```
    pub fn recent(&self, capacity: usize) -> RecentEvents {
        self.filtered(Filter::new()).recent(capacity)
    }

    /// The same, for some events only.
    ///
    /// ```
    /// # let events = resilience_core::Events::new();
    /// use resilience_core::event::Filter;
    ///
    /// let trips = Filter::new().policy("circuit_breaker").instance("search");
    /// let _subscription = events.filtered(trips).subscribe(|event| println!("{event}"));
    /// ```
    pub fn filtered(&self, filter: Filter) -> Filtered<'_> {
        Filtered::new(self, filter)
    }

    /// Whether anybody listens, to events of some level at least. Ask before building an event.
    #[inline(always)]
    pub fn is_heard(&self) -> bool {
        self.is_heard_at(Level::Warn)
    }

    /// Whether anybody listens to events of this level: a listener whose filter lets them through, or a subscriber of the
    /// `tracing` crate that wants them. Cost: one relaxed load; two with the feature `tracing`.
    #[inline(always)]
    pub fn is_heard_at(&self, level: Level) -> bool {
        // Ordering: Relaxed; a hint. Who subscribed a moment ago may miss what happened before the news came round.
        self.0.detail.load(Ordering::Relaxed) > level as usize || trace::is_on(level)
    }

    /// Tells the listeners, and `tracing`, if there are any that want events of this level.
    #[inline]
    pub fn publish(&self, policy: &'static str, instance: Id, at: Nanos, payload: &dyn Payload) {
        if self.is_heard() && self.is_heard_at(payload.level()) {
            self.tell(&Event { at, policy, instance, payload });
        }
    }

    /// How many listeners there are.
    pub fn listener_count(&self) -> usize {
        self.0.listeners().len()
    }

    /// How often a listener panicked, or a subscriber of the `tracing` crate when it was told of an event.
    pub fn listener_panics(&self) -> u64 {
        // Ordering: Relaxed; a count.
        self.0.panics.load(Ordering::Relaxed)
    }

    #[cold]
    fn tell(&self, event: &Event<'_>) {
        if trace::is_on(event.payload.level()) && shield(|| trace::emit(event)).is_none() {
            // Ordering: Relaxed; a count.
            self.0.panics.fetch_add(1, Ordering::Relaxed);
        }
        let listeners = self.0.listeners();
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
}

impl Bus {
    fn listeners(&self) -> List {
        Arc::clone(&self.listeners.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, op: impl FnOnce(&mut Vec<Arc<Entry>>)) {
        let turn = lock(&self.changes);
        let mut listeners = Vec::clone(&self.listeners());
        op(&mut listeners);
        let detail = listeners.iter().map(|entry| entry.level as usize + 1).max().unwrap_or(0);
        let mut list = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *list, Arc::new(listeners));
        drop(list);
        // Ordering: Relaxed; see is_heard_at. The list itself is read under its lock.
        self.detail.store(detail, Ordering::Relaxed);
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
#[derive(Clone, Debug)]
struct ListenerPanicked;

impl Payload for ListenerPanicked {
    fn name(&self) -> &'static str {
        "listener_panicked"
    }

    fn level(&self) -> Level {
        Level::Warn
    }
}

impl fmt::Display for ListenerPanicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a listener panicked while it heard of this instance")
    }
}

/// Keeps a listener subscribed; dropping it ends that, also from inside the listener itself. A call of the listener
/// that another thread has begun by then runs to its end. It keeps no bus alive: without one, there is nothing to hear.
#[must_use = "keep it in a variable or a field: dropping it ends it, and `let _ =` drops it at once"]
pub struct Subscription {
    bus: Weak<Bus>,
    gone: Arc<AtomicBool>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire in tell: who looks after the drop calls no more.
        self.gone.store(true, Ordering::Release);
        if let Some(bus) = self.bus.upgrade() {
            bus.change(|listeners| listeners.retain(|entry| !Arc::ptr_eq(&entry.gone, &self.gone)));
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscription")
    }
}
