//! Rate limiters: one call that takes one permit.

use std::{future::ready, hint::black_box, num::NonZeroU32, task::Poll};

use resilience::prelude::*;
use resilience_benches::{Contender, Quota, Scene, Suite, poll_once};
use tower::Layer;
use tower_resilience::ratelimiter::RateLimiterLayer;

use crate::{
    floor,
    service::{self, inside},
};

const GOVERNOR: &str = "governor";
const ADMITTED: &str = "admitted";
const REJECTED: &str = "rejected";

pub(crate) fn suite() -> Suite {
    let mut contenders = Vec::new();
    for threads in [1, 2] {
        for case in [ADMITTED, REJECTED] {
            let scene = Scene { case, threads };
            contenders.extend([resilience, governor, ratelimit, leaky_bucket].map(|it| it(scene)));
            if threads == 1 {
                contenders.extend([execute, execute_async].map(|it| it(scene)));
            }
            // Not with two threads: while the other one holds its lock, a call is not ready at its first poll.
            if scene == Scene::alone(ADMITTED) {
                contenders.push(tower_resilience(scene));
            }
        }
    }
    contenders.extend(floor::of_a_limiter());
    Suite { policy: "ratelimiter", references: &[GOVERNOR, floor::CLOCK], contenders }
}

/// `take` says whether it got a permit.
fn contender(name: &'static str, scene: Scene, take: impl Fn() -> bool + Sync + 'static) -> Contender {
    let admitted = scene.case == ADMITTED;
    if !admitted {
        assert!(take(), "the one permit is there");
    }
    Contender::new(name, scene, move || take() == admitted)
}

fn quota(scene: Scene) -> Quota {
    if scene.case == REJECTED { Quota::SCARCE } else { Quota::PLENTY }
}

fn resilience(scene: Scene) -> Contender {
    let limiter = quota(scene).limiter(&Clock::system());
    contender("resilience", scene, move || black_box(&limiter.try_acquire()).is_ok())
}

fn execute(scene: Scene) -> Contender {
    let pipeline = quota(scene).pipeline(&Clock::system());
    let call = move || black_box(&pipeline.execute(|| Ok::<_, ()>(7))).is_ok();
    contender("resilience, pipeline", scene, call)
}

fn execute_async(scene: Scene) -> Contender {
    let pipeline = quota(scene).pipeline(&Clock::system());
    let call = move || {
        let poll = poll_once(pipeline.execute_async(|| ready(Ok::<_, ()>(7))));
        matches!(black_box(&poll), Poll::Ready(Ok(_)))
    };
    contender("resilience, async pipeline", scene, call)
}

/// As governor says it.
pub(crate) fn governed(Quota { permits, period }: Quota) -> governor::Quota {
    let quota = governor::Quota::with_period(period / permits).expect("an interval");
    quota.allow_burst(NonZeroU32::new(permits).expect("more than none"))
}

fn governor(scene: Scene) -> Contender {
    // On quanta's clock, as it comes.
    let limiter = governor::DefaultDirectRateLimiter::direct(governed(quota(scene)));
    contender(GOVERNOR, scene, move || black_box(&limiter.check()).is_ok())
}

fn ratelimit(scene: Scene) -> Contender {
    let Quota { permits, period } = quota(scene);
    let builder = ratelimit::Ratelimiter::builder(permits.into()).period(period);
    let limiter = builder.initial_available(permits.into()).build().expect("a valid quota");
    contender("ratelimit", scene, move || black_box(&limiter.try_wait()).is_ok())
}

fn leaky_bucket(scene: Scene) -> Contender {
    let Quota { permits, period } = quota(scene);
    let permits = permits as usize;
    let mut builder = leaky_bucket::RateLimiter::builder();
    let limiter = builder.max(permits).initial(permits).refill(permits).interval(period).build();
    contender("leaky-bucket", scene, move || black_box(limiter.try_acquire(1)))
}

fn tower_resilience(scene: Scene) -> Contender {
    let Quota { permits, period } = quota(scene);
    let layer = RateLimiterLayer::builder().limit_for_period(permits as usize).refresh_period(period);
    service::tower("tower-resilience", scene, layer.build().expect("a valid quota").layer(inside()))
}
