//! How calls end, as each policy on their way sees it.

use std::{
    cell::Cell,
    future::{pending, ready},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};

use proptest::prelude::*;
use resilience::{Call, Outcome, breaker::OnDropped, prelude::*};

use crate::Scraper;

const SECOND: Duration = Duration::from_secs(1);

const POLICIES: [&str; 5] = ["retry", "circuit_breaker", "rate_limiter", "timeout", "bulkhead"];

type Stack =
    (Arc<resilience::retry::Retry>, (Arc<CircuitBreaker>, (Arc<RateLimiter>, (Arc<Timeout>, (Arc<Bulkhead>, Call)))));

#[derive(Debug, Clone, Copy, PartialEq)]
enum Answer {
    Good,
    Bad,
    Neither,
}

type Judge = fn(&Result<Answer, Answer>) -> Class;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as classifiers are given results")]
fn classify(result: &Result<Answer, Answer>) -> Class {
    match result {
        Ok(Answer::Neither) => Class::Ignored,
        Ok(_) => Class::Success,
        Err(_) => Class::failure(Kind::FAILED),
    }
}

struct Shop {
    clock: ManualClock,
    registry: Registry,
    scraper: Scraper,
}

impl Shop {
    fn new() -> Self {
        let clock = ManualClock::new();
        let registry = Registry::builder().clock(&clock).seed(1).build();
        let scraper = Scraper::new(&registry);
        Self { clock, registry, scraper }
    }

    fn pipeline(&self, attempts: u32) -> Pipeline<Stack, Judge> {
        Pipeline::builder(&self.registry, "a")
            .retry(|it| it.max_attempts(attempts))
            .circuit_breaker(|it| it.on_dropped(OnDropped::Ignore))
            .rate_limiter(|it| it.permits(100))
            .timeout(|it| it.timeout(SECOND))
            .bulkhead(|it| it.max_concurrent(1))
            .classifier(classify as Judge)
            .build()
            .unwrap()
    }

    /// What each policy saw, from the outside.
    fn calls(&self) -> [[u64; 5]; 5] {
        POLICIES.map(|kind| self.scraper.calls(kind, "a"))
    }

    fn rejections(&self, kind: &str, code: Code) -> Option<f64> {
        let labels = [("kind", kind), ("instance", "a"), ("code", code.as_str())];
        self.scraper.scrape().get("resilience_rejections_total", &labels)
    }
}

#[test]
fn all_policies_see_how_the_call_itself_ended() {
    let shop = Shop::new();
    let pipeline = shop.pipeline(1);
    _ = pipeline.execute(|| Ok(Answer::Good));
    _ = pipeline.execute(|| Ok(Answer::Good));
    _ = pipeline.execute(|| Err(Answer::Bad));
    _ = pipeline.execute(|| Ok(Answer::Neither));
    _ = catch_unwind(AssertUnwindSafe(|| pipeline.execute(|| -> Result<Answer, Answer> { panic!("inside") })));
    assert_eq!(shop.calls(), [[2, 2, 0, 1, 0]; 5]);
}

#[test]
fn a_call_that_is_dropped_is_dropped_for_all() {
    let shop = Shop::new();
    let pipeline = shop.pipeline(1);
    {
        let mut call = pin!(pipeline.execute_async(pending::<Result<Answer, Answer>>));
        assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert_eq!(shop.calls(), [[0, 0, 0, 0, 1]; 5]);
}

#[test]
fn a_rejection_has_the_code_of_the_policy_that_gave_it_and_counts_further_out_too() {
    let shop = Shop::new();
    let pipeline = shop.pipeline(1);
    let held = shop.registry.bulkhead("a").unwrap();
    let permit = held.try_enter().unwrap();
    assert!(pipeline.execute(|| Ok(Answer::Good)).is_err());
    let rejected = [0, 0, 1, 0, 0];
    assert_eq!(shop.calls(), [rejected, rejected, rejected, rejected, [1, 0, 1, 0, 0]]);
    assert_eq!(shop.rejections("bulkhead", Code::BulkheadFull), Some(1.0));
    assert_eq!(shop.rejections("timeout", Code::BulkheadFull), None);
    drop(permit);

    shop.registry.circuit_breaker("a").unwrap().force_open();
    assert!(pipeline.execute(|| Ok(Answer::Good)).is_err());
    assert_eq!(shop.calls()[..3], [[0, 0, 2, 0, 0], [0, 0, 2, 0, 0], rejected], "nobody further in saw it");
    assert_eq!(shop.rejections("circuit_breaker", Code::CallNotPermitted), Some(1.0));
}

#[test]
fn late_and_cut_off_calls_are_rejected_by_the_timeout() {
    let shop = Shop::new();
    let pipeline = shop.pipeline(1);
    let late = || {
        shop.clock.advance(2 * SECOND);
        Ok(Answer::Good)
    };
    assert!(pipeline.execute(late).is_err());
    {
        let mut call = pin!(pipeline.execute_async(pending::<Result<Answer, Answer>>));
        let mut task = Context::from_waker(Waker::noop());
        assert!(call.as_mut().poll(&mut task).is_pending());
        shop.clock.advance(SECOND);
        assert!(call.as_mut().poll(&mut task).is_ready());
    }
    let rejected = [0, 0, 2, 0, 0];
    let inside = [1, 0, 0, 0, 1]; // what the bulkhead had inside ended well the first time, and was dropped the second
    assert_eq!(shop.calls(), [rejected, rejected, rejected, rejected, inside]);
    assert_eq!(shop.rejections("timeout", Code::TimedOut), Some(2.0));
}

#[test]
fn a_retry_counts_its_call_once_and_its_attempts_by_what_became_of_them() {
    let shop = Shop::new();
    let pipeline = shop.pipeline(3);
    let failures = Cell::new(2);
    let call = || match failures.get() {
        0 => Ok(Answer::Good),
        n => {
            failures.set(n - 1);
            Err(Answer::Bad)
        }
    };
    assert!(pipeline.execute(call).is_ok());
    failures.set(9);
    assert!(pipeline.execute(call).is_err());
    assert_eq!(shop.calls()[..2], [[1, 1, 0, 0, 0], [1, 5, 0, 0, 0]]);
    let (text, snapshot) = (shop.scraper.scrape(), shop.registry.retry("a").unwrap().snapshot());
    let attempts = ["retried", "recovered", "exhausted"]
        .map(|it| text.get("resilience_retry_attempts_total", &[("instance", "a"), ("result", it)]).unwrap() as u64);
    assert_eq!(attempts, [4, 1, 1]);
    assert_eq!(attempts, [snapshot.retries, snapshot.recovered, snapshot.exhausted]);
}

#[test]
fn transitions_and_rates_of_a_breaker_are_shown() {
    let shop = Shop::new();
    shop.pipeline(1);
    let breaker = shop.registry.circuit_breaker("a").unwrap();
    breaker.metrics_only();
    for n in 0..4 {
        _ = breaker.execute(|| if n == 0 { Err(()) } else { Ok(()) });
    }
    let text = shop.scraper.scrape();
    let level = |name: &str| text.get(&format!("resilience_circuit_breaker_{name}"), &[("instance", "a")]);
    assert_eq!((level("state"), level("failure_rate"), level("slow_call_rate")), (Some(5.0), Some(0.25), Some(0.0)));
    breaker.reset();
    breaker.force_open();
    let text = shop.scraper.scrape();
    let changes = text.of("resilience_circuit_breaker_transitions_total");
    let changes: Vec<_> =
        changes.map(|(labels, count)| (labels["from"].clone(), labels["to"].clone(), count as u64)).collect();
    let change = |from: &str, to: &str| (from.to_owned(), to.to_owned(), 1);
    assert_eq!(
        changes,
        [change("closed", "forced_open"), change("closed", "metrics_only"), change("metrics_only", "closed")]
    );
}

#[test]
fn an_interrupted_wait_is_a_rejection() {
    let shop = Shop::new();
    let set = |it: resilience::ratelimiter::Builder| it.permits(1).max_wait(60 * SECOND);
    let pipeline = Pipeline::builder(&shop.registry, "a").rate_limiter(set).bulkhead(|it| it.max_concurrent(1));
    let pipeline = pipeline.build().unwrap();
    let interrupt = Interrupt::new();
    let options = CallOptions::new().interrupt(&interrupt);
    pipeline.execute(|| Ok::<_, ()>(())).unwrap();
    {
        let mut call = pin!(pipeline.execute_async_with(options, || ready(Ok::<_, ()>(()))));
        let mut task = Context::from_waker(Waker::noop());
        assert!(call.as_mut().poll(&mut task).is_pending());
        interrupt.trigger();
        assert!(call.as_mut().poll(&mut task).is_ready());
    }
    assert_eq!(shop.scraper.calls("rate_limiter", "a"), [1, 0, 1, 0, 0]);
    assert_eq!(shop.rejections("rate_limiter", Code::Interrupted), Some(1.0));
}

#[test]
fn what_is_taken_by_hand_is_counted_when_it_is_taken() {
    let shop = Shop::new();
    shop.pipeline(1);
    let limiter = shop.registry.rate_limiter("a").unwrap();
    limiter.try_acquire_n(98).unwrap();
    assert!(!limiter.reserve(1).unwrap().cancel());
    limiter.acquire().unwrap();
    assert!(limiter.try_acquire().is_err() && limiter.reserve(1).is_err() && limiter.acquire().is_err());
    assert_eq!(shop.scraper.calls("rate_limiter", "a"), [3, 0, 3, 0, 0]);

    let bulkhead = shop.registry.bulkhead("a").unwrap();
    drop(bulkhead.enter().unwrap());
    let _held = bulkhead.try_enter().unwrap();
    assert!(bulkhead.try_enter().is_err() && bulkhead.enter().is_err());
    assert_eq!(shop.scraper.calls("bulkhead", "a"), [2, 0, 2, 0, 0]);

    let breaker = shop.registry.circuit_breaker("a").unwrap();
    breaker.try_acquire().unwrap().success();
    breaker.try_acquire().unwrap().failure();
    breaker.try_acquire().unwrap().settle(&Outcome::Ignored);
    drop(breaker.try_acquire().unwrap());
    assert_eq!(shop.scraper.calls("circuit_breaker", "a"), [1, 1, 0, 1, 1]);
}

/// What happens to a call.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Ends(Answer),
    Panics,
    Late,
    /// Polled once, then dropped.
    Dropped,
    /// Polled until its deadline.
    CutOff,
}

fn fate() -> impl Strategy<Value = Fate> {
    let answer = prop_oneof![4 => Just(Answer::Good), 2 => Just(Answer::Bad), 1 => Just(Answer::Neither)];
    prop_oneof![
        8 => answer.prop_map(Fate::Ends),
        1 => Just(Fate::Panics),
        1 => Just(Fate::Late),
        1 => Just(Fate::Dropped),
        1 => Just(Fate::CutOff),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever happens, each policy counts each call that reaches it once.
    #[test]
    fn a_call_is_counted_once_by_each_policy_it_reaches(
        fates in prop::collection::vec((fate(), any::<bool>(), 0_u32..400), 1..60),
        attempts in 1_u32..4,
    ) {
        let shop = Shop::new();
        let pipeline = shop.pipeline(attempts);
        let mut task = Context::from_waker(Waker::noop());
        for (fate, sync, pause) in &fates {
            shop.clock.advance(Duration::from_millis(u64::from(*pause)));
            let call = || match fate {
                Fate::Ends(Answer::Bad) => Err(Answer::Bad),
                Fate::Ends(answer) => Ok(*answer),
                Fate::Panics => panic!("inside"),
                _ => {
                    shop.clock.advance(2 * SECOND);
                    Ok(Answer::Good)
                }
            };
            if *sync {
                _ = catch_unwind(AssertUnwindSafe(|| pipeline.execute(call)));
                continue;
            }
            let future = || -> Pin<Box<dyn Future<Output = Result<Answer, Answer>>>> {
                match fate {
                    Fate::Dropped | Fate::CutOff => Box::pin(pending()),
                    _ => Box::pin(ready(call())),
                }
            };
            let mut running = Box::pin(pipeline.execute_async(future));
            _ = catch_unwind(AssertUnwindSafe(|| {
                while running.as_mut().poll(&mut task).is_pending() && !matches!(fate, Fate::Dropped) {
                    shop.clock.advance(SECOND);
                }
            }));
        }
        let sums = shop.calls().map(|counts| counts.iter().sum::<u64>());
        let snapshot = shop.registry.retry("a").unwrap().snapshot();
        prop_assert_eq!(sums[0], fates.len() as u64);
        // Every attempt goes to the breaker; who is let in there goes to the limiter, and so on.
        prop_assert!(sums[1] <= sums[0] + snapshot.retries);
        let own = |kind| {
            let text = shop.scraper.scrape();
            let of = text.of("resilience_rejections_total").filter(|(labels, _)| labels["kind"] == kind);
            of.map(|(_, count)| count as u64).sum::<u64>()
        };
        prop_assert_eq!(sums[2], sums[1] - own("circuit_breaker"));
        prop_assert_eq!(sums[3], sums[2] - own("rate_limiter"));
        prop_assert_eq!(sums[4], sums[3]);
    }
}
