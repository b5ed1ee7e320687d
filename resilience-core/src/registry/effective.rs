//! The configuration in force, read back from the live instances.

use std::sync::Arc;

use super::Registry;
use crate::config::{Effective, Loaded};

impl Registry {
    /// What holds for each live instance now, key by key, with where each value came from: for people, as
    /// [`to_toml`](Effective::to_toml), and for programs. Policies without a table of keys are left out.
    ///
    /// Instances change one after the other. Whoever asks in the middle of a reload may be shown one that has yet to
    /// change: with the values it still has, each of them that is about to change as if code had set it.
    pub fn config(&self) -> Effective {
        loop {
            let loaded = self.0.layers.loaded.load_full();
            let effective = self.effective(loaded.as_deref());
            // Else the values may be of the sources that came meanwhile, and would be shown with places in the old ones.
            let now = self.0.layers.loaded.load();
            if now.as_ref().map(Arc::as_ptr) == loaded.as_ref().map(Arc::as_ptr) {
                return effective;
            }
        }
    }

    fn effective(&self, loaded: Option<&Loaded>) -> Effective {
        let nothing = Loaded::default();
        let loaded = loaded.unwrap_or(&nothing);
        let mut effective = Effective::default();
        for ((_, id), instance) in self.instances() {
            let Some(section) = instance.live.section else { continue };
            // Sources that are wrong for an instance have no part in it.
            let merged = instance.live.merge(loaded, id).and_then(Result::ok).unwrap_or_default();
            let [live, expected] = (instance.live.read)(&instance.policy, &merged.values);
            effective.add((section, id), &live, &expected, &merged, &instance.live.written);
        }
        effective.sort();
        effective
    }
}
