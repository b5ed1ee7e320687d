//! On real runtimes.

use std::{future::pending, time::Duration};

use resilience_core::{Clock, Code, Pipeline, Registry};
use resilience_timeout::{PipelineExt, RegistryExt, Timeout, remaining};

use crate::{MS, SECOND, timeout};

#[tokio::test(start_paused = true)]
async fn tokios_paused_clock_moves_the_deadline() {
    let registry = Registry::builder().clock(Clock::tokio()).build();
    let pipeline = Pipeline::builder(&registry, "p").timeout(|it| it.timeout(100 * MS)).build().unwrap();
    let begin = tokio::time::Instant::now();
    let error = pipeline.execute_async(pending::<Result<(), ()>>).await.unwrap_err();
    assert_eq!(error.code(), Some(Code::TimedOut));
    let took = begin.elapsed();
    assert!((100 * MS..=102 * MS).contains(&took), "{took:?}");

    let sleeps = |time: Duration| {
        pipeline.execute_async(move || async move {
            let left = remaining();
            tokio::time::sleep(time).await;
            Ok::<_, ()>(left.unwrap() <= 100 * MS)
        })
    };
    assert_eq!(sleeps(90 * MS).await, Ok(true));
    assert_eq!(sleeps(100 * MS).await, Ok(true), "at the very deadline the value wins");
    assert!(sleeps(110 * MS).await.is_err());
    assert_eq!(registry.timeout("p").unwrap().snapshot().timed_out, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_hangs_is_cut_off_in_real_time() {
    let timeout: &'static Timeout = Box::leak(Box::new(timeout(Clock::system(), 50 * MS)));
    let begin = timeout.clock().now();
    let tasks: Vec<_> = (0..20).map(|_| tokio::spawn(timeout.execute_async(pending::<Result<(), ()>>))).collect();
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap_err().code(), Some(Code::TimedOut));
    }
    let took = timeout.clock().now().since(begin);
    assert!((49 * MS..5 * SECOND).contains(&took), "{took:?}");
    assert_eq!(timeout.snapshot().timed_out, 20);
}

/// The deadline of a call must not be starved by a busy inside.
#[tokio::test]
async fn a_busy_inside_that_yields_is_cut_off() {
    let timeout = timeout(Clock::system(), 20 * MS);
    let busy = timeout.execute_async(|| async {
        loop {
            tokio::task::yield_now().await;
        }
        #[expect(unreachable_code, reason = "it says what the future would be")]
        Ok::<(), ()>(())
    });
    assert_eq!(busy.await.unwrap_err().code(), Some(Code::TimedOut));
}

#[test]
fn without_a_runtime_a_timer_of_our_own_cuts_it_off() {
    let timeout = timeout(Clock::system(), 20 * MS);
    let result = futures_lite::future::block_on(timeout.execute_async(pending::<Result<(), ()>>));
    assert_eq!(result.unwrap_err().code(), Some(Code::TimedOut));
}
