use std::fmt;

use super::{Event, Events, Level, Listener, Receiver, RecentEvents, Subscription};
use crate::Id;

/// Which events to hear: those of some kinds of policy, of some instances, of some weight, or all of that.
///
/// ```
/// use resilience_core::event::Filter;
///
/// let filter = Filter::new().policy("retry").policy("timeout").instance("search");
/// assert_eq!(filter.to_string(), "retry or timeout of `search`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Filter {
    /// Empty: all.
    policies: Vec<String>,
    /// Empty: all.
    instances: Vec<Id>,
    level: Level,
}

impl Default for Filter {
    fn default() -> Self {
        Self { policies: Vec::new(), instances: Vec::new(), level: Level::Trace }
    }
}

impl Filter {
    /// All events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those that matter at least this much. Calls are spared the cost of those that no listener wants: without one for
    /// [`Level::Trace`], a call that is admitted and succeeds costs what it costs unheard.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Those of this kind of policy, as configuration names it (`rate_limiter`, ..; `config` for reloads), and of the
    /// kinds named before. A kind that no policy has matches nothing.
    pub fn policy(mut self, kind: impl Into<String>) -> Self {
        self.policies.push(kind.into());
        self
    }

    /// Those of this instance, and of the instances named before. An instance that is removed and created again is
    /// heard as before.
    pub fn instance(mut self, id: impl Into<Id>) -> Self {
        self.instances.push(id.into());
        self
    }

    /// Whether it lets `event` through.
    pub fn matches(&self, event: &Event<'_>) -> bool {
        event.payload.level() <= self.level
            && (self.policies.is_empty() || self.policies.iter().any(|kind| kind == event.policy))
            && (self.instances.is_empty() || self.instances.contains(&event.instance))
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instances: Vec<_> = self.instances.iter().map(|id| format!("`{}`", id.escaped())).collect();
        f.write_str(&if self.policies.is_empty() { "all policies".to_string() } else { self.policies.join(" or ") })?;
        if !instances.is_empty() {
            write!(f, " of {}", instances.join(" or "))?;
        }
        if self.level != Level::Trace {
            write!(f, ", {:?} and above", self.level)?;
        }
        Ok(())
    }
}

/// The events of a bus that a [`Filter`] lets through: made by [`Events::filtered`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Filtered<'a> {
    events: &'a Events,
    filter: Filter,
}

impl<'a> Filtered<'a> {
    pub(super) fn new(events: &'a Events, filter: Filter) -> Self {
        Self { events, filter }
    }

    /// As [`Events::subscribe`].
    pub fn subscribe(self, listener: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Subscription {
        self.subscribe_listener(listener)
    }

    /// As [`Events::subscribe_listener`].
    pub fn subscribe_listener(self, listener: impl Listener) -> Subscription {
        let Self { events, filter } = self;
        events.subscribe_at(filter.level, move |event: &Event<'_>| {
            if filter.matches(event) {
                listener.on_event(event);
            }
        })
    }

    /// As [`Events::subscribe_channel`].
    pub fn subscribe_channel(self, capacity: usize) -> Receiver {
        Receiver::new(capacity, |sender| self.subscribe_listener(sender))
    }

    /// As [`Events::recent`].
    pub fn recent(self, capacity: usize) -> RecentEvents {
        RecentEvents::new(capacity, |ring| self.subscribe_listener(ring))
    }
}
