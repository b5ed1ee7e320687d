//! The counts of an instance.

use crate::{
    Code, Outcome,
    keys::metric::{self, Metric},
    measure::Measures,
    sync::{AtomicU64, AtomicUsize, Ordering, OwnLine},
};

/// How many `Metrics` there are in the process. Read by every call, written when one comes or goes.
static COUNTING: OwnLine<AtomicUsize> = OwnLine(AtomicUsize::new(0));

/// Whether anybody wants to know.
#[inline(always)]
pub fn is_on() -> bool {
    // Ordering: Relaxed; a hint. What happens before the news comes round is not counted.
    COUNTING.load(Ordering::Relaxed) != 0
}

/// Somebody wants to know, as long as this is kept.
#[derive(Debug)]
pub(crate) struct Counting(());

impl Counting {
    pub(crate) fn start() -> Self {
        // Ordering: Relaxed; see is_on.
        COUNTING.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        // Ordering: Relaxed; see is_on.
        COUNTING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How calls of one instance ended, while metrics are on. Each call is counted once by each policy it reaches.
///
/// Calls of a live policy end in many threads at once, mostly alike: each count has its own cache line, so that the rare
/// ends do not slow the frequent one.
#[derive(Debug, Default)]
pub struct Meter {
    success: OwnLine<AtomicU64>,
    failure: OwnLine<AtomicU64>,
    ignored: OwnLine<AtomicU64>,
    dropped: OwnLine<AtomicU64>,
    /// Rejected by a policy further in.
    rejected_inside: OwnLine<AtomicU64>,
    /// Rejected by this one, by code.
    rejected: OwnLine<Tally<{ Code::ALL.len() }>>,
}

impl Meter {
    /// A call was let in, and nobody will say how it ended.
    #[inline(always)]
    pub fn succeeded(&self) {
        if is_on() {
            add_one(&self.success);
        }
    }

    /// A call ended, as the policy was told.
    #[inline(always)]
    pub fn ended(&self, outcome: &Outcome) {
        if is_on() {
            match outcome {
                Outcome::Success => add_one(&self.success),
                Outcome::Failure(_) => add_one(&self.failure),
                Outcome::Ignored => add_one(&self.ignored),
                Outcome::Rejected(_) | Outcome::Expired => add_one(&self.rejected_inside),
            }
        }
    }

    /// A call is gone before it ended.
    #[inline(always)]
    pub fn dropped(&self) {
        if is_on() {
            add_one(&self.dropped);
        }
    }

    /// The policy itself rejected a call.
    #[inline(always)]
    pub fn rejected(&self, code: Code) {
        self.rejected.add(code as usize);
    }

    /// Writes down what was counted.
    pub fn measure(&self, into: &mut Measures) {
        let rejected = read(&self.rejected_inside) + self.rejected.total();
        let ends = [read(&self.success), read(&self.failure), rejected, read(&self.ignored), read(&self.dropped)];
        for (outcome, count) in metric::OUTCOMES.iter().zip(ends) {
            into.count(&metric::CALLS, &[outcome], count);
        }
        self.rejected.measure(into, &metric::REJECTIONS, |code| [Code::ALL[code].as_str(), ""]);
    }
}

/// `N` counts of rare things, while metrics are on.
#[derive(Debug)]
pub struct Tally<const N: usize>([AtomicU64; N]);

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl<const N: usize> Tally<N> {
    /// One more of the thing with this number.
    ///
    /// # Panics
    ///
    /// If there is no such number.
    #[inline(always)]
    pub fn add(&self, number: usize) {
        if is_on() {
            add_one(&self.0[number]);
        }
    }

    /// Writes down those that happened, each with the labels of its number; an empty label is none.
    pub fn measure(&self, into: &mut Measures, metric: &'static Metric, labels: impl Fn(usize) -> [&'static str; 2]) {
        for (number, count) in self.0.iter().map(read).enumerate().filter(|(_, count)| *count > 0) {
            let labels = labels(number);
            let given = labels.iter().take_while(|label| !label.is_empty()).count();
            into.count(metric, &labels[..given], count);
        }
    }

    fn total(&self) -> u64 {
        self.0.iter().map(read).sum()
    }
}

#[inline(always)]
fn add_one(count: &AtomicU64) {
    // Ordering: Relaxed; a count.
    count.fetch_add(1, Ordering::Relaxed);
}

fn read(count: &AtomicU64) -> u64 {
    // Ordering: Relaxed; a count. Those that are read together may be a call apart.
    count.load(Ordering::Relaxed)
}
