//! The retry around other layers. The breaker is a stand-in with the one rule that matters here.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use resilience_core::{
    Admission, Code, Cx, Error, Id, Kind, KindSet, ManualClock, Nanos, Outcome, Pipeline, Policy, Registry, Rejection,
    SinglePass, Verdict, at, testing::Ledger,
};
use resilience_retry::{Event, Jitter, PipelineExt, Reason, RegistryExt};

use crate::{Failing, Heard, MS, SECOND, run};

/// Opens after so many failures, for a second.
#[derive(Debug)]
struct Breaker {
    failures: u64,
    counted: AtomicU64,
    open_until: Mutex<Nanos>,
}

impl Breaker {
    fn new(failures: u64) -> Arc<Self> {
        Arc::new(Self { failures, counted: AtomicU64::new(0), open_until: Mutex::new(Nanos::ZERO) })
    }

    fn counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }
}

impl Policy for Breaker {
    type At = at::CircuitBreaker;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("breaker")
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<()> {
        let (until, now) = (*self.open_until.lock().unwrap(), cx.now());
        if now < until {
            let open = Rejection::new(Code::CallNotPermitted, Kind::CALL_NOT_PERMITTED, self.id(), Self::LAYER);
            return Admission::Reject(open.with_retry_after(until.since(now)));
        }
        Admission::Go(())
    }

    fn settle(&self, (): (), outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<()> {
        if *outcome != Outcome::Success && self.counted.fetch_add(1, Ordering::Relaxed) + 1 == self.failures {
            *self.open_until.lock().unwrap() = cx.now().after(SECOND);
        }
        Verdict::Return
    }
}

impl SinglePass for Breaker {}

/// One call every 50 ms; others are told when to come back.
#[derive(Debug, Default)]
struct Slow(Mutex<Nanos>);

impl Policy for Slow {
    type At = at::RateLimiter;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("slow")
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<()> {
        let (mut next, now) = (self.0.lock().unwrap(), cx.now());
        if now < *next {
            let full = Rejection::new(Code::RateLimitExceeded, Kind::RATE_LIMIT_EXCEEDED, self.id(), Self::LAYER);
            return Admission::Reject(full.with_retry_after(next.since(now)));
        }
        *next = now.after(50 * MS);
        Admission::Go(())
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

impl SinglePass for Slow {}

fn world() -> (ManualClock, Registry) {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    (clock, registry)
}

/// B33
#[test]
fn an_open_breaker_is_never_tried_again_whatever_the_lists_say() {
    let lists: [(KindSet, KindSet); 4] = [
        (KindSet::ALL, KindSet::EMPTY),
        ([Kind::FAILED, Kind::CALL_NOT_PERMITTED].into(), KindSet::EMPTY),
        (KindSet::ALL, Kind::TIMED_OUT.into()),
        (KindSet::ALL, Kind::CALL_NOT_PERMITTED.into()),
    ];
    for (retry_on, abort_on) in lists {
        for sync in [true, false] {
            let (clock, registry) = world();
            let heard = Heard::on(registry.events());
            let pipeline = Pipeline::builder(&registry, "p")
                .policy(Breaker::new(2))
                .retry(|it| {
                    let it = it.max_attempts(5).delay(10 * MS).multiplier(1.0).jitter(Jitter::None);
                    it.retry_on(retry_on).abort_on(abort_on)
                })
                .build()
                .unwrap();
            let failing = Failing::default();
            let result = if sync {
                pipeline.execute(|| failing.call(&clock))
            } else {
                run(&clock, pipeline.execute_async(|| std::future::ready(failing.call(&clock))))
            };
            let rejection = *result.unwrap_err().rejection().expect("the last error is the breaker's");
            assert_eq!((rejection.code(), rejection.kind()), (Code::CallNotPermitted, Kind::CALL_NOT_PERMITTED));
            assert_eq!(failing.times(), [Duration::ZERO, 10 * MS]);
            assert_eq!(clock.now(), 20 * MS);
            assert_eq!(heard.take().last(), Some(&Event::Exhausted { attempts: 3, reason: Reason::NotRetryable }));
        }
    }
}

/// B48
#[test]
fn each_attempt_counts_in_the_breaker() {
    let (clock, registry) = world();
    let breaker = Breaker::new(5);
    let pipeline = Pipeline::builder(&registry, "p")
        .retry(|it| it.delay(Duration::ZERO).abort_on([Kind::CALL_NOT_PERMITTED]))
        .policy(Arc::clone(&breaker))
        .build()
        .unwrap();
    let failing = Failing::default();
    assert_eq!(pipeline.execute(|| failing.call(&clock)), Err(Error::Failed(3)));
    let second = pipeline.execute(|| failing.call(&clock)).unwrap_err();
    assert_eq!(second.code(), Some(Code::CallNotPermitted));
    assert_eq!((failing.times().len(), breaker.counted()), (5, 5));
}

/// B45
#[test]
fn a_fallback_gets_the_last_error_once_and_its_own_error_is_final() {
    let (_, registry) = world();
    let breaker = Breaker::new(100);
    let mut calls = 0;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&asked);
    let pipeline = Pipeline::builder(&registry, "p")
        .fallback(move |error: &Error<u32>| {
            list.lock().unwrap().push(*error);
            if error.failure() == Some(&3) { Ok("plan B") } else { Err(99) }
        })
        .retry(|it| it)
        .policy(Arc::clone(&breaker))
        .build()
        .unwrap();
    let mut fail = || {
        calls += 1;
        Err(calls)
    };
    assert_eq!(pipeline.execute(&mut fail), Ok("plan B"));
    assert_eq!(pipeline.execute(&mut fail), Err(Error::Failed(99)));
    assert_eq!(*asked.lock().unwrap(), [Error::Failed(3), Error::Failed(6)]);
    assert_eq!((calls, breaker.counted()), (6, 6), "neither tried again nor recorded");
}

#[test]
fn a_rejection_inside_is_tried_again_once_it_can_pass() {
    for sync in [true, false] {
        let (clock, registry) = world();
        let slow = Arc::new(Ledger::new(Slow::default()));
        let set = |it: resilience_retry::Builder| it.max_attempts(4).delay(MS).max_delay(MS).jitter(Jitter::Full);
        let pipeline = Pipeline::builder(&registry, "p").policy(Arc::clone(&slow)).retry(set).build().unwrap();
        assert_eq!(pipeline.execute(|| Ok::<_, ()>(1)), Ok(1));
        let failing = Failing::default();
        let result = if sync {
            pipeline.execute(|| failing.call(&clock))
        } else {
            run(&clock, pipeline.execute_async(|| std::future::ready(failing.call(&clock))))
        };
        // Attempt 1 is rejected until 50 ms, 2 runs and fails, 3 is rejected until 100 ms, 4 runs: never one too early.
        assert_eq!(result, Err(Error::Failed(2)));
        assert_eq!(failing.times(), [50 * MS, 100 * MS]);
        assert_eq!((slow.outstanding(), registry.retry("p").unwrap().snapshot().retries), (0, 3));
    }
}
