//! What a recorder has been told.

use std::{collections::HashMap, ptr::from_ref};

use metrics::{KeyName, Recorder, Unit};

use super::series::Series;
use crate::{
    Id,
    keys::metric::{METRICS, Metric, Shape},
    measure::Measured,
};

/// The series of all instances, with the recorder's handles to them.
#[derive(Default)]
pub(super) struct Recording {
    /// Where the recorder is that gave the handles; 0 before the first.
    recorder: usize,
    instances: HashMap<(&'static str, Id), Instance>,
}

/// The series of one id. They go on if an instance is replaced, and stay when it is removed: a recorder forgets nothing.
struct Instance {
    incarnation: u64,
    series: Vec<Series>,
    /// Whether it was seen in this record.
    seen: bool,
}

impl Recording {
    pub(super) fn write(&mut self, measured: &[Measured], recorder: &dyn Recorder) {
        self.turn_to(recorder);
        for it in measured {
            let key = (it.kind, it.instance);
            let instance = self.instances.entry(key).or_insert_with(|| Instance::new(it.incarnation));
            instance.write(it, recorder);
        }
        for instance in self.instances.values_mut() {
            if !std::mem::take(&mut instance.seen) {
                instance.series.iter_mut().for_each(Series::fade);
            }
        }
    }

    /// One recorder at a time gives the handles. Another one is told everything: it was installed after the first record,
    /// or is current on this thread only.
    fn turn_to(&mut self, recorder: &dyn Recorder) {
        let address = from_ref(recorder).cast::<()>().addr();
        if self.recorder == address {
            return;
        }
        self.recorder = address;
        for metric in METRICS {
            describe(metric, recorder);
        }
        for ((kind, id), instance) in &mut self.instances {
            instance.series.iter_mut().for_each(|series| series.resolve(kind, *id, recorder));
        }
    }
}

impl Instance {
    fn new(incarnation: u64) -> Self {
        Self { incarnation, series: Vec::new(), seen: false }
    }

    fn write(&mut self, measured: &Measured, recorder: &dyn Recorder) {
        self.seen = true;
        if self.incarnation != measured.incarnation {
            self.incarnation = measured.incarnation;
            self.series.iter_mut().for_each(Series::begin_again);
        }
        for measure in measured.measures.list() {
            let known = self.series.iter_mut().position(|series| series.is_of(measure));
            let at = known.unwrap_or_else(|| {
                self.series.push(Series::new(measure, measured.kind, measured.instance, recorder));
                self.series.len() - 1
            });
            self.series[at].write(&measure.value);
        }
    }
}

fn describe(metric: &Metric, recorder: &dyn Recorder) {
    let name = KeyName::from_const_str(metric.name);
    match metric.shape {
        Shape::Counter => recorder.describe_counter(name, Some(Unit::Count), metric.doc.into()),
        Shape::Gauge => recorder.describe_gauge(name, None, metric.doc.into()),
        Shape::Histogram => recorder.describe_histogram(name, Some(Unit::Seconds), metric.doc.into()),
    }
}
