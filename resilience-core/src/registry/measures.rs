//! What all instances measure.

use std::any::Any;

use super::{Managed, Registry};
use crate::{
    measure::{Measured, Measures},
    sync::Ordering,
};

impl Registry {
    /// What all instances measure now, by kind and id, and the configuration as the kind `config`. Reading changes nothing. How calls ended is counted with the
    /// feature `metrics` only, from the first `Metrics` on.
    ///
    /// For recorders; people look at a [`snapshot`](Self::snapshot).
    pub fn measures(&self) -> Vec<Measured> {
        let slots: Vec<_> = self.0.slots.iter().map(|slot| slot.value().clone()).collect();
        let instances = slots.iter().filter_map(|slot| slot.instance());
        let measured = instances
            .map(|instance| Measured { incarnation: instance.incarnation, ..(instance.measure)(&*instance.policy) });
        let mut measured: Vec<_> = measured.collect();
        self.0.layers.measure(&mut measured);
        measured.sort_by_key(|it| (it.kind, it.instance));
        measured
    }

    pub(super) fn next_incarnation(&self) -> u64 {
        // Ordering: Relaxed; a number that nobody else has.
        self.0.created.fetch_add(1, Ordering::Relaxed)
    }
}

pub(super) fn of<P: Managed>(policy: &(dyn Any + Send + Sync)) -> Measured {
    let policy = policy.downcast_ref::<P>().expect("stored together with this function");
    let mut measures = Measures::default();
    policy.measure(&mut measures);
    Measured { kind: P::KIND, instance: policy.id(), incarnation: 0, measures }
}
