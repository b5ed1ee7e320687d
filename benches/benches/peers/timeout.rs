//! Timeouts: one call that is ready at its first poll.

use std::time::Duration;

use layered::{Execute, Stack};
use resilience_benches::{Contender, Scene, Suite};
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
    let mut contenders = Vec::from([tower, tower_resilience, seatbelt].map(|it| it(scene)));
    contenders.push(floor::clock());
    Suite { policy: "timeout", references: &[TOWER, floor::CLOCK], contenders }
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
        let timeout = Timeout::layer("timeout", &context).timeout_output(|_| Err(())).timeout(LIMIT);
        (timeout, Execute::new(|request: u8| async move { Ok::<_, ()>(request) })).into_service()
    })
}
