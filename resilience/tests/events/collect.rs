//! A subscriber of the `tracing` crate that keeps what it is told.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex},
};

use tracing::{
    Dispatch, Event, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, prelude::*, registry::LookupSpan};

pub(crate) type Fields = BTreeMap<&'static str, String>;

#[derive(Clone, Default)]
pub(crate) struct Collect(Arc<Mutex<Log>>);

#[derive(Default)]
pub(crate) struct Log {
    /// Level, target and fields of each event, and the `id` of the innermost span it stood in.
    pub(crate) events: Vec<(String, String, Fields, Option<String>)>,
    spans: BTreeMap<u64, Fields>,
    /// Those that are current, outermost first.
    pub(crate) entered: Vec<u64>,
    pub(crate) closed: Vec<Fields>,
}

impl Collect {
    pub(crate) fn subscriber(&self, level: LevelFilter) -> Dispatch {
        Dispatch::new(tracing_subscriber::registry().with(self.clone()).with(level))
    }

    pub(crate) fn log<T>(&self, read: impl FnOnce(&mut Log) -> T) -> T {
        read(&mut self.0.lock().unwrap())
    }

    /// Takes the events.
    pub(crate) fn events(&self) -> Vec<(String, String, Fields, Option<String>)> {
        self.log(|log| std::mem::take(&mut log.events))
    }

    /// The `id` of the span that is current.
    pub(crate) fn current(&self) -> Option<String> {
        self.log(|log| log.entered.last().map(|id| log.spans[id]["id"].clone()))
    }
}

struct Visitor<'a>(&'a mut Fields);

impl Visit for Visitor<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_string());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collect {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::new();
        event.record(&mut Visitor(&mut fields));
        let (level, target) = (event.metadata().level().to_string(), event.metadata().target().to_string());
        let inside = self.current();
        self.log(|log| log.events.push((level, target, fields, inside)));
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = Fields::from([("name", attributes.metadata().name().to_string())]);
        attributes.record(&mut Visitor(&mut fields));
        self.log(|log| log.spans.insert(id.into_u64(), fields));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        self.log(|log| values.record(&mut Visitor(log.spans.get_mut(&id.into_u64()).unwrap())));
    }

    fn on_enter(&self, id: &Id, _: Context<'_, S>) {
        self.log(|log| log.entered.push(id.into_u64()));
    }

    fn on_exit(&self, id: &Id, _: Context<'_, S>) {
        self.log(|log| assert_eq!(log.entered.pop(), Some(id.into_u64())));
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.log(|log| {
            let fields = log.spans.remove(&id.into_u64()).unwrap();
            log.closed.push(fields);
        });
    }
}
