//! The contract that every policy keeps.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use super::{Books, Prepared, Subject};
use crate::{
    CallOptions, Code, Error, Interrupt, Layer, ManualClock, Nanos, Outcome, Pipeline, Random, Registry, Rejection,
};

/// The subject in a pipeline of its own.
struct Bench<S: Subject> {
    clock: ManualClock,
    pipeline: Pipeline<S::Stack>,
    books: Vec<Box<dyn Books>>,
    layer: Layer,
    _keep: Box<dyn std::any::Any>,
}

impl<S: Subject> Bench<S> {
    fn new(clock: &ManualClock, prepared: Prepared<S::Stack>) -> Self {
        let Prepared { stack, books, layer, keep } = prepared;
        let registry = Registry::builder().clock(clock).seed(1).build();
        let pipeline = Pipeline::custom_order(&registry, "contract", stack);
        let pipeline = pipeline.expect("policies on the clock they were given");
        Self { clock: clock.clone(), pipeline, books, layer, _keep: keep }
    }

    fn open(subject: &S) -> Self {
        let clock = ManualClock::new();
        Self::new(&clock, subject.open(&clock))
    }

    fn waiting(subject: &S) -> Option<Self> {
        let clock = ManualClock::new();
        Some(Self::new(&clock, subject.waiting(&clock)?))
    }

    fn state(&self) -> String {
        self.books.iter().map(|books| books.state()).collect()
    }

    /// What the layer that makes wait or rejects shows, and those inside; the ones outside may count what they see.
    fn state_inside(&self) -> String {
        let inside = self.books.iter().filter(|books| books.layer() >= self.layer);
        inside.map(|books| books.state()).collect()
    }

    /// The most permits that a policy has handed out.
    fn outstanding(&self) -> usize {
        self.books.iter().map(|books| books.outstanding()).max().unwrap_or(0)
    }

    /// Every permit, place and timer is back.
    fn is_at_rest(&self) {
        assert_eq!(self.outstanding(), 0, "a permit was not taken back");
        assert_eq!(self.clock.pending_tasks(), 0, "a timer was left behind");
    }
}

fn noop() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

/// A call that panics.
fn fail(text: &'static str) -> Result<(), ()> {
    std::panic::panic_any(text)
}

/// Checks all of the contract.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn check<S: Subject>(subject: &S) {
    dropping_before_the_first_poll_changes_nothing(subject);
    dropping_while_waiting_gives_everything_back(subject);
    dropping_inside_gives_the_permit_back(subject);
    a_wait_ends_in_the_call_sync_and_async(subject);
    an_interrupt_ends_a_wait_and_stays_triggered(subject);
    a_deadline_ends_a_wait(subject);
    a_panic_inside_goes_on_and_costs_no_more_than_its_permit(subject);
    a_rejection_changes_nothing_and_runs_nothing(subject);
    a_disabled_policy_lets_everything_through(subject);
    sync_and_async_agree(subject);
    a_call_may_go_through_the_policy_again(subject);
    threads_and_tasks_give_back_what_they_take(subject);
}

/// A future that was never polled has done nothing.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn dropping_before_the_first_poll_changes_nothing<S: Subject>(subject: &S) {
    let bench = Bench::open(subject);
    let before = bench.state();
    drop(bench.pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
    assert_eq!(bench.state(), before);
    bench.is_at_rest();
}

/// A call that is dropped while it waits never was, and never runs.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn dropping_while_waiting_gives_everything_back<S: Subject>(subject: &S) {
    let Some(bench) = Bench::waiting(subject) else { return };
    let before = bench.state();
    for _ in 0..100 {
        let mut future = Box::pin(bench.pipeline.execute_async(|| async { Err::<(), _>("it never runs") }));
        assert!(future.as_mut().poll(&mut noop()).is_pending(), "the subject said that the call waits");
        assert_eq!(bench.outstanding(), 1);
        drop(future);
        assert_eq!(bench.state(), before);
        bench.is_at_rest();
    }
}

/// A call that is dropped while it runs gives back what it holds.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn dropping_inside_gives_the_permit_back<S: Subject>(subject: &S) {
    let bench = Bench::open(subject);
    let mut future = Box::pin(bench.pipeline.execute_async(std::future::pending::<Result<(), ()>>));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    assert_eq!(bench.outstanding(), 1);
    drop(future);
    bench.is_at_rest();
}

/// A call that waits gets in, and never before its time.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn a_wait_ends_in_the_call_sync_and_async<S: Subject>(subject: &S) {
    if let Some(bench) = Bench::waiting(subject) {
        assert_eq!(bench.pipeline.execute(|| Ok::<_, ()>(7)), Ok(7));
        assert!(bench.clock.now() > Nanos::ZERO, "a sync wait moves the clock");
        bench.is_at_rest();
    }
    if let Some(bench) = Bench::waiting(subject) {
        let mut future = pin!(bench.pipeline.execute_async(|| async { Ok::<_, ()>(7) }));
        while future.as_mut().poll(&mut noop()).is_pending() {
            let due = bench.clock.next_timer().expect("who waits has a timer");
            bench.clock.advance(due.since(bench.clock.now()).saturating_sub(Duration::from_nanos(1)));
            assert!(future.as_mut().poll(&mut noop()).is_pending(), "it started before its time");
            bench.clock.advance_to(due);
        }
        bench.is_at_rest();
    }
}

/// An interrupted wait is rejected with R4C-RT-005 and never was.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn an_interrupt_ends_a_wait_and_stays_triggered<S: Subject>(subject: &S) {
    let Some(bench) = Bench::waiting(subject) else { return };
    let before = bench.state_inside();
    let interrupt = Interrupt::new();
    let options = CallOptions::new().interrupt(&interrupt);

    let mut future = Box::pin(bench.pipeline.execute_async_with(options.clone(), || async { Ok::<_, ()>(()) }));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    interrupt.trigger();
    let Poll::Ready(Err(Error::Rejected(rejection))) = future.as_mut().poll(&mut noop()) else {
        panic!("an interrupted call is rejected")
    };
    assert_eq!(rejection.code(), Code::Interrupted);
    assert_eq!(rejection.layer(), bench.layer);

    let result = bench.pipeline.execute_with(options, || Ok::<_, ()>(()));
    assert_eq!(result.unwrap_err().code(), Some(Code::Interrupted));
    assert!(interrupt.is_triggered());
    drop(future);
    assert_eq!(bench.state_inside(), before);
    assert_eq!(bench.clock.now(), Nanos::ZERO, "an interrupted wait takes no time");
    bench.is_at_rest();
}

/// A call whose own deadline comes before its turn is rejected with R4C-RT-003, not after the deadline.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn a_deadline_ends_a_wait<S: Subject>(subject: &S) {
    let Some(bench) = Bench::waiting(subject) else { return };
    let limit = Duration::from_nanos(1);
    let result = bench.pipeline.execute_with(CallOptions::new().timeout(limit), || Ok::<_, ()>(()));
    assert_eq!(result.unwrap_err().code(), Some(Code::TimedOut));
    assert!(bench.clock.now().since(Nanos::ZERO) <= limit);
    bench.is_at_rest();
}

/// A panic reaches the caller, the policy hears of it, and the next call gets in.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn a_panic_inside_goes_on_and_costs_no_more_than_its_permit<S: Subject>(subject: &S) {
    let bench = Bench::open(subject);
    let sync = catch_unwind(AssertUnwindSafe(|| bench.pipeline.execute(|| fail("sync"))));
    assert_eq!(sync.unwrap_err().downcast_ref(), Some(&"sync"));
    bench.is_at_rest();

    let mut future = Box::pin(bench.pipeline.execute_async(|| async { fail("async") }));
    let run = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop())));
    assert_eq!(run.unwrap_err().downcast_ref(), Some(&"async"));
    bench.is_at_rest();
    drop(future);

    for books in &bench.books {
        assert_eq!(books.outcomes(), [Outcome::PANICKED; 2]);
    }
    assert_eq!(bench.pipeline.execute(|| Ok::<_, ()>(7)), Ok(7));
    bench.is_at_rest();
}

/// A rejected call takes no time and runs nothing, and the policy that rejects and those inside are as they were.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn a_rejection_changes_nothing_and_runs_nothing<S: Subject>(subject: &S) {
    let clock = ManualClock::new();
    let Some(prepared) = subject.rejecting(&clock) else {
        return;
    };
    let bench = Bench::<S>::new(&clock, prepared);
    let (before, time) = (bench.state_inside(), clock.now());
    for _ in 0..100 {
        let sync = bench.pipeline.execute(|| fail("it runs")).unwrap_err();
        let mut future = pin!(bench.pipeline.execute_async(|| async { fail("it runs") }));
        assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Err(sync)));
        assert_eq!(sync.rejection().map(Rejection::layer), Some(bench.layer));
        assert_eq!((bench.state_inside(), clock.now()), (before.clone(), time));
    }
    bench.is_at_rest();
}

/// Switched off, a policy is not there.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn a_disabled_policy_lets_everything_through<S: Subject>(subject: &S) {
    let clock = ManualClock::new();
    let bench = Bench::<S>::new(&clock, subject.disabled(&clock));
    let before = bench.state();
    for n in 0..1_000 {
        let result = if n % 2 == 0 { Ok(n) } else { Err(n) };
        assert_eq!(
            bench.pipeline.execute_with(CallOptions::new().permits(n), || result),
            result.map_err(Error::Failed)
        );
    }
    assert_eq!(bench.state(), before);
    assert_eq!(clock.now(), Nanos::ZERO);
    bench.is_at_rest();
}

/// One script, the same results and states, sync and async.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn sync_and_async_agree<S: Subject>(subject: &S) {
    let (sync, other) = (Bench::open(subject), Bench::open(subject));
    let random = Random::seeded(3);
    for n in 0..1_000 {
        let result = if random.next_u64() % 3 == 0 { Err(n) } else { Ok(n) };
        let by_thread = sync.pipeline.execute(|| result);
        let mut future = pin!(other.pipeline.execute_async(|| std::future::ready(result)));
        let by_task = loop {
            match future.as_mut().poll(&mut noop()) {
                Poll::Ready(result) => break result,
                Poll::Pending => assert!(other.clock.advance_to_next(), "who waits has a timer"),
            }
        };
        assert_eq!(by_thread, by_task, "call {n}");
        let step = Duration::from_millis(random.next_u64() % 50);
        sync.clock.advance(step);
        other.clock.advance(step);
        assert_eq!(sync.clock.now(), other.clock.now(), "call {n}");
        assert_eq!(sync.state(), other.state(), "call {n}");
    }
    sync.is_at_rest();
    other.is_at_rest();
}

/// A call may go through the policy it is in.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn a_call_may_go_through_the_policy_again<S: Subject>(subject: &S) {
    let bench = Bench::open(subject);
    let inner = || bench.pipeline.execute(|| Ok::<_, ()>(1)).map(|n| n + 1);
    let result = bench.pipeline.execute(|| bench.pipeline.execute(inner).map(|n| n + 1));
    assert_eq!(result, Ok(3));
    bench.is_at_rest();
}

/// Calls that succeed, fail, panic and are dropped, on several threads: at the end everything is back.
///
/// # Panics
///
/// Where the policy breaks it.
pub fn threads_and_tasks_give_back_what_they_take<S: Subject>(subject: &S) {
    let bench = Bench::open(subject);
    let (pipeline, clock) = (&bench.pipeline, &bench.clock);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let random = Random::seeded(thread);
                for _ in 0..2_500 {
                    match random.next_u64() % 6 {
                        0 => drop(pipeline.execute(|| Ok::<_, ()>(()))),
                        1 => drop(pipeline.execute(|| Err::<(), _>(()))),
                        2 => clock.advance(Duration::from_millis(1)),
                        3 => {
                            let call = || -> Result<(), ()> { std::panic::resume_unwind(Box::new("expected")) };
                            drop(catch_unwind(AssertUnwindSafe(|| pipeline.execute(call))));
                        }
                        4 => {
                            let mut future = pin!(pipeline.execute_async(std::future::pending::<Result<(), ()>>));
                            _ = future.as_mut().poll(&mut noop());
                        }
                        _ => {
                            let mut future = pin!(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
                            _ = future.as_mut().poll(&mut noop());
                        }
                    }
                }
            });
        }
    });
    bench.is_at_rest();
}
