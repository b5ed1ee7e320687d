//! Steps that policies cannot do without: a look at the clock, exchanges of the state.

use std::{
    hash::{BuildHasher, RandomState},
    hint::black_box,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use resilience::Clock;
use resilience_benches::{Contender, Scene, answer};

/// One look at the clock.
pub(crate) const CLOCK: &str = "clock";

/// A slot of a bulkhead.
pub(crate) const TAKE_AND_GIVE_BACK: &str = "exchange, then fetch_sub";

/// The same around what is called.
const CALL_IN_A_SLOT: &str = "exchange, the call, fetch_sub";

/// What a call through all five policies cannot do without.
pub(crate) const STEPS_OF_A_STACK: &str = "clock, three exchanges, fetch_sub";

const ALONE: Scene = Scene::alone(Scene::FLOOR);

/// Those of a limiter.
pub(crate) fn of_a_limiter() -> Vec<Contender> {
    let mut contenders = vec![clock(), clock_and_exchange(), instant()];
    for scene in [ALONE, Scene::shared(Scene::FLOOR)] {
        contenders.extend([exchange(scene), add(scene)]);
    }
    contenders
}

/// Those of a limiter per key.
pub(crate) fn of_a_keyed_limiter() -> Vec<Contender> {
    let mut contenders = vec![clock(), clock_and_hash()];
    contenders.extend([ALONE, Scene::shared(Scene::FLOOR)].map(clock_hash_and_lock));
    contenders
}

pub(crate) fn clock() -> Contender {
    let clock = Clock::system();
    Contender::new(CLOCK, ALONE, move || {
        black_box(clock.now());
        true
    })
}

#[expect(clippy::disallowed_methods, reason = "what the clock is compared with")]
fn instant() -> Contender {
    Contender::new("Instant::now", ALONE, || {
        black_box(Instant::now());
        true
    })
}

fn exchange(scene: Scene) -> Contender {
    let word = AtomicU64::new(0);
    Contender::new("exchange", scene, move || add_by_exchange(&word, 1))
}

fn clock_and_exchange() -> Contender {
    let (clock, word) = (Clock::system(), AtomicU64::new(0));
    Contender::new("clock, then exchange", ALONE, move || add_by_exchange(&word, clock.now().as_u64()))
}

fn clock_and_hash() -> Contender {
    let (clock, hasher) = (Clock::system(), RandomState::new());
    Contender::new("clock, hash of a `u64`", ALONE, move || {
        black_box((clock.now(), hasher.hash_one(black_box(7_u64))));
        true
    })
}

fn clock_hash_and_lock(scene: Scene) -> Contender {
    let (clock, hasher, last) = (Clock::system(), RandomState::new(), Mutex::new(0));
    Contender::new("clock, hash of a `u64`, lock", scene, move || {
        let (now, hash) = (clock.now().as_u64(), hasher.hash_one(black_box(7_u64)));
        *last.lock().expect("nobody panics under it") = now ^ hash;
        true
    })
}

fn add(scene: Scene) -> Contender {
    let word = AtomicU64::new(0);
    Contender::new("fetch_add", scene, move || {
        // Ordering: Relaxed; nothing hangs on the word.
        word.fetch_add(1, Ordering::Relaxed);
        true
    })
}

pub(crate) fn take_and_give_back(scene: Scene) -> Contender {
    let slots = AtomicU64::new(0);
    Contender::new(TAKE_AND_GIVE_BACK, scene, move || {
        let taken = add_by_exchange(&slots, 1);
        // Ordering: Relaxed; nothing hangs on the word.
        slots.fetch_sub(1, Ordering::Relaxed);
        taken
    })
}

pub(crate) fn call_in_a_slot(scene: Scene) -> Contender {
    let slots = AtomicU64::new(0);
    Contender::new(CALL_IN_A_SLOT, scene, move || {
        let taken = add_by_exchange(&slots, 1);
        let result = answer();
        // Ordering: Relaxed; nothing hangs on the word.
        slots.fetch_sub(1, Ordering::Relaxed);
        black_box(&result).is_ok() && taken
    })
}

/// The same steps in their order, around what is called. A thread looks at the clock again, to see whether it is late.
pub(crate) fn call_in_a_stack() -> [Contender; 2] {
    [("clock, two exchanges, the call, fetch_sub, exchange", false), ("the same, and the clock after the call", true)]
        .map(|(name, again)| {
            let (clock, words) = (Clock::system(), [const { OwnLine(AtomicU64::new(0)) }; 3]);
            Contender::new(name, ALONE, move || {
                let [limiter, breaker, slots] = &words;
                let now = clock.now();
                let mut taken = add_by_exchange(&limiter.0, now.as_u64()) && add_by_exchange(&slots.0, 1);
                let result = answer();
                taken &= !again || clock.now() >= now;
                // Ordering: Relaxed; nothing hangs on the word.
                slots.0.fetch_sub(1, Ordering::Relaxed);
                taken &= add_by_exchange(&breaker.0, 1);
                black_box(&result).is_ok() && taken
            })
        })
}

/// The limiter's word, the breaker's, a slot of the bulkhead.
pub(crate) fn steps_of_a_stack() -> Contender {
    let (clock, words) = (Clock::system(), [const { OwnLine(AtomicU64::new(0)) }; 3]);
    Contender::new(STEPS_OF_A_STACK, ALONE, move || {
        let now = clock.now().as_u64();
        let [limiter, breaker, slots] = &words;
        let taken = [(limiter, now), (breaker, 1), (slots, 1)].map(|(word, more)| add_by_exchange(&word.0, more));
        // Ordering: Relaxed; nothing hangs on the word.
        slots.0.fetch_sub(1, Ordering::Relaxed);
        taken == [true; 3]
    })
}

/// A word with no neighbours.
#[repr(align(128))]
struct OwnLine(AtomicU64);

/// Reads, and exchanges until nobody came between.
fn add_by_exchange(word: &AtomicU64, more: u64) -> bool {
    // Ordering: Relaxed, Relaxed; nothing hangs on the word.
    word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |state| Some(state.wrapping_add(more))).is_ok()
}
