//! How often a breaker opens by chance: the share of hours in which it does, by the share of calls that fail.

use resilience::{ManualClock, Random, breaker::CircuitBreaker, breaker::State};

use crate::Words;
use crate::chart::{Axis, Chart, Line};

/// Calls in an hour of a service that is not busy.
const CALLS: u32 = 1000;
const HOURS: u32 = 100;

/// In how many percent of the hours a breaker with a threshold of 50 % opens.
fn opened(window: u32, failing: u32) -> f64 {
    let random = Random::seeded(u64::from(window * 100 + failing));
    let share = f64::from(failing) / 100.0;
    let opens = |_: &u32| {
        let builder = CircuitBreaker::builder().window_size(window).minimum_calls(window);
        let breaker = builder.clock(ManualClock::new()).build().expect("a valid window");
        let mut calls = 0..CALLS;
        calls.any(|_| {
            let fails = random.next_f64() < share;
            _ = breaker.execute(|| if fails { Err(()) } else { Ok(()) });
            breaker.state() != State::Closed
        })
    };
    100.0 * (0..HOURS).filter(opens).count() as f64 / f64::from(HOURS)
}

pub(crate) fn window() -> Chart {
    let line = |window, label| Line {
        label,
        points: (0..=12).map(|step| (f64::from(step * 5), opened(window, step * 5))).collect(),
    };
    Chart {
        title: Words::new(
            "Hours in which a breaker with a threshold of 50 % opens",
            "Horas en las que se abre un breaker con un umbral de 50 %",
        ),
        across: Axis {
            label: Words::new("calls that fail, in %", "llamadas que fallan, en %"),
            ticks: &[0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0],
        },
        up: Axis { label: Words::new("hours, in %", "horas, en %"), ticks: &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0] },
        lines: vec![
            line(5, Words::new("window 5", "ventana 5")),
            line(10, Words::new("10", "10")),
            line(20, Words::new("20", "20")),
            line(100, Words::new("100", "100")),
        ],
    }
}
