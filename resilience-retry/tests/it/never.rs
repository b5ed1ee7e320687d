//! What is never tried again, through a whole pipeline.

use std::task::{Context, Poll, Waker};

use resilience_core::{
    CallOptions, Class, Code, Error, Interrupt, Kind, KindSet, Layer, ManualClock, Nanos, Pipeline, Registry,
};
use resilience_retry::{Event, Jitter, PipelineExt, Reason};

use crate::{Failing, Heard, MS, run};

fn world() -> (ManualClock, Registry) {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    (clock, registry)
}

#[test]
fn what_the_classifier_calls_final_is_called_once() {
    let (clock, registry) = world();
    let pipeline = Pipeline::builder(&registry, "p").retry(|it| it.delay(MS)).build().unwrap();
    let pipeline = pipeline.with_classifier(|result: &Result<u16, u16>| match result {
        Ok(503) => Class::failure(Kind::FAILED),
        Ok(404) => Class::Ignored,
        Ok(_) => Class::Success,
        Err(400) => Class::failure(Kind::FAILED).never_retry(),
        Err(409) => Class::failure(Kind::CALL_NOT_PERMITTED),
        Err(_) => Class::failure(Kind::FAILED),
    });
    for (answer, calls) in [(Ok(200), 1), (Ok(404), 1), (Ok(503), 3), (Err(400), 1), (Err(409), 1), (Err(500), 3)] {
        let mut made = 0;
        let result = pipeline.execute(|| {
            made += 1;
            answer
        });
        assert_eq!((result, made), (answer.map_err(Error::Failed), calls), "as it is");
    }
    assert!(clock.now() > Nanos::ZERO);
}

/// Law 2: nothing starts after a drop.
#[test]
fn a_call_that_is_dropped_while_it_waits_is_not_tried_again() {
    let (clock, registry) = world();
    let pipeline = Pipeline::builder(&registry, "p").retry(|it| it.delay(MS)).build().unwrap();
    let failing = Failing::default();
    {
        let mut future = Box::pin(pipeline.execute_async(|| std::future::ready(failing.call(&clock))));
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(future.as_mut().poll(&mut task).is_pending());
        assert_eq!(clock.pending_tasks(), 1);
    }
    clock.advance(1_000 * MS);
    assert_eq!((failing.times().len(), clock.pending_tasks()), (1, 0));
}

#[test]
fn no_wait_begins_that_would_end_after_the_calls_own_deadline() {
    let (clock, registry) = world();
    let heard = Heard::on(registry.events());
    let build = |it: resilience_retry::Builder| it.delay(20 * MS).jitter(resilience_retry::Jitter::None);
    let pipeline = Pipeline::builder(&registry, "p").retry(build).build().unwrap();
    let failing = Failing::default();
    let options = || CallOptions::new().timeout(59 * MS);
    let sync = pipeline.execute_with(options(), || failing.call(&clock));
    assert_eq!(failing.times().len(), 2, "at 0 and 20 ms; the third would start at 60 ms");
    assert_eq!((sync, clock.now()), (Err(Error::Failed(2)), Nanos::ZERO.after(20 * MS)), "the last error, as it is");
    assert_eq!(heard.take().last(), Some(&Event::Exhausted { attempts: 2, reason: Reason::Deadline }));

    let future = pipeline.execute_async_with(options(), || std::future::ready(failing.call(&clock)));
    assert_eq!(run(&clock, future), Err(Error::Failed(4)));

    let exactly = CallOptions::new().timeout(60 * MS);
    assert_eq!(pipeline.execute_with(exactly, || failing.call(&clock)), Err(Error::Failed(7)), "the third at 60 ms");
}

#[test]
fn a_call_cut_by_its_own_deadline_is_not_tried_again() {
    let (clock, registry) = world();
    let heard = Heard::on(registry.events());
    let pipeline = Pipeline::builder(&registry, "p").retry(|it| it.delay(MS)).build().unwrap();
    let options = || CallOptions::new().timeout(10 * MS);
    let mut calls = 0;
    let late = pipeline.execute_with(options(), || {
        calls += 1;
        clock.advance(11 * MS);
        Ok::<_, ()>("too late")
    });
    assert!(late.unwrap_err().rejection().is_some_and(|by| by.is_late() && by.code() == Code::TimedOut));
    let hangs = pipeline.execute_async_with(options(), || {
        calls += 1;
        std::future::pending::<Result<(), ()>>()
    });
    assert_eq!(run(&clock, hangs).unwrap_err().code(), Some(Code::TimedOut));
    assert_eq!(calls, 2);
    assert_eq!(heard.take(), [Event::Exhausted { attempts: 1, reason: Reason::Deadline }; 2]);
}

#[test]
fn an_attempt_whose_wait_led_past_the_deadline_of_the_call_is_not_counted() {
    let (clock, registry) = world();
    let heard = Heard::on(registry.events());
    let pipeline = Pipeline::builder(&registry, "p").retry(|it| it.delay(MS).jitter(Jitter::None)).build().unwrap();
    let mut calls = 0;
    let options = CallOptions::new().timeout(10 * MS);
    let mut future = Box::pin(pipeline.execute_async_with(options, || {
        calls += 1;
        std::future::ready(Err::<(), _>("down"))
    }));
    let mut poll = || future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(poll().is_pending());
    clock.advance(20 * MS); // the task comes late
    let Poll::Ready(Err(Error::Rejected(late))) = poll() else { panic!("its deadline has passed") };
    assert_eq!((late.code(), late.layer(), late.instance().as_str()), (Code::TimedOut, Layer::CALL, "p"));
    drop(future);
    assert_eq!(calls, 1);
    assert_eq!(heard.take().last(), Some(&Event::Exhausted { attempts: 1, reason: Reason::Deadline }));
}

#[test]
fn an_interrupt_ends_the_wait_between_two_attempts() {
    let (clock, registry) = world();
    let heard = Heard::on(registry.events());
    let set = |it: resilience_retry::Builder| it.delay(MS).retry_on(KindSet::ALL).budget_percent(100.0);
    let pipeline = Pipeline::builder(&registry, "p").retry(set).build().unwrap();
    let interrupt = Interrupt::new();
    let mut calls = 0;
    let result = pipeline.execute_with(CallOptions::new().interrupt(&interrupt), || {
        calls += 1;
        interrupt.trigger();
        Err::<(), _>("down")
    });
    assert_eq!(result.unwrap_err().code(), Some(Code::Interrupted));
    assert_eq!((calls, clock.now()), (1, Nanos::ZERO));
    let told = heard.take();
    assert_eq!(told.len(), 2);
    assert_eq!(told[1], Event::Exhausted { attempts: 1, reason: Reason::NotRetryable });
}
