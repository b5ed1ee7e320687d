//! What retries cost the one that is called: attempts per call, by the share of attempts that fail.

use std::time::Duration;

use resilience::{ManualClock, Random, retry::Builder, retry::Retry};

use crate::Words;
use crate::chart::{Axis, Chart, Line};

const CALLS: u32 = 2000;

/// One call every 10 ms: 100 per second.
fn attempts(set: fn(Builder) -> Builder, failing: u32) -> f64 {
    let clock = ManualClock::new();
    let builder = set(Retry::builder().delay(Duration::ZERO));
    let retry = builder.clock(&clock).build().expect("a valid retry");
    let random = Random::seeded(u64::from(failing));
    let mut count = 0_u32;
    for _ in 0..CALLS {
        _ = retry.execute(|| {
            count += 1;
            if random.next_f64() < f64::from(failing) / 100.0 { Err(()) } else { Ok(()) }
        });
        clock.advance(Duration::from_millis(10));
    }
    f64::from(count) / f64::from(CALLS)
}

pub(crate) fn budget() -> Chart {
    let line = |set: fn(Builder) -> Builder, label| Line {
        label,
        points: (0..=10).map(|step| (f64::from(step * 10), attempts(set, step * 10))).collect(),
    };
    Chart {
        title: Words::new("What retries cost the one that is called", "Lo que los retries le cuestan al otro lado"),
        across: Axis {
            label: Words::new("attempts that fail, in %", "intentos que fallan, en %"),
            ticks: &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0],
        },
        up: Axis {
            label: Words::new("attempts per call", "intentos por llamada"),
            ticks: &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        },
        lines: vec![
            line(|it| it.max_attempts(5), Words::new("max_attempts 5", "max_attempts 5")),
            line(|it| it.max_attempts(3), Words::new("3", "3")),
            line(
                |it| it.max_attempts(3).budget_percent(20.0),
                Words::new("3, budget_percent 20", "3, budget_percent 20"),
            ),
        ],
    }
}
