use std::{any::Any, fmt, sync::Arc};

use super::Ledger;
use crate::{Call, Layer, Outcome, Policy};

/// A policy whose books are kept.
pub type Watched<P> = Arc<Ledger<Arc<P>>>;

/// One policy around the call.
pub type Alone<P> = (Watched<P>, Call);

/// What the contract asks of each policy of a stack.
pub trait Books {
    /// Where it sits.
    fn layer(&self) -> Layer;
    /// How many permits were handed out and not taken back.
    fn outstanding(&self) -> usize;
    /// What the policy was told, in order.
    fn outcomes(&self) -> Vec<Outcome>;
    /// All that the policy shows of itself: equal texts, equal states.
    fn state(&self) -> String;
}

impl<P: Policy + fmt::Debug> Books for Watched<P> {
    fn layer(&self) -> Layer {
        P::LAYER
    }

    fn outstanding(&self) -> usize {
        (**self).outstanding()
    }

    fn outcomes(&self) -> Vec<Outcome> {
        (**self).outcomes()
    }

    fn state(&self) -> String {
        format!("{:?}", self.policy())
    }
}

/// Instances of policies, and whatever has to stay alive for them to be as they are.
pub struct Prepared<S> {
    pub(super) stack: S,
    pub(super) books: Vec<Box<dyn Books>>,
    pub(super) layer: Layer,
    pub(super) keep: Box<dyn Any>,
}

impl<P: Policy + fmt::Debug + 'static> Prepared<Alone<P>> {
    /// One policy. Its state is its `Debug` text.
    pub fn new(policy: P) -> Self {
        let watched = Arc::new(Ledger::new(Arc::new(policy)));
        Self::of((Arc::clone(&watched), Call), vec![Box::new(watched)], P::LAYER)
    }
}

impl<S> Prepared<S> {
    /// Policies nested in one another, with the books of each, and the layer that makes wait or rejects.
    pub fn of(stack: S, books: Vec<Box<dyn Books>>, layer: Layer) -> Self {
        Self { stack, books, layer, keep: Box::new(()) }
    }

    /// Keeps `thing` until the end of the check.
    #[must_use]
    pub fn keeping(self, thing: impl Any) -> Self {
        Self { keep: Box::new(thing), ..self }
    }
}

impl<S> fmt::Debug for Prepared<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prepared")
    }
}
