//! What the project set itself as a target, and where a machine stands.

use super::results::{Counting, Results};

pub(super) struct Target {
    pub(super) what: &'static str,
    /// At most so many times governor's.
    pub(super) allowed: f64,
    measure: Measure,
}

enum Measure {
    /// Instructions of `try_acquire`, in this case.
    Instructions(&'static str),
    /// Time of `resilience`, this way and with so many threads.
    Time(&'static str, usize),
}

pub(super) const TARGETS: [Target; 5] = [
    Target { what: "`try_acquire`, admitted: instructions", allowed: 1.0, measure: Measure::Instructions("admitted") },
    Target { what: "`try_acquire`, rejected: instructions", allowed: 1.0, measure: Measure::Instructions("rejected") },
    Target { what: "`try_acquire`, admitted, one thread: time", allowed: 1.05, measure: Measure::Time("admitted", 1) },
    Target { what: "`try_acquire`, rejected, one thread: time", allowed: 1.05, measure: Measure::Time("rejected", 1) },
    Target {
        what: "`try_acquire`, admitted, two threads on one limiter: time",
        allowed: 0.6,
        measure: Measure::Time("admitted", 2),
    },
];

impl Target {
    /// Where the machine stands, as a multiple of governor's; `None` if it was not measured there.
    pub(super) fn reached(&self, results: &Results) -> Option<f64> {
        match self.measure {
            Measure::Instructions(case) => {
                let Some(Counting::Done(counts)) = &results.instructions else {
                    return None;
                };
                let count = |call: &str| {
                    let mut counts = counts.calls.iter();
                    let count = counts.find(|count| count.call == call && count.case == case)?;
                    Some(count.instructions as f64)
                };
                Some(count("try_acquire")? / count("governor_check")?)
            }
            Measure::Time(way, threads) => {
                let mut standings = results.peers.as_ref()?.calls.iter();
                let ours = |name: &str| name == "resilience";
                let standing = standings.find(|it| ours(&it.name) && it.way == way && it.threads == threads)?;
                Some(standing.ratio?.median)
            }
        }
    }
}
