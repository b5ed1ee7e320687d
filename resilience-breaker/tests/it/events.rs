//! Events tell every transition once, in order, with the numbers that caused it.

use std::sync::{Arc, Mutex};

use resilience_breaker::{Cause, CircuitBreaker, Config, Event, State};
use resilience_core::{
    Events, ManualClock,
    event::{Filter, Level},
};

use crate::{MS, SECOND, calls, cb0, fail, refused, succeed, trip};

struct Heard {
    breaker: Arc<CircuitBreaker>,
    clock: ManualClock,
    texts: Arc<Mutex<Vec<String>>>,
    _subscription: resilience_core::event::Subscription,
}

impl Heard {
    fn new(only_transitions: bool) -> Self {
        let (clock, events, texts) = (ManualClock::new(), Events::new(), Arc::new(Mutex::new(Vec::new())));
        let heard = Arc::clone(&texts);
        let subscription = events.subscribe(move |event| {
            let event = event.payload::<Event>().expect("a breaker's");
            if !only_transitions || matches!(event, Event::Transition(_)) {
                heard.lock().unwrap().push(event.to_string());
            }
        });
        let builder = cb0(CircuitBreaker::builder()).slow_call_duration(10 * MS);
        let breaker = Arc::new(builder.clock(&clock).events(&events).build().unwrap());
        Self { breaker, clock, texts, _subscription: subscription }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.texts.lock().unwrap())
    }
}

#[test]
fn a_whole_life() {
    let heard = Heard::new(true);
    let (breaker, clock) = (&heard.breaker, &heard.clock);
    calls(breaker, "SS");
    calls(breaker, "FFF");
    clock.advance(SECOND);
    fail(breaker);
    clock.advance(SECOND);
    succeed(breaker);
    breaker.force_open();
    breaker.force_open();
    breaker.disable();
    breaker.metrics_only();
    breaker.reset();
    assert_eq!(
        heard.take(),
        [
            "closed -> open (failure_rate: 3 of 5 failed)",
            "open -> half_open (wait_elapsed)",
            "half_open -> open (failure_rate: 1 of 1 failed)",
            "open -> half_open (wait_elapsed)",
            "half_open -> closed (probes_succeeded: 0 of 1 failed)",
            "closed -> forced_open (manual)",
            "forced_open -> disabled (manual)",
            "disabled -> metrics_only (manual)",
            "metrics_only -> closed (manual)",
        ]
    );
}

#[test]
fn every_end_of_a_call_can_be_heard() {
    let heard = Heard::new(false);
    let (breaker, clock) = (&heard.breaker, &heard.clock);
    succeed(breaker);
    _ = breaker.execute(|| {
        clock.advance(11 * MS);
        Err::<(), _>(())
    });
    breaker.try_acquire().unwrap().settle(&resilience_core::Outcome::Ignored);
    drop(breaker.try_acquire().unwrap());
    breaker.force_open();
    refused(breaker);
    breaker.reconfigure(Config { window_size: 20, ..breaker.config() }).unwrap();
    breaker.reconfigure(breaker.config()).unwrap();
    assert_eq!(
        heard.take(),
        [
            "success after 0ns",
            "failure: failed after 11ms, slow",
            "ignored after 0ns",
            "closed -> forced_open (manual)",
            "rejected: R4C-RT-002: call not permitted, the circuit breaker is open (circuit_breaker `circuit_breaker`)",
            "reconfigured: window_size 10 -> 20",
        ]
    );
}

#[test]
fn a_listener_for_less_detail_hears_rejections_and_not_every_call() {
    let events = Events::new();
    let heard = events.filtered(Filter::new().level(Level::Debug)).subscribe_channel(100);
    let breaker = cb0(CircuitBreaker::builder()).clock(ManualClock::new()).events(&events).build().unwrap();
    calls(&breaker, "SSFFF");
    refused(&breaker);
    let names: Vec<_> = std::iter::from_fn({
        let mut heard = heard;
        move || heard.try_recv().ok().map(|event| event.payload.name())
    })
    .collect();
    assert_eq!(names, ["transition", "rejected"]);
}

#[test]
fn the_end_of_the_probes_time_is_told_with_what_they_had_brought() {
    let heard = Heard::new(true);
    trip(&heard.breaker);
    heard.breaker.reconfigure(Config { permitted_in_half_open: 2, ..heard.breaker.config() }).unwrap();
    heard.clock.advance(SECOND);
    succeed(&heard.breaker);
    heard.clock.advance(60 * SECOND);
    refused(&heard.breaker);
    let texts = heard.take();
    assert_eq!(texts[2], "half_open -> open (half_open_expired: 0 of 1 failed)");
}

/// A listener may change the breaker it hears of; what it causes is told afterwards.
#[test]
fn a_listener_that_changes_the_breaker_is_not_told_in_the_middle() {
    let (events, clock) = (Events::new(), ManualClock::new());
    let breaker = Arc::new(cb0(CircuitBreaker::builder()).clock(&clock).events(&events).build().unwrap());
    let told = Arc::new(Mutex::new(Vec::new()));
    let (heard, resets) = (Arc::clone(&told), Arc::clone(&breaker));
    let _subscription = events.subscribe(move |event| {
        if let Some(Event::Transition(it)) = event.payload::<Event>() {
            heard.lock().unwrap().push(format!("begin {}", it.to));
            if it.to == State::Open {
                resets.reset();
            }
            heard.lock().unwrap().push(format!("end {}", it.to));
        }
    });
    for _ in 0..5 {
        fail(&breaker);
    }
    assert_eq!(*told.lock().unwrap(), ["begin open", "end open", "begin closed", "end closed"]);
    assert_eq!(breaker.state(), State::Closed);
}

/// Law 5, with threads: the transitions form one chain.
#[test]
fn transitions_of_many_threads_are_told_in_order() {
    let (events, chain) = (Events::new(), Arc::new(Mutex::new(vec![State::Closed])));
    let heard = Arc::clone(&chain);
    let _subscription = events.subscribe(move |event| {
        if let Some(Event::Transition(it)) = event.payload::<Event>() {
            let mut chain = heard.lock().unwrap();
            assert_eq!(chain.last(), Some(&it.from));
            chain.push(it.to);
            match it.cause {
                Cause::FailureRate => assert!(it.rates.failed * 2 >= it.rates.calls),
                Cause::ProbesSucceeded => assert!(it.rates.failed * 2 < it.rates.calls),
                _ => {}
            }
        }
    });
    let builder = cb0(CircuitBreaker::builder()).wait_in_open(crate::NS).permitted_in_half_open(3);
    let breaker = builder.events(&events).build().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let breaker = &breaker;
            scope.spawn(move || {
                let random = resilience_core::Random::seeded(thread);
                for _ in 0..5_000 {
                    _ = breaker.execute(|| if random.next_u64() % 2 == 0 { Ok(()) } else { Err(()) });
                }
            });
        }
    });
    assert_eq!(events.listener_panics(), 0);
    assert!(chain.lock().unwrap().len() > 10);
}
