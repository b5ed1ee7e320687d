use std::fmt;

use super::{
    Draft, Pipeline,
    part::{Ready, other_clock},
    slots::{Empty, Insert, Seal},
};
use crate::{
    Code, ConfigError, Error, Id, KindSet, Layer, Policy, Registry, RegistryError,
    fallback::{CopyOf, Fallback, Fallbacks, NoFallback},
    outcome::{ByResult, Class},
    registry::Managed,
    stack::Stack,
};

/// Puts policies together, in any order of calls; they nest in the documented one.
///
/// Each policy crate adds a method for its own policy: `.rate_limiter(|limiter| limiter.permits(10))`, ..
#[must_use]
pub struct PipelineBuilder<L, C = ByResult, B = NoFallback> {
    registry: Registry,
    id: Id,
    slots: L,
    classifier: C,
    fallback: B,
}

impl PipelineBuilder<Empty> {
    pub(super) fn new(registry: &Registry, id: Id) -> Self {
        Self { registry: registry.clone(), id, slots: Empty::default(), classifier: ByResult, fallback: NoFallback }
    }
}

impl<L, C, B> PipelineBuilder<L, C, B> {
    /// Adds a policy that you have at hand, at its own place.
    pub fn policy<P, At, I>(self, policy: P) -> PipelineBuilder<L::Out, C, B>
    where
        P: Policy<At = At>,
        L: Insert<Ready<P>, At, I>,
    {
        self.with_slots(|slots| slots.insert(Ready(policy)))
    }

    /// Adds a policy that the registry is to create or share; what the methods of the policy crates call.
    pub fn managed<P, At, I>(self, draft: Draft<P>) -> PipelineBuilder<L::Out, C, B>
    where
        P: Managed + Policy<At = At>,
        L: Insert<Draft<P>, At, I>,
    {
        self.with_slots(|slots| slots.insert(draft))
    }

    fn with_slots<M>(self, op: impl FnOnce(L) -> M) -> PipelineBuilder<M, C, B> {
        let Self { registry, id, slots, classifier, fallback } = self;
        PipelineBuilder { registry, id, slots: op(slots), classifier, fallback }
    }

    /// Tells the policies what results mean; see [`Pipeline::with_classifier`], which also takes types that are no
    /// closures.
    pub fn classifier<T, E, D>(self, classifier: D) -> PipelineBuilder<L, D, B>
    where
        D: Fn(&Result<T, E>) -> Class,
    {
        let Self { registry, id, slots, classifier: _, fallback } = self;
        PipelineBuilder { registry, id, slots, classifier, fallback }
    }

    /// Builds the pipeline and the instances it needs.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong with any of the policies (R4C-REG-003 if files or the environment have a part in
    /// it); R4C-REG-008 if a name is shared with an instance
    /// of another configuration. Nothing is created then.
    pub fn build(self) -> Result<Pipeline<L::Stack, C, B>, RegistryError>
    where
        L: Seal,
    {
        let Self { registry, id, slots, classifier, fallback } = self;
        let (mut problems, mut merged) = (Vec::new(), false);
        slots.check(&registry, id, &mut |error| {
            let RegistryError::Invalid(error) = error else { return Err(error) };
            merged |= error.code() == Code::InvalidMergedConfig;
            problems.extend_from_slice(error.problems());
            Ok(())
        })?;
        if merged {
            ConfigError::check_merged(id.as_str(), problems)?;
        } else {
            ConfigError::check(id.as_str(), problems)?;
        }
        let stack = slots.seal(&registry, id)?;
        Ok(Pipeline::new(&registry, id, stack, classifier, fallback))
    }
}

impl<L, C> PipelineBuilder<L, C, NoFallback> {
    /// Gives a result in place of every rejection and failure: once, after everything else failed. An error or panic of
    /// its own comes out unchanged. An `Err` that the classifier calls a success or ignores is the caller's; an `Ok` that
    /// it calls a failure is, too.
    pub fn fallback<T, E, F>(self, make: F) -> PipelineBuilder<L, C, Fallback<F>>
    where
        F: Fn(&Error<E>) -> Result<T, E>,
    {
        self.fallback_on(KindSet::ALL, make)
    }

    /// As [`PipelineBuilder::fallback`], for errors of these kinds only.
    pub fn fallback_on<T, E, F>(self, kinds: impl Into<KindSet>, make: F) -> PipelineBuilder<L, C, Fallback<F>>
    where
        F: Fn(&Error<E>) -> Result<T, E>,
    {
        self.with_fallback(kinds.into(), make)
    }

    /// Gives a copy of `value`, as [`PipelineBuilder::fallback`].
    pub fn fallback_value<T: Clone>(self, value: T) -> PipelineBuilder<L, C, Fallback<CopyOf<T>>> {
        self.with_fallback(KindSet::ALL, CopyOf(value))
    }

    fn with_fallback<F>(self, kinds: KindSet, make: F) -> PipelineBuilder<L, C, Fallback<F>> {
        let Self { registry, id, slots, classifier, fallback: NoFallback } = self;
        let fallback = Fallback::new(kinds, make, Fallbacks::new(&registry));
        PipelineBuilder { registry, id, slots, classifier, fallback }
    }
}

/// What the types of a custom order cannot tell: that no layer stands twice, and that all policies are on the clock of
/// the registry.
pub(super) fn check<S: Stack>(registry: &Registry, id: Id, stack: &S) -> Result<(), RegistryError> {
    let mut layers = Vec::new();
    let mut problems = Vec::new();
    stack.visit(&mut |layer, policy| {
        layers.push(layer);
        problems.extend(other_clock(registry, policy));
    });
    layers.sort_unstable();
    if let Some(twice) = layers.windows(2).find(|pair| pair[0] == pair[1] && pair[0] != Layer::CALL) {
        return Err(RegistryError::DuplicateLayer { id, layer: twice[0] });
    }
    Ok(ConfigError::check(id.as_str(), problems)?)
}

impl<L, C, B> fmt::Debug for PipelineBuilder<L, C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipelineBuilder").field("id", &self.id).finish_non_exhaustive()
    }
}
