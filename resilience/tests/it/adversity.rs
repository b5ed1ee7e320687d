//! All limits a few nanoseconds long, so that they meet; and everything changes in the middle of calls.

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use proptest::prelude::*;
use resilience::{
    Call, Class, Interrupt, Kind, ManualClock, breaker, bulkhead, prelude::*, ratelimiter, remaining, retry,
    testing::Books, timeout,
};

use crate::stack::{Set, Stack, WatchedFive};

fn ns(n: u64) -> Duration {
    Duration::from_nanos(n)
}

#[derive(Clone, Copy, Debug)]
enum Ending {
    Value,
    Error,
    Ignored,
    Later(u64),
    Final,
    BadValue,
    Panic,
}

/// What the call does.
#[derive(Clone, Debug)]
struct Step {
    endings: Vec<(Ending, u64)>,
    permits: u64,
    before: u64,
    timeout: Option<u64>,
    own_attempt: Option<u64>,
    full: bool,
    change: Option<Change>,
    interrupt: bool,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Retry(u32, u64, Option<u64>, bool),
    Breaker(u32, u32, u64, u64, bool),
    Limiter(u32, u64, u64, bool),
    Timeout(u64, bool),
    Bulkhead(u32, u64, Option<u32>, bool),
    ForceOpen,
    Reset,
}

fn change() -> impl Strategy<Value = Change> {
    let on = || prop::bool::weighted(0.9);
    prop_oneof![
        (1_u32..5, 0_u64..6, proptest::option::of(1_u64..12), on()).prop_map(|(a, b, c, d)| Change::Retry(a, b, c, d)),
        (1_u32..5, 1_u32..4, 1_u64..8, 0_u64..8, on()).prop_map(|(a, b, c, d, e)| Change::Breaker(a, b, c, d, e)),
        (1_u32..4, 4_u64..20, 0_u64..12, on()).prop_map(|(a, b, c, d)| Change::Limiter(a, b, c, d)),
        (1_u64..10, on()).prop_map(|(a, b)| Change::Timeout(a, b)),
        (1_u32..3, 0_u64..6, proptest::option::of(0_u32..2), on())
            .prop_map(|(a, b, c, d)| Change::Bulkhead(a, b, c, d)),
        Just(Change::ForceOpen),
        Just(Change::Reset),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ending = prop_oneof![
        4 => Just(Ending::Value),
        4 => Just(Ending::Error),
        1 => Just(Ending::Ignored),
        1 => (0_u64..9).prop_map(Ending::Later),
        1 => Just(Ending::Final),
        1 => Just(Ending::BadValue),
        1 => Just(Ending::Panic)
    ];
    let endings = prop::collection::vec((ending, prop_oneof![3 => Just(0), 1 => 0_u64..8]), 4);
    let step = (
        endings,
        0_u64..4,
        0_u64..8,
        proptest::option::of(0_u64..16),
        proptest::option::weighted(0.2, 0_u64..8),
        prop::bool::weighted(0.2),
        proptest::option::weighted(0.3, change()),
        prop::bool::weighted(0.1),
    );
    let step = step.prop_map(|(endings, permits, before, timeout, own_attempt, full, change, interrupt)| Step {
        endings,
        permits,
        before,
        timeout,
        own_attempt,
        full,
        change,
        interrupt,
    });
    prop::collection::vec(step, 1..40)
}

type Classifier = fn(&Result<u8, &'static str>) -> Class;

fn classify(result: &Result<u8, &'static str>) -> Class {
    match result {
        Ok(255) => Class::failure(Kind::FAILED),
        Ok(_) => Class::Success,
        Err("ignored") => Class::Ignored,
        Err("final") => Class::failure(Kind::FAILED).never_retry(),
        Err(other) => match other.strip_prefix("later ") {
            Some(n) => Class::failure(Kind::FAILED).retry_after(ns(n.parse().unwrap())),
            None => Class::failure(Kind::FAILED),
        },
    }
}

const LATER: [&str; 9] =
    ["later 0", "later 1", "later 2", "later 3", "later 4", "later 5", "later 6", "later 7", "later 8"];

struct World {
    clock: ManualClock,
    stack: Stack,
    pipeline: Pipeline<WatchedFive, Classifier>,
    times: Arc<Mutex<Vec<String>>>,
    interrupt: Interrupt,
}

impl World {
    fn new() -> Self {
        let clock = ManualClock::new();
        let set = Set {
            retry: |it| {
                it.max_attempts(3)
                    .delay(ns(3))
                    .jitter(retry::Jitter::Equal)
                    .budget_percent(50.0)
                    .budget_window(ns(40))
                    .budget_min_per_second(50_000_000)
            },
            breaker: |it| {
                it.window_size(4)
                    .minimum_calls(2)
                    .wait_in_open(ns(5))
                    .permitted_in_half_open(2)
                    .max_wait_in_half_open(ns(6))
                    .slow_call_duration(ns(6))
            },
            limiter: |it| it.permits(3).period(ns(9)).max_wait(ns(8)),
            timeout: |it| it.timeout(ns(5)),
            bulkhead: |it| it.max_concurrent(1).max_wait(ns(4)),
        };
        let stack = Stack::new(&clock, set);
        let registry = Registry::builder().clock(&clock).build();
        let pipeline =
            Pipeline::ordered(&registry, "p", stack.watched()).unwrap().with_classifier(classify as Classifier);
        Self { clock, stack, pipeline, times: Arc::default(), interrupt: Interrupt::new() }
    }

    fn books(&self) -> [Box<dyn Books>; 5] {
        let (retry, (breaker, (limiter, (timeout, (bulkhead, Call))))) = self.pipeline.stack().clone();
        [Box::new(retry), Box::new(breaker), Box::new(limiter), Box::new(timeout), Box::new(bulkhead)]
    }

    fn is_at_rest(&self) {
        let outstanding: Vec<_> = self.books().iter().map(|books| books.outstanding()).collect();
        assert_eq!((outstanding, self.clock.pending_tasks()), (vec![0; 5], 0));
        let (slots, probes) = (self.stack.bulkhead.snapshot(), self.stack.breaker.snapshot().probes_running);
        assert_eq!((slots.in_use, slots.queued, probes), (0, 0, 0));
        assert_eq!(remaining(), None);
    }

    fn state(&self) -> String {
        let states: Vec<_> = self.books().iter().map(|books| (books.state(), books.outcomes())).collect();
        format!("{:?} {states:?}", self.clock.now())
    }

    fn change(&self, change: Change) {
        let stack = &self.stack;
        match change {
            Change::Retry(max_attempts, delay, max, enabled) => {
                let max_duration = max.map(ns);
                let config =
                    retry::Config { max_attempts, delay: ns(delay), max_duration, enabled, ..stack.retry.config() };
                stack.retry.reconfigure(config).unwrap();
            }
            Change::Breaker(window_size, permitted_in_half_open, wait, max, enabled) => {
                let (wait_in_open, max_wait_in_half_open) = (ns(wait), ns(max));
                let config = breaker::Config {
                    window_size,
                    minimum_calls: window_size.min(2),
                    permitted_in_half_open,
                    wait_in_open,
                    max_wait_in_half_open,
                    enabled,
                    ..stack.breaker.config()
                };
                stack.breaker.reconfigure(config).unwrap();
            }
            Change::Limiter(permits, period, max_wait, enabled) => {
                let config = ratelimiter::Config { permits, period: ns(period), max_wait: ns(max_wait), enabled };
                stack.limiter.reconfigure(config).unwrap();
            }
            Change::Timeout(timeout, enabled) => {
                stack.timeout.reconfigure(timeout::Config { timeout: ns(timeout), enabled }).unwrap();
            }
            Change::Bulkhead(max_concurrent, max_wait, max_queue, enabled) => {
                let config = bulkhead::Config { max_concurrent, max_wait: ns(max_wait), max_queue, enabled };
                stack.bulkhead.reconfigure(config).unwrap();
            }
            Change::ForceOpen => stack.breaker.force_open(),
            Change::Reset => stack.breaker.reset(),
        }
    }

    /// One attempt.
    fn body(&self, step: &Step, attempt: usize) -> Result<u8, &'static str> {
        let (ending, takes) = step.endings[attempt % step.endings.len()];
        self.times.lock().unwrap().push(format!("{attempt} at {:?}, {:?} left", self.clock.now(), remaining()));
        self.clock.advance(ns(takes));
        if attempt == 0 {
            if let Some(change) = step.change {
                self.change(change);
            }
            if step.interrupt {
                self.interrupt.trigger();
            }
        }
        match ending {
            Ending::Value => Ok(7),
            Ending::Error => Err("down"),
            Ending::Ignored => Err("ignored"),
            Ending::Later(n) => Err(LATER[n as usize]),
            Ending::Final => Err("final"),
            Ending::BadValue => Ok(255),
            Ending::Panic => std::panic::resume_unwind(Box::new("panic")),
        }
    }

    fn options(&self, step: &Step) -> CallOptions {
        self.interrupt.clear();
        let mut options = CallOptions::new().permits(step.permits).interrupt(&self.interrupt);
        // With a deadline of the call's own the clock is read, also if it is ready at once.
        options = options.timeout(ns(step.timeout.unwrap_or(1_000_000)));
        if let Some(timeout) = step.own_attempt {
            options = options.attempt_timeout(ns(timeout));
        }
        options
    }
}

type Outcome = Option<Result<u8, Error<&'static str>>>;

fn by_thread(world: &World, step: &Step) -> Outcome {
    let mut attempt = 0;
    let options = world.options(step);
    let call = || {
        world.pipeline.execute_with(options, || {
            attempt += 1;
            world.body(step, attempt - 1)
        })
    };
    catch_unwind(AssertUnwindSafe(call)).ok()
}

#[derive(Default)]
struct Flag(AtomicBool);
impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn by_task(world: &World, step: &Step) -> Outcome {
    let attempts = RefCell::new(0);
    let mut future = pin!(world.pipeline.execute_async_with(world.options(step), || {
        let attempts = &attempts;
        std::future::poll_fn(move |_| {
            let attempt = attempts.replace_with(|it| *it + 1);
            Poll::Ready(world.body(step, attempt))
        })
    }));
    let flag = Arc::new(Flag::default());
    let waker = Waker::from(Arc::clone(&flag));
    let mut poll = || future.as_mut().poll(&mut Context::from_waker(&waker));
    loop {
        flag.0.store(false, Ordering::SeqCst);
        match catch_unwind(AssertUnwindSafe(&mut poll)).ok()? {
            Poll::Ready(result) => return Some(result),
            Poll::Pending if flag.0.load(Ordering::SeqCst) => {}
            Poll::Pending => assert!(world.clock.advance_to_next(), "who waits has a timer"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn on_the_smallest_scale_sync_and_async_are_one(steps in steps()) {
        let (sync, other) = (World::new(), World::new());
        for step in steps {
            let (one, two) = (&sync.stack.bulkhead, &other.stack.bulkhead);
            let held = step.full.then(|| [one, two].map(|it| it.try_enter().ok()));
            prop_assert_eq!(by_thread(&sync, &step), by_task(&other, &step));
            drop(held);
            prop_assert_eq!(&*sync.times.lock().unwrap(), &*other.times.lock().unwrap());
            sync.clock.advance(ns(step.before));
            other.clock.advance(ns(step.before));
            prop_assert_eq!(sync.state(), other.state());
            sync.is_at_rest();
            other.is_at_rest();
            prop_assert_eq!(sync.stack.events(), other.stack.events());
        }
    }
}

#[derive(Clone, Debug)]
enum Act {
    Begin(Step, u32),
    Poll(usize),
    PollWoken,
    Drop(usize),
    Advance(u64),
    Change(Change),
    Interrupt,
    Thread(Step),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let step = || steps().prop_map(|mut steps| steps.pop().unwrap());
    let act = prop_oneof![
        4 => (step(), 0_u32..3).prop_map(|(step, turns)| Act::Begin(step, turns)),
        4 => any::<usize>().prop_map(Act::Poll),
        6 => Just(Act::PollWoken),
        1 => any::<usize>().prop_map(Act::Drop),
        3 => (0_u64..6).prop_map(Act::Advance),
        1 => change().prop_map(Act::Change),
        1 => Just(Act::Interrupt),
        1 => step().prop_map(Act::Thread),
    ];
    prop::collection::vec(act, 1..150)
}

type Task<'a> = (std::pin::Pin<Box<dyn Future<Output = Result<u8, Error<&'static str>>> + 'a>>, Arc<Flag>);

fn poll_one(tasks: &mut Vec<Task<'_>>, at: usize) {
    let (future, flag) = &mut tasks[at];
    flag.0.store(false, Ordering::SeqCst);
    let waker = Waker::from(Arc::clone(flag));
    let poll = || future.as_mut().poll(&mut Context::from_waker(&waker));
    match catch_unwind(AssertUnwindSafe(poll)) {
        Ok(Poll::Pending) => {}
        Ok(Poll::Ready(_)) | Err(_) => drop(tasks.swap_remove(at)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Many calls on their way at once, and at any point of each anything happens to the others.
    #[test]
    fn on_the_smallest_scale_nothing_is_left_behind(acts in acts()) {
        let world = World::new();
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for act in acts {
            match act {
                Act::Begin(step, turns) => {
                    let options = world.options(&step);
                    let world = &world;
                    let mut attempt = 0;
                    let call = world.pipeline.execute_async_with(options, move || {
                        attempt += 1;
                        let (mut left, attempt, step) = (turns, attempt - 1, step.clone());
                        std::future::poll_fn(move |cx| {
                            if left == 0 {
                                return Poll::Ready(world.body(&step, attempt));
                            }
                            left -= 1;
                            cx.waker().wake_by_ref();
                            Poll::Pending
                        })
                    });
                    tasks.push((Box::pin(call), Arc::new(Flag(true.into()))));
                }
                Act::Poll(at) if !tasks.is_empty() => {
                    let at = at % tasks.len();
                    poll_one(&mut tasks, at);
                }
                Act::PollWoken => {
                    if let Some(at) = tasks.iter().position(|(_, flag)| flag.0.load(Ordering::SeqCst)) {
                        poll_one(&mut tasks, at);
                    }
                }
                Act::Drop(at) if !tasks.is_empty() => drop(tasks.swap_remove(at % tasks.len())),
                Act::Advance(by) => world.clock.advance(ns(by)),
                Act::Change(change) => world.change(change),
                Act::Interrupt => {
                    world.interrupt.trigger();
                    world.interrupt.clear();
                }
                Act::Thread(step) => drop(by_thread(&world, &step)),
                Act::Poll(_) | Act::Drop(_) => {}
            }
            let (bulkhead, snapshot) = (&world.stack.bulkhead, world.stack.breaker.snapshot());
            prop_assert!(bulkhead.snapshot().in_use as usize <= tasks.len());
            let permitted = world.stack.breaker.config().permitted_in_half_open;
            prop_assert!(u64::from(snapshot.probes_running) + snapshot.probes.calls <= u64::from(permitted).max(3));
        }
        // Whoever is polled when woken, or when its timer is due, ends: nobody hangs.
        let mut turns = 0;
        while !tasks.is_empty() {
            turns += 1;
            prop_assert!(turns < 100_000);
            match tasks.iter().position(|(_, flag)| flag.0.load(Ordering::SeqCst)) {
                Some(at) => poll_one(&mut tasks, at),
                None => prop_assert!(world.clock.advance_to_next(), "{} hang", tasks.len()),
            }
        }
        world.is_at_rest();
    }
}
