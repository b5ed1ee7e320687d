//! What the project set itself as targets, and where a machine stands.

use super::results::{Counting, Crowd, Results};

pub(super) struct Target {
    pub(super) policy: &'static str,
    pub(super) what: &'static str,
    allowed: f64,
    measure: Measure,
}

enum Measure {
    /// Instructions of a call in a case, as a multiple of a peer's call.
    Instructions { call: &'static str, case: &'static str, than: &'static str },
    /// Time of ours, in a case and with so many threads, as a multiple of a reference's.
    Time { case: &'static str, threads: usize, than: &'static str },
    /// Microseconds that 99.9 % of the calls at the bound of a million keys do not exceed.
    Tail,
    /// Per key of a million.
    Bytes,
}

/// Where a machine stands.
pub(super) struct Reached {
    /// As `5 µs`.
    pub(super) allowed: String,
    pub(super) is: String,
    pub(super) met: bool,
}

pub(super) const TARGETS: [Target; 8] = [
    instructions("ratelimiter", "`try_acquire`, admitted: instructions", 1.0, "admitted", "governor_check"),
    instructions("ratelimiter", "`try_acquire`, rejected: instructions", 1.0, "rejected", "governor_check"),
    time("ratelimiter", "`try_acquire`, admitted, one thread: time", 1.05, ("admitted", 1), "governor"),
    time("ratelimiter", "`try_acquire`, rejected, one thread: time", 1.05, ("rejected", 1), "governor"),
    time("ratelimiter", "`try_acquire`, admitted, two threads on one limiter: time", 0.6, ("admitted", 2), "governor"),
    time("keyed", "hot `u64` key, one thread: time", 0.9, ("hot `u64`", 1), "governor"),
    Target {
        policy: "keyed",
        what: "a million keys, evicting: 99.9 % of the calls",
        allowed: 5.0,
        measure: Measure::Tail,
    },
    Target { policy: "keyed", what: "a million keys: memory per key", allowed: 64.0, measure: Measure::Bytes },
];

const fn instructions(
    policy: &'static str,
    what: &'static str,
    allowed: f64,
    case: &'static str,
    than: &'static str,
) -> Target {
    Target { policy, what, allowed, measure: Measure::Instructions { call: "try_acquire", case, than } }
}

const fn time(
    policy: &'static str,
    what: &'static str,
    allowed: f64,
    (case, threads): (&'static str, usize),
    than: &'static str,
) -> Target {
    Target { policy, what, allowed, measure: Measure::Time { case, threads, than } }
}

impl Target {
    /// `None` if it was not measured there.
    pub(super) fn reached(&self, results: &Results) -> Option<Reached> {
        let value = self.value(results)?;
        let allowed = self.allowed;
        let (allowed_text, is) = match self.measure {
            Measure::Instructions { than, .. } | Measure::Time { than, .. } => {
                let than = than.split('_').next().unwrap_or(than);
                (format!("{allowed} × {than}"), format!("{value:.2} ×"))
            }
            Measure::Tail => (format!("{allowed} µs"), format!("{value:.1} µs")),
            Measure::Bytes => (format!("{allowed} bytes"), format!("{value:.1} bytes")),
        };
        Some(Reached { allowed: allowed_text, is, met: value <= allowed })
    }

    fn value(&self, results: &Results) -> Option<f64> {
        match self.measure {
            Measure::Instructions { call, case, than } => {
                let Some(Counting::Done(counts)) = &results.instructions else {
                    return None;
                };
                let count = |call: &str| {
                    let mut counts = counts.calls.iter();
                    let count = counts.find(|it| it.suite == self.policy && it.call == call && it.case == case)?;
                    Some(count.instructions as f64)
                };
                Some(count(call)? / count(than)?)
            }
            Measure::Time { case, threads, than } => {
                let mut standings = results.peers.as_ref()?.calls.iter();
                let standing = standings.find(|it| {
                    it.policy == self.policy && it.name == "resilience" && it.case == case && it.threads == threads
                })?;
                Some(standing.ratio(than)?.median)
            }
            Measure::Tail => worst(results, |crowd| f64::from(crowd.tail.nearly_all) / 1000.0),
            Measure::Bytes => worst(results, |crowd| crowd.bytes),
        }
    }
}

/// The largest among ours, however the keys come.
fn worst(results: &Results, value: impl Fn(&Crowd) -> f64) -> Option<f64> {
    let ours = results.keys.as_ref()?.calls.iter().filter(|crowd| crowd.name == "resilience");
    ours.map(value).max_by(f64::total_cmp)
}
