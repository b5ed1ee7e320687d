//! When those who failed together come back: 1000 callers, each with the waits of its own retry.

use std::time::Duration;

use resilience::retry::{Config, Jitter};

use crate::Words;
use crate::chart::{Axis, Chart, Line};

const CALLERS: u64 = 1000;
/// Of the plot, in milliseconds.
const STEP: usize = 20;
const END: usize = 700;

fn arrivals(jitter: Jitter) -> Vec<(f64, f64)> {
    let config = Config { max_attempts: 4, jitter, ..Config::default() };
    let mut counts = [0_u32; END / STEP];
    for caller in 0..CALLERS {
        let mut at = Duration::ZERO;
        for delay in config.delays(caller) {
            at += delay;
            if let Some(count) = counts.get_mut(at.as_millis() as usize / STEP) {
                *count += 1;
            }
        }
    }
    let steps = counts.iter().enumerate();
    steps
        .flat_map(|(step, count)| {
            let (from, to) = (step * STEP, (step + 1) * STEP);
            [(from as f64, f64::from(*count)), (to as f64, f64::from(*count))]
        })
        .collect()
}

pub(crate) fn jitter() -> Chart {
    Chart {
        title: Words::new("1000 callers that failed together come back", "1000 clientes que fallaron juntos vuelven"),
        across: Axis {
            label: Words::new("milliseconds after the failure", "milisegundos después de la falla"),
            ticks: &[0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0],
        },
        up: Axis {
            label: Words::new("attempts in 20 ms", "intentos en 20 ms"),
            ticks: &[0.0, 250.0, 500.0, 750.0, 1000.0],
        },
        lines: vec![
            Line { label: Words::new("jitter none", "jitter none"), points: arrivals(Jitter::None) },
            Line { label: Words::new("equal", "equal"), points: arrivals(Jitter::Equal) },
            Line { label: Words::new("full", "full"), points: arrivals(Jitter::Full) },
        ],
    }
}
