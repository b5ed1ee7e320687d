//! One series: a metric with its labels, and what has been told of it.

use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, SharedString};

use crate::{
    Id,
    keys::metric::{Metric, Shape},
    measure::{Measure, Value, Waited},
};

pub(super) struct Series {
    metric: &'static Metric,
    labels: [&'static str; 2],
    handle: Handle,
    /// What the instances before this one counted.
    before: u64,
    /// What the recorder was told last of this one.
    total: u64,
    waits: Vec<Waited>,
}

enum Handle {
    Counter(Counter),
    Gauge(Gauge),
    Histogram(Histogram),
}

impl Series {
    pub(super) fn new(measure: &Measure, kind: &'static str, id: Id, recorder: &dyn Recorder) -> Self {
        let Measure { metric, labels, .. } = *measure;
        let handle = handle(metric, &labels, kind, id, recorder);
        Self { metric, labels, handle, before: 0, total: 0, waits: Vec::new() }
    }

    pub(super) fn is_of(&self, measure: &Measure) -> bool {
        std::ptr::eq(self.metric, measure.metric) && self.labels == measure.labels
    }

    /// Another recorder is to be told, everything from the beginning.
    pub(super) fn resolve(&mut self, kind: &'static str, id: Id, recorder: &dyn Recorder) {
        self.handle = handle(self.metric, &self.labels, kind, id, recorder);
        self.waits.clear();
    }

    /// From now on another instance of the same id measures, and counts from 0.
    pub(super) fn begin_again(&mut self) {
        self.before += std::mem::take(&mut self.total);
        self.waits.clear();
    }

    /// The instance is gone: a level would be taken for that of a live one.
    pub(super) fn fade(&mut self) {
        if let Handle::Gauge(gauge) = &self.handle {
            gauge.set(f64::NAN);
        }
    }

    pub(super) fn write(&mut self, value: &Value) {
        match (&self.handle, value) {
            (Handle::Counter(counter), Value::Total(total)) => {
                self.total = *total;
                counter.absolute(self.before + total);
            }
            (Handle::Gauge(gauge), Value::Level(level)) => gauge.set(*level),
            (Handle::Histogram(histogram), Value::Waits(waits)) => {
                self.waits.resize(waits.len(), Waited::default());
                for (told, now) in self.waits.iter_mut().zip(waits) {
                    let (count, nanos) = (now.count - told.count, now.nanos - told.nanos);
                    if count > 0 {
                        histogram.record_many(nanos as f64 / count as f64 / 1e9, count as usize);
                    }
                    *told = *now;
                }
            }
            // A policy of somebody else that writes a metric in the wrong shape.
            _ => debug_assert!(false, "`{}` is a {}", self.metric.name, self.metric.shape.name()),
        }
    }
}

fn handle(
    metric: &'static Metric,
    given: &[&'static str],
    kind: &'static str,
    id: Id,
    recorder: &dyn Recorder,
) -> Handle {
    let mut given = given.iter();
    let labels = metric.labels.iter().map(|label| {
        let value = match label.name {
            "kind" => SharedString::const_str(kind),
            "instance" => id_label(id),
            _ => SharedString::const_str(given.next().copied().unwrap_or_default()),
        };
        Label::new(label.name, value)
    });
    let key = Key::from_parts(metric.name, labels.collect::<Vec<_>>());
    let metadata = Metadata::new("resilience", Level::INFO, None);
    match metric.shape {
        Shape::Counter => Handle::Counter(recorder.register_counter(&key, &metadata)),
        Shape::Gauge => Handle::Gauge(recorder.register_gauge(&key, &metadata)),
        Shape::Histogram => Handle::Histogram(recorder.register_histogram(&key, &metadata)),
    }
}

/// The id with its backslashes doubled. The Prometheus exporter takes a backslash before a quote, or before another one, for
/// an escape that is there already: `a"` and `a\"` would be one series. Doubled, each id comes out of its text as it is.
fn id_label(id: Id) -> SharedString {
    if id.as_str().contains('\\') {
        SharedString::from_owned(id.as_str().replace('\\', r"\\"))
    } else {
        SharedString::const_str(id.as_str())
    }
}
