//! Timeouts: one call that is ready at its first poll.

use std::{future::ready, hint::black_box, task::Poll, time::Duration};

use layered::{Execute, Stack};
use resilience::Clock;
use resilience_benches::{Contender, Failure, Scene, Suite, answer, poll_once};
use seatbelt::{ResilienceContext, timeout::Timeout};
use tower::Layer;
use tower_resilience::timelimiter::TimeLimiterLayer;

use crate::{
    floor,
    service::{self, inside},
};

const TOWER: &str = "tower";

const READY: &str = "ready at once";
const LIMIT: Duration = Duration::from_secs(2);

pub(crate) fn suite() -> Suite {
    let scene = Scene::alone(READY);
    let mut contenders =
        Vec::from([resilience, resilience_async, tower, tower_resilience, seatbelt].map(|it| it(scene)));
    contenders.push(floor::clock());
    Suite { policy: "timeout", references: &[TOWER, floor::CLOCK], contenders }
}

fn ours() -> resilience::timeout::Timeout {
    resilience::timeout::Timeout::builder().timeout(LIMIT).clock(Clock::system()).build().expect("a valid limit")
}

fn resilience(scene: Scene) -> Contender {
    let timeout = ours();
    Contender::new("resilience, sync", scene, move || black_box(&timeout.execute(answer)).is_ok())
}

fn resilience_async(scene: Scene) -> Contender {
    let timeout = ours();
    Contender::new("resilience, async", scene, move || {
        let call = timeout.execute_async(|| ready(answer()));
        matches!(black_box(&poll_once(call)), Poll::Ready(Ok(_)))
    })
}

fn tower(scene: Scene) -> Contender {
    service::tower(TOWER, scene, tower::timeout::Timeout::new(inside(), LIMIT))
}

fn tower_resilience(scene: Scene) -> Contender {
    let layer = TimeLimiterLayer::builder().timeout_duration(LIMIT).build();
    service::tower("tower-resilience", scene, layer.layer(inside()))
}

fn seatbelt(scene: Scene) -> Contender {
    service::seatbelt("seatbelt", scene, |clock| {
        let context = ResilienceContext::new(clock);
        let timeout = Timeout::layer("timeout", &context).timeout_output(|_| Err(Failure)).timeout(LIMIT);
        (timeout, Execute::new(|_: u8| ready(answer()))).into_service()
    })
}
