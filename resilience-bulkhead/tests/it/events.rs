use std::{
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use resilience_bulkhead::{Bulkhead, Config, Event, PipelineExt, RegistryExt, SnapshotExt};
use resilience_core::{CallOptions, Code, Events, Interrupt, ManualClock, Pipeline, Registry, event};

use crate::{MS, SECOND, passing, poll, staying};

#[test]
fn rejections_waits_and_changes_are_published_and_calls_that_get_in_are_not() {
    let clock = ManualClock::new();
    let (events, heard) = (Events::new(), Arc::new(Mutex::new(Vec::new())));
    let list = Arc::clone(&heard);
    let _listening = events.subscribe(move |event: &event::Event<'_>| {
        assert_eq!((event.policy, event.instance.as_str()), ("bulkhead", "db"));
        list.lock().unwrap().push((Duration::from(event.at), *event.payload::<Event>().unwrap(), event.to_string()));
    });
    let builder = Bulkhead::builder().name("db").max_concurrent(1).max_wait(SECOND).max_queue(2);
    let db = builder.clock(&clock).events(&events).build().unwrap();
    clock.advance(MS);
    db.execute(|| Ok::<_, ()>(())).unwrap();
    let inside = staying(&db);
    let (mut first, second) = (passing(&db), passing(&db));
    let rejection = *db.execute(|| Ok::<_, ()>(())).unwrap_err().rejection().unwrap();
    clock.advance(MS);
    drop(second);
    drop(inside);
    assert_eq!(poll(&mut first), Poll::Ready(Ok(())));
    let from = db.config();
    let to = Config { max_concurrent: 2, max_queue: None, ..from };
    db.reconfigure(to).unwrap();
    db.reconfigure(to).unwrap();

    let until = clock.now().after(SECOND - MS);
    let heard = heard.lock().unwrap();
    let events: Vec<_> = heard.iter().map(|(at, event, _)| (*at, *event)).collect();
    assert_eq!(
        events,
        [
            (MS, Event::WaitStarted { queued: 1, until }),
            (MS, Event::WaitStarted { queued: 2, until }),
            (MS, Event::Rejected(rejection)),
            (2 * MS, Event::Left { waited: MS }),
            (2 * MS, Event::WaitEnded { waited: MS }),
            (2 * MS, Event::Reconfigured { from, to }),
        ]
    );
    let texts: Vec<_> = heard.iter().map(|(_, _, text)| text.split_once("`: ").unwrap().1).collect();
    assert_eq!(
        texts,
        [
            "waits until 1.001s at the latest, 1 in line",
            "waits until 1.001s at the latest, 2 in line",
            "rejected: R4C-RT-004: bulkhead full (bulkhead `db`)",
            "left the line after 1ms",
            "got its slot after 1ms",
            "reconfigured: max_concurrent 1 -> 2 max_queue 2 -> none",
        ]
    );
}

#[test]
fn who_listens_may_use_the_bulkhead_it_hears_of() {
    let clock = ManualClock::new();
    let events = Events::new();
    let builder = Bulkhead::builder().max_concurrent(1).max_wait(SECOND).clock(&clock).events(&events);
    let db = Arc::new(builder.build().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (handle, list) = (Arc::clone(&db), Arc::clone(&seen));
    let _listening = events.subscribe(move |event: &event::Event<'_>| {
        list.lock().unwrap().push((event.payload.name(), handle.snapshot().queued));
        if event.payload.name() != "rejected" {
            drop(handle.try_enter()); // its rejection is heard inside this event
        }
    });
    let inside = db.try_enter().unwrap();
    let waiting = passing(&db);
    drop(waiting);
    drop(inside);
    assert_eq!(*seen.lock().unwrap(), [("wait_started", 1), ("rejected", 1), ("left", 0), ("rejected", 0)]);
    assert_eq!((events.listener_panics(), db.available()), (0, 1));
}

#[test]
fn an_interrupted_wait_is_told_as_a_call_that_left_and_as_the_rejection_it_became() {
    let (events, interrupt) = (Events::new(), Interrupt::new());
    let builder = Bulkhead::builder().name("db").max_concurrent(1).max_wait(SECOND).events(&events);
    let db = builder.clock(ManualClock::new()).build().unwrap();
    let mut receiver = events.subscribe_channel(10);
    let inside = db.try_enter().unwrap();
    interrupt.trigger();
    let rejected = db.execute_with(CallOptions::new().interrupt(&interrupt), || Ok::<_, ()>(())).unwrap_err();
    let told: Vec<_> = std::iter::from_fn(|| receiver.try_recv().ok()).collect();
    assert_eq!(told.iter().map(|it| it.payload.name()).collect::<Vec<_>>(), ["wait_started", "left", "rejected"]);
    assert_eq!(told[2].payload::<Event>(), rejected.rejection().map(|it| Event::Rejected(*it)).as_ref());
    drop(inside);
}

#[test]
fn the_registry_knows_its_bulkheads_and_pipelines_share_them_by_name() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let build = |id: &str, max_concurrent| {
        let set = |it: resilience_bulkhead::Builder| it.name("db").max_concurrent(max_concurrent).max_wait(MS);
        Pipeline::builder(&registry, id).bulkhead(set).build()
    };
    let (read, write) = (build("read", 2).unwrap(), build("write", 2).unwrap());
    let db = registry.bulkhead("db").unwrap();
    let left = read.execute(|| write.execute(|| Ok::<_, ()>(db.available())));
    assert_eq!(left, Ok(0));
    assert!(Arc::ptr_eq(&db, &read.stack().0) && Arc::ptr_eq(&db, &write.stack().0));
    assert_eq!(registry.snapshot().bulkheads(), [&db.snapshot()]);

    let error = build("third", 3).unwrap_err();
    assert_eq!(error.code(), Code::SharedNameConflict);
    assert!(error.to_string().contains("max_concurrent is 2, asked for was 3"), "{error}");
    assert_eq!(registry.bulkhead("read").unwrap_err().code(), Code::UnknownInstance);
    assert_eq!(db.available(), 2, "the first is untouched");
}
