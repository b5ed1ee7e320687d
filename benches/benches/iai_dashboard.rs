//! Instructions and heap blocks of calls of one among a thousand instances: with a dashboard that nobody looks at (`alone`)
//! and with one open page (`watched`). Calls that pass take the same. A rejection is told to the page, which costs
//! the call what is written here.

#![expect(missing_docs, reason = "the macros make items public")]

use std::task::Poll;

use axum::{
    body::{Body, HttpBody},
    http::Request,
};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::{Error, dashboard::Dashboard, prelude::*};
use resilience_benches::{
    Failure, Full, Quota, answer,
    iai::{MORNING, blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_rejected},
    poll_once, ready_answer,
};
use tower::Service as _;

type Answer = Result<u8, Error<Failure>>;

const INSTANCES: usize = 1000;
/// Seconds for which somebody has looked.
const LOOKED: u32 = 3;

/// One of many, after its first call; the dashboard is there for as long as the process.
fn stack(watched: bool) -> &'static Full {
    let manual = ManualClock::new();
    manual.advance(MORNING);
    let registry = Registry::builder().clock(&manual).build();
    for number in 1..INSTANCES {
        Quota::WHOLE.full_pipeline_in(&registry, &format!("other-{number}"));
    }
    let pipeline = leak(Quota::WHOLE.full_pipeline_in(&registry, "full"));
    let dashboard = leak(Dashboard::new(&registry));
    if watched {
        look(dashboard, &manual);
    }
    pipeline.execute(answer).expect("it is open");
    pipeline
}

/// Opens a page that stays open, and reads it for some seconds.
fn look(dashboard: &Dashboard, manual: &ManualClock) {
    let runtime = leak(tokio::runtime::Builder::new_current_thread().build().expect("a runtime"));
    runtime.block_on(async {
        let request = Request::builder().uri("/stream").body(Body::empty()).expect("a request");
        let page = dashboard.router().call(request).await.expect("an answer");
        let body = leak_mut(page.into_body());
        for _ in 0..=LOOKED {
            let frame = std::future::poll_fn(|cx| std::pin::Pin::new(&mut *body).poll_frame(cx)).await;
            frame.expect("it is open").expect("it never fails");
            // The sampler goes to sleep, then a second passes.
            tokio::task::yield_now().await;
            manual.advance(std::time::Duration::from_secs(1));
        }
    });
    assert_eq!(dashboard.clients(), 1);
}

fn leak_mut<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

/// Its breaker is open, and has rejected a call before.
fn open(watched: bool) -> &'static Full {
    let pipeline = stack(watched);
    pipeline.stack().1.0.force_open();
    pipeline.execute(answer).expect_err("it is not");
    pipeline
}

#[library_benchmark]
#[bench::alone(args = (false), setup = stack, teardown = must_be_admitted)]
#[bench::watched(args = (true), setup = stack, teardown = must_be_admitted)]
fn execute(pipeline: &Full) -> Answer {
    pipeline.execute(answer)
}

#[library_benchmark]
#[bench::alone(args = (false), setup = stack, teardown = must_be_admitted_at_once)]
#[bench::watched(args = (true), setup = stack, teardown = must_be_admitted_at_once)]
fn execute_async(pipeline: &Full) -> Poll<Answer> {
    poll_once(pipeline.execute_async(ready_answer))
}

#[library_benchmark]
#[bench::alone(args = (false), setup = open, teardown = must_be_rejected)]
#[bench::watched(args = (true), setup = open, teardown = must_be_rejected)]
fn execute_rejected(pipeline: &Full) -> Answer {
    pipeline.execute(answer)
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = execute, execute_async, execute_rejected
);

main!(library_benchmark_groups = ours);
