//! Any configuration and any operations: nothing panics, what is invalid is refused, a look tells the truth, and no
//! more calls start than a burst and the rate allow.

#![no_main]

mod budget;
mod op;

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use libfuzzer_sys::fuzz_target;
use resilience_core::{CallOptions, Code, Error, ManualClock, Rejection};
use resilience_ratelimiter::{Acquire, Config, RateLimiter, Reservation};

use budget::Budget;
use op::{Op, Values};

/// More would only make a run slow.
const MOST_WAITING: usize = 64;

fuzz_target!(|input: (Values, Vec<Op>)| {
    let (values, ops) = input;
    let clock = ManualClock::new();
    let Config { permits, period, max_wait, enabled } = values.config();
    let builder = RateLimiter::builder().permits(permits).period(period).max_wait(max_wait).enabled(enabled);
    match builder.clock(&clock).build() {
        Ok(limiter) => Run::new(&limiter, &clock).all(&ops),
        Err(error) => assert!(!values.are_valid(), "{error}"),
    }
});

/// One limiter and all who want something of it.
struct Run<'a> {
    limiter: &'a RateLimiter,
    clock: &'a ManualClock,
    futures: Vec<(u64, Pin<Box<Acquire<'a>>>)>,
    reservations: Vec<Reservation<'a>>,
    budget: Budget,
}

impl<'a> Run<'a> {
    fn new(limiter: &'a RateLimiter, clock: &'a ManualClock) -> Self {
        let budget = Budget::new(&limiter.config(), clock.now());
        Self { limiter, clock, futures: Vec::new(), reservations: Vec::new(), budget }
    }

    fn all(mut self, ops: &[Op]) {
        for op in ops {
            self.one(op);
            let snapshot = self.limiter.snapshot();
            assert!(snapshot.available_permits <= snapshot.permits);
            assert!(snapshot.available_permits == 0 || snapshot.waiting == 0, "{snapshot:?}");
            assert_eq!(self.limiter.available_permits(), snapshot.available_permits);
        }
        let Self { limiter, futures, reservations, .. } = self;
        drop((futures, reservations));
        assert_eq!(self.clock.pending_tasks(), 0);
        let snapshot = limiter.snapshot();
        assert!(snapshot.available_permits <= snapshot.permits);
    }

    fn one(&mut self, op: &Op) {
        match *op {
            Op::Advance(by) => self.advance(by.get()),
            Op::Try(n) => self.try_acquire(n.get()),
            Op::Acquire(n) if self.futures.len() < MOST_WAITING => self.acquire(n.get()),
            Op::Reserve(n) if self.reservations.len() < MOST_WAITING => self.reserve(n.get()),
            Op::Acquire(_) | Op::Reserve(_) => {}
            Op::Execute(n) => self.execute(n.get()),
            Op::DropFuture(at) => {
                if let Some((n, _)) = take(&mut self.futures, at) {
                    self.budget.break_promise(n);
                }
            }
            Op::Cancel(at) => {
                if let Some(reservation) = take(&mut self.reservations, at) {
                    let n = reservation.permits();
                    assert!(reservation.cancel(), "those that are due have been taken out");
                    self.budget.break_promise(n);
                }
            }
            Op::Refund(n) => {
                self.limiter.refund(n.get());
                self.budget.refund(n.get());
            }
            Op::Reconfigure(values) => self.reconfigure(values),
        }
    }

    /// A look tells what an attempt gives; a refusal changes nothing and names the least time after which there is none.
    fn try_acquire(&mut self, n: u64) {
        let (before, would) = (self.limiter.snapshot(), self.limiter.would_admit(n));
        let result = self.limiter.try_acquire_n(n);
        assert_eq!(result.is_ok(), would);
        if result.is_err() {
            assert_eq!(self.limiter.snapshot(), before);
        }
        self.told(n, result);
        let Some(after) = result.err().and_then(|rejection| rejection.retry_after()) else { return };
        assert!(!after.is_zero());
        self.advance(after - Duration::from_nanos(1));
        assert!(!self.limiter.would_admit(n), "{after:?} is not the least");
        self.advance(Duration::from_nanos(1));
        assert!(self.limiter.would_admit(n), "{after:?} is too short");
    }

    fn acquire(&mut self, n: u64) {
        let mut future = Box::pin(self.limiter.acquire_async_n(n));
        match poll(&mut future) {
            Poll::Ready(result) => self.told(n, result),
            Poll::Pending => {
                self.budget.promise(n);
                self.futures.push((n, future));
            }
        }
    }

    fn reserve(&mut self, n: u64) {
        match self.limiter.reserve(n) {
            Ok(reservation) => {
                self.budget.promise(reservation.permits());
                self.reservations.push(reservation);
                self.start_due();
            }
            Err(rejection) => self.told(n, Err(rejection)),
        }
    }

    /// A sync wait moves the clock.
    fn execute(&mut self, n: u64) {
        let (before, max_wait) = (self.clock.now(), self.limiter.config().max_wait);
        let result = self.limiter.execute_with(CallOptions::new().permits(n), || Ok::<_, ()>(()));
        let waited = self.clock.now().since(before);
        assert!(waited <= max_wait);
        self.budget.pass(self.clock.now());
        self.told(
            n,
            result.map_err(|error| match error {
                Error::Rejected(rejection) => rejection,
                Error::Failed(()) => unreachable!("it cannot fail"),
            }),
        );
        self.start_due();
    }

    /// What became of a call that did not wait, or no more.
    fn told(&mut self, n: u64, result: Result<(), Rejection>) {
        let config = self.limiter.config();
        match result {
            Ok(()) if config.enabled => self.budget.start(n),
            Ok(()) => {}
            Err(rejection) => {
                assert!(config.enabled && n > 0);
                let never = n > config.permits.into();
                assert_eq!(rejection.code(), if never { Code::TooManyPermits } else { Code::RateLimitExceeded });
            }
        }
    }

    fn reconfigure(&mut self, values: Values) {
        let (before, config) = (self.limiter.snapshot(), values.config());
        if self.limiter.reconfigure(config).is_ok() {
            assert!(values.are_valid());
            assert_eq!(self.limiter.config(), config);
            self.budget.reconfigure(&config);
        } else {
            assert!(!values.are_valid());
            assert_eq!(self.limiter.snapshot(), before);
        }
    }

    fn advance(&mut self, by: Duration) {
        self.clock.advance(by);
        self.budget.pass(self.clock.now());
        self.start_due();
    }

    /// Whoever is due starts.
    fn start_due(&mut self) {
        let budget = &mut self.budget;
        self.futures.retain_mut(|(n, future)| match poll(future) {
            Poll::Pending => true,
            Poll::Ready(result) => {
                assert!(result.is_ok(), "who waits is let in");
                budget.keep_promise(*n);
                false
            }
        });
        self.reservations.retain(|reservation| {
            let early = !reservation.wait().is_zero();
            if !early {
                budget.keep_promise(reservation.permits());
            }
            early
        });
    }
}

fn poll(future: &mut Pin<Box<Acquire<'_>>>) -> Poll<Result<(), Rejection>> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

fn take<T>(list: &mut Vec<T>, at: u8) -> Option<T> {
    (!list.is_empty()).then(|| list.swap_remove(usize::from(at) % list.len()))
}
