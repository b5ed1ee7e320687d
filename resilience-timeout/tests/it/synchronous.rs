//! A thread cannot be stopped: what comes back late is told as late.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use resilience_core::{CallOptions, Class, Code, Error, Layer, ManualClock, Pipeline};
use resilience_timeout::{PipelineExt, RegistryExt, remaining};

use crate::{MS, NS, SECOND, on, rejection, timeout};

#[test]
fn a_result_at_the_very_deadline_counts_and_a_nanosecond_later_it_does_not() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, 100 * MS);
    let takes = |time: Duration| {
        timeout.execute(|| {
            clock.advance(time);
            Ok::<_, ()>(7)
        })
    };
    assert_eq!(takes(100 * MS), Ok(7));
    let late = rejection(takes(100 * MS + NS));
    assert_eq!((late.code(), late.layer(), late.is_late()), (Code::TimedOut, Layer::TIMEOUT, true));
    assert_eq!(late.instance().as_str(), "test");
    assert_eq!(late.to_string(), "R4C-RT-003: timed out (timeout `test`, result came too late)");
    assert_eq!((timeout.snapshot().timed_out, timeout.snapshot().late), (1, 1));
}

#[test]
fn whatever_comes_late_is_dropped() {
    let clock = ManualClock::new();
    let build = Pipeline::builder(&on(&clock), "p").timeout(|it| it.timeout(100 * MS)).build().unwrap();
    let ignores = build.clone().with_classifier(|_: &Result<(), &str>| Class::Ignored);
    let late = |result| {
        clock.advance(SECOND);
        result
    };
    for result in [Ok(()), Err("down")] {
        assert!(rejection(build.execute(|| late(result))).is_late());
        assert!(rejection(ignores.execute(|| late(result))).is_late());
    }
    assert_eq!(build.execute(|| Err::<(), _>("down")), Err(Error::Failed("down")), "in time it is the caller's");
}

#[test]
fn a_late_panic_goes_on_and_is_no_timeout() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, 100 * MS);
    let fail = || -> Result<(), ()> {
        clock.advance(SECOND);
        std::panic::panic_any("late")
    };
    let run = catch_unwind(AssertUnwindSafe(|| timeout.execute(fail)));
    assert_eq!(run.unwrap_err().downcast_ref(), Some(&"late"));
    assert_eq!(timeout.snapshot().timed_out, 0);
}

#[test]
fn a_late_value_is_dropped_once_before_the_caller_hears_of_it() {
    struct Counts<'a>(&'a std::cell::Cell<u32>);
    impl Drop for Counts<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let (clock, drops) = (ManualClock::new(), std::cell::Cell::new(0));
    let timeout = timeout(&clock, 100 * MS);
    let result = timeout.execute(|| {
        clock.advance(SECOND);
        Ok::<_, ()>(Counts(&drops))
    });
    assert_eq!(drops.get(), 1);
    assert!(result.is_err());
}

#[test]
fn a_call_may_bring_its_own_limit() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, 100 * MS);
    let run = |limit, takes| {
        timeout.execute_with(CallOptions::new().attempt_timeout(limit), || {
            let left = remaining();
            clock.advance(takes);
            Ok::<_, ()>(left)
        })
    };
    assert_eq!(run(300 * MS, 300 * MS), Ok(Some(300 * MS)), "longer");
    assert!(rejection(run(30 * MS, 31 * MS)).is_late(), "shorter");
    assert_eq!(run(Duration::MAX, 3_600 * SECOND), Ok(None), "none at all");
    assert_eq!(run(Duration::ZERO, Duration::ZERO), Ok(Some(Duration::ZERO)));
    assert!(rejection(run(Duration::ZERO, NS)).is_late());
}

#[test]
fn a_disabled_timeout_has_no_limit_whatever_the_call_says() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let pipeline = Pipeline::builder(&registry, "p").timeout(|it| it.timeout(NS).enabled(false)).build().unwrap();
    let left = pipeline.execute_with(CallOptions::new().attempt_timeout(MS), || {
        clock.advance(SECOND);
        Ok::<_, ()>(remaining())
    });
    assert_eq!(left, Ok(None));
    assert_eq!(registry.timeout("p").unwrap().snapshot().timed_out, 0);
}

#[test]
fn the_deadline_of_the_call_and_that_of_the_attempt_are_told_apart() {
    let clock = ManualClock::new();
    let pipeline = Pipeline::builder(&on(&clock), "p").timeout(|it| it.name("t").timeout(100 * MS)).build().unwrap();
    let run = |options: CallOptions, takes| {
        let result = pipeline.execute_with(options, || {
            clock.advance(takes);
            Ok::<_, ()>(())
        });
        let rejection = rejection(result);
        assert!(rejection.is_late());
        (rejection.layer(), rejection.instance().as_str())
    };
    assert_eq!(run(CallOptions::new().timeout(50 * MS), 60 * MS), (Layer::CALL, "p"));
    assert_eq!(run(CallOptions::new().timeout(500 * MS), 200 * MS), (Layer::TIMEOUT, "t"));
    assert_eq!(run(CallOptions::new().attempt_timeout(50 * MS), 60 * MS), (Layer::TIMEOUT, "t"));
}
