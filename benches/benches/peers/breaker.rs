//! Circuit breakers: one call that succeeds, or that an open breaker turns away.

use std::{future::ready, hint::black_box, time::Duration};

use failsafe::{CircuitBreaker as _, backoff, failure_policy};
use layered::{Execute, Stack};
use recloser::Recloser;
use resilience::{Clock, breaker::CircuitBreaker};
use resilience_benches::{Contender, Failure, Scene, Suite, answer};
use seatbelt::{RecoveryInfo, ResilienceContext, breaker::Breaker};
use tower::Layer;
use tower_resilience::circuitbreaker::CircuitBreakerLayer;

use crate::{
    floor,
    service::{self, inside},
};

const RECLOSER: &str = "recloser";
const FAILSAFE: &str = "failsafe";

const CLOSED: &str = "closed";
const LONG: &str = "closed, window of 100 000";
const OPEN: &str = "open";
/// Longer than any benchmark.
const HOUR: Duration = Duration::from_secs(3600);

pub(crate) fn suite() -> Suite {
    let mut contenders = Vec::new();
    for case in [CLOSED, OPEN] {
        contenders.extend([resilience, recloser, failsafe].map(|it| it(Scene::alone(case))));
    }
    contenders.extend([resilience, recloser].map(|it| it(Scene::alone(LONG))));
    contenders.extend([seatbelt, tower_resilience].map(|it| it(Scene::alone(CLOSED))));
    // Not tower-resilience's: while the other thread holds its lock, a call is not ready at its first poll.
    contenders.extend([resilience, recloser, failsafe].map(|it| it(Scene::shared(CLOSED))));
    contenders.push(floor::clock());
    Suite { policy: "breaker", references: &[RECLOSER, FAILSAFE, floor::CLOCK], contenders }
}

fn window(scene: Scene) -> u32 {
    if scene.case == LONG { 100_000 } else { 100 }
}

/// `call` says whether what it calls was called and came back.
fn contender(name: &'static str, scene: Scene, call: impl Fn() -> bool + Sync + 'static) -> Contender {
    let closed = scene.case != OPEN;
    Contender::new(name, scene, move || call() == closed)
}

fn resilience(scene: Scene) -> Contender {
    let builder = CircuitBreaker::builder().wait_in_open(HOUR).clock(Clock::system());
    let breaker = builder.window_size(window(scene)).minimum_calls(1).build().expect("a valid window");
    if scene.case == OPEN {
        assert!(breaker.execute(|| Err::<(), _>(())).is_err());
    }
    contender("resilience", scene, move || black_box(&breaker.execute(answer)).is_ok())
}

fn recloser(scene: Scene) -> Contender {
    let length = if scene.case == OPEN { 1 } else { window(scene) as usize };
    let recloser = Recloser::custom().closed_len(length).open_wait(HOUR).build();
    if scene.case == OPEN {
        // The first is only recorded.
        let fail = || recloser.call(|| Err::<(), _>(()));
        assert!([fail(), fail()].iter().all(Result::is_err));
    }
    contender(RECLOSER, scene, move || black_box(&recloser.call(answer)).is_ok())
}

/// It has no window of calls, but an average over time.
fn failsafe(scene: Scene) -> Contender {
    if scene.case == OPEN {
        let policy = failure_policy::consecutive_failures(1, backoff::constant(HOUR));
        let failsafe = failsafe::Config::new().failure_policy(policy).build();
        assert!(failsafe.call(|| Err::<(), _>(())).is_err());
        return contender(FAILSAFE, scene, move || black_box(&failsafe.call(answer)).is_ok());
    }
    let failsafe = failsafe::Config::new().build();
    contender(FAILSAFE, scene, move || black_box(&failsafe.call(answer)).is_ok())
}

fn seatbelt(scene: Scene) -> Contender {
    service::seatbelt("seatbelt", scene, |clock| {
        let context = ResilienceContext::new(clock);
        let breaker = Breaker::layer("breaker", &context)
            .recovery_with(|result: &Result<u8, Failure>, _| match result {
                Ok(_) => RecoveryInfo::never(),
                Err(Failure) => RecoveryInfo::retry(),
            })
            .rejected_input_error(|_, _| Failure);
        (breaker, Execute::new(|_: u8| ready(answer()))).into_service()
    })
}

fn tower_resilience(scene: Scene) -> Contender {
    let layer =
        CircuitBreakerLayer::builder().sliding_window_size(window(scene) as usize).build().expect("a valid window");
    service::tower("tower-resilience", scene, layer.layer(inside()))
}
