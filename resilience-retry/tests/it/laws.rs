//! Laws 1, 2 and 4 over random calls, against a model that goes through them one attempt after the other.

use std::{cell::RefCell, time::Duration};

use proptest::prelude::*;
use resilience_core::{Call, Class, Error, Events, Kind, KindSet, ManualClock, Pipeline, Registry};
use resilience_retry::{Backoff, Config, Event, Jitter, Reason, Retry};

use crate::{Heard, run};

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Works,
    Fails,
    /// With a kind that the lists may name.
    TimesOut,
    /// As an open breaker would.
    IsNotPermitted,
    IsFinal,
    /// The server says when to come back.
    Later(u64),
}

/// How it ends, after so many milliseconds.
type Attempt = (End, u64);

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// In so large steps that limits are often met exactly.
fn tens(most: u64) -> impl Strategy<Value = u64> {
    (0..most).prop_map(|n| n * 10)
}

fn class(result: &Result<usize, (usize, End)>) -> Class {
    match result {
        Err((_, End::TimesOut)) => Class::failure(Kind::TIMED_OUT),
        Err((_, End::IsNotPermitted)) => Class::failure(Kind::CALL_NOT_PERMITTED),
        Err((_, End::IsFinal)) => Class::failure(Kind::FAILED).never_retry(),
        Err((_, End::Later(after))) => Class::failure(Kind::FAILED).retry_after(ms(*after)),
        Err(_) => Class::failure(Kind::FAILED),
        Ok(_) => Class::Success,
    }
}

fn attempts() -> impl Strategy<Value = Vec<Attempt>> {
    let end = prop_oneof![
        2 => Just(End::Works),
        12 => Just(End::Fails),
        3 => Just(End::TimesOut),
        1 => Just(End::IsNotPermitted),
        1 => Just(End::IsFinal),
        3 => tens(30).prop_map(End::Later),
    ];
    prop::collection::vec((end, tens(8)), 12)
}

fn config() -> impl Strategy<Value = Config> {
    let backoff = prop_oneof![Just(Backoff::Fixed), Just(Backoff::Linear), Just(Backoff::Exponential)];
    let jitter = prop_oneof![
        3 => Just(Jitter::None),
        1 => Just(Jitter::Full),
        1 => Just(Jitter::Equal),
        1 => Just(Jitter::Decorrelated),
    ];
    let kinds = || prop::sample::subsequence(vec![Kind::FAILED, Kind::TIMED_OUT, Kind::CALL_NOT_PERMITTED], 0..=3);
    let lists = (prop::option::weighted(0.3, kinds()), prop::option::weighted(0.2, kinds()));
    let limits = (1_u32..12, prop::option::of(tens(60).prop_map(|n| n.max(1))));
    (limits, tens(12), tens(40), backoff, jitter, lists).prop_map(
        |((max_attempts, max_duration), delay, more, backoff, jitter, (retry_on, abort_on))| Config {
            max_attempts,
            delay: ms(delay),
            max_delay: ms(delay + more),
            backoff,
            jitter,
            max_duration: max_duration.map(ms),
            retry_on: retry_on.map_or(KindSet::ALL, KindSet::from_iter),
            abort_on: abort_on.map_or(KindSet::EMPTY, KindSet::from_iter),
            ..Config::default()
        },
    )
}

/// When the attempts start, and why there is no other one; without a reason the last one worked.
fn model(config: &Config, seed: u64, attempts: &[Attempt]) -> (Vec<Duration>, Option<Reason>) {
    let (mut now, mut starts) = (Duration::ZERO, Vec::new());
    let mut waits = config.delays(seed);
    for (end, takes) in attempts {
        starts.push(now);
        now += ms(*takes);
        let (kind, floor) = match end {
            End::Works => return (starts, None),
            End::TimesOut => (Kind::TIMED_OUT, 0),
            End::IsNotPermitted | End::IsFinal => return (starts, Some(Reason::NotRetryable)),
            End::Fails => (Kind::FAILED, 0),
            End::Later(after) => (Kind::FAILED, *after),
        };
        if config.abort_on.contains(kind) || !config.retry_on.contains(kind) {
            return (starts, Some(Reason::NotRetryable));
        }
        let Some(wait) = waits.next() else { return (starts, Some(Reason::Attempts)) };
        now += wait.max(ms(floor));
        if config.max_duration.is_some_and(|limit| now > limit) {
            return (starts, Some(Reason::MaxDuration));
        }
    }
    unreachable!("there are more attempts than any call may have")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_call_goes_as_the_model_says(
        config in config(), attempts in attempts(), seed: u64, sync: bool, polls in prop::option::weighted(0.3, 1..8_usize),
    ) {
        let (clock, events) = (ManualClock::new(), Events::new());
        let heard = Heard::on(&events);
        let retry = Retry::builder().seed(seed).clock(&clock).events(&events).build().unwrap();
        retry.reconfigure(config).unwrap();
        heard.take();
        let registry = Registry::builder().clock(&clock).build();
        let pipeline = Pipeline::ordered(&registry, "p", (&retry, Call)).unwrap().with_classifier(class);

        let starts = RefCell::new(Vec::new());
        let call = || {
            let (end, takes) = attempts[starts.borrow().len()];
            starts.borrow_mut().push(Duration::from(clock.now()));
            clock.advance(ms(takes));
            let number = starts.borrow().len();
            if end == End::Works { Ok(number) } else { Err((number, end)) }
        };
        let (expected, reason) = model(&config, seed, &attempts);
        if let (false, Some(polls)) = (sync, polls) {
            // Dropped while it waits: nothing starts from then on.
            let mut future = Box::pin(pipeline.execute_async(|| std::future::ready(call())));
            let mut task = std::task::Context::from_waker(std::task::Waker::noop());
            for _ in 0..polls {
                if future.as_mut().poll(&mut task).is_ready() || !clock.advance_to_next() {
                    break;
                }
            }
            drop(future);
            let before = starts.borrow().len();
            clock.advance(Duration::from_secs(3_600));
            prop_assert_eq!((starts.borrow().len(), clock.pending_tasks()), (before, 0));
            prop_assert_eq!(&*starts.borrow(), &expected[..before]);
            return Ok(());
        }
        let result = if sync {
            pipeline.execute(call)
        } else {
            run(&clock, pipeline.execute_async(|| std::future::ready(call())))
        };
        prop_assert_eq!(&*starts.borrow(), &expected);
        let made = expected.len();
        let last = if reason.is_none() { Ok(made) } else { Err(Error::Failed((made, attempts[made - 1].0))) };
        prop_assert_eq!(result, last, "the last one, unchanged");
        let told = heard.take();
        let retried = told.iter().filter(|event| matches!(event, Event::Retried { .. })).count();
        prop_assert_eq!(retried, made - 1);
        let end = match reason {
            Some(reason) => Some(Event::Exhausted { attempts: made as u32, reason }),
            None => (made > 1).then_some(Event::SucceededAfterRetries { attempts: made as u32 }),
        };
        prop_assert_eq!(told.get(retried), end.as_ref());
        prop_assert_eq!((told.len(), clock.pending_tasks()), (retried + usize::from(end.is_some()), 0));
    }
}
