//! Live instances change in place, under load and whatever listens.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use resilience::{config::Sources, prelude::*, ratelimiter};

use crate::{configured, limiter, permits, registry, toml};

#[test]
fn a_reload_reads_the_files_anew_and_removed_keys_fall_back() {
    let path = std::env::temp_dir().join(format!("resilience-live-{}.toml", std::process::id()));
    fs::write(&path, "[instances.a.rate_limiter]\npermits = 5\n").unwrap();
    let registry = configured(Sources::new().file(&path));
    limiter(&registry, "a", |it| it);
    let handle = registry.rate_limiter("a").unwrap();
    fs::write(&path, "[instances.a.rate_limiter]\npermits = 6\n").unwrap();
    assert_eq!(registry.reload().unwrap().changes.len(), 1);
    assert_eq!(handle.config().permits, 6, "the same object");
    fs::write(&path, "[defaults.rate_limiter]\npermits = 9\n").unwrap();
    registry.reload().unwrap();
    assert_eq!(handle.config().permits, 9);
    fs::remove_file(&path).unwrap();
    assert!(registry.reload().is_err());
    assert_eq!(handle.config().permits, 9);
}

#[test]
fn a_dry_run_tells_what_would_change_and_changes_nothing() {
    let registry = registry();
    limiter(&registry, "a", |it| it);
    let would = registry.check(&toml("[instances.a.rate_limiter]\npermits = 6\n")).unwrap();
    assert_eq!((would.changes.len(), would.changes[0].to.as_str()), (1, "6"));
    assert!(registry.check(&toml("[instances.a.rate_limiter]\npermits = 0\n")).is_err());
    assert_eq!((permits(&registry, "a"), registry.reloads().applied), (50, 0));
}

#[test]
fn every_policy_changes_in_place() {
    let registry = registry();
    let builder = Pipeline::builder(&registry, "a").retry(|it| it).circuit_breaker(|it| it).rate_limiter(|it| it);
    builder.timeout(|it| it).bulkhead(|it| it).build().unwrap();
    let text = "[instances.a.retry]\nmax_attempts = 7\n[instances.a.circuit_breaker]\nwindow_size = 7\nminimum_calls = 7\n\
                [instances.a.rate_limiter]\npermits = 7\n[instances.a.timeout]\ntimeout = '7s'\n\
                [instances.a.bulkhead]\nmax_concurrent = 7\n";
    assert_eq!(registry.configure(toml(text)).unwrap().changes.len(), 6);
    assert_eq!(registry.retry("a").unwrap().config().max_attempts, 7);
    assert_eq!(registry.circuit_breaker("a").unwrap().config().window_size, 7);
    assert_eq!(registry.rate_limiter("a").unwrap().config().permits, 7);
    assert_eq!(registry.timeout("a").unwrap().config().timeout, Duration::from_secs(7));
    assert_eq!(registry.bulkhead("a").unwrap().config().max_concurrent, 7);
}

#[test]
fn a_listener_may_call_the_registry_in_the_middle_of_a_reload() {
    let registry = registry();
    limiter(&registry, "a", |it| it);
    let (inside, seen) = (registry.clone(), Arc::new(Mutex::new(Vec::new())));
    let list = Arc::clone(&seen);
    let _listening = registry.events().subscribe(move |event| {
        list.lock().unwrap().push((event.policy, inside.snapshot().instances().count()));
        if let Some(ratelimiter::Event::Reconfigured { .. }) = event.payload() {
            limiter(&inside, "created-inside", |it| it);
            assert!(inside.reload().unwrap().deferred);
        }
    });
    registry.configure(toml("[defaults.rate_limiter]\npermits = 6\n")).unwrap();
    assert_eq!((permits(&registry, "a"), permits(&registry, "created-inside")), (6, 6));
    let seen: Vec<_> = seen.lock().unwrap().iter().map(|(policy, _)| *policy).collect();
    assert_eq!(seen, ["rate_limiter", "config", "config"], "the one asked for inside comes after");
}

/// The permits of every configuration, and no more: counted against the rate, which stays the same.
#[test]
fn a_thousand_reloads_under_load_lose_no_permit() {
    let registry = Registry::new();
    let text = |wait: u32| {
        toml(&format!("[instances.a.rate_limiter]\npermits = 1000\nperiod = '1s'\nmax_wait = '{wait}ms'\n"))
    };
    registry.configure(text(0)).unwrap();
    limiter(&registry, "a", |it| it);
    let handle = registry.rate_limiter("a").unwrap();
    let (done, admitted) = (AtomicBool::new(false), AtomicU64::new(0));
    let begun = registry.clock().now();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    admitted.fetch_add(u64::from(handle.try_acquire().is_ok()), Ordering::Relaxed);
                }
            });
        }
        for n in 0..1_000 {
            registry.configure(text(n % 2)).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let elapsed = registry.clock().now().since(begun);
    let most = 1_000 + elapsed.as_millis() as u64 + 1; // one each millisecond
    let admitted = admitted.into_inner();
    assert!((1_000..=most).contains(&admitted), "{admitted} of at most {most}");
}
