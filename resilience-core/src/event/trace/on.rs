//! What `tracing` knows of an event before it happens (its place, level and field names) it wants for ever. Core cannot
//! know it beforehand, since the events are the policies': it is put together when an event of its kind is first told,
//! and kept for the life of the process, like ids. Their number is that of the types of events.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};
use tracing_core::{
    Callsite, Event as Told, Kind, Level as Severity, Metadata, callsite,
    dispatcher::get_default,
    field::{self, FieldSet},
    identify_callsite,
    subscriber::Interest,
};

use crate::event::{Event, Level, Value};

/// Whether a subscriber may want events of this level. Two instructions.
#[inline(always)]
pub(in crate::event) fn is_on(level: Level) -> bool {
    let level = severity(level);
    level <= STATIC_MAX_LEVEL && level <= LevelFilter::current()
}

#[inline(always)]
const fn severity(level: Level) -> Severity {
    match level {
        Level::Warn => Severity::WARN,
        Level::Info => Severity::INFO,
        Level::Debug => Severity::DEBUG,
        Level::Trace => Severity::TRACE,
    }
}

/// The fields of every event; then come those of the payload.
const COMMON: [&str; 5] = ["message", "kind", "instance", "type", "time"];

/// How many fields an event has at most; what is beyond that stands in the message.
const FIELDS: usize = 24;

/// Tells the subscriber.
pub(in crate::event) fn emit(event: &Event<'_>) {
    let key = (event.policy, event.payload.name(), event.payload.level());
    // All sites of a kind of event are wanted, or none: a subscriber that does not want it costs no fields.
    let known = sites().get(&key).and_then(|sites| sites.first().copied());
    if known.is_some_and(|site| !site.is_wanted()) {
        return;
    }
    let fields = event.payload.fields();
    let names = COMMON.into_iter().chain(fields.iter().map(|(name, _)| *name)).take(FIELDS).collect();
    let site = Site::of(key, names);
    if site.is_wanted() {
        site.tell(event, &fields);
    }
}

type Key = (&'static str, &'static str, Level);

/// By policy, name and level. An event that does not always have the same fields has a site for each list of them.
fn sites() -> MutexGuard<'static, HashMap<Key, Vec<&'static Site>>> {
    static SITES: OnceLock<Mutex<HashMap<Key, Vec<&'static Site>>>> = OnceLock::new();
    SITES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// A kind of event, as `tracing` sees it.
#[derive(Default)]
struct Site(OnceLock<Metadata<'static>>);

impl Callsite for Site {
    /// Not kept: a subscriber is asked each time, as if it had said `sometimes`.
    fn set_interest(&self, _: Interest) {}

    fn metadata(&self) -> &Metadata<'_> {
        self.0.get().expect("set before anybody sees the site")
    }
}

impl Site {
    fn of(key: Key, names: Vec<&'static str>) -> &'static Self {
        let mut sites = sites();
        let known = sites.entry(key).or_default();
        if let Some(site) = known.iter().find(|site| site.names().eq(names.iter().copied())) {
            return site;
        }
        let site = Self::leak(key, names);
        known.push(site);
        drop(sites);
        callsite::register(site); // asks the subscribers, which are foreign code
        site
    }

    fn leak((policy, name, level): Key, names: Vec<&'static str>) -> &'static Self {
        let site: &'static Self = Box::leak(Box::default());
        let target = Box::leak(format!("resilience::{policy}").into_boxed_str());
        let fields = FieldSet::new(Vec::leak(names), identify_callsite!(site));
        let metadata = Metadata::new(name, target, severity(level), None, None, None, fields, Kind::EVENT);
        site.0.set(metadata).expect("set once");
        site
    }

    fn metadata(&'static self) -> &'static Metadata<'static> {
        self.0.get().expect("set before anybody sees the site")
    }

    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        self.metadata().fields().iter().map(|field| field.name())
    }

    fn is_wanted(&'static self) -> bool {
        get_default(|subscriber| subscriber.enabled(self.metadata()))
    }

    fn tell(&'static self, event: &Event<'_>, fields: &[(&'static str, Value<'_>)]) {
        let (message, instance) = (field::display(event.payload), event.instance.as_str());
        let (name, time) = (event.payload.name(), Duration::from(event.at).as_secs_f64());
        let common: [&dyn field::Value; COMMON.len()] = [&message, &event.policy, &instance, &name, &time];
        let own: Vec<_> = fields.iter().map(|(_, value)| recorded(value)).collect();
        let values = common.into_iter().map(Some).chain(own.iter().map(Option::as_deref));
        let places: Vec<_> = self.metadata().fields().iter().collect();
        // A list of this length is what `tracing` takes; what is left of it says nothing.
        let mut list = [(&places[0], None); FIELDS];
        for ((slot, place), value) in list.iter_mut().zip(&places).zip(values) {
            *slot = (place, value);
        }
        Told::dispatch(self.metadata(), &self.metadata().fields().value_set(&list));
    }
}

/// A value as `tracing` takes it.
fn recorded<'a>(value: &'a Value<'_>) -> Option<Box<dyn field::Value + 'a>> {
    Some(match value {
        Value::None => return None,
        Value::Bool(value) => Box::new(*value),
        Value::Number(value) => Box::new(*value),
        Value::Float(value) => Box::new(*value),
        Value::Text(text) => Box::new(&**text),
        Value::Rows(_) => Box::new(field::display(value)),
    })
}
