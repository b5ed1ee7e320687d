//! What a burst is: 10 calls per second, written in two ways, under callers that come all at once now and then.

use std::time::Duration;

use resilience::{ManualClock, ratelimiter::RateLimiter};

use crate::Words;
use crate::chart::{Axis, Chart, Line};

/// Calls arrive every 10 ms in the first 3 s, none until 5 s, and again until 8 s.
fn admitted(permits: u32, period: Duration) -> Vec<(f64, f64)> {
    let clock = ManualClock::new();
    let builder = RateLimiter::builder().permits(permits).period(period);
    let limiter = builder.clock(&clock).build().expect("a valid quota");
    let mut count = 0;
    let mut points = vec![(0.0, 0.0)];
    for step in 0..800 {
        let before = count;
        if !(300..500).contains(&step) && limiter.try_acquire().is_ok() {
            count += 1;
        }
        let now = f64::from(step) / 100.0;
        if count != before {
            points.extend([(now, f64::from(before)), (now, f64::from(count))]);
        }
        clock.advance(Duration::from_millis(10));
    }
    points.push((8.0, f64::from(count)));
    points
}

pub(crate) fn burst() -> Chart {
    let second = Duration::from_secs(1);
    Chart {
        title: Words::new("10 calls per second, in two ways", "10 llamadas por segundo, de dos formas"),
        across: Axis {
            label: Words::new("seconds; no calls come from 3 to 5", "segundos; de 3 a 5 no llega ninguna llamada"),
            ticks: &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        },
        up: Axis {
            label: Words::new("admitted so far", "admitidas hasta ahora"),
            ticks: &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0],
        },
        lines: vec![
            Line { label: Words::new("permits 10, period 1s", "permits 10, period 1s"), points: admitted(10, second) },
            Line {
                label: Words::new("permits 1, period 100ms", "permits 1, period 100ms"),
                points: admitted(1, second / 10),
            },
        ],
    }
}
