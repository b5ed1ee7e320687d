use std::{
    sync::{Arc, Mutex},
    task::{Context, Waker},
    time::Duration,
};

use resilience_core::{CallOptions, Code, Events, Interrupt, ManualClock, Pipeline, Registry, event};
use resilience_ratelimiter::{Event, KeyedRateLimiter, PipelineExt, RateLimiter, RegistryExt, SnapshotExt};

use crate::{MS, SECOND};

#[test]
fn rejections_waits_and_what_is_given_back_are_published_and_admissions_are_not() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let _listening = registry.events().subscribe(move |event: &event::Event<'_>| {
        assert_eq!((event.policy, event.instance.as_str()), ("rate_limiter", "search"));
        list.lock().unwrap().push((Duration::from(event.at), *event.payload::<Event>().unwrap(), event.to_string()));
    });
    let pipeline = Pipeline::builder(&registry, "search")
        .rate_limiter(|limiter| limiter.permits(1).period(SECOND).max_wait(SECOND))
        .build()
        .unwrap();
    clock.advance(MS);
    pipeline.execute(|| Ok::<_, ()>(())).unwrap();
    let mut waiting = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
    assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let rejection = *pipeline.execute(|| Ok::<_, ()>(())).unwrap_err().rejection().unwrap();
    clock.advance(MS);
    drop(waiting);

    let start = clock.now().after(SECOND - MS);
    let heard = heard.lock().unwrap();
    let events: Vec<_> = heard.iter().map(|(at, event, _)| (*at, *event)).collect();
    assert_eq!(
        events,
        [
            (MS, Event::WaitStarted { permits: 1, start, wait: SECOND }),
            (MS, Event::Rejected(rejection)),
            (2 * MS, Event::GivenBack { permits: 1 }),
        ]
    );
    let texts: Vec<_> = heard.iter().map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "[1ms] rate_limiter `search`: waits 1s for 1 permit(s)",
            "[1ms] rate_limiter `search`: rejected: R4C-RT-001: rate limit exceeded (rate_limiter `search`, retry after 1s)",
            "[2ms] rate_limiter `search`: gave back 1 permit(s)",
        ]
    );
}

#[test]
fn an_interrupted_wait_is_told_as_what_it_gave_back_and_as_the_rejection_it_became() {
    let (clock, events, interrupt) = (ManualClock::new(), Events::new(), Interrupt::new());
    let mut receiver = events.subscribe_channel(10);
    let mut ends = || {
        let told = std::iter::from_fn(|| receiver.try_recv().ok()).map(|it| *it.payload::<Event>().unwrap());
        told.skip(1).collect::<Vec<_>>()
    };
    let options = || CallOptions::new().interrupt(&interrupt);
    interrupt.trigger();

    let builder = RateLimiter::builder().name("search").permits(1).max_wait(SECOND);
    let limiter = builder.clock(&clock).events(&events).build().unwrap();
    limiter.acquire().unwrap();
    let rejection = limiter.acquire_with(options()).unwrap_err();
    assert_eq!(rejection.code(), Code::Interrupted);
    let expected = [Event::GivenBack { permits: 1 }, Event::Rejected(rejection)];
    assert_eq!(ends(), expected);

    let builder = KeyedRateLimiter::<u64>::builder().name("search").permits(1).max_wait(SECOND);
    let keyed = builder.clock(&clock).events(&events).build().unwrap();
    keyed.acquire(&1).unwrap();
    assert_eq!(keyed.acquire_with(&1, options()), Err(rejection));
    assert_eq!(ends(), expected);
}

#[test]
fn the_registry_knows_its_limiters_and_pipelines_share_them_by_name() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let build = |id: &str, permits| {
        let set = |it: resilience_ratelimiter::Builder| it.name("geocoding").permits(permits).max_wait(500 * MS);
        Pipeline::builder(&registry, id).rate_limiter(set).build()
    };
    let geocode = build("geocode", 5).unwrap();
    let reverse = build("reverse", 5).unwrap();
    for _ in 0..2 {
        geocode.execute(|| Ok::<_, ()>(())).unwrap();
        reverse.execute(|| Ok::<_, ()>(())).unwrap();
    }
    let limiter = registry.rate_limiter("geocoding").unwrap();
    assert_eq!(limiter.available_permits(), 1);
    assert!(Arc::ptr_eq(&limiter, &geocode.stack().0) && Arc::ptr_eq(&limiter, &reverse.stack().0));
    assert_eq!(registry.snapshot().rate_limiters(), [&limiter.snapshot()]);

    let error = build("third", 3).unwrap_err();
    assert_eq!(error.code(), Code::SharedNameConflict);
    assert!(error.to_string().contains("permits is 5, asked for was 3"), "{error}");
    assert_eq!(registry.rate_limiter("geocode").unwrap_err().code(), Code::UnknownInstance);
    assert_eq!(limiter.available_permits(), 1, "the first is untouched");
}
