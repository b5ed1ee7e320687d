use std::{
    future::pending,
    pin::pin,
    sync::{Arc, Mutex},
};

use resilience_core::{CallOptions, Code, ManualClock, Pipeline, event};
use resilience_timeout::{Builder, Config, Event, PipelineExt, RegistryExt, SnapshotExt};

use crate::{MS, SECOND, listen, noop, on};

#[test]
fn one_event_per_timeout_and_none_for_calls_in_time() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let texts = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&texts);
    let _texts = registry.events().subscribe(move |event: &event::Event<'_>| {
        assert_eq!((event.policy, event.instance.as_str()), ("timeout", "search"));
        list.lock().unwrap().push(format!("{} = {event}", event.payload.name()));
    });
    let (heard, _listening) = listen(registry.events());
    let pipeline = Pipeline::builder(&registry, "search").timeout(|it| it.timeout(100 * MS)).build().unwrap();
    pipeline.execute(|| Ok::<_, ()>(())).unwrap();
    pipeline.execute(|| Err::<(), _>(())).unwrap_err();
    let late = pipeline.execute_with(CallOptions::new().attempt_timeout(30 * MS), || {
        clock.advance(40 * MS);
        Ok::<_, ()>(())
    });
    assert!(late.is_err());
    let mut hangs = pin!(pipeline.execute_async(pending::<Result<(), ()>>));
    assert!(hangs.as_mut().poll(&mut noop()).is_pending());
    clock.advance(105 * MS);
    assert!(hangs.as_mut().poll(&mut noop()).is_ready());
    drop(pipeline.execute_async(pending::<Result<(), ()>>));

    let late = Event::TimedOut { limit: 30 * MS, late: true, elapsed: 40 * MS };
    let cut_off = Event::TimedOut { limit: 100 * MS, late: false, elapsed: 105 * MS };
    assert_eq!(*heard.lock().unwrap(), [late, cut_off]);
    let expected = [
        "timed_out = [40ms] timeout `search`: late after 40ms, limit 30ms",
        "timed_out = [145ms] timeout `search`: cut off after 105ms, limit 100ms",
    ];
    assert_eq!(*texts.lock().unwrap(), expected);
    let snapshot = registry.timeout("search").unwrap().snapshot();
    assert_eq!((snapshot.timed_out, snapshot.late), (2, 1));
}

#[test]
fn a_listener_may_come_back_to_the_timeout() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let pipeline = Arc::new(Pipeline::builder(&registry, "p").timeout(|it| it.timeout(MS)).build().unwrap());
    let (timeout, again) = (registry.timeout("p").unwrap(), Arc::clone(&pipeline));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&seen);
    let _listening = registry.events().subscribe(move |event: &event::Event<'_>| {
        if let Some(Event::TimedOut { .. }) = event.payload() {
            again.execute(|| Ok::<_, ()>(())).unwrap();
            timeout.reconfigure(Config { timeout: SECOND, ..timeout.config() }).unwrap();
            list.lock().unwrap().push(timeout.snapshot().timed_out);
        }
    });
    let late = pipeline.execute(|| {
        clock.advance(2 * MS);
        Ok::<_, ()>(())
    });
    assert!(late.is_err());
    assert_eq!(*seen.lock().unwrap(), [1], "the state changed first");
}

#[test]
fn the_registry_knows_its_timeouts_and_pipelines_share_them_by_name() {
    let registry = on(&ManualClock::new());
    let build = |id: &str, limit| {
        Pipeline::builder(&registry, id).timeout(|it: Builder| it.name("geocoding").timeout(limit)).build()
    };
    let (geocode, reverse) = (build("geocode", SECOND).unwrap(), build("reverse", SECOND).unwrap());
    let timeout = registry.timeout("geocoding").unwrap();
    assert!(Arc::ptr_eq(&timeout, &geocode.stack().0) && Arc::ptr_eq(&timeout, &reverse.stack().0));
    assert_eq!(registry.snapshot().timeouts(), [&timeout.snapshot()]);

    let error = build("third", 2 * SECOND).unwrap_err();
    assert_eq!(error.code(), Code::SharedNameConflict);
    assert!(error.to_string().contains("timeout is 1s, asked for was 2s"), "{error}");
    assert_eq!(registry.timeout("geocode").unwrap_err().code(), Code::UnknownInstance);
}
