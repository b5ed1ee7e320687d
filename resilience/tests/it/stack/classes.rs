//! What each answer of a classifier means to each policy: the table that is on `Class`, cell by cell.

use std::{cell::Cell, time::Duration};

use resilience::{Kind, ManualClock, breaker::State, prelude::*, retry::Jitter};

use crate::SECOND;

type Answer = Result<u8, u8>;

/// What is to be seen of a call that ended.
#[derive(Debug, PartialEq)]
struct Seen {
    result: Answer,
    attempts: u32,
    waited: Duration,
    /// Counted by the breaker: calls and failures.
    counted: [u64; 2],
}

/// A stack of all policies, with a fallback to `9` and two attempts, and what it makes of this result.
fn seen(result: Answer, class: Class) -> Seen {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let pipeline = Pipeline::builder(&registry, "p")
        .retry(|it| it.max_attempts(2).delay(Duration::ZERO).jitter(Jitter::None))
        .circuit_breaker(|it| it)
        .rate_limiter(|it| it.permits(10).period(Duration::from_secs(86_400)))
        .timeout(|it| it.timeout(SECOND))
        .bulkhead(|it| it)
        .fallback_value(9)
        .classifier(move |_: &Answer| class)
        .build()
        .unwrap();
    let attempts = Cell::new(0);
    let call = || {
        attempts.set(attempts.get() + 1);
        result
    };
    let ended = pipeline.execute(call).map_err(|error| match error {
        Error::Failed(own) => own,
        Error::Rejected(rejection) => panic!("{rejection}"),
    });
    assert_eq!(
        registry.rate_limiter("p").unwrap().available_permits(),
        10 - attempts.get(),
        "a permit for each attempt"
    );
    assert_eq!(registry.bulkhead("p").unwrap().snapshot().in_use, 0);
    let window = registry.circuit_breaker("p").unwrap().snapshot().window;
    let seen = Seen {
        result: ended,
        attempts: attempts.get(),
        waited: clock.now().into(),
        counted: [window.calls, window.failed],
    };
    // By time alone: too late, it is dropped whatever it is, and what the fallback makes is another one.
    let late = pipeline.execute(|| {
        clock.advance(2 * SECOND);
        result
    });
    assert_eq!(late, Ok(9));
    seen
}

#[test]
fn each_class_means_to_each_policy_what_the_table_says() {
    let failure = Class::failure(Kind::FAILED);
    let once = |result, counted| Seen { result, attempts: 1, waited: Duration::ZERO, counted };
    let twice = |result| Seen { result, attempts: 2, waited: Duration::ZERO, counted: [2, 2] };
    for result in [Ok(1), Err(1)] {
        let last_resort = result.or(Ok(9));
        assert_eq!(seen(result, Class::Success), once(result, [1, 0]));
        assert_eq!(seen(result, Class::Ignored), once(result, [0, 0]));
        assert_eq!(seen(result, failure), twice(last_resort));
        assert_eq!(seen(result, failure.never_retry()), once(last_resort, [1, 1]));
        assert_eq!(seen(result, failure.retry_after(SECOND)), Seen { waited: SECOND, ..twice(last_resort) });
    }
}

#[test]
fn what_is_ignored_gives_a_probe_its_place_back() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let set = |it: resilience::breaker::Builder| {
        it.window_size(1).minimum_calls(1).wait_in_open(SECOND).permitted_in_half_open(1)
    };
    let pipeline = Pipeline::builder(&registry, "p").circuit_breaker(set).classifier(|result: &Answer| match result {
        Err(0) => Class::Ignored,
        Err(_) => Class::failure(Kind::FAILED),
        Ok(_) => Class::Success,
    });
    let pipeline = pipeline.build().unwrap();
    let state = || registry.circuit_breaker("p").unwrap().state();
    assert_eq!((pipeline.execute(|| Err(1)), state()), (Err(Error::Failed(1)), State::Open));
    clock.advance(SECOND);
    for _ in 0..3 {
        assert_eq!((pipeline.execute(|| Err(0)), state()), (Err(Error::Failed(0)), State::HalfOpen));
    }
    assert_eq!((pipeline.execute(|| Ok(1)), state()), (Ok(1), State::Closed));
}
