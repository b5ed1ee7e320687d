//! How long calls waited, and how much room that takes.

use std::time::Duration;

use resilience::{Metrics, prelude::*};

use crate::{Scraper, recorder};

const MS: Duration = Duration::from_millis(1);

#[test]
fn waits_for_permits_are_shown_with_their_sum() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let scraper = Scraper::new(&registry);
    let set = |it: resilience::ratelimiter::Builder| it.permits(10).max_wait(Duration::from_secs(60));
    let pipeline = Pipeline::builder(&registry, "a").rate_limiter(set).build().unwrap();
    for _ in 0..10 {
        pipeline.execute(|| Ok::<_, ()>(())).unwrap();
    }
    let waits = [("kind", "rate_limiter"), ("instance", "a")];
    assert_eq!(scraper.scrape().get("resilience_wait_seconds_count", &waits), Some(0.0), "nobody waited");
    for _ in 0..5 {
        pipeline.execute(|| Ok::<_, ()>(())).unwrap(); // 100 ms each
    }
    registry.rate_limiter("a").unwrap().acquire_n(9).unwrap(); // 900 ms
    let text = scraper.scrape();
    assert_eq!(text.get("resilience_wait_seconds_count", &waits), Some(6.0));
    let sum = text.get("resilience_wait_seconds_sum", &waits).unwrap();
    assert!((sum - 1.4).abs() < 1e-9, "{sum}");
    let below = text.get("resilience_wait_seconds_bucket", &[waits[0], waits[1], ("le", "1")]);
    assert_eq!(below, Some(6.0));
}

/// A simulated day in which somebody waits every second and nobody scrapes.
#[test]
fn a_day_without_a_scrape_takes_no_more_room_than_a_minute() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let metrics = Metrics::new(&registry);
    let pipeline = Pipeline::builder(&registry, "a")
        .retry(|it| it.delay(MS))
        .circuit_breaker(|it| it)
        .rate_limiter(|it| it.permits(1).period(1000 * MS).max_wait(1000 * MS))
        .timeout(|it| it.timeout(MS))
        .bulkhead(|it| it)
        .build()
        .unwrap();
    let mut n = 0_u64;
    let mut live = |duration: Duration| {
        let until = clock.now().after(duration);
        while clock.now() < until {
            n += 1;
            _ = pipeline.execute(|| {
                clock.advance(MS * u32::from(n % 7 == 0) * 2); // too late
                if n % 11 == 0 { Err(()) } else { Ok(()) }
            });
        }
    };
    live(Duration::from_secs(60));
    let grown = allocation_counter::measure(|| live(Duration::from_secs(24 * 60 * 60)));
    assert_eq!((grown.count_current, grown.bytes_current), (0, 0));
    assert!(n > 50_000, "{n} calls");

    // Whoever looks at last sees every call of that day.
    let scraper = Scraper { recorder: Box::new(recorder()), metrics };
    assert_eq!(scraper.calls("retry", "a").iter().sum::<u64>(), n);
}
