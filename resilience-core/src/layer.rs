//! The order of the layers; its only definition.
//!
//! ```text
//! Fallback > Retry > CircuitBreaker > RateLimiter > Timeout > Bulkhead > the call
//! ```

use std::fmt;

/// Where a policy sits in a pipeline: a number, smaller is further out.
///
/// ```
/// use resilience_core::Layer;
///
/// assert!(Layer::CIRCUIT_BREAKER < Layer::RATE_LIMITER);
/// assert_eq!(Layer::RATE_LIMITER.to_string(), "rate_limiter");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layer(u16);

const NAMES: [(Layer, &str); 7] = [
    (Layer::FALLBACK, "fallback"),
    (Layer::RETRY, "retry"),
    (Layer::CIRCUIT_BREAKER, "circuit_breaker"),
    (Layer::RATE_LIMITER, "rate_limiter"),
    (Layer::TIMEOUT, "timeout"),
    (Layer::BULKHEAD, "bulkhead"),
    (Layer::CALL, "call"),
];

impl Layer {
    /// Outermost: the value of last resort.
    pub const FALLBACK: Self = Self(0x1000);
    /// Tries again what is inside.
    pub const RETRY: Self = Self(0x2000);
    /// Stops calling what keeps failing.
    pub const CIRCUIT_BREAKER: Self = Self(0x3000);
    /// Lets through so many calls per period.
    pub const RATE_LIMITER: Self = Self(0x4000);
    /// Limits how long what is inside may take.
    pub const TIMEOUT: Self = Self(0x5000);
    /// Limits how many calls are inside at once.
    pub const BULKHEAD: Self = Self(0x6000);
    /// The call itself.
    pub const CALL: Self = Self(0x7000);

    /// For a place with no room for more than a number.
    pub(crate) const fn number(self) -> u16 {
        self.0
    }

    /// The layer of [`Layer::number`].
    pub(crate) const fn of(number: u16) -> Self {
        Self(number)
    }

    /// The place right inside this one, for a policy that is not ours.
    #[must_use]
    pub const fn inside(self) -> Self {
        Self(self.0 + 0x100)
    }

    /// The name of the layer, as configuration and metrics write it; of a place between two, the outer one's.
    pub fn name(self) -> &'static str {
        NAMES.iter().rev().find(|(layer, _)| *layer <= self).map_or("outside", |(_, name)| name)
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())?;
        if NAMES.iter().any(|(layer, _)| layer == self) { Ok(()) } else { f.write_str(" (inside)") }
    }
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The places of a pipeline as types: what a policy names as its [`Policy::At`](crate::Policy::At).
pub mod at {
    use super::Layer;

    /// A place in the documented order.
    pub trait Place {
        /// The place as a number.
        const LAYER: Layer;
        /// This place; for [`Anywhere`] the place `Next`.
        type Or<Next: Place>: Place;
    }

    /// The place `Self` lies outside the place `Inner`.
    #[diagnostic::on_unimplemented(
        message = "layers out of order: `{Self}` does not lie outside `{Inner}`",
        label = "not in the documented order",
        note = "the order, outermost first: Retry > CircuitBreaker > RateLimiter > Timeout > Bulkhead > the call",
        note = "use `Pipeline::custom_order` for another order, on purpose"
    )]
    pub trait Outside<Inner> {}

    /// No place of its own: a policy that does nothing, such as `()`.
    #[derive(Debug)]
    pub struct Anywhere;

    /// Right inside the place `P`, further out than the next one: for policies that are not ours.
    #[derive(Debug)]
    pub struct Inside<P>(std::marker::PhantomData<P>);

    impl Place for Anywhere {
        const LAYER: Layer = Layer::CALL;
        type Or<Next: Place> = Next;
    }

    impl<P: Place> Place for Inside<P> {
        const LAYER: Layer = P::LAYER.inside();
        type Or<Next: Place> = Self;
    }

    impl<Inner> Outside<Inner> for Anywhere {}

    macro_rules! places {
        ($($name:ident = $layer:ident, $doc:literal;)+) => {
            $(
                #[doc = $doc]
                #[derive(Debug)]
                pub struct $name;

                impl Place for $name {
                    const LAYER: Layer = Layer::$layer;
                    type Or<Next: Place> = Self;
                }

                impl Outside<Inside<$name>> for $name {}
            )+
            order! { $($name)+ }
        };
    }

    macro_rules! order {
        ($outer:ident $($inner:ident)*) => {
            $(
                impl Outside<$inner> for $outer {}
                impl Outside<$inner> for Inside<$outer> {}
                impl Outside<Inside<$inner>> for $outer {}
                impl Outside<Inside<$inner>> for Inside<$outer> {}
            )*
            order! { $($inner)* }
        };
        () => {};
    }

    places! {
        Retry = RETRY, "The place of the retry (or of a hedge).";
        CircuitBreaker = CIRCUIT_BREAKER, "The place of the circuit breaker.";
        RateLimiter = RATE_LIMITER, "The place of the rate limiter.";
        Timeout = TIMEOUT, "The place of the timeout.";
        Bulkhead = BULKHEAD, "The place of the bulkhead.";
        Call = CALL, "The call itself, innermost.";
    }
}
