//! Policies of traits and methods, and what they do.

use std::time::Duration;

use resilience::{
    config::{Format, Sources},
    prelude::*,
    remaining,
};

use crate::{Failure, registry, still};

#[resilient]
#[circuit_breaker(window_size = 2, minimum_calls = 2)]
#[timeout("1s")]
trait Whole {
    async fn one(&self, good: bool) -> Result<(), Failure>;

    #[circuit_breaker(name = "own", window_size = 4, minimum_calls = 4, window_type = "count", on_dropped = "failure")]
    async fn own(&self) -> Result<(), Failure>;

    fn name(&self) -> String;
}

struct Upstream;

impl Whole for Upstream {
    async fn one(&self, good: bool) -> Result<(), Failure> {
        if good { Ok(()) } else { Err(Failure::Down) }
    }

    async fn own(&self) -> Result<(), Failure> {
        Err(Failure::Down)
    }

    fn name(&self) -> String {
        "upstream".to_owned()
    }
}

#[test]
fn policies_of_the_trait_apply_where_a_method_can_fail_and_has_none_of_its_own() {
    let registry = still();
    let whole = WholeResilient::new(Upstream, &registry).unwrap();
    for _ in 0..2 {
        assert_eq!(crate::now(whole.one(false)), Err(Failure::Down));
        assert_eq!(crate::now(whole.own()), Err(Failure::Down));
    }
    assert!(matches!(crate::now(whole.one(true)), Err(Failure::Rejected(_))), "its breaker is open");
    assert_eq!(crate::now(whole.own()), Err(Failure::Down), "this one is not yet");
    assert_eq!(whole.name(), "upstream");
    assert_eq!(registry.snapshot().circuit_breakers().len(), 2);
    assert_eq!(registry.snapshot().timeouts().len(), 2, "each method has its own");
}

/// B37: a method that blocks its thread.
#[resilient]
trait Blocking {
    #[timeout("100ms", on_blocking = "late")]
    fn work(&self) -> Result<Duration, Failure>;
}

struct Slow(ManualClock);

impl Blocking for Slow {
    fn work(&self) -> Result<Duration, Failure> {
        let left = remaining().expect("a timeout is set");
        assert_eq!(left, Duration::from_millis(100));
        self.0.advance(Duration::from_millis(300));
        Ok(left)
    }
}

#[test]
fn a_call_that_blocks_too_long_is_told_as_late() {
    let clock = ManualClock::new();
    let slow = BlockingResilient::new(Slow(clock.clone()), &registry(&clock)).unwrap();
    let Err(Failure::Rejected(rejection)) = slow.work() else { panic!("it came in time") };
    assert_eq!(rejection.code(), Code::TimedOut);
    assert!(rejection.is_late());
}

const BUSY: Kind = Kind::TIMED_OUT;

#[resilient]
trait Keys {
    #[rate_limiter(config = "slow", locked = true, permits = 3, enabled = true)]
    #[retry(backoff = "linear", jitter = "equal", retry_on = ["failed", BUSY], multiplier = 1.5, budget_percent = 20)]
    fn all(&self) -> Result<u8, Failure>;
}

impl Keys for Upstream {
    fn all(&self) -> Result<u8, Failure> {
        Ok(1)
    }
}

#[test]
fn files_have_the_last_word_unless_the_attribute_is_locked() {
    let registry = still();
    let text =
        "[configs.slow]\nrate_limiter.max_wait = '7s'\n[defaults]\nrate_limiter.permits = 9\nretry.multiplier = 3\n";
    registry.configure(Sources::new().text("app.toml", Format::Toml, text)).unwrap();
    let keys = KeysResilient::new(Upstream, &registry).unwrap();
    assert_eq!(keys.all(), Ok(1));
    let id = concat!(module_path!(), "::Keys#all()");
    let config = registry.rate_limiter(id).unwrap().config();
    assert_eq!((config.permits, config.max_wait), (3, Duration::from_secs(7)));
    let config = registry.retry(id).unwrap().config();
    assert_eq!((config.backoff.name(), config.jitter.name(), config.multiplier), ("linear", "equal", 1.5));
}

#[resilient]
trait Told {
    #[bulkhead(max_concurrent = 1)]
    #[fallback(method = "instead")]
    fn call(&self) -> Result<u8, Failure>;

    fn instead(&self) -> Result<u8, Failure>;
}

impl Told for Upstream {
    fn call(&self) -> Result<u8, Failure> {
        Err(Failure::Down)
    }

    fn instead(&self) -> Result<u8, Failure> {
        Ok(2)
    }
}

#[test]
fn a_fallback_is_an_event() {
    let registry = still();
    let (send, events) = std::sync::mpsc::channel();
    let _told =
        registry.events().subscribe(move |event: &resilience::event::Event<'_>| _ = send.send(event.to_string()));
    let told = ToldResilient::new(Upstream, &registry).unwrap();
    assert_eq!(told.call(), Ok(2));
    let events: Vec<_> = events.try_iter().filter(|event| event.contains("fallback")).collect();
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].contains("Told#call()"), "{events:?}");
}
