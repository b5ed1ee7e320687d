//! What listens to the bus while somebody looks: news in full, rejections as counts.

use std::collections::HashMap;

use resilience_breaker as breaker;
use resilience_bulkhead as bulkhead;
use resilience_core::{
    Code, Id, Layer, Nanos, Rejection,
    event::{Event, Filter, Level, Listener, Value},
    sync::{Arc, Counter, Mutex, lock},
};
use resilience_ratelimiter as ratelimiter;
use resilience_timeout as timeout;
use serde::Serialize;

/// Rejections per tick that are looked at one by one. Beyond that a storm costs each call one addition, and no lock.
const MOST_REJECTIONS: u64 = 10_000;
/// Letters of a text.
const LONGEST_TEXT: usize = 2_000;
/// News per tick.
const MOST_NEWS: usize = 200;

/// What the listener passes on. What comes in one go stays together until the next tick takes it.
#[derive(Default)]
pub(crate) struct Tally {
    /// Rejections since the last tick, also those that were not looked at.
    rejections: Counter,
    state: Mutex<Taken>,
}

#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// By instance and code: how often, and when last.
    pub(crate) rejected: HashMap<(Id, Code), (u64, Nanos)>,
    pub(crate) news: Vec<News>,
    /// Rejections that nobody counted by instance and code.
    pub(crate) uncounted: u64,
}

/// Something that people want to read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct News {
    /// In seconds on the registry's clock.
    pub(crate) at: f64,
    pub(crate) warn: bool,
    pub(crate) kind: &'static str,
    pub(crate) instance: Id,
    pub(crate) text: String,
}

/// State changes and rejections. Calls that succeed stay as fast as unheard.
pub(crate) fn filter() -> Filter {
    Filter::new().level(Level::Debug)
}

impl Tally {
    /// All there is since the last time.
    pub(crate) fn take(&self) -> Taken {
        // One that comes between this and the lock counts for the next tick.
        let heard = self.rejections.take();
        let taken = std::mem::take(&mut *lock(&self.state));
        Taken { uncounted: heard.saturating_sub(MOST_REJECTIONS), ..taken }
    }

    fn reject(&self, event: &Event<'_>) {
        let Some(code) = code(event) else { return };
        if self.rejections.add_one() >= MOST_REJECTIONS {
            return;
        }
        let mut state = lock(&self.state);
        let (count, at) = state.rejected.entry((event.instance, code)).or_insert((0, event.at));
        (*count, *at) = (*count + 1, event.at.max(*at));
    }
}

/// Owned by the bus.
pub(crate) struct Ear(pub(crate) Arc<Tally>);

impl Listener for Ear {
    fn on_event(&self, event: &Event<'_>) {
        if event.payload.level() > Level::Info {
            return self.0.reject(event);
        }
        let news = News::of(event);
        let mut state = lock(&self.0.state);
        if state.news.len() < MOST_NEWS {
            state.news.push(news);
        }
    }
}

impl News {
    pub(crate) fn of(event: &Event<'_>) -> Self {
        Self {
            at: crate::recent::seconds(event.at),
            warn: event.payload.level() == Level::Warn,
            kind: event.policy,
            instance: event.instance,
            text: cut(event.payload.to_string()),
        }
    }
}

/// A reload that changes a thousand instances tells of each; nobody reads that here.
fn cut(mut text: String) -> String {
    if text.chars().nth(LONGEST_TEXT).is_some() {
        text = text.chars().take(LONGEST_TEXT - 1).chain(['…']).collect();
    }
    text
}

/// Why a call was rejected, if it was. The policies that are known say so without a heap block; others by their fields.
fn code(event: &Event<'_>) -> Option<Code> {
    if let Some(event) = event.payload() {
        return if let breaker::Event::Rejected(rejection) = event { Some(rejection.code()) } else { None };
    }
    if let Some(event) = event.payload() {
        return if let ratelimiter::Event::Rejected(rejection) = event { Some(rejection.code()) } else { None };
    }
    if let Some(event) = event.payload() {
        return if let bulkhead::Event::Rejected(rejection) = event { Some(rejection.code()) } else { None };
    }
    if let Some(payload) = event.payload() {
        let timed_out = matches!(payload, timeout::Event::TimedOut { .. });
        return timed_out.then(|| Rejection::timed_out(event.instance, Layer::TIMEOUT).code());
    }
    if event.payload.name() != "rejected" {
        return None;
    }
    let fields = event.payload.fields();
    let (_, Value::Text(text)) = fields.iter().find(|(name, _)| *name == "code")? else { return None };
    Code::ALL.iter().copied().find(|code| code.as_str() == text)
}
