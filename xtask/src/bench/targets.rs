//! What the project set itself as targets, and where a machine stands.

use super::results::{Binary, Counting, Crowd, MILLION, Results, Standing};

pub(super) struct Target {
    pub(super) policy: &'static str,
    allowed: f64,
    measure: Measure,
}

enum Measure {
    /// Instructions of a call in a case, as a multiple of a peer's call.
    Instructions { call: &'static str, case: &'static str, than: &'static str },
    /// Time of one of ours, in a case and with so many threads, as a multiple of a reference's.
    Time { name: &'static str, case: &'static str, threads: usize, than: &'static str },
    /// Time of a rejected call of one of ours, one thread, as a multiple of an admitted one's.
    Rejected { name: &'static str },
    /// Microseconds that 99.9 % of the calls at the bound of a million keys do not exceed.
    Tail,
    /// Per key of a million.
    Bytes,
    /// Kilobytes that a binary has more for each further call.
    Growth,
}

/// Where a machine stands.
pub(super) struct Reached {
    /// As `5 µs`.
    pub(super) allowed: String,
    pub(super) is: String,
    pub(super) met: bool,
}

const OURS: &str = "resilience";
const OURS_SYNC: &str = "resilience, sync";
const OURS_ASYNC: &str = "resilience, async";
const STACK_FLOOR: &str = "clock, three exchanges, fetch_sub";

pub(super) const TARGETS: [Target; 28] = [
    instructions("ratelimiter", "admitted", 1.0, "governor_check"),
    instructions("ratelimiter", "rejected", 1.0, "governor_check"),
    time("ratelimiter", OURS, "admitted", 1, 1.05, "governor"),
    time("ratelimiter", OURS, "rejected", 1, 1.05, "governor"),
    time("ratelimiter", OURS, "admitted", 1, 1.05, "clock"),
    time("ratelimiter", OURS, "rejected", 1, 1.05, "clock"),
    time("ratelimiter", OURS, "admitted", 2, 0.55, "governor"),
    rejected(OURS),
    rejected("resilience, pipeline"),
    rejected("resilience, async pipeline"),
    time("keyed", OURS, "hot `u64`", 1, 0.9, "governor"),
    Target { policy: "keyed", allowed: 5.0, measure: Measure::Tail },
    Target { policy: "keyed", allowed: 64.0, measure: Measure::Bytes },
    time("breaker", OURS, "closed", 1, 0.6, "recloser"),
    time("breaker", OURS, "closed, window of 100 000", 1, 0.6, "recloser"),
    time("breaker", OURS, "open", 1, 1.2, "clock"),
    time("breaker", OURS, "closed", 2, 0.3, "failsafe"),
    time("breaker", OURS, "closed", 2, 1.0, "recloser"),
    time("retry", OURS, "sync", 1, 0.5, "backon"),
    time("retry", OURS, "async", 1, 0.5, "backon"),
    time("timeout", OURS_ASYNC, "ready at once", 1, 1.2, "clock"),
    time("bulkhead", OURS_SYNC, "free", 1, 1.2, "exchange, then fetch_sub"),
    time("bulkhead", OURS_ASYNC, "free", 1, 1.2, "exchange, then fetch_sub"),
    time("stack", OURS_SYNC, "success", 1, 1.25, STACK_FLOOR),
    time("stack", OURS_ASYNC, "success", 1, 1.25, STACK_FLOOR),
    time("stack", OURS_SYNC, "success", 1, 0.05, "tower-resilience"),
    time("stack", OURS_ASYNC, "success", 1, 0.05, "tower-resilience"),
    Target { policy: "stack", allowed: 20.0, measure: Measure::Growth },
];

const fn instructions(policy: &'static str, case: &'static str, allowed: f64, than: &'static str) -> Target {
    Target { policy, allowed, measure: Measure::Instructions { call: "try_acquire", case, than } }
}

const fn time(
    policy: &'static str,
    name: &'static str,
    case: &'static str,
    threads: usize,
    allowed: f64,
    than: &'static str,
) -> Target {
    Target { policy, allowed, measure: Measure::Time { name, case, threads, than } }
}

const fn rejected(name: &'static str) -> Target {
    Target { policy: "ratelimiter", allowed: 1.0, measure: Measure::Rejected { name } }
}

impl Target {
    pub(super) fn what(&self) -> String {
        match self.measure {
            Measure::Instructions { call, case, .. } => format!("`{call}`, {case}: instructions"),
            Measure::Rejected { name } => format!("{}rejected, one thread: time", form(name)),
            Measure::Time { name, case, threads, .. } => {
                let form = form(name);
                let threads = if threads == 1 { "one thread" } else { "two threads on one" };
                format!("{form}{case}, {threads}: time")
            }
            Measure::Tail => "a million keys, evicting: 99.9 % of the calls".to_owned(),
            Measure::Bytes => "a million keys: memory per key".to_owned(),
            Measure::Growth => "async: size of a binary, per further call in it".to_owned(),
        }
    }

    /// `None` if it was not measured there.
    pub(super) fn reached(&self, results: &Results) -> Option<Reached> {
        let value = self.value(results)?;
        let allowed = self.allowed;
        let (allowed_text, is) = match self.measure {
            Measure::Instructions { than, .. } => {
                let than = than.split('_').next().unwrap_or(than);
                (format!("{allowed} × {than}"), format!("{value:.2} ×"))
            }
            Measure::Time { than, .. } => (format!("{allowed} × {than}"), format!("{value:.2} ×")),
            Measure::Rejected { .. } => (format!("{allowed} × admitted"), format!("{value:.2} ×")),
            Measure::Tail => (format!("{allowed} µs"), format!("{value:.1} µs")),
            Measure::Bytes => (format!("{allowed} bytes"), format!("{value:.1} bytes")),
            Measure::Growth => (format!("{allowed} kB"), format!("{value:.1} kB")),
        };
        Some(Reached { allowed: allowed_text, is, met: value <= allowed })
    }

    /// The command that measures it.
    pub(super) fn command(&self) -> &'static str {
        match self.measure {
            Measure::Instructions { .. } => "iai",
            Measure::Time { .. } | Measure::Rejected { .. } => "peers",
            Measure::Tail | Measure::Bytes => "keys",
            Measure::Growth => "size",
        }
    }

    fn standing<'a>(&self, results: &'a Results, name: &str, case: &str, threads: usize) -> Option<&'a Standing> {
        let mut standings = results.peers.as_ref()?.calls.iter().filter(|it| it.policy == self.policy);
        standings.find(|it| it.name == name && it.case == case && it.threads == threads)
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
            Measure::Time { name, case, threads, than } => {
                Some(self.standing(results, name, case, threads)?.ratio(than)?.median)
            }
            Measure::Rejected { name } => {
                let nanos = |case| Some(self.standing(results, name, case, 1)?.nanos.median);
                Some(nanos("rejected")? / nanos("admitted")?)
            }
            Measure::Tail => worst(results, |crowd| f64::from(crowd.tail.nearly_all) / 1000.0),
            Measure::Bytes => worst(results, |crowd| crowd.bytes),
            Measure::Growth => Binary::growth(&results.binaries.as_ref()?.calls).map(|bytes| bytes / 1000.0),
        }
    }
}

fn form(name: &str) -> String {
    name.strip_prefix("resilience, ").map(|form| format!("{form}, ")).unwrap_or_default()
}

/// The largest among ours with a million keys, however they come.
fn worst(results: &Results, value: impl Fn(&Crowd) -> f64) -> Option<f64> {
    let ours = results.keys.as_ref()?.calls.iter().filter(|crowd| crowd.name == OURS && crowd.most == MILLION);
    ours.map(value).max_by(f64::total_cmp)
}
