use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    time::Duration,
};

use resilience_core::{Class, Error, FallbackApplied, Kind, Pipeline, Registry, Rejection, event::Event};

use crate::policies::{Again, Gate};

type Down = Error<&'static str>;

#[test]
fn a_fallback_runs_once_after_everything_else_failed_and_receives_the_last_error() {
    let registry = Registry::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&seen);
    let _listening = registry.events().subscribe(move |event: &Event<'_>| {
        let kind = event.payload::<FallbackApplied>().expect("the only event").kind;
        list.lock().unwrap().push((event.policy, event.instance.as_str(), kind, event.to_string()));
    });
    let pipeline = Pipeline::builder(&registry, "p")
        .policy(Again { attempts: 3, delay: Duration::ZERO })
        .fallback(|error: &Error<u32>| {
            assert_eq!(*error, Error::Failed(3));
            Ok("cached")
        })
        .build()
        .unwrap();
    let mut attempts = 0;
    let result = pipeline.execute(|| {
        attempts += 1;
        Err(attempts)
    });
    assert_eq!(result, Ok("cached"));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].0, seen[0].1, seen[0].2), ("fallback", "p", Kind::FAILED));
    assert!(seen[0].3.ends_with("fallback `p`: applied in place of failed"), "{}", seen[0].3);
}

#[test]
fn an_error_or_panic_of_a_fallback_comes_out_unchanged() {
    let builder = || Pipeline::builder(&Registry::new(), "p");
    let failing = builder().fallback(|_: &Down| Err::<(), _>("second")).build().unwrap();
    assert_eq!(failing.execute(|| Err("first")), Err(Error::Failed("second")));

    let gate = Arc::new(Gate::new(Duration::ZERO));
    let panicking = builder().policy(Arc::clone(&gate)).fallback(|_: &Down| -> Result<(), _> { panic!("third") });
    let panicking = panicking.build().unwrap();
    let run = catch_unwind(AssertUnwindSafe(|| panicking.execute(|| Err("first"))));
    assert_eq!(run.unwrap_err().downcast_ref(), Some(&"third"));
    assert!(gate.is_free());
}

#[test]
fn a_fallback_takes_only_its_kinds_and_publishes_nothing_for_others() {
    let registry = Registry::new();
    let events = Arc::new(Mutex::new(0));
    let count = Arc::clone(&events);
    let _listening = registry.events().subscribe(move |_: &Event<'_>| *count.lock().unwrap() += 1);
    let gate = Arc::new(Gate::new(Duration::ZERO));
    let pipeline = Pipeline::builder(&registry, "p")
        .policy(Arc::clone(&gate))
        .fallback_on(Kind::BULKHEAD_FULL, |error: &Down| {
            assert_eq!(error.rejection().map(Rejection::kind), Some(Kind::BULKHEAD_FULL));
            Ok("cached")
        })
        .build()
        .unwrap();
    assert_eq!(pipeline.execute(|| Err("first")), Err(Error::Failed("first")));
    assert_eq!(*events.lock().unwrap(), 0);
    let nested = pipeline.execute(|| pipeline.execute(|| Ok("inner")).map_err(|_| "inner failed"));
    assert_eq!(nested, Ok("cached"));
    assert_eq!(*events.lock().unwrap(), 1);
}

#[test]
fn a_value_is_given_in_place_of_every_error_and_async_too() {
    let pipeline = Pipeline::builder(&Registry::new(), "p").fallback_value("cached").build().unwrap();
    assert_eq!(pipeline.execute(|| Err("first")), Ok("cached"));
    assert_eq!(pipeline.execute(|| Ok::<_, ()>("fresh")), Ok("fresh"));
    let future = pipeline.execute_async(|| async { Err(1) });
    assert_eq!(futures_lite::future::block_on(future), Ok("cached"));
}

#[test]
fn an_error_that_the_classifier_does_not_call_a_failure_passes() {
    let pipeline = Pipeline::builder(&Registry::new(), "p")
        .fallback_value("cached")
        .classifier(|result: &Result<&str, &str>| match result {
            Ok(_) | Err("not found") => Class::Success,
            Err("cancelled") => Class::Ignored,
            Err(_) => Class::failure(Kind::FAILED),
        })
        .build()
        .unwrap();
    assert_eq!(pipeline.execute(|| Err("not found")), Err(Error::Failed("not found")));
    assert_eq!(pipeline.execute(|| Err("cancelled")), Err(Error::Failed("cancelled")));
    assert_eq!(pipeline.execute(|| Err("down")), Ok("cached"));
}
