//! What instances measure, for recorders: [`Registry::measures`](crate::Registry::measures).

use crate::{Id, keys::metric::Metric};

/// The numbers of one instance.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Measured {
    /// The kind of policy.
    pub kind: &'static str,
    /// The instance.
    pub instance: Id,
    /// Another one for another instance of the same id: the first was removed.
    pub incarnation: u64,
    /// The numbers.
    pub measures: Measures,
}

/// Numbers, for [`Managed::measure`](crate::Managed::measure) to write down.
#[derive(Clone, Debug, Default)]
pub struct Measures(Vec<Measure>);

/// One number.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Measure {
    /// The metric.
    pub metric: &'static Metric,
    /// The values of its labels but `kind` and `instance`; empty where it has fewer.
    pub labels: [&'static str; 2],
    /// The number.
    pub value: Value,
}

/// A number, in the shape of its metric.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A counter: so many since the instance was created.
    Total(u64),
    /// A gauge: so much now.
    Level(f64),
    /// A histogram: so many waits of about the same length in each of its ranges. The ranges stay the same.
    Waits(Vec<Waited>),
}

/// Waits of about the same length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// How many.
    pub count: u64,
    /// How long they were in all, in nanoseconds.
    pub nanos: u64,
}

impl Measures {
    /// A counter, which stands at `total`. `labels`: the values of its labels but `kind` and `instance`.
    ///
    /// # Panics
    ///
    /// With more than two labels.
    pub fn count(&mut self, metric: &'static Metric, labels: &[&'static str], total: u64) {
        self.write(metric, labels, Value::Total(total));
    }

    /// A gauge, which stands at `level`.
    pub fn level(&mut self, metric: &'static Metric, level: impl Into<f64>) {
        self.write(metric, &[], Value::Level(level.into()));
    }

    /// A histogram of waits.
    pub fn waits(&mut self, metric: &'static Metric, waits: Vec<Waited>) {
        self.write(metric, &[], Value::Waits(waits));
    }

    /// All that was written down, in that order.
    pub fn list(&self) -> &[Measure] {
        &self.0
    }

    fn write(&mut self, metric: &'static Metric, given: &[&'static str], value: Value) {
        let mut labels = [""; 2];
        labels[..given.len()].copy_from_slice(given);
        self.0.push(Measure { metric, labels, value });
    }
}
