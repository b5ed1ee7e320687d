//! Bulkheads: one call that finds a slot, and gives it back.

use std::{future::ready, hint::black_box, task::Poll};

use resilience::{Clock, bulkhead::Bulkhead};
use resilience_benches::{Contender, Scene, Suite, answer, poll_once};
use tower::{Layer, limit::ConcurrencyLimit};
use tower_resilience::bulkhead::BulkheadLayer;

use crate::{
    floor,
    service::{self, inside},
};

const TOWER: &str = "tower";

const FREE: &str = "free";
const SLOTS: usize = 25;

pub(crate) fn suite() -> Suite {
    let mut contenders = Vec::new();
    for scene in [Scene::alone(FREE), Scene::shared(FREE)] {
        contenders.extend([resilience, resilience_async, tower, tower_resilience].map(|it| it(scene)));
    }
    for scene in [Scene::alone(Scene::FLOOR), Scene::shared(Scene::FLOOR)] {
        contenders.extend([floor::take_and_give_back, floor::call_in_a_slot].map(|it| it(scene)));
    }
    Suite { policy: "bulkhead", references: &[TOWER, floor::TAKE_AND_GIVE_BACK], contenders }
}

fn ours() -> Bulkhead {
    Bulkhead::builder().max_concurrent(SLOTS as u32).clock(Clock::system()).build().expect("a valid number")
}

fn resilience(scene: Scene) -> Contender {
    let bulkhead = ours();
    Contender::new("resilience, sync", scene, move || black_box(&bulkhead.execute(answer)).is_ok())
}

fn resilience_async(scene: Scene) -> Contender {
    let bulkhead = ours();
    Contender::new("resilience, async", scene, move || {
        let call = bulkhead.execute_async(|| ready(answer()));
        matches!(black_box(&poll_once(call)), Poll::Ready(Ok(_)))
    })
}

fn tower(scene: Scene) -> Contender {
    service::tower(TOWER, scene, ConcurrencyLimit::new(inside(), SLOTS))
}

fn tower_resilience(scene: Scene) -> Contender {
    let layer = BulkheadLayer::builder().max_concurrent_calls(SLOTS).build().expect("a valid number");
    service::tower("tower-resilience", scene, layer.layer(inside()))
}
