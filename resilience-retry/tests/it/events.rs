//! What is told: why a call was tried again, why it was not, and what the snapshot shows.

use resilience_core::{Code, Error, Events, Kind, ManualClock, Pipeline, Registry};
use resilience_retry::{Config, Event, Jitter, PipelineExt, Reason, RegistryExt, SnapshotExt};

use crate::{Heard, MS, SECOND, builder};

/// Law 4.
#[test]
fn each_end_says_why() {
    let clock = ManualClock::new();
    let events = Events::new();
    let heard = Heard::on(&events);
    let mut answers = [Err("down"), Ok(7)].into_iter();
    let retry = builder(&clock).events(&events).build().unwrap();
    assert_eq!(retry.execute(|| answers.next().unwrap()), Ok(7));
    assert_eq!(retry.execute(|| Ok::<_, ()>(7)), Ok(7));
    let retried = Event::Retried { attempt: 2, delay: 100 * MS, kind: Kind::FAILED };
    assert_eq!(
        heard.take(),
        [retried, Event::SucceededAfterRetries { attempts: 2 }],
        "and nothing for the second call"
    );

    let ends = [
        (builder(&clock).max_attempts(2), 2, Reason::Attempts),
        (builder(&clock).max_duration(100 * MS), 2, Reason::MaxDuration),
        (builder(&clock).budget_percent(0.1), 2, Reason::Budget),
        (builder(&clock).abort_on(Kind::FAILED), 1, Reason::NotRetryable),
    ];
    for (builder, attempts, reason) in ends {
        // Of the budget there is one retry: the minimum of 1 s.
        let retry = builder.budget_window(SECOND).events(&events).build().unwrap();
        assert_eq!(retry.execute(|| Err::<(), _>("down")), Err(Error::Failed("down")));
        let told = heard.take();
        assert_eq!(told.last(), Some(&Event::Exhausted { attempts, reason }));
        assert_eq!(told.len() as u32, attempts);
        let snapshot = retry.snapshot();
        assert_eq!((snapshot.retries, snapshot.exhausted, snapshot.recovered), (u64::from(attempts) - 1, 1, 0));
    }
    assert_eq!(retry.snapshot().recovered, 1);
}

#[test]
fn events_have_names_and_read_well() {
    let from = Config::default();
    let to = Config { max_attempts: 5, jitter: Jitter::None, ..from };
    let events = [
        (Event::Retried { attempt: 2, delay: MS, kind: Kind::TIMED_OUT }, "timed_out: attempt 2 in 1ms"),
        (Event::Exhausted { attempts: 3, reason: Reason::Attempts }, "gave up after 3 attempt(s): no attempts left"),
        (Event::SucceededAfterRetries { attempts: 2 }, "succeeded after 2 attempts"),
        (Event::Reconfigured { from, to }, "reconfigured: max_attempts 3 -> 5 jitter full -> none"),
    ];
    for (event, text) in events {
        assert_eq!(event.to_string(), text);
    }
    let names = events.map(|(event, _)| resilience_core::event::Payload::name(&event));
    assert_eq!(names, ["retried", "exhausted", "succeeded_after_retries", "reconfigured"]);
}

#[test]
fn the_registry_knows_its_retries_and_pipelines_share_them_by_name() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let build = |id: &str, attempts| {
        Pipeline::builder(&registry, id).retry(|it| it.name("geo").max_attempts(attempts).delay(MS)).build()
    };
    let (geocode, reverse) = (build("geocode", 2).unwrap(), build("reverse", 2).unwrap());
    for pipeline in [&geocode, &reverse] {
        assert!(pipeline.execute(|| Err::<(), _>("down")).is_err());
    }
    let retry = registry.retry("geo").unwrap();
    assert_eq!((retry.snapshot().retries, retry.snapshot().exhausted), (2, 2));
    assert_eq!(registry.snapshot().retries(), [&retry.snapshot()]);
    let error = build("third", 3).unwrap_err();
    assert_eq!(error.code(), Code::SharedNameConflict);
    assert!(error.to_string().contains("max_attempts is 2, asked for was 3"), "{error}");
    assert_eq!(registry.retry("geocode").unwrap_err().code(), Code::UnknownInstance);
}
