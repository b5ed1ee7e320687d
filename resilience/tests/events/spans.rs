//! A span for each call of a pipeline that asks for it.

use std::{
    future::{pending, ready},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience::prelude::*;
use tracing::{dispatcher::with_default, level_filters::LevelFilter};

use crate::collect::Collect;

fn poll<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// What the closed spans say: id, attempts, outcome, code.
fn closed(collect: &Collect) -> Vec<String> {
    let show = |fields: crate::collect::Fields| {
        assert_eq!(fields["name"], "resilience.call");
        let code = fields.get("code").map_or("-", String::as_str);
        format!("{} {} {} {code}", fields["id"], fields["attempts"], fields["outcome"])
    };
    collect.log(|log| std::mem::take(&mut log.closed)).into_iter().map(show).collect()
}

#[test]
fn a_span_says_which_pipeline_was_called_how_often_it_tried_and_how_it_ended() {
    let registry = Registry::builder().clock(ManualClock::new()).seed(1).build();
    let pipeline = Pipeline::builder(&registry, "search").retry(|it| it.max_attempts(2)).build().unwrap().traced();
    let limited = Pipeline::builder(&registry, "limited")
        .rate_limiter(|it| it.name("shared").permits(1).max_wait(Duration::ZERO));
    let limited = limited.build().unwrap().traced();
    let collect = Collect::default();
    with_default(&collect.subscriber(LevelFilter::DEBUG), || {
        let mut calls = 0;
        let second_time = pipeline.execute(|| {
            calls += 1;
            assert_eq!(collect.current().as_deref(), Some("search"));
            if calls < 2 { Err("down") } else { Ok(()) }
        });
        assert_eq!(second_time, Ok(()));
        let mut failing = Box::pin(pipeline.execute_async(|| ready(Err::<(), _>("down"))));
        assert!(poll(&mut failing).is_pending(), "it waits before the second attempt");
        drop(failing);
        let panics = || pipeline.execute(|| -> Result<(), ()> { std::panic::resume_unwind(Box::new("bad")) });
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert!(limited.execute(|| Ok::<_, ()>(())).is_ok());
        assert!(limited.execute(|| Ok::<_, ()>(())).is_err());
    });
    let expected = [
        "search 2 success -",
        "search 1 dropped -",
        "search 1 panicked -",
        "limited 1 success -",
        "limited 0 rejected R4C-RT-001",
    ];
    assert_eq!(closed(&collect), expected);
    let rejected = collect.events().into_iter().find(|(_, _, fields, _)| fields["type"] == "rejected").unwrap();
    assert_eq!((rejected.2["instance"].as_str(), rejected.3.as_deref()), ("shared", Some("limited")));
    assert!(collect.log(|log| log.entered.is_empty()));
}

#[test]
fn without_being_asked_for_there_is_no_span_and_none_that_the_subscriber_does_not_want() {
    let registry = Registry::new();
    let collect = Collect::default();
    let (plain, traced) = (
        Pipeline::builder(&registry, "plain").build().unwrap(),
        Pipeline::builder(&registry, "traced").build().unwrap().traced(),
    );
    with_default(&collect.subscriber(LevelFilter::WARN), || {
        traced.execute(|| Ok::<_, ()>(())).unwrap();
        assert_eq!(poll(&mut Box::pin(traced.execute_async(|| ready(Ok::<_, ()>(5))))), Poll::Ready(Ok(5)));
    });
    with_default(&collect.subscriber(LevelFilter::TRACE), || plain.execute(|| Ok::<_, ()>(())).unwrap());
    assert!(closed(&collect).is_empty());
}

/// The calls wait for the limiter, at several moments, and then for what they call.
#[test]
fn of_1_000_interleaved_calls_each_has_its_span_only_while_it_is_polled() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).seed(1).build();
    let collect = Collect::default();
    let pipelines: Vec<_> = (0..1_000)
        .map(|n| {
            let limited = Pipeline::builder(&registry, format!("call {n}"))
                .rate_limiter(|it| it.name("shared").permits(10).max_wait(Duration::MAX));
            limited.build().unwrap().traced()
        })
        .collect();
    with_default(&collect.subscriber(LevelFilter::DEBUG), || {
        let mut calls: Vec<_> = pipelines
            .iter()
            .enumerate()
            .map(|(n, pipeline)| {
                let (id, collect) = (format!("call {n}"), &collect);
                Box::pin(pipeline.execute_async(move || {
                    let (id, mut polls) = (id.clone(), n % 3);
                    std::future::poll_fn(move |_| {
                        assert_eq!(collect.current().as_deref(), Some(id.as_str()));
                        assert_eq!(collect.log(|log| log.entered.len()), 1);
                        if polls == 0 {
                            return Poll::Ready(Ok::<_, ()>(n));
                        }
                        polls -= 1;
                        Poll::Pending
                    })
                }))
            })
            .collect();
        while !calls.is_empty() {
            calls.retain_mut(|call| {
                let pending = poll(call).is_pending();
                assert_eq!(collect.current(), None, "between polls");
                pending
            });
            clock.advance(Duration::from_secs(1));
        }
        let mut hangs = Box::pin(pipelines[0].execute_async(pending::<Result<(), ()>>));
        assert!(poll(&mut hangs).is_pending());
        drop(hangs);
    });
    assert!(collect.log(|log| log.entered.is_empty()), "depth 0");
    let closed = closed(&collect);
    assert_eq!(closed.len(), 1_001);
    assert_eq!(closed.iter().filter(|it| it.ends_with(" 1 success -")).count(), 1_000);
}
