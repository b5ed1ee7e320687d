//! Any executor, any way of holding the future.

use std::{sync::Arc, time::Duration};

use resilience_core::{
    Call, CallOptions, Clock, Error, Execute, Pipeline, Registry,
    stack::{Once, Stack},
};

use crate::policies::{Again, EveryThird, Limit};

const MS: Duration = Duration::from_millis(1);

fn pipeline() -> Pipeline<(Again, (Limit, Call))> {
    let retry = Again { attempts: 3, delay: MS };
    Pipeline::builder(&Registry::new(), "p").policy(Limit(200 * MS)).policy(retry).build().unwrap()
}

/// A call that fails once and takes a while.
async fn flaky(attempt: u32, delay: impl Future<Output = ()>) -> Result<u32, String> {
    delay.await;
    if attempt == 1 { Err("once".into()) } else { Ok(attempt) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closure_that_borrows_a_local_runs_inside_tokio_spawn() {
    let pipeline = Arc::new(pipeline());
    let task = tokio::spawn(async move {
        let name = String::from("local");
        let mut attempt = 0;
        let result = pipeline
            .execute_async(|| {
                attempt += 1;
                let (attempt, name) = (attempt, &name);
                async move {
                    assert_eq!(name, "local");
                    flaky(attempt, tokio::time::sleep(MS)).await
                }
            })
            .await;
        (result, attempt)
    });
    assert_eq!(task.await.unwrap(), (Ok(2), 2));
}

#[tokio::test]
async fn an_async_closure_runs_inside_tokio_spawn() {
    let pipeline = Arc::new(pipeline());
    let task = tokio::spawn(async move {
        let name = String::from("local");
        pipeline.execute_async(async || Ok::<_, String>(name.len())).await
    });
    assert_eq!(task.await.unwrap(), Ok(5));
}

#[tokio::test]
async fn a_future_that_owns_its_pipeline_can_be_named_and_spawned() {
    struct Client {
        pipeline: Arc<Pipeline<(Again, (Limit, Call))>>,
    }
    type Answer = std::future::Ready<Result<u8, String>>;
    type Running = Execute<Arc<Pipeline<(Again, (Limit, Call))>>, fn() -> Answer, Answer>;

    let client = Client { pipeline: Arc::new(pipeline()) };
    let call: fn() -> Answer = || std::future::ready(Ok(7));
    let running: Running = Arc::clone(&client.pipeline).execute_owned(CallOptions::new(), call);
    assert_eq!(tokio::spawn(running).await.unwrap(), Ok(7));
}

struct Generic<S> {
    pipeline: Pipeline<S>,
}

impl<S: Stack> Generic<S> {
    async fn call(&self) -> Result<u8, Error<String>> {
        self.pipeline.execute_async(|| async { Ok(7) }).await
    }

    fn call_once(&self, text: String) -> Result<String, Error<String>>
    where
        S: Once,
    {
        self.pipeline.execute_once(move || Ok(text))
    }
}

#[tokio::test]
async fn a_struct_can_be_generic_over_the_stack() {
    let stack = (EveryThird::default(), Call);
    let generic = Generic { pipeline: Pipeline::ordered(&Registry::new(), "p", stack).unwrap() };
    assert_eq!(generic.call().await, Ok(7));
    assert_eq!(generic.call_once("moved".into()), Ok("moved".into()));
    let retrying = Generic { pipeline: pipeline() };
    assert_eq!(retrying.call().await, Ok(7));
}

#[tokio::test]
async fn a_plain_future_is_taken_where_nothing_tries_again() {
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (EveryThird::default(), Call)).unwrap();
    let text = String::from("moved");
    assert_eq!(pipeline.execute_future(async move { Ok::<_, ()>(text) }).await, Ok("moved".into()));
}

#[tokio::test]
async fn an_inside_that_is_not_send_works_where_nothing_is_spawned() {
    let local = std::rc::Rc::new(7);
    let result = pipeline().execute_async(|| async { Ok::<_, String>(*local) }).await;
    assert_eq!(result, Ok(7));
}

#[test]
fn without_a_runtime_a_thread_of_our_own_keeps_the_time() {
    let pipeline = pipeline();
    let mut attempt = 0;
    let result = futures_lite::future::block_on(pipeline.execute_async(|| {
        attempt += 1;
        flaky(attempt, async {})
    }));
    assert_eq!(result, Ok(2));

    let hang = pipeline.execute_async(std::future::pending::<Result<(), String>>);
    let result = futures_lite::future::block_on(hang);
    assert!(matches!(result, Err(Error::Rejected(_))));
}

#[test]
fn a_timer_of_another_runtime_is_used() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let clock = Clock::system().with_timer(|duration| async move {
        assert!(duration <= MS);
        ASKED.fetch_add(1, Ordering::Relaxed);
    });
    let registry = Registry::builder().clock(clock).build();
    let pipeline = Pipeline::ordered(&registry, "p", (Again { attempts: 3, delay: MS }, Call)).unwrap();
    let result = futures_lite::future::block_on(pipeline.execute_async(|| async { Err::<(), _>("down") }));
    assert_eq!(result, Err(Error::Failed("down")));
    assert_eq!(ASKED.load(Ordering::Relaxed), 2);
}

#[test]
fn a_timer_of_another_runtime_goes_with_the_call_that_waits_for_it() {
    let held = Arc::new(());
    let held_by_timers = Arc::clone(&held);
    let clock = Clock::system().with_timer(move |_| {
        let held = Arc::clone(&held_by_timers);
        async move {
            std::future::pending::<()>().await;
            drop(held);
        }
    });
    let registry = Registry::builder().clock(clock).build();
    let pipeline = Pipeline::ordered(&registry, "p", (Again { attempts: 3, delay: MS }, Call)).unwrap();
    let mut call = Box::pin(pipeline.execute_async(|| async { Err::<(), _>("down") }));
    assert!(futures_lite::future::block_on(futures_lite::future::poll_once(&mut call)).is_none());
    assert_eq!(Arc::strong_count(&held), 3);
    drop(call);
    assert_eq!(Arc::strong_count(&held), 2);
}

#[tokio::test]
async fn a_sync_wait_inside_a_current_thread_runtime_blocks_and_does_not_panic() {
    let result = pipeline().execute(|| Err::<(), _>("down".to_string()));
    assert_eq!(result, Err(Error::Failed("down".into())));
}

#[tokio::test(start_paused = true)]
async fn tokios_paused_time_moves_decisions_and_waits() {
    let registry = Registry::builder().clock(Clock::tokio()).build();
    let retry = Again { attempts: 3, delay: Duration::from_secs(3_600) };
    let builder = Pipeline::builder(&registry, "p").policy(Limit(Duration::from_secs(60))).policy(retry);
    let pipeline = builder.build().unwrap();
    let start = tokio::time::Instant::now();
    let result = pipeline.execute_async(std::future::pending::<Result<(), String>>).await;
    assert!(matches!(result, Err(Error::Rejected(_))));
    assert_eq!(start.elapsed(), Duration::from_secs(3 * 60 + 2 * 3_600));
}

/// The system clock stands still in tokio's paused time; the timer is believed all the same.
#[tokio::test(start_paused = true)]
async fn the_system_clock_under_tokios_paused_time_does_not_spin() {
    let retry = Again { attempts: 3, delay: Duration::from_secs(3_600) };
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (retry, Call)).unwrap();
    let result = pipeline.execute_async(|| async { Err::<(), _>("down") }).await;
    assert_eq!(result, Err(Error::Failed("down")));
}

/// A task that never lets tokio's budget recover must not starve the deadline of its own call.
#[tokio::test]
async fn a_busy_inside_does_not_starve_its_deadline() {
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (Limit(20 * MS), Call)).unwrap();
    let result = pipeline
        .execute_async(|| {
            let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
            // Always something to receive: only the budget makes this pending.
            std::future::poll_fn(move |cx| {
                loop {
                    sender.send(()).unwrap();
                    if receiver.poll_recv(cx).is_pending() {
                        return std::task::Poll::<Result<(), ()>>::Pending;
                    }
                }
            })
        })
        .await;
    assert!(matches!(result, Err(Error::Rejected(_))));
}

#[tokio::test]
async fn a_call_in_select_is_cancelled_by_the_other_branch() {
    let pipeline = pipeline();
    tokio::select! {
        biased;
        _ = pipeline.execute_async(std::future::pending::<Result<(), String>>) => panic!("it hangs"),
        () = tokio::time::sleep(MS) => {}
    }
}

#[test]
fn the_futures_are_small_enough_to_hold() {
    let pipeline = pipeline();
    let future = pipeline.execute_async(std::future::pending::<Result<(), ()>>);
    assert!(size_of_val(&future) <= 384, "{} bytes", size_of_val(&future));
}
