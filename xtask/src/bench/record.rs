//! What is measured of a call, as the suites print it.

use serde::{Deserialize, Serialize};

/// One call's instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Count {
    /// Which policy's suite: `ratelimiter`.
    pub(super) suite: String,
    /// Whether the call is one of ours.
    pub(super) ours: bool,
    /// `try_acquire`.
    pub(super) call: String,
    /// `admitted`.
    pub(super) case: String,
    pub(super) instructions: u64,
    /// Absent where valgrind was asked for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) caches: Option<Caches>,
    pub(super) blocks: u64,
}

/// What valgrind's model of the caches makes of a call whose memory none of them holds yet. Where a stack or a heap begins
/// moves it by a few: nothing is held against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Caches {
    /// Accesses that the first level did not answer.
    pub(super) misses: u64,
    /// Of those, the ones that went to the memory.
    pub(super) memory: u64,
    /// Estimated from the accesses.
    pub(super) cycles: u64,
}

/// How long a call took, as the suite `peers` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Standing {
    /// Which policy's suite: `ratelimiter`.
    pub(super) policy: String,
    pub(super) name: String,
    /// `admitted`, or another; `floor`.
    pub(super) case: String,
    pub(super) threads: usize,
    /// Nanoseconds per call of a thread: median and quartiles.
    pub(super) nanos: Spread,
    pub(super) ratios: Vec<Ratio>,
    /// The calls of the slowest thread, in parts of its fair share.
    pub(super) fairness: f64,
    /// How many rounds nothing disturbed.
    pub(super) rounds: usize,
    /// Heap blocks of a call, if one thread makes it.
    pub(super) blocks: Option<f64>,
}

/// A time as a multiple of a reference's in the same round: median and 95 % confidence interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ratio {
    pub(super) to: String,
    pub(super) times: Spread,
}

/// So many keys, of which the targets are about.
pub(super) const MILLION: u64 = 1_000_000;

/// A limiter with many keys, as the suite `keys` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Crowd {
    pub(super) name: String,
    /// How keys come: `uniform`.
    pub(super) draw: String,
    /// How many it may keep.
    #[serde(default = "million")]
    pub(super) most: u64,
    /// Nanoseconds of a call whose key it has, if that was measured.
    pub(super) nanos: Option<Spread>,
    /// Of calls with four times as many keys.
    pub(super) tail: Tail,
    /// Kept at the end.
    pub(super) keys: u64,
    pub(super) evicted: u64,
    /// Per key that is kept, at the end.
    pub(super) bytes: f64,
}

/// Nanoseconds that so many of the calls do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tail {
    pub(super) calls: usize,
    pub(super) half: u32,
    /// 99 %.
    pub(super) most: u32,
    /// 99.9 %.
    pub(super) nearly_all: u32,
    pub(super) longest: u32,
}

/// A program that was compiled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Compiled {
    pub(super) name: String,
    /// How many methods it has behind policies.
    pub(super) methods: u32,
    pub(super) millis: f64,
}

/// A stripped binary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Binary {
    /// In how many places it makes a call.
    pub(super) sites: u32,
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// One of our calls by itself, as criterion estimates it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Alone {
    /// Which policy's: `ratelimiter`.
    pub(super) policy: String,
    /// `admitted`, `rejected` or `waiting`.
    pub(super) case: String,
    /// Whether all threads call one instance, not each its own.
    pub(super) shared: bool,
    pub(super) threads: usize,
    /// Nanoseconds per call of a thread: median and 95 % confidence interval.
    pub(super) nanos: Spread,
}

/// How a limiter made calls wait, as the suite `latency` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Latency {
    pub(super) name: String,
    /// `open` or `closed`.
    pub(super) traffic: String,
    /// Calls that came, in parts of the limiter's rate.
    pub(super) load: f64,
    pub(super) calls: usize,
    pub(super) waits: Quantiles,
    /// Permits per time, in parts of an ideal limiter's.
    pub(super) rate: f64,
    /// By how much starts were later than an ideal limiter's.
    pub(super) late: Quantiles,
    /// By how many microseconds one was earlier.
    pub(super) early: f64,
    /// By how many of those due later one was overtaken.
    pub(super) overtaken: usize,
}

/// Microseconds that so many do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Quantiles {
    pub(super) half: f64,
    /// 99 %.
    pub(super) most: f64,
    /// 99.9 %.
    pub(super) nearly_all: f64,
    pub(super) longest: f64,
}

fn million() -> u64 {
    MILLION
}

impl Standing {
    /// Of the limiter's first scene, for tests.
    #[cfg(test)]
    pub(super) fn sample(name: &str, times: Spread) -> Self {
        Self {
            policy: "ratelimiter".to_owned(),
            name: name.to_owned(),
            case: "admitted".to_owned(),
            threads: 1,
            nanos: times,
            ratios: vec![Ratio { to: "governor".to_owned(), times }],
            fairness: 1.0,
            rounds: 7,
            blocks: None,
        }
    }

    pub(super) fn ratio(&self, to: &str) -> Option<Spread> {
        self.ratios.iter().find(|ratio| ratio.to == to).map(|ratio| ratio.times)
    }
}

impl Binary {
    /// Bytes per further call, from the binary with the fewest to that with the most.
    pub(super) fn growth(all: &[Self]) -> Option<f64> {
        let few = all.iter().min_by_key(|it| it.sites)?;
        let many = all.iter().max_by_key(|it| it.sites)?;
        let further = many.sites.checked_sub(few.sites).filter(|further| *further > 0)?;
        Some((many.bytes as f64 - few.bytes as f64) / f64::from(further))
    }
}
