//! What the page shows of an instance: all policies of one id, in one tile.

use std::{collections::BTreeMap, time::Duration};

use resilience_breaker::{SnapshotExt as _, State};
use resilience_bulkhead::SnapshotExt as _;
use resilience_core::{Id, Nanos, Snapshot};
use resilience_ratelimiter::SnapshotExt as _;
use resilience_retry::SnapshotExt as _;
use resilience_timeout::SnapshotExt as _;
use serde::Serialize;

use crate::recent::{Recent, seconds};

/// Durations are seconds, rates are percent. What is missing does not apply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tile {
    pub(crate) id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    circuit_breaker: Option<Breaker>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limiter: Option<Limiter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bulkhead: Option<Bulkhead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<Retry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<Timeout>,
    /// Kinds of policy that are not ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<&'static str>,
    /// How far along its measure the instance is: the failure rate of a breaker, else the slots in use, else the
    /// permits spent.
    share: Option<u8>,
    /// How many calls were rejected since the last tick.
    pub(crate) rejected: u64,
    pub(crate) rejections: Recent,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Breaker {
    state: &'static str,
    failure_rate: Option<f64>,
    slow_call_rate: Option<f64>,
    calls: u64,
    failed: u64,
    slow: u64,
    /// When the next probe may pass, on the registry's clock; only while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_until: Option<f64>,
    probes_running: u32,
    probes_ended: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Limiter {
    available: u32,
    permits: u32,
    period: f64,
    waiting: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Bulkhead {
    in_use: u32,
    max_concurrent: u32,
    queued: u32,
    max_queue: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Retry {
    max_attempts: u32,
    retries: u64,
    recovered: u64,
    exhausted: u64,
    budget_left: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Timeout {
    limit: f64,
    timed_out: u64,
    late: u64,
}

/// The tiles of all instances, without their rejections.
pub(crate) fn tiles(snapshot: &Snapshot, now: Nanos) -> BTreeMap<Id, Tile> {
    let mut tiles = BTreeMap::new();
    for it in snapshot.circuit_breakers() {
        // Rounded up: the page never promises a probe too early.
        let up = Duration::from_nanos(99_999_999);
        let until = |left: Duration| seconds(now.after(if left.is_zero() { left } else { left + up }));
        tile(&mut tiles, it.instance).circuit_breaker = Some(Breaker {
            state: it.state.name(),
            failure_rate: it.failure_rate.map(rounded),
            slow_call_rate: it.slow_call_rate.map(rounded),
            calls: it.window.calls,
            failed: it.window.failed,
            slow: it.window.slow,
            open_until: (it.state == State::Open).then(|| it.open_for.map(until)).flatten(),
            probes_running: it.probes_running,
            probes_ended: it.probes.calls,
        });
    }
    for it in snapshot.rate_limiters() {
        tile(&mut tiles, it.instance).rate_limiter = Some(Limiter {
            available: it.available_permits,
            permits: it.permits,
            period: it.period.as_secs_f64(),
            waiting: it.waiting,
        });
    }
    for it in snapshot.bulkheads() {
        tile(&mut tiles, it.instance).bulkhead = Some(Bulkhead {
            in_use: it.in_use,
            max_concurrent: it.max_concurrent,
            queued: it.queued,
            max_queue: it.max_queue,
        });
    }
    for it in snapshot.retries() {
        tile(&mut tiles, it.instance).retry = Some(Retry {
            max_attempts: it.max_attempts,
            retries: it.retries,
            recovered: it.recovered,
            exhausted: it.exhausted,
            budget_left: it.budget_left,
        });
    }
    for it in snapshot.timeouts() {
        tile(&mut tiles, it.instance).timeout =
            Some(Timeout { limit: it.timeout.as_secs_f64(), timed_out: it.timed_out, late: it.late });
    }
    for (kind, id) in snapshot.instances().filter(|(kind, _)| !OURS.contains(kind)) {
        tile(&mut tiles, id).others.push(kind);
    }
    tiles.values_mut().for_each(Tile::measure);
    tiles
}

const OURS: [&str; 5] = ["bulkhead", "circuit_breaker", "rate_limiter", "retry", "timeout"];

fn tile(tiles: &mut BTreeMap<Id, Tile>, id: Id) -> &mut Tile {
    tiles.entry(id).or_insert_with(|| Tile {
        id,
        circuit_breaker: None,
        rate_limiter: None,
        bulkhead: None,
        retry: None,
        timeout: None,
        others: Vec::new(),
        share: None,
        rejected: 0,
        rejections: Recent::default(),
    })
}

impl Tile {
    pub(crate) fn share(&self) -> Option<u8> {
        self.share
    }

    fn measure(&mut self) {
        let breaker = self.circuit_breaker.as_ref().map(|it| it.failure_rate);
        let slots = || self.bulkhead.as_ref().map(|it| percent(it.in_use, it.max_concurrent));
        let spent = |it: &Limiter| percent(it.permits.saturating_sub(it.available), it.permits);
        let permits = || self.rate_limiter.as_ref().map(spent);
        let share = breaker.or_else(slots).or_else(permits).flatten();
        self.share = share.map(|share| share.clamp(0.0, 100.0).round() as u8);
    }
}

fn percent(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| 100.0 * f64::from(part) / f64::from(whole))
}

/// To a tenth: the page shows no more, and what it does not show is not sent.
fn rounded(percent: f64) -> f64 {
    (percent * 10.0).round() / 10.0
}
