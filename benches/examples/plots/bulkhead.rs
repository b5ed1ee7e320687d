//! How many slots a load needs: the share of calls that are rejected, by the number of slots.

use std::{cmp::Reverse, collections::BinaryHeap};

use resilience::{Random, bulkhead::Bulkhead};

use crate::Words;
use crate::chart::{Axis, Chart, Line};

const CALLS: usize = 10_000;

/// A time with this mean, as calls that have nothing to do with one another arrive and end.
fn time(random: &Random, mean: f64) -> f64 {
    -mean * (1.0 - random.next_f64()).ln()
}

/// `busy` calls are inside at once on average, of as many slots as it takes. In percent.
fn rejected(slots: u32, busy: f64) -> f64 {
    let bulkhead = Bulkhead::builder().max_concurrent(slots).build().expect("a valid number");
    let random = Random::seeded(u64::from(slots));
    let mut inside = BinaryHeap::new();
    let mut permits = Vec::new();
    let (mut now, mut rejected) = (0.0, 0_u32);
    for _ in 0..CALLS {
        now += time(&random, 1.0);
        // In millionths of the mean time between arrivals, which can be sorted.
        while inside.peek().is_some_and(|Reverse(end)| *end <= (now * 1e6) as u64) {
            inside.pop();
            permits.pop();
        }
        match bulkhead.try_enter() {
            Ok(permit) => {
                permits.push(permit);
                inside.push(Reverse(((now + time(&random, busy)) * 1e6) as u64));
            }
            Err(_) => rejected += 1,
        }
    }
    100.0 * f64::from(rejected) / CALLS as f64
}

pub(crate) fn slots() -> Chart {
    let line =
        |busy, label| Line { label, points: (1..=40).map(|slots| (f64::from(slots), rejected(slots, busy))).collect() };
    Chart {
        title: Words::new("Calls that find no slot", "Llamadas que no encuentran lugar"),
        across: Axis {
            label: Words::new("max_concurrent", "max_concurrent"),
            ticks: &[0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0],
        },
        up: Axis {
            label: Words::new("rejected, in %", "rechazadas, en %"),
            ticks: &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0],
        },
        lines: vec![
            line(5.0, Words::new("5 inside on average", "5 adentro en promedio")),
            line(10.0, Words::new("10", "10")),
            line(20.0, Words::new("20", "20")),
        ],
    }
}
