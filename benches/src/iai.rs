//! What the suites that count instructions share: the setting, the checks afterwards, the limit on heap blocks.
//!
//! Counting begins and ends at each function whose name has that of the benchmark's module in it: also at one that is
//! made for a closure written there. So no benchmark has a closure, or what that function does would not be counted.

#![expect(clippy::needless_pass_by_value, reason = "the suites hand results over")]

use std::{fmt::Debug, task::Poll, time::Duration};

use iai_callgrind::{Dhat, DhatMetric, EntryPoint, LibraryBenchmarkConfig};
use resilience::prelude::*;

/// How far on the clocks are that stand still.
pub const MORNING: Duration = Duration::from_secs(3600);

/// A clock that stands still, some time after its start.
pub fn still_clock() -> Clock {
    let manual = ManualClock::new();
    manual.advance(MORNING);
    manual.clock()
}

/// Lives as long as the process: what drops it is not counted.
pub fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// At most so many heap blocks in a call.
pub fn blocks(limit: u64) -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    let mut dhat = Dhat::default();
    // The function alone: the default counts what makes the limiter too.
    dhat.entry_point(EntryPoint::Custom("*::__iai_callgrind_wrapper_mod::*".to_owned()));
    config.tool(dhat.hard_limits([(DhatMetric::TotalBlocks, limit)]));
    config
}

/// # Panics
///
/// If it was not.
pub fn must_be_admitted<T: Debug, E: Debug>(result: Result<T, E>) {
    assert!(result.is_ok(), "{result:?}");
}

/// # Panics
///
/// If it was not.
pub fn must_be_rejected<T: Debug, E: Debug>(result: Result<T, E>) {
    assert!(result.is_err(), "{result:?}");
}

/// # Panics
///
/// If it was not.
pub fn must_be_admitted_at_once<T: Debug, E: Debug>(poll: Poll<Result<T, E>>) {
    assert!(matches!(poll, Poll::Ready(Ok(_))), "{poll:?}");
}

/// # Panics
///
/// If it was not.
pub fn must_be_rejected_at_once<T: Debug, E: Debug>(poll: Poll<Result<T, E>>) {
    assert!(matches!(poll, Poll::Ready(Err(_))), "{poll:?}");
}

/// # Panics
///
/// If it was not.
pub fn must_be_pending<T: Debug>(poll: Poll<T>) {
    assert!(poll.is_pending(), "{poll:?}");
}
