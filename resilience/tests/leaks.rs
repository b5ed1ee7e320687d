//! What reloads under load leave behind: nothing. Alone in its program, as it counts all that the program has.

use std::{
    alloc::System,
    fs,
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use resilience::{
    config::{Format, Sources},
    prelude::*,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The blocks and bytes that the whole program has of the heap.
fn heap() -> (usize, usize) {
    let all = HEAP.stats();
    (all.allocations - all.deallocations, all.bytes_allocated - all.bytes_deallocated)
}

/// The threads of the program, where the platform shows them.
fn threads() -> Option<usize> {
    fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}

/// Which changes every key that makes calls wait or sends them away.
fn sources(n: u32) -> Sources {
    let numbers = "[defaults]\nrate_limiter = {permits = 5000N, max_wait = 'Nms'}\n\
                   bulkhead = {max_concurrent = N, max_wait = 'Nms'}\ntimeout.timeout = 'Ns'\n\
                   retry = {max_attempts = N, delay = 'Nus'}\ncircuit_breaker.window_size = 2N\n\
                   [instances.nobody.retry]\ndelay = 'Ns'\n";
    Sources::new().text("app.toml", Format::Toml, numbers.replace('N', &n.to_string()))
}

/// Reloads while two threads call and two run tasks that are dropped at times, half-way.
fn round(registry: &Registry, reloads: u32) {
    let pipeline = Pipeline::builder(registry, "a").retry(|it| it).circuit_breaker(|it| it.name("b"));
    let pipeline = pipeline.rate_limiter(|it| it).timeout(|it| it).bulkhead(|it| it).build().unwrap();
    let done = AtomicBool::new(false);
    let under_way = || !done.load(Ordering::Relaxed);
    let (result, cut_off) = (|n: u32| if n % 3 == 0 { Err(()) } else { Ok(()) }, Duration::from_micros(50));
    thread::scope(|scope| {
        let call = || {
            for n in (0..).take_while(|_| under_way()) {
                _ = black_box(pipeline.execute(|| result(n)));
            }
        };
        let call_async = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            for n in (0..).take_while(|_| under_way()) {
                let call = pipeline.execute_async(|| async move {
                    tokio::task::yield_now().await;
                    result(n)
                });
                _ = black_box(runtime.block_on(async { tokio::time::timeout(cut_off, call).await }));
            }
        };
        let threads = [scope.spawn(call), scope.spawn(call), scope.spawn(call_async), scope.spawn(call_async)];
        for n in 0..reloads {
            registry.configure(sources(2 + n % 2)).expect("valid");
        }
        done.store(true, Ordering::Relaxed);
        // The scope alone does not wait for what threads drop at their very end.
        for it in threads {
            it.join().unwrap();
        }
    });
}

/// A registry from its beginning to its end, with this many reloads under load; and what the last of them added while it
/// was there.
fn life(reloads: u32) -> [usize; 2] {
    let registry = Registry::new();
    registry.configure(sources(2)).expect("valid");
    round(&registry, 50); // what is made once
    let before = heap();
    round(&registry, reloads);
    let after = heap();

    let (slots, permits) = (registry.bulkhead("a").unwrap().snapshot(), registry.rate_limiter("a").unwrap().snapshot());
    assert_eq!((slots.in_use, slots.queued, permits.waiting), (0, 0, 0));
    assert_eq!(slots.available, slots.max_concurrent);
    assert_eq!(registry.reloads().applied, u64::from(51 + reloads));
    [after.0.saturating_sub(before.0), after.1.saturating_sub(before.1)]
}

#[test]
fn a_thousand_reloads_under_load_leave_no_block_no_thread_no_permit_and_no_waiter() {
    life(1);
    let (heap_before, threads_before) = (heap(), threads());
    let [blocks, bytes] = life(1_000);
    assert_eq!(heap(), heap_before, "blocks and bytes");
    assert_eq!(threads(), threads_before);
    // A queue may have grown to the longest it has been; a block for each reload would be a thousand.
    assert!(blocks < 10 && bytes < 1_000, "{blocks} blocks, {bytes} bytes");
}
