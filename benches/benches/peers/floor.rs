//! What no limiter can do without: a look at the clock, and an exchange of the state.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use resilience::Clock;
use resilience_benches::{Contender, Scene, Way};

pub(crate) fn contenders() -> Vec<Contender> {
    let alone = Scene { way: Way::Floor, threads: 1 };
    let mut contenders =
        vec![clock("clock", alone), clock_and_exchange("clock, then exchange", alone), instant("Instant::now", alone)];
    for threads in [1, 2] {
        let scene = Scene { threads, ..alone };
        contenders.extend([exchange("exchange", scene), add("fetch_add", scene)]);
    }
    contenders
}

fn clock(name: &'static str, scene: Scene) -> Contender {
    let clock = Clock::system();
    Contender::new(name, scene, move || {
        black_box(clock.now());
        true
    })
}

#[expect(clippy::disallowed_methods, reason = "what the clock is compared with")]
fn instant(name: &'static str, scene: Scene) -> Contender {
    Contender::new(name, scene, || {
        black_box(Instant::now());
        true
    })
}

fn exchange(name: &'static str, scene: Scene) -> Contender {
    let word = AtomicU64::new(0);
    Contender::new(name, scene, move || add_by_exchange(&word, 1))
}

fn clock_and_exchange(name: &'static str, scene: Scene) -> Contender {
    let (clock, word) = (Clock::system(), AtomicU64::new(0));
    Contender::new(name, scene, move || add_by_exchange(&word, clock.now().as_u64()))
}

fn add(name: &'static str, scene: Scene) -> Contender {
    let word = AtomicU64::new(0);
    Contender::new(name, scene, move || {
        // Ordering: Relaxed; nothing hangs on the word.
        word.fetch_add(1, Ordering::Relaxed);
        true
    })
}

/// Reads, and exchanges until nobody came between.
fn add_by_exchange(word: &AtomicU64, more: u64) -> bool {
    // Ordering: Relaxed, Relaxed; nothing hangs on the word.
    word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |state| Some(state.wrapping_add(more))).is_ok()
}
