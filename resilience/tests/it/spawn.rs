//! What services do with a pipeline: hold it in a struct, share it, spawn its calls.

use std::{sync::Arc, time::Duration};

use resilience::{Call, Clock, prelude::*};

struct Client {
    search: Pipeline<(Arc<RateLimiter>, Call)>,
}

impl Client {
    fn new(registry: &Registry) -> Result<Self, RegistryError> {
        let set = |it: resilience::ratelimiter::Builder| {
            it.permits(5).period(Duration::from_secs(1)).max_wait(Duration::from_secs(60))
        };
        Ok(Self { search: Pipeline::builder(registry, "search").rate_limiter(set).build()? })
    }

    async fn search(&self, query: &str) -> Result<String, Error<std::io::Error>> {
        self.search.execute_async(|| async { Ok(format!("results for {query}")) }).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_with_a_named_pipeline_is_shared_by_spawned_tasks() {
    let registry = Registry::builder().clock(Clock::tokio()).build();
    let client = Arc::new(Client::new(&registry).unwrap());
    let start = tokio::time::Instant::now();
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let client = Arc::clone(&client);
            tokio::spawn(async move {
                let query = n.to_string();
                client.search(&query).await.unwrap()
            })
        })
        .collect();
    for (n, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap(), format!("results for {n}"));
    }
    assert_eq!(start.elapsed(), Duration::from_secs(7), "35 of 40 wait, 200 ms each");
}

#[tokio::test(start_paused = true)]
async fn an_aborted_task_gives_back_the_permit_it_waits_for() {
    let registry = Registry::builder().clock(Clock::tokio()).build();
    let client = Arc::new(Client::new(&registry).unwrap());
    for _ in 0..5 {
        client.search("now").await.unwrap();
    }
    let waiting = {
        let client = Arc::clone(&client);
        tokio::spawn(async move { client.search("later").await })
    };
    tokio::task::yield_now().await;
    let limiter = registry.rate_limiter("search").unwrap();
    assert_eq!(limiter.snapshot().waiting, 1);
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    assert_eq!(limiter.snapshot().waiting, 0);
}

#[tokio::test]
async fn a_sync_wait_inside_a_current_thread_runtime_blocks_and_does_not_panic() {
    let registry = Registry::new();
    let set =
        |it: resilience::ratelimiter::Builder| it.permits(1).period(Duration::from_millis(20)).max_wait(Duration::MAX);
    let pipeline = Pipeline::builder(&registry, "p").rate_limiter(set).build().unwrap();
    let start = registry.clock().now();
    for n in 0..3 {
        assert_eq!(pipeline.execute(|| Ok::<_, ()>(n)), Ok(n));
    }
    assert!(registry.clock().now().since(start) >= Duration::from_millis(40));
}

#[test]
fn everything_is_send_sync_and_shown() {
    fn check<T: Send + Sync + std::fmt::Debug>() {}
    check::<Pipeline<(Arc<RateLimiter>, Call)>>();
    check::<Registry>();
    check::<RateLimiter>();
    check::<Clock>();
    check::<CallOptions>();
    check::<Error<std::io::Error>>();
    check::<RegistryError>();
}
