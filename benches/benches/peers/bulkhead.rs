//! Bulkheads: one call that finds a slot, and gives it back.

use resilience_benches::{Contender, Scene, Suite};
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
        contenders.extend([tower, tower_resilience].map(|it| it(scene)));
    }
    contenders.extend([Scene::alone(Scene::FLOOR), Scene::shared(Scene::FLOOR)].map(floor::take_and_give_back));
    Suite { policy: "bulkhead", references: &[TOWER, floor::TAKE_AND_GIVE_BACK], contenders }
}

fn tower(scene: Scene) -> Contender {
    service::tower(TOWER, scene, ConcurrencyLimit::new(inside(), SLOTS))
}

fn tower_resilience(scene: Scene) -> Contender {
    let layer = BulkheadLayer::builder().max_concurrent_calls(SLOTS).build().expect("a valid number");
    service::tower("tower-resilience", scene, layer.layer(inside()))
}
