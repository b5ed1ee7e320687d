//! Our own calls by themselves, admitted, rejected and waiting: threads on one instance, and each on its own, as many as
//! the machine has cores for.
//!
//! Criterion's: `cargo xtask bench time` reads its estimates.

use std::{
    future::{pending, ready},
    hint::black_box,
    mem, thread,
    time::Duration,
};

use criterion::{BenchmarkId, Criterion};
use resilience::{breaker::CircuitBreaker, bulkhead::Bulkhead, prelude::*, retry::Retry, timeout::Timeout};
use resilience_benches::{Contender, Quota, Scene, answer, poll_once};

const THREADS: [usize; 4] = [1, 2, 4, 8];
/// Longer than any benchmark.
const HOUR: Duration = Duration::from_secs(3600);

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let c = &mut criterion;
    measure(c, "ratelimiter", "admitted", || acquire(true));
    measure(c, "ratelimiter", "rejected", || acquire(false));
    measure(c, "ratelimiter", "waiting", wait_for_permit);
    measure(c, "breaker", "admitted", || call_through_breaker(true));
    measure(c, "breaker", "rejected", || call_through_breaker(false));
    measure(c, "retry", "admitted", first_try);
    measure(c, "timeout", "admitted", ready_in_time);
    measure(c, "timeout", "waiting", wait_for_answer);
    measure(c, "bulkhead", "admitted", enter_and_leave);
    measure(c, "bulkhead", "rejected", find_full);
    measure(c, "bulkhead", "waiting", wait_for_slot);
    measure(c, "stack", "admitted", call_through_all);
    criterion.final_summary();
}

/// `make` makes what is called, and the call on it, which says whether it went its way.
fn measure<C>(criterion: &mut Criterion, policy: &'static str, case: &'static str, make: fn() -> C)
where
    C: Fn() -> bool + Sync + 'static,
{
    let cores = thread::available_parallelism().map_or(1, Into::into);
    let mut group = criterion.benchmark_group(format!("{policy}, {case}"));
    for threads in THREADS.into_iter().filter(|threads| *threads <= cores) {
        let scene = Scene { case, threads };
        // With one thread there is no difference.
        let own = (threads > 1).then(|| ("own", Contender::each(policy, scene, make)));
        for (name, contender) in [("shared", Contender::new(policy, scene, make()))].into_iter().chain(own) {
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                bencher.iter_custom(|calls| {
                    let batch = contender.run(calls.try_into().unwrap_or(u32::MAX));
                    Duration::from_secs_f64(batch.nanos * calls as f64 / 1e9)
                });
            });
        }
    }
    group.finish();
}

fn acquire(admitted: bool) -> impl Fn() -> bool + Sync {
    let limiter = if admitted { Quota::PLENTY } else { Quota::SCARCE }.limiter(&Clock::system());
    limiter.try_acquire().expect("it was full");
    move || black_box(&limiter.try_acquire()).is_ok() == admitted
}

/// Takes its place in line, sets a timer, and gives up.
fn wait_for_permit() -> impl Fn() -> bool + Sync {
    let limiter = Quota::SCARCE.patient_limiter(&Clock::system(), 2 * HOUR);
    limiter.try_acquire().expect("it was full");
    move || black_box(&poll_once(limiter.acquire_async())).is_pending()
}

fn call_through_breaker(admitted: bool) -> impl Fn() -> bool + Sync {
    let builder = CircuitBreaker::builder().wait_in_open(HOUR).clock(Clock::system());
    let breaker = builder.minimum_calls(1).build().expect("valid bounds");
    if !admitted {
        assert!(breaker.execute(|| Err::<(), _>(())).is_err());
    }
    move || black_box(&breaker.execute(answer)).is_ok() == admitted
}

fn first_try() -> impl Fn() -> bool + Sync {
    let retry = Retry::builder().clock(Clock::system()).build().expect("valid as it is");
    move || black_box(&retry.execute(answer)).is_ok()
}

fn timeout() -> Timeout {
    Timeout::builder().timeout(HOUR).clock(Clock::system()).build().expect("a valid limit")
}

fn ready_in_time() -> impl Fn() -> bool + Sync {
    let timeout = timeout();
    move || black_box(&poll_once(timeout.execute_async(|| ready(answer())))).is_ready()
}

fn wait_for_answer() -> impl Fn() -> bool + Sync {
    let timeout = timeout();
    move || black_box(&poll_once(timeout.execute_async(pending::<Result<u8, ()>>))).is_pending()
}

fn enter_and_leave() -> impl Fn() -> bool + Sync {
    let bulkhead = bulkhead(25, Duration::ZERO);
    move || black_box(&bulkhead.execute(answer)).is_ok()
}

fn find_full() -> impl Fn() -> bool + Sync {
    let bulkhead = full(Duration::ZERO);
    move || black_box(&bulkhead.try_enter()).is_err()
}

/// Takes its place in line, sets a timer, and gives up.
fn wait_for_slot() -> impl Fn() -> bool + Sync {
    let bulkhead = full(HOUR);
    move || black_box(&poll_once(bulkhead.enter_async())).is_pending()
}

fn bulkhead(slots: u32, max_wait: Duration) -> Bulkhead {
    let builder = Bulkhead::builder().max_concurrent(slots).max_wait(max_wait);
    builder.clock(Clock::system()).build().expect("valid bounds")
}

fn full(max_wait: Duration) -> Bulkhead {
    let bulkhead = bulkhead(1, max_wait);
    mem::forget(bulkhead.try_enter().expect("a free slot"));
    bulkhead
}

fn call_through_all() -> impl Fn() -> bool + Sync {
    let pipeline = Quota::PLENTY.full_pipeline(&Clock::system());
    move || black_box(&pipeline.execute(answer)).is_ok()
}
